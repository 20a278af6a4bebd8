#include "branchline/cpu_level.hpp"

namespace branchline {

std::vector<CpuLevel> available_cpu_levels() {
    std::vector<CpuLevel> levels{CpuLevel::baseline};
#if defined(__x86_64__)
    // All that the level promises: a virtual machine may hide any one of them.
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt") &&
        __builtin_cpu_supports("movbe")) {
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
