// Which of the compiled copies of nearest_kernels.cpp to use.
#include "cluster/nearest_kernels.hpp"

namespace branchline::cluster {

namespace baseline {
extern const NearestKernels nearest_kernels;
}
#if defined(__x86_64__)
namespace v3 {
extern const NearestKernels nearest_kernels;
}
namespace v4 {
extern const NearestKernels nearest_kernels;
}
#endif

const NearestKernels& nearest_kernels_for(CpuLevel level) noexcept {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::nearest_kernels;
    if (level == CpuLevel::v3) return v3::nearest_kernels;
#endif
    static_cast<void>(level);
    return baseline::nearest_kernels;
}

}  // namespace branchline::cluster
