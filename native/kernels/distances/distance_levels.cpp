// Which of the compiled copies of distance_kernels.cpp to use.
#include "distances/distance_kernels.hpp"

namespace branchline {

namespace baseline {
extern const DistanceKernels distance_kernels;
}
#if defined(__x86_64__)
namespace v3 {
extern const DistanceKernels distance_kernels;
}
namespace v4 {
extern const DistanceKernels distance_kernels;
}
#endif

const DistanceKernels& distance_kernels_for(CpuLevel level) noexcept {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::distance_kernels;
    if (level == CpuLevel::v3) return v3::distance_kernels;
#endif
    static_cast<void>(level);
    return baseline::distance_kernels;
}

}  // namespace branchline
