// Which vector instructions this processor has; hot kernels exist once for each level.
#pragma once

#include <vector>

namespace branchline {

enum class CpuLevel : int { baseline = 0, v3 = 3, v4 = 4 };

// The best level that this build has a kernel for and this processor can run.
CpuLevel best_cpu_level() noexcept;

// All levels that can run here, lowest first; for tests.
std::vector<CpuLevel> available_cpu_levels();

}  // namespace branchline
