// Which of the compiled copies of two_class_scan.cpp and counted_scan.cpp to use.
#include "tree/counted_scan.hpp"
#include "tree/two_class_scan.hpp"

namespace branchline::tree {

using Items16 = const Item<std::uint16_t>*;
using Items32 = const Item<std::uint32_t>*;
using Pairs = std::span<const ClassPair>;

namespace baseline {
ScanResult scan16(Items16 items, std::size_t n, const ScanStart& start);
ScanResult scan32(Items32 items, std::size_t n, const ScanStart& start);
CountedResult scan_counts(Pairs up_to, const CountedStart& start, CountedResult so_far);
}  // namespace baseline

#if defined(__x86_64__)
namespace v3 {
ScanResult scan16(Items16 items, std::size_t n, const ScanStart& start);
ScanResult scan32(Items32 items, std::size_t n, const ScanStart& start);
CountedResult scan_counts(Pairs up_to, const CountedStart& start, CountedResult so_far);
}  // namespace v3
namespace v4 {
ScanResult scan16(Items16 items, std::size_t n, const ScanStart& start);
ScanResult scan32(Items32 items, std::size_t n, const ScanStart& start);
CountedResult scan_counts(Pairs up_to, const CountedStart& start, CountedResult so_far);
}  // namespace v4
#endif

template <>
ScanTwoClasses<std::uint16_t> scan_two_classes_for(CpuLevel level) {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::scan16;
    if (level == CpuLevel::v3) return v3::scan16;
#endif
    (void)level;
    return baseline::scan16;
}

template <>
ScanTwoClasses<std::uint32_t> scan_two_classes_for(CpuLevel level) {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::scan32;
    if (level == CpuLevel::v3) return v3::scan32;
#endif
    (void)level;
    return baseline::scan32;
}

ScanCounts scan_counts_for(CpuLevel level) {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::scan_counts;
    if (level == CpuLevel::v3) return v3::scan_counts;
#endif
    (void)level;
    return baseline::scan_counts;
}

}  // namespace branchline::tree
