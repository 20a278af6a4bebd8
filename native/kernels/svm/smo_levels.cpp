// Which of the compiled copies of smo_kernels.cpp to use.
#include <type_traits>

#include "svm/smo_kernels.hpp"

namespace branchline::svm {

namespace baseline {
extern const SmoKernels<float> single_kernels;
extern const SmoKernels<double> double_kernels;
}  // namespace baseline
#if defined(__x86_64__)
namespace v3 {
extern const SmoKernels<float> single_kernels;
extern const SmoKernels<double> double_kernels;
}  // namespace v3
namespace v4 {
extern const SmoKernels<float> single_kernels;
extern const SmoKernels<double> double_kernels;
}  // namespace v4
#endif

namespace {

template <class Real>
const SmoKernels<Real>& choose(const SmoKernels<float>& single, const SmoKernels<double>& twice) {
    if constexpr (std::is_same_v<Real, float>) {
        return single;
    } else {
        return twice;
    }
}

}  // namespace

template <class Real>
const SmoKernels<Real>& smo_kernels_for(CpuLevel level) noexcept {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return choose<Real>(v4::single_kernels, v4::double_kernels);
    if (level == CpuLevel::v3) return choose<Real>(v3::single_kernels, v3::double_kernels);
#endif
    static_cast<void>(level);
    return choose<Real>(baseline::single_kernels, baseline::double_kernels);
}

template const SmoKernels<float>& smo_kernels_for<float>(CpuLevel) noexcept;
template const SmoKernels<double>& smo_kernels_for<double>(CpuLevel) noexcept;

}  // namespace branchline::svm
