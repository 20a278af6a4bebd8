// Which of the compiled copies of level_kernels.cpp to use.
#include "boosting/level_kernels.hpp"

namespace branchline::boosting {

namespace baseline {
extern const BoostingKernels kernels;
}
#if defined(__x86_64__)
namespace v3 {
extern const BoostingKernels kernels;
}
namespace v4 {
extern const BoostingKernels kernels;
}
#endif

const BoostingKernels& boosting_kernels_for(CpuLevel level) noexcept {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::kernels;
    if (level == CpuLevel::v3) return v3::kernels;
#endif
    static_cast<void>(level);
    return baseline::kernels;
}

}  // namespace branchline::boosting
