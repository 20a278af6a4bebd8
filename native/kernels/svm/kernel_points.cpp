#include <cmath>
#include <stdexcept>

#include "svm/kernel_crossing.hpp"

namespace branchline {

void KernelForm::check() const {
    const bool is_known = kind >= KernelKind::linear && kind <= KernelKind::sigmoid;
    if (!is_known) throw std::invalid_argument("kind: 0 (linear) to 4 (sigmoid)");
    const bool has_distance = kind == KernelKind::rbf || kind == KernelKind::laplacian;
    if (!std::isfinite(gamma) || (has_distance && gamma < 0)) {
        throw std::invalid_argument("gamma: finite, and not negative where it scales a distance");
    }
    if (!std::isfinite(coef0)) throw std::invalid_argument("coef0: finite");
    if (degree < 0) throw std::invalid_argument("degree: at least 0");
}

template <class Real>
struct KernelPoints<Real>::Packed {
    svm::PackedPoints<Real> points;
    svm::TileRule<Real> rule;
    const svm::KernelTiles<Real>& tiles;

    static std::unique_ptr<const Packed> make(const PointRows<Real>& rows, const KernelForm& form,
                                              CpuLevel level) {
        form.check();
        const svm::KernelTiles<Real>& tiles = svm::kernel_tiles_for<Real>(level);
        const auto moved = svm::Moved{form.kind == KernelKind::rbf};
        const svm::Placing placing = svm::place(rows, moved);
        return std::make_unique<const Packed>(
            Packed{svm::PackedPoints<Real>(rows, placing, placing.of_bits, tiles),
                   svm::rule_of<Real>(form, placing, placing.of_bits), tiles});
    }
};

template <class Real>
KernelPoints<Real>::KernelPoints(const Real* matrix, std::size_t n_rows, std::size_t n_columns,
                                 const KernelForm& form, CpuLevel level)
    : packed_(Packed::make({matrix, n_rows, n_columns}, form, level)) {}

template <class Real>
KernelPoints<Real>::~KernelPoints() = default;
template <class Real>
KernelPoints<Real>::KernelPoints(KernelPoints&&) noexcept = default;
template <class Real>
KernelPoints<Real>& KernelPoints<Real>::operator=(KernelPoints&&) noexcept = default;

template <class Real>
std::size_t KernelPoints<Real>::n_rows() const noexcept {
    return packed_->points.n_rows();
}

template <class Real>
std::size_t KernelPoints<Real>::n_steps() const noexcept {
    return packed_->points.n_steps();
}

template <class Real>
void KernelPoints<Real>::fill(std::span<const std::uint32_t> rows, std::size_t first,
                              std::size_t last, Real* out, std::size_t stride) const {
    const svm::Crossing<Real> crossing{packed_->points, packed_->points, packed_->rule,
                                       packed_->tiles};
    svm::write_values(crossing, rows, {first, last}, out, stride);
}

template <class Real>
void KernelPoints<Real>::diagonal(std::size_t first, std::span<double> out) const {
    constexpr std::size_t width = svm::panel_width<Real>;
    const bool is_sum = packed_->rule.ending == svm::Ending::of_absolutes;
    alignas(64) Real sums[width] = {}, values[width];
    const std::size_t last = first + out.size();
    for (std::size_t panel = first / width * width; panel < last; panel += width) {
        const Real* const squares = packed_->points.squares() + panel;
        if (!is_sum) std::copy(squares, squares + width, sums);
        for (std::size_t row = std::max(panel, first); row < std::min(panel + width, last); ++row) {
            const std::size_t j = row - panel;
            packed_->tiles.finish(packed_->rule, {squares + j, squares, 1}, sums, values, width);
            out[row - first] = static_cast<double>(values[j]);
        }
    }
}

template class KernelPoints<float>;
template class KernelPoints<double>;

}  // namespace branchline
