// Which of the compiled copies of product_kernels.cpp to use.
#include "products/product_kernels.hpp"

namespace branchline {

namespace baseline {
extern const ProductKernels product_kernels;
}
#if defined(__x86_64__)
namespace v3 {
extern const ProductKernels product_kernels;
}
namespace v4 {
extern const ProductKernels product_kernels;
}
#endif

const ProductKernels& product_kernels_for(CpuLevel level) noexcept {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::product_kernels;
    if (level == CpuLevel::v3) return v3::product_kernels;
#endif
    static_cast<void>(level);
    return baseline::product_kernels;
}

}  // namespace branchline
