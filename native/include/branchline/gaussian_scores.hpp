// Scores of rows under Gaussian curves, a curve for each column and class, summed over the columns.
//
// For row r and class k, with z = (x − mean) / deviation and constant = log(deviation / unit) + ½ log 2π,
//   score = −½ Σ z² − Σ constant
// over the columns that are not missing. Columns are taken in groups; inside a group squares are added in the
// order of columns, then the group is added to the score. So a row's score is the same bits in any company.
#pragma once

#include <cstddef>
#include <span>

#include "branchline/stop_signal.hpp"
#include "branchline/types.hpp"

namespace branchline {

// Arrays of classes × columns, one class after the other.
struct GaussianCurves {
    std::span<const double> mean;
    std::span<const double> deviation;
    std::span<const double> steepness;  // 1 / deviation; infinite for the smallest ones
    std::span<const double> constant;
    std::span<const double> group_constant;  // classes × groups: the sum of a group's constants
    std::size_t group_width = 64;
};

// Adds the scores of all rows to `scores` (classes × rows). Requires: columns of one type with the same stride. Cost: about 1 ns for
// each row, column and class. One thread; allocates a few blocks.
void add_gaussian_scores(std::span<const ColumnView> columns, std::size_t n_rows,
                         const GaussianCurves& curves, std::span<double> scores, StopSignal& stop);

}  // namespace branchline
