#include "branchline/cpu_level.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace branchline {
namespace {

#if defined(__x86_64__)
// Whether the processor says so in bit `bit` of ecx for `leaf`: Clang before version 18 does not
// know all names that __builtin_cpu_supports takes elsewhere.
bool has_bit(unsigned leaf, unsigned bit) {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(leaf, &eax, &ebx, &ecx, &edx) != 0 && (ecx >> bit & 1U) != 0;
}

bool has_movbe() { return has_bit(1, 22); }
bool has_f16c() { return has_bit(1, 29); }
bool has_lzcnt() { return has_bit(0x80000001U, 5); }
#endif

}  // namespace

std::vector<CpuLevel> available_cpu_levels() {
    std::vector<CpuLevel> levels{CpuLevel::baseline};
#if defined(__x86_64__)
    // All that the level promises: a virtual machine may hide any one of them.
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") && has_f16c() &&
        has_lzcnt() && has_movbe()) {
        levels.push_back(CpuLevel::v3);
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512cd")) {
            levels.push_back(CpuLevel::v4);
        }
    }
#endif
    return levels;
}

CpuLevel best_cpu_level() noexcept {
    static const CpuLevel best = available_cpu_levels().back();
    return best;
}

}  // namespace branchline
