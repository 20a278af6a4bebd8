// Which of the compiled copies of level_kernels.cpp to use.
#include "forest/level_kernels.hpp"

namespace branchline::forest {

namespace baseline {
LevelKernels kernels();
}
#if defined(__x86_64__)
namespace v3 {
LevelKernels kernels();
}
namespace v4 {
LevelKernels kernels();
}
#endif

LevelKernels level_kernels_for(CpuLevel level) {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::kernels();
    if (level == CpuLevel::v3) return v3::kernels();
#endif
    (void)level;
    return baseline::kernels();
}

}  // namespace branchline::forest
