// What columns of numbers tell about a target, and how they spread, for all but each fold at once.
//
// A column is sorted once. Problem f of n_folds + 1 learns from all rows but those of fold f, the last
// one from all rows. With the known values of its rows in order, x_0 ≤ x_1 ≤ … ≤ x_(m−1):
//   cuts     x_k for k = ⌊m i / 8⌋, 0 < i < 8; a row's group is the number of different cuts that are
//            not above its value. Rows without a value are a group of their own.
//   share    with B the sum of squared deviations of the groups' mean responses from the mean response
//            (each times its rows), T that of the responses, G groups that have rows and n rows:
//            c = (G − 1) / (n − 1), share = (B / T − c) / (1 − c), within 0 and 1; 0 where T or 1 − c is 0.
//   spread   the root of the mean squared deviation; range: x_(m−1) − x_0. Both are 0 where the values
//            do not differ, and both are in units of 2^exponent, where the largest size of all values
//            of the column is in [½, 1).
//
// Spreads of complete columns come from sums over all rows, less those of the fold. Values are moved by
// the mean of all rows first, and where a fold has nearly all of the sum of squares it is summed anew:
// the error is at most about 1e-11 of the spread. Columns with missing values have spread and range 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "branchline/stop_signal.hpp"
#include "branchline/types.hpp"

namespace branchline {

struct FoldedRows {
    std::span<const std::int32_t> fold_of_row;  // 0 … n_folds − 1, for each row
    std::size_t n_folds = 0;                    // may be 0: only the last problem
    std::span<const double> responses;          // n_outputs for each row, row after row
    std::size_t n_outputs = 0;
};

// Arrays of (n_folds + 1) × n_columns, problem after problem; `moved` is n_rows × n_columns.
struct FoldColumns {
    std::vector<double> shares, spreads, ranges;
    std::vector<double> moved;            // x / 2^exponent − mean; 0 in columns with missing values
    std::vector<std::int64_t> exponents;  // of each column
    std::vector<std::uint8_t> is_complete;  // of each column: no value is missing
    std::vector<std::uint8_t>
        has_far_rows;  // of each column: a row of some fold is farther from the mean
                       // of the others than `farthest` of their spreads
};

// The most rows that are taken: beyond, other ways of sorting are faster.
inline constexpr std::size_t most_folded_rows = 1024;

// Threads over columns; the result does not depend on them. Throws std::invalid_argument unless there
// are 1 to most_folded_rows rows, float columns, and a fold and n_outputs responses for each row.
FoldColumns fold_columns(std::span<const ColumnView> columns, const FoldedRows& rows,
                         double farthest, int n_threads, StopSignal& stop);

}  // namespace branchline
