// Which of the compiled copies of slice_kernels.cpp to use.
#include "bayes/slice_kernels.hpp"

namespace branchline {

namespace baseline {
extern const SliceKernels slice_kernels;
}
#if defined(__x86_64__)
namespace v3 {
extern const SliceKernels slice_kernels;
}
namespace v4 {
extern const SliceKernels slice_kernels;
}
#endif

const SliceKernels& slice_kernels_for(CpuLevel level) noexcept {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::slice_kernels;
    if (level == CpuLevel::v3) return v3::slice_kernels;
#endif
    static_cast<void>(level);
    return baseline::slice_kernels;
}

}  // namespace branchline
