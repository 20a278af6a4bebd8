// Which of the compiled copies of near_kernels.cpp to use.
#include "neighbors/near_kernels.hpp"

namespace branchline::neighbors {

namespace baseline {
extern const NearKernels near_kernels;
}
#if defined(__x86_64__)
namespace v3 {
extern const NearKernels near_kernels;
}
namespace v4 {
extern const NearKernels near_kernels;
}
#endif

const NearKernels& near_kernels_for(CpuLevel level) noexcept {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::near_kernels;
    if (level == CpuLevel::v3) return v3::near_kernels;
#endif
    static_cast<void>(level);
    return baseline::near_kernels;
}

}  // namespace branchline::neighbors
