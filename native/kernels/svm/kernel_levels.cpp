// Which of the compiled copies of kernel_tiles.cpp to use.
#include <type_traits>

#include "svm/kernel_tiles.hpp"

namespace branchline::svm {

namespace baseline {
extern const KernelTiles<float> single_tiles;
extern const KernelTiles<double> double_tiles;
}  // namespace baseline
#if defined(__x86_64__)
namespace v3 {
extern const KernelTiles<float> single_tiles;
extern const KernelTiles<double> double_tiles;
}  // namespace v3
namespace v4 {
extern const KernelTiles<float> single_tiles;
extern const KernelTiles<double> double_tiles;
}  // namespace v4
#endif

namespace {

template <class Real>
const KernelTiles<Real>& choose(const KernelTiles<float>& single,
                                const KernelTiles<double>& twice) {
    if constexpr (std::is_same_v<Real, float>) {
        return single;
    } else {
        return twice;
    }
}

}  // namespace

template <class Real>
const KernelTiles<Real>& kernel_tiles_for(CpuLevel level) noexcept {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return choose<Real>(v4::single_tiles, v4::double_tiles);
    if (level == CpuLevel::v3) return choose<Real>(v3::single_tiles, v3::double_tiles);
#endif
    static_cast<void>(level);
    return choose<Real>(baseline::single_tiles, baseline::double_tiles);
}

template const KernelTiles<float>& kernel_tiles_for<float>(CpuLevel) noexcept;
template const KernelTiles<double>& kernel_tiles_for<double>(CpuLevel) noexcept;

}  // namespace branchline::svm
