// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
// Products are not fused with sums here: draws depend on the result, so all levels must have the same bits.
#include <cmath>
#include <cstddef>
#include <cstring>

#include "cluster/nearest_kernels.hpp"

namespace branchline::cluster::BRANCHLINE_LEVEL {

void panel_squares(const float* rows, const float* known, const float* point, std::size_t n_columns,
                   float* out);
void roots(double* squares, std::size_t n);
double weighted_sum(const double* values, const double* weights, std::size_t n);
void add_scaled(const double* values, double weight, std::size_t n, double* sums);

namespace {

typedef double Eight __attribute__((vector_size(64)));

inline void load(const double* from, Eight& values) noexcept {
    std::memcpy(&values, from, sizeof values);
}

}  // namespace

void add_scaled(const double* values, double weight, std::size_t n, double* sums) {
    for (std::size_t at = 0; at < n; ++at) sums[at] += weight * values[at];
}

void roots(double* squares, std::size_t n) {
    for (std::size_t at = 0; at < n; ++at) squares[at] = __builtin_sqrt(squares[at]);
}

double weighted_sum(const double* values, const double* weights, std::size_t n) {
    constexpr std::size_t lanes = sizeof(Eight) / sizeof(double);
    Eight sums = {}, some, weight;
    std::size_t at = 0;
    for (; at + lanes <= n; at += lanes) {
        load(values + at, some);
        if (weights != nullptr) {
            load(weights + at, weight);
            some *= weight;
        }
        sums += some;
    }
    for (; at < n; ++at) sums[at % lanes] += (weights == nullptr ? 1.0 : weights[at]) * values[at];
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
           ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

void panel_squares(const float* rows, const float* known, const float* point, std::size_t n_columns,
                   float* out) {
    float sum[panel_rows] = {};
    for (std::size_t column = 0; column < n_columns; ++column) {
        const float* const from = rows + column * panel_rows;
        const float at = point[column];
        if (known == nullptr) {
            for (std::size_t row = 0; row < panel_rows; ++row) {
                const float apart = from[row] - at;
                sum[row] += apart * apart;
            }
        } else {
            const float* const mask = known + column * panel_rows;
            for (std::size_t row = 0; row < panel_rows; ++row) {
                const float apart = (from[row] - at) * mask[row];
                sum[row] += apart * apart;
            }
        }
    }
    std::memcpy(out, sum, sizeof sum);
}

}  // namespace branchline::cluster::BRANCHLINE_LEVEL
