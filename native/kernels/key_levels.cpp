// Which of the compiled copies of key_kernels.cpp to use.
#include "key_kernels.hpp"

namespace branchline {

namespace baseline {
extern const KeyKernels key_kernels;
}
#if defined(__x86_64__)
namespace v3 {
extern const KeyKernels key_kernels;
}
namespace v4 {
extern const KeyKernels key_kernels;
}
#endif

const KeyKernels& key_kernels_for(CpuLevel level) noexcept {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::key_kernels;
    if (level == CpuLevel::v3) return v3::key_kernels;
#endif
    static_cast<void>(level);
    return baseline::key_kernels;
}

}  // namespace branchline
