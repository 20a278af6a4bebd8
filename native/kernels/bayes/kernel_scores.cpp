#include "branchline/kernel_scores.hpp"

#include <algorithm>
#include <cmath>

namespace branchline {

namespace {

constexpr std::size_t rows_between_checks = 4096;
// 2 to a larger power is not a normal number.
constexpr std::int64_t largest_power = 1000;

// The curves of one column: points × classes.
struct Curve {
    const double* points;
    double last, half_low, power, origin, step;
    int exponent;
    bool is_product;
    std::size_t n_classes;

    double place_of(double value) const {
        double half = 0.5 * value - half_low;
        half = is_product ? half * power : std::ldexp(half, -exponent);
        const double place = (half - origin) / step;
        return place > 0.0 ? std::min(place, last) : 0.0;
    }

    // Adds to scores[k · stride] for each class k.
    void add(double value, double* scores, std::size_t stride) const {
        if (value != value) {
            for (std::size_t k = 0; k < n_classes; ++k) scores[k * stride] += 0.0;
            return;
        }
        const double place = place_of(value);
        const auto below = static_cast<std::size_t>(std::min(std::floor(place), last - 1.0));
        const double part = place - static_cast<double>(below), rest = 1.0 - part;
        const double *here = points + below * n_classes, *next = here + n_classes;
        for (std::size_t k = 0; k < n_classes; ++k)
            scores[k * stride] += here[k] * rest + next[k] * part;
    }
};

Curve curve_of(const KernelCurves& curves, std::size_t c, const double* points) {
    const std::int64_t exponent = curves.exponent[c];
    const bool is_product = exponent > -largest_power && exponent < largest_power;
    return {points,
            static_cast<double>(curves.n_points[c] - 1),
            curves.half_low[c],
            is_product ? std::ldexp(1.0, -static_cast<int>(exponent)) : 1.0,
            curves.origin[c],
            curves.step[c],
            static_cast<int>(exponent),
            is_product,
            curves.n_classes};
}

template <class Float>
void add_column(const ColumnView& column, std::size_t n_rows, const Curve& curve, double* scores,
                StopSignal& stop) {
    for (std::size_t row = 0; row < n_rows; ++row) {
        if (row % rows_between_checks == 0) stop.check();
        curve.add(static_cast<double>(value_at<Float>(column, row)), scores + row, n_rows);
    }
}

}  // namespace

void add_kernel_scores(std::span<const ColumnView> columns, std::size_t n_rows,
                       const KernelCurves& curves, std::span<double> scores, StopSignal& stop) {
    const double* points = curves.log_density.data();
    for (std::size_t c = 0; c < curves.place.size(); ++c) {
        const ColumnView& column = columns[static_cast<std::size_t>(curves.place[c])];
        const Curve curve = curve_of(curves, c, points);
        column.type == ValueType::float32
            ? add_column<float>(column, n_rows, curve, scores.data(), stop)
            : add_column<double>(column, n_rows, curve, scores.data(), stop);
        points += static_cast<std::size_t>(curves.n_points[c]) * curves.n_classes;
    }
}

}  // namespace branchline
