// Which of the compiled copies of difference_kernels.cpp to use.
#include "relief/difference_kernels.hpp"

namespace branchline {

namespace baseline {
extern const DifferenceKernels difference_kernels;
}
#if defined(__x86_64__)
namespace v3 {
extern const DifferenceKernels difference_kernels;
}
namespace v4 {
extern const DifferenceKernels difference_kernels;
}
#endif

const DifferenceKernels& difference_kernels_for(CpuLevel level) noexcept {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::difference_kernels;
    if (level == CpuLevel::v3) return v3::difference_kernels;
#endif
    static_cast<void>(level);
    return baseline::difference_kernels;
}

}  // namespace branchline
