// Exact sums of numbers and of their squares, in plain floats: compiled once for each processor level.
//
// A number x with |x| < 2^high is cut into slices, whole multiples of 2^(high − 20), 2^(high − 41), 2^(high − 62) and
// 2^(high − 83), each of at most 2^20 of its units. Products of two slices over 2,048 rows, and the sum of those that share a
// unit, are whole multiples of the unit, at most 2^53 of it: floats add them exactly, in any order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "branchline/cpu_level.hpp"

namespace branchline {

inline constexpr std::size_t slice_rows = 2048;  // that are added up at a time
inline constexpr std::size_t slice_lane = 8;     // numbers are padded with 0 to a multiple of this
inline constexpr int max_slices = 4;
inline constexpr int first_slice_bits = 20, more_slice_bits = 21;
inline constexpr int most_slice_bits = first_slice_bits + (max_slices - 1) * more_slice_bits;

// In units of 2^−20 · 2^(−21 i), and of 2^−40 · 2^(−21 i) for products.
struct SliceSums {
    double firsts[max_slices] = {};
    double seconds[2 * max_slices - 1] = {};
};

// The bits of the largest absolute number, as a positive float; whether there are missing values (NaN).
struct Extent {
    std::uint64_t largest = 0;
    bool has_missing = false;
};

struct SliceKernels {
    Extent (*extent)(const double* values, std::size_t n);
    Extent (*extent_32)(const float* values, std::size_t n);
    // Returns whether `n_slices` slices leave nothing over; `sums` is set only then. Requires: numbers below 1, padded.
    bool (*add)(const double* values, std::size_t n, int n_slices, SliceSums& sums);
};

const SliceKernels& slice_kernels_for(CpuLevel level) noexcept;

}  // namespace branchline
