// Which of the compiled copies of bit_kernels.cpp to use.
#include "item_sets/bit_kernels.hpp"

namespace branchline {

namespace baseline {
extern const BitKernels bit_kernels;
}
#if defined(__x86_64__)
namespace v3 {
extern const BitKernels bit_kernels;
}
namespace v4 {
extern const BitKernels bit_kernels;
}
#endif

const BitKernels& bit_kernels_for(CpuLevel level) noexcept {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::bit_kernels;
    if (level == CpuLevel::v3) return v3::bit_kernels;
#endif
    static_cast<void>(level);
    return baseline::bit_kernels;
}

}  // namespace branchline
