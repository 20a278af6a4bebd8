// Which of the compiled copies of pair_kernels.cpp to use.
#include "optimal/pair_kernels.hpp"

namespace branchline::optimal {

namespace baseline {
template <class Cost>
void score_pairs(const Cost& cost, PairTable<Cost>& table, std::size_t test);
void count_pairs(const BitView& bits, std::size_t test, std::int32_t* counts, std::size_t stride);
}  // namespace baseline

#if defined(__x86_64__)
namespace v3 {
template <class Cost>
void score_pairs(const Cost& cost, PairTable<Cost>& table, std::size_t test);
void count_pairs(const BitView& bits, std::size_t test, std::int32_t* counts, std::size_t stride);
}  // namespace v3
namespace v4 {
template <class Cost>
void score_pairs(const Cost& cost, PairTable<Cost>& table, std::size_t test);
void count_pairs(const BitView& bits, std::size_t test, std::int32_t* counts, std::size_t stride);
}  // namespace v4
#endif

template <class Cost>
ScorePairs<Cost> score_pairs_for(CpuLevel level) {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::score_pairs<Cost>;
    if (level == CpuLevel::v3) return v3::score_pairs<Cost>;
#endif
    (void)level;
    return baseline::score_pairs<Cost>;
}

template ScorePairs<CountedTwo> score_pairs_for<CountedTwo>(CpuLevel);
template ScorePairs<CountedMany> score_pairs_for<CountedMany>(CpuLevel);
template ScorePairs<WeightedTwo> score_pairs_for<WeightedTwo>(CpuLevel);
template ScorePairs<WeightedMany> score_pairs_for<WeightedMany>(CpuLevel);
template ScorePairs<CostedErrors> score_pairs_for<CostedErrors>(CpuLevel);
template ScorePairs<SquaredErrors> score_pairs_for<SquaredErrors>(CpuLevel);

CountPairs count_pairs_for(CpuLevel level) {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::count_pairs;
    if (level == CpuLevel::v3) return v3::count_pairs;
#endif
    (void)level;
    return baseline::count_pairs;
}

}  // namespace branchline::optimal
