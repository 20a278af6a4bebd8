// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
#include "products/product_kernels.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstring>

namespace branchline::BRANCHLINE_LEVEL {

namespace {

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64, n_right_at_once = 4;
#elif defined(__AVX2__)
constexpr std::size_t vector_bytes = 32, n_right_at_once = 3;
#else
constexpr std::size_t vector_bytes = 16, n_right_at_once = 3;
#endif
constexpr std::size_t n_left_at_once = 4;
static_assert(slice_block % n_left_at_once == 0 && slice_block % n_right_at_once == 0);
constexpr std::size_t lanes = vector_bytes / sizeof(double);
static_assert(tile_rows % lanes == 0);

typedef double Doubles __attribute__((vector_size(vector_bytes)));

inline Doubles load(const double* from) noexcept {
    Doubles values;
    std::memcpy(&values, from, sizeof values);
    return values;
}

// Products are exact here, so that fused ones have the same bits.
inline void add_product(const Doubles& one, const Doubles& other, Doubles& sum) noexcept {
#if defined(__AVX512F__)
    sum = _mm512_fmadd_pd(one, other, sum);
#elif defined(__AVX2__)
    sum = _mm256_fmadd_pd(one, other, sum);
#else
    sum += one * other;
#endif
}

double summed(const Doubles& values) noexcept {
    double total = 0;
    for (std::size_t at = 0; at < lanes; ++at) total += values[at];
    return total;
}

// Adding and taking off 1.5 · 2^52 units rounds to whole units of 2^−20, 2^−41 and 2^−62.
constexpr double rounder[] = {0x1.8p32, 0x1.8p11, 0x1.8p-10};

void scale(const double* cells, std::size_t n, const OneScale& by, double* terms) {
    const double power = by.power, center = by.center, spread = by.spread, largest = by.largest;
    for (std::size_t row = 0; row < n; ++row) {
        const double cell = cells[row], scaled = (cell * power - center) / spread;
        const double missing = by.marks_missing ? cell : by.fill;
        const double held = scaled < -largest ? -largest : (scaled > largest ? largest : scaled);
        terms[row] = cell == cell ? held : missing;
    }
}

void add_scaled(const double* values, double weight, std::size_t n, double* sums) {
    for (std::size_t row = 0; row < n; ++row) sums[row] += weight * values[row];
}

template <std::size_t Slices>
void cut_into(const double* values, const double* factor, double power, std::size_t n,
              double* slices, std::size_t step) {
    for (std::size_t row = 0; row < n; ++row) {
        const double value = factor == nullptr ? values[row] : values[row] * factor[row];
        double rest = value * power;
        for (std::size_t i = 0; i < Slices; ++i) {
            const double slice = (rest + rounder[i]) - rounder[i];
            slices[i * step + row] = slice;
            rest -= slice;
        }
    }
}

void cut(const double* values, const double* factor, double power, std::size_t n,
         std::size_t n_slices, double* slices, std::size_t step) {
    if (n_slices == 1)
        cut_into<1>(values, factor, power, n, slices, step);
    else if (n_slices == 2)
        cut_into<2>(values, factor, power, n, slices, step);
    else
        cut_into<3>(values, factor, power, n, slices, step);
}

void multiply_block(const double* left, const double* right, double* sums, std::size_t width) {
    Doubles found[n_left_at_once][n_right_at_once] = {};
    for (std::size_t row = 0; row < tile_rows; row += lanes) {
        Doubles some[n_right_at_once];
        for (std::size_t j = 0; j < n_right_at_once; ++j)
            some[j] = load(right + j * tile_rows + row);
        for (std::size_t i = 0; i < n_left_at_once; ++i) {
            const Doubles own = load(left + i * tile_rows + row);
            for (std::size_t j = 0; j < n_right_at_once; ++j)
                add_product(own, some[j], found[i][j]);
        }
    }
    for (std::size_t i = 0; i < n_left_at_once; ++i)
        for (std::size_t j = 0; j < n_right_at_once; ++j)
            sums[i * width + j] += summed(found[i][j]);
}

void multiply(const double* left, std::size_t n_left, const double* right, std::size_t n_right,
              bool is_square, double* sums, std::size_t width) {
    for (std::size_t i = 0; i < n_left; i += n_left_at_once) {
        const std::size_t end = is_square ? i + n_left_at_once : n_right;
        for (std::size_t j = 0; j < n_right && j < end; j += n_right_at_once)
            multiply_block(left + i * tile_rows, right + j * tile_rows, sums + i * width + j,
                           width);
    }
}

}  // namespace

extern const ProductKernels product_kernels;
const ProductKernels product_kernels{scale, add_scaled, cut, multiply};

}  // namespace branchline::BRANCHLINE_LEVEL
