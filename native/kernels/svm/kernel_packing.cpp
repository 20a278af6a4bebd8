#include "svm/kernel_packing.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace branchline::svm {

namespace {

// Powers of two that leave room for squares (products) of the largest rows and their sum.
template <class Real>
constexpr double square_limit = std::is_same_v<Real, float> ? 0x1p50 : 0x1p400;
template <class Real>
constexpr double product_limit = std::is_same_v<Real, float> ? 0x1p100 : 0x1p900;

// The largest absolute value; sizes are compared as integers, which vector instructions can.
template <class Real>
Real largest_size(const PointRows<Real>& points) {
    using Bits = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
    Bits largest = 0;
    const std::size_t n = points.n_rows * points.n_columns;
    for (std::size_t i = 0; i < n; ++i) {
        const Bits size = std::bit_cast<Bits>(points.values[i]) & std::numeric_limits<Bits>::max();
        largest = size > largest ? size : largest;
    }
    return std::bit_cast<Real>(largest);
}

// Between 2^-1000 and 2^1000, so that neither it nor its inverse overflows.
template <class Real>
double scale_of(const PointRows<Real>& points) {
    const Real largest = largest_size(points);
    if (largest == 0) return 1;
    return std::ldexp(1.0, -std::clamp(std::ilogb(largest), -1000, 1000));
}

template <class Real>
std::vector<double> scaled_means(const PointRows<Real>& points, double scale) {
    std::vector<double> means(points.n_columns);
    for (std::size_t row = 0; row < points.n_rows; ++row) {
        const Real* const from = points.values + row * points.n_columns;
        for (std::size_t k = 0; k < means.size(); ++k) {
            means[k] += static_cast<double>(from[k]) * scale;
        }
    }
    for (double& mean : means) mean /= static_cast<double>(points.n_rows);
    return means;
}

// Of the first rows, the value of each column nearest to its mean, the smaller of two: integers
// less it are integers.
template <class Real>
std::vector<double> centers(const PointRows<Real>& points, double scale) {
    constexpr std::size_t most_rows = 256;
    std::vector<double> nearest(points.n_columns);
    if (points.n_rows == 0) return nearest;
    const std::vector<double> means = scaled_means(points, scale);
    for (std::size_t row = 0; row < std::min(most_rows, points.n_rows); ++row) {
        const Real* const from = points.values + row * points.n_columns;
        for (std::size_t k = 0; k < nearest.size(); ++k) {
            const double value = static_cast<double>(from[k]) * scale, best = nearest[k];
            const double away = std::abs(value - means[k]), least = std::abs(best - means[k]);
            const bool is_nearer = away < least || (away == least && value < best);
            nearest[k] = row == 0 || is_nearer ? value : best;
        }
    }
    return nearest;
}

template <class Real>
void place_row(const Placing& placing, const Real* from, Real* to) {
    const double scale = placing.scale, limit = placing.limit;
    for (std::size_t k = 0; k < placing.center.size(); ++k) {
        const double value = static_cast<double>(from[k]) * scale - placing.center[k];
        to[k] = static_cast<Real>(std::clamp(value, -limit, limit));
    }
}

template <class Real>
Real finite_factor(double factor) {
    constexpr double most = static_cast<double>(std::numeric_limits<Real>::max());
    return static_cast<Real>(std::clamp(factor, -most, most));
}

}  // namespace

template <class Real>
bool are_bits(const PointRows<Real>& rows) {
    constexpr std::size_t at_once = 4096;  // without a branch, so that vector instructions do it
    const std::size_t n = rows.n_rows * rows.n_columns;
    for (std::size_t begin = 0; begin < n; begin += at_once) {
        const std::size_t end = std::min(n, begin + at_once);
        int n_others = 0;
        for (std::size_t i = begin; i < end; ++i) {
            n_others +=
                static_cast<int>(rows.values[i] != 0) & static_cast<int>(rows.values[i] != 1);
        }
        if (n_others > 0) return false;
    }
    return true;
}

template <class Real>
Placing place(const PointRows<Real>& points, Moved moved) {
    Placing placing;
    placing.center.resize(points.n_columns);
    placing.limit = moved == Moved::yes ? square_limit<Real> : product_limit<Real>;
    placing.of_bits = are_bits(points);
    if (placing.of_bits) return placing;
    placing.scale = scale_of(points);
    if (moved == Moved::yes) placing.center = centers(points, placing.scale);
    return placing;
}

template <class Real>
TileRule<Real> rule_of(const KernelForm& form, const Placing& placing, bool as_bits) {
    const double back = 1 / placing.scale, gamma = form.gamma;
    const Real coef0 = finite_factor<Real>(form.coef0);
    switch (form.kind) {
        case KernelKind::linear: return {Ending::linear, finite_factor<Real>(back * back), 0, 1};
        case KernelKind::polynomial:
            return {Ending::polynomial, finite_factor<Real>(gamma * back * back), coef0,
                    form.degree};
        case KernelKind::rbf:
            return {Ending::of_squares, finite_factor<Real>(-gamma * back * back), 0, 1};
        case KernelKind::laplacian:
            // The distances of bits are one another's.
            return {as_bits ? Ending::of_squares : Ending::of_absolutes,
                    finite_factor<Real>(-gamma * back), 0, 1};
        case KernelKind::sigmoid: break;
    }
    return {Ending::sigmoid, finite_factor<Real>(gamma * back * back), coef0, 1};
}

template <class Real>
PackedPoints<Real>::PackedPoints(const PointRows<Real>& rows, const Placing& placing, bool as_bits,
                                 const KernelTiles<Real>& tiles)
    : n_rows_(rows.n_rows), n_steps_(as_bits ? (rows.n_columns + 63) / 64 : rows.n_columns),
      as_bits_(as_bits), squares_((rows.n_rows + width - 1) / width * width) {
    if (as_bits) {
        pack_bits(rows);
    } else {
        pack_numbers(rows, placing, tiles);
    }
}

template <class Real>
void PackedPoints<Real>::pack_numbers(const PointRows<Real>& rows, const Placing& placing,
                                      const KernelTiles<Real>& tiles) {
    if (n_steps_ == 0) return;
    numbers_.resize(squares_.size() / width * n_steps_);
    // A line more, so that the same column of many rows is not in the same set of the cache.
    const std::size_t stride = n_steps_ + 64 / sizeof(Real);
    std::vector<Real> placed(width * stride);
    for (std::size_t first = 0; first < n_rows_; first += width) {
        const std::size_t n = std::min(width, n_rows_ - first);
        for (std::size_t row = 0; row < n; ++row) {
            const Real* const from = rows.values + (first + row) * n_steps_;
            place_row(placing, from, placed.data() + row * stride);
        }
        if (n < width)
            std::fill(placed.data() + n * stride, placed.data() + placed.size(), Real(0));
        Numbers* const panel = numbers_.data() + first / width * n_steps_;
        for (std::size_t k = 0; k < n_steps_; ++k) {
            for (std::size_t j = 0; j < width; ++j) panel[k].values[j] = placed[j * stride + k];
        }
        tiles.squares(panel->values, n_steps_, squares_.data() + first);
    }
}

template <class Real>
void PackedPoints<Real>::pack_bits(const PointRows<Real>& rows) {
    words_.resize(squares_.size() / width * n_steps_);
    for (std::size_t row = 0; row < n_rows_; ++row) {
        const Real* const from = rows.values + row * rows.n_columns;
        Words* const to = words_.data() + row / width * n_steps_;
        int n_set = 0;
        for (std::size_t word = 0; word < n_steps_; ++word) {
            const std::size_t n = std::min<std::size_t>(64, rows.n_columns - word * 64);
            std::uint64_t bits = 0;
            for (std::size_t k = 0; k < n; ++k) {
                bits |= static_cast<std::uint64_t>(from[word * 64 + k] == 1) << k;
            }
            to[word].values[row % width] = bits;
            n_set += std::popcount(bits);
        }
        squares_[row] = static_cast<Real>(n_set);
    }
}

template bool are_bits(const PointRows<float>&);
template bool are_bits(const PointRows<double>&);
template Placing place(const PointRows<float>&, Moved);
template Placing place(const PointRows<double>&, Moved);
template TileRule<float> rule_of(const KernelForm&, const Placing&, bool);
template TileRule<double> rule_of(const KernelForm&, const Placing&, bool);
template class PackedPoints<float>;
template class PackedPoints<double>;

}  // namespace branchline::svm
