// The innermost loops of exact products, compiled once for each processor level. All sums are exact: the same bits.
#pragma once

#include <cstddef>

#include "branchline/cpu_level.hpp"

namespace branchline {

// Rows that are cut and multiplied at a time: their slices stay in the cache.
inline constexpr std::size_t tile_rows = 512;
// Slices are padded with zeros to a multiple of this.
inline constexpr std::size_t slice_block = 12;

// The scale of a column, as in scale_rows.hpp.
struct OneScale {
    double power, center, spread, fill, largest;
    bool marks_missing;
};

struct ProductKernels {
    void (*scale)(const double* cells, std::size_t n, const OneScale& scale, double* terms);
    // sums[i] += weight · values[i].
    void (*add_scaled)(const double* values, double weight, std::size_t n, double* sums);
    // Writes the slices of n numbers, `step` numbers apart. `factor` may be null.
    void (*cut)(const double* values, const double* factor, double power, std::size_t n,
                std::size_t n_slices, double* slices, std::size_t step);
    // sums[i · width + j] += Σ left slice i · right slice j, over a tile; with `is_square` left and right are the same, and pairs
    // j > i may be left out.
    void (*multiply)(const double* left, std::size_t n_left, const double* right,
                     std::size_t n_right, bool is_square, double* sums, std::size_t width);
};

const ProductKernels& product_kernels_for(CpuLevel level) noexcept;

}  // namespace branchline
