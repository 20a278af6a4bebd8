// Rows of numbers on the scales of their columns, where they are.
//
//   x ← x · power − center, divided by spread, held within ±largest;  a missing x becomes `fill`.
//
// Each step is rounded, as if columns were scaled one step after the other: so bits are the same however
// many rows there are. Cost: about 1 ns a number. One thread; allocates nothing.
#pragma once

#include <cstddef>
#include <span>

namespace branchline {

// An entry for each column.
struct RowScales {
    std::span<const double> power, center, spread, fill;
    double largest = 0.0;
};

// `cells` has one row after the other.
void scale_rows(std::span<double> cells, const RowScales& scales);

}  // namespace branchline
