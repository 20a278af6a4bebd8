// Values of leaves that are not Newton steps: weighted quantiles of the rows in each leaf.
//
// The quantile q of numbers of together U units is the smallest one that has, with all smaller
// ones, at least q·U units; when it has exactly q·U units, the mean of it and the next number that
// counts. So q = ½ is the usual median. q·U is taken as whole when it is within 2^-50 U of a whole
// number. A row of k units is exactly as k rows, one of 0 as none. Neither the order of rows nor
// the number of threads changes a bit. A leaf without units has the value 0.
//
// Cost: rows are grouped by leaf, and in each leaf the quantile is found digit by digit: a few
// passes without sorting. Allocates 16 bytes per row. Threads over blocks of rows, then over leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "branchline/stop_signal.hpp"

namespace branchline {

// Requires: finite values, one leaf below n_leaves for each row; units of at least 0 with a sum up
// to 2^53, or none when every row counts once. What does not fit throws std::invalid_argument.
struct LeafRows {
    std::span<const double> values;
    std::span<const std::uint32_t> leaf_of_row;
    std::span<const std::int64_t> units;
    std::size_t n_leaves = 0;
};

// Returns the quantile of each leaf, 0 ≤ q ≤ 1.
std::vector<double> leaf_quantiles(const LeafRows& rows, double q, int n_threads, StopSignal& stop);

// Returns for each leaf its median M plus the mean of the deviations from it, clipped at ±δ
// (Friedman, 2001, Greedy function approximation, algorithm 4). Deviations are rounded to multiples
// of 2^(e−52), where 2^e is the first power of two above the largest of the leaf, and summed as
// integers.
std::vector<double> leaf_huber_values(const LeafRows& rows, double delta, int n_threads,
                                      StopSignal& stop);

}  // namespace branchline
