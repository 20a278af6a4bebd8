// A self-organizing map, trained row by row (Kohonen 1982).
//
// Units stand on a grid and have a code each: a point among the rows. At step t of T a row x is drawn; its
// best unit b is the one with the nearest code over the known columns of x (ties: the first). Every unit u
// moves towards x in these columns:
//   code_u += rate(t) · exp(−|u − b|² / (2 radius(t)²)) · (x − code_u)
// with rate and radius falling from their first to their last value, geometrically. |u − b| is the distance on
// the grid; units whose factor is below 1e-7 stay.
//
// Rows are drawn in proportion to their weights, from a stream that depends on the seed alone, so a row of
// weight 2 is two equal rows that stand together. One thread: each step needs the one before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "branchline/stop_signal.hpp"

namespace branchline {

struct MapTraining {
    std::int64_t n_steps = 0;
    double first_rate = 0.5, last_rate = 0.01;
    double first_radius = 1, last_radius = 0.5;  // above 0
    std::uint64_t seed = 0;
};

// Requires: values: n_rows × n_columns, NaN where missing; weights above 0; codes: n_units × n_columns, finite,
// changed in place; apart: n_units × n_units squared distances on the grid. Cost: n_units · n_columns a step.
struct MapRows {
    std::span<const double> values, weights;
    std::size_t n_columns = 0;
};
void train_map(const MapRows& rows, std::span<const double> apart, std::span<double> codes,
               const MapTraining& training, StopSignal& stop);

}  // namespace branchline
