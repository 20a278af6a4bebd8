// Rows that are always the same, and kernels in extended precision with the error that is allowed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "branchline/kernel_matrix.hpp"

namespace kernel_rows {

using namespace branchline;

using Wide = long double;
using Rows = std::vector<std::uint32_t>;

template <class Real>
constexpr Wide unit = std::numeric_limits<Real>::epsilon() / 2;

template <class Real>
struct Matrix {
    std::size_t n_rows, n_columns;
    std::vector<Real> values;

    const Real* row(std::size_t i) const { return values.data() + i * n_columns; }
    PointRows<Real> view() const { return {values.data(), n_rows, n_columns}; }
};

enum class Content : int { numbers, bits, offsets, small_integers };

// Always the same numbers for a shape; every seventh row is a copy of the one before.
template <class Real>
Matrix<Real> matrix(std::size_t n_rows, std::size_t n_columns, Content content, double scale = 1) {
    Matrix<Real> made{n_rows, n_columns, std::vector<Real>(n_rows * n_columns)};
    std::uint64_t state = n_rows * 1000 + n_columns;
    for (std::size_t i = 0; i < made.values.size(); ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const double drawn = static_cast<double>(state >> 11) * 0x1p-52 - 1;
        double value = drawn;
        if (content == Content::bits) value = drawn > 0.7;
        if (content == Content::offsets) value = 4096 + drawn;
        if (content == Content::small_integers) value = std::floor(drawn * 16);
        const bool is_copy = n_columns > 0 && i / n_columns % 7 == 6;
        made.values[i] = is_copy ? made.values[i - n_columns] : static_cast<Real>(scale * value);
    }
    return made;
}

// The kernel in extended precision, and how far a result may be from it.
struct Truth {
    Wide value, error;
};

template <class Real>
Truth truth(const KernelForm& form, const Real* x, const Real* z, std::size_t d) {
    Wide product = 0, sizes = 0, square = 0, absolute = 0, spread = 0;
    for (std::size_t k = 0; k < d; ++k) {
        const Wide a = x[k], b = z[k];
        product += a * b;
        sizes += std::abs(a * b);
        square += (a - b) * (a - b);
        absolute += std::abs(a - b);
        spread += 8;  // such rows are at most 2 from their center in each column
    }
    const Wide u = unit<Real>, s = static_cast<Wide>(std::min<std::size_t>(d, 256) + d / 256 + 4);
    const Wide gamma = form.gamma, coef0 = form.coef0;
    const Wide line = gamma * product + coef0;
    const Wide line_error =
        u * (s * std::abs(gamma) * sizes + 2 * std::abs(line) + std::abs(coef0));
    switch (form.kind) {
        case KernelKind::linear: return {product, s * u * sizes};
        case KernelKind::polynomial: {
            const Wide power = std::pow(line, form.degree), n = form.degree;
            const Wide slope = n * std::pow(std::abs(line) + line_error, n - 1);
            return {power, slope * line_error + 2 * n * u * std::abs(power)};
        }
        case KernelKind::rbf: {
            const Wide value = std::exp(-gamma * square);
            return {value, 4 * u + 2 * s * u * gamma * (square + spread) * value};
        }
        case KernelKind::laplacian: {
            const Wide value = std::exp(-gamma * absolute);
            return {value, 4 * u + s * u * gamma * absolute * value};
        }
        case KernelKind::sigmoid: break;
    }
    return {std::tanh(line), line_error + 8 * u * std::abs(std::tanh(line))};
}

inline const std::vector<KernelForm> forms{
    {KernelKind::linear, 1, 0, 1},         {KernelKind::polynomial, 0.25, 0.5, 3},
    {KernelKind::polynomial, 0.25, -1, 0}, {KernelKind::rbf, 0.05, 0, 1},
    {KernelKind::laplacian, 0.05, 0, 1},   {KernelKind::sigmoid, 0.01, 0.125, 1}};

inline Rows all_rows(std::size_t n) {
    Rows rows(n);
    std::iota(rows.begin(), rows.end(), std::uint32_t{0});
    return rows;
}

template <class Real>
std::vector<Real> crossed(const KernelForm& form, const Matrix<Real>& a, const Matrix<Real>& b,
                          int n_threads, CpuLevel level = best_cpu_level()) {
    StopSignal stop;
    std::vector<Real> out(a.n_rows * b.n_rows);
    kernel_matrix(form, a.view(), b.view(), out.data(), {n_threads, stop, level});
    return out;
}

}  // namespace kernel_rows
