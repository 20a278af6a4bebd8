// What the scale of a column is made of: its ends, the two middle values, the mean and the deviation.
//
// Of the n values that are not missing, in order x_1 ≤ … ≤ x_n, the middle ones are those at (n − 1) / 2 and n / 2, counted from
// 0; mean and deviation are those of class_moments.hpp for a single class. Nothing depends on the order of rows; 0 has no sign.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "branchline/stop_signal.hpp"
#include "branchline/types.hpp"

namespace branchline {

// An entry for each column; of a column without values, 0.
struct ColumnFacts {
    std::vector<std::int64_t> n_present;
    std::vector<double> least, most, before, middle, mean, deviation;
    std::vector<std::uint8_t> fits;  // as in ClassMoments
};

// Requires: finite numbers or NaN. Cost: about 4 ns a number. One thread; draws nothing.
ColumnFacts column_facts(std::span<const ColumnView> columns, std::size_t n_rows, StopSignal& stop);

}  // namespace branchline
