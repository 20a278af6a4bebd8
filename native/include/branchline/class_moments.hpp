// Exact sums of numbers and of their squares in each class, and the means and deviations they give.
//
// Every float is a whole multiple of 2^low, where low belongs to the lowest bit that any number of its
// column has. With whole weights w, the sums over the rows of a class
//   N = Σ w,   S = Σ w x / 2^low,   Q = Σ w x² / 2^(2 low)
// are whole numbers: they depend neither on the order of rows nor on batches. From them
//   mean = S / N · 2^low   (rounded once),   deviation = √(N Q − S²) / N · 2^low
// where the root keeps 64 bits before it is rounded. Missing values (NaN) add nothing.
//
// Nouns: "units" are the whole weights; the last entry of `mean` and `deviation` is that of all classes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "branchline/stop_signal.hpp"
#include "branchline/types.hpp"

namespace branchline {

struct ClassRows {
    std::span<const std::uint32_t> class_of_row;
    std::span<const std::int64_t> units;  // empty: every row weighs 1
    std::size_t n_classes = 0;
};

// Arrays of columns × classes, one column after the other.
struct ClassMoments {
    std::vector<std::int64_t> units;     // N
    std::vector<std::int32_t> low;       // of each column
    std::vector<std::uint64_t> firsts;   // S: two words each, two's complement, the low word first
    std::vector<std::uint64_t> seconds;  // Q: four words each
    std::vector<double> mean;            // columns × (classes + 1)
    std::vector<double> deviation;       // columns × (classes + 1); a class without values has 0
    // Of each column: 0 when its numbers are too far apart for these words (or too small for a float to
    // hold mean and deviation without further rounding); then its sums and moments are not set.
    std::vector<std::uint8_t> fits;
};

// Requires: finite numbers or NaN, classes below n_classes, units of 1 or more that sum up to at most 2^62. Cost: about
// 10 ns a number. One thread; draws nothing.
ClassMoments class_moments(std::span<const ColumnView> columns, std::size_t n_rows,
                           const ClassRows& rows, StopSignal& stop);

}  // namespace branchline
