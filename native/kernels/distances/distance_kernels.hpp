// The innermost loops of distances: one row against a panel of 16 points.
#pragma once

#include <cstddef>

#include "branchline/cpu_level.hpp"

namespace branchline {

inline constexpr std::size_t panel_points = 16;

// One row and one panel. `known` and `panel_known` are 1 where a cell is known and 0 elsewhere (where
// the value is 0, too); both are null when no cell is missing. `panel_whole` says of each column whether
// all 16 points are known.
struct PanelPair {
    const double* row;
    const double* known;
    const double* panel;
    const double* panel_known;
    const unsigned char* panel_whole;
    std::size_t n_numbers, n_columns;
};

// Sums of 16 pairs; `counts` (how many columns are known in both) is not written without missing cells.
struct DistanceKernels {
    void (*squares)(const PanelPair& pair, double* sums, double* counts);
    void (*differences)(const PanelPair& pair, double* sums, double* counts);  // categories, too
    void (*products)(const PanelPair& pair, double* sums);
    // Five sums over columns that are known in both: x, z, x², z², and counts.
    void (*moments)(const PanelPair& pair, double* products, double* moments);
    // The least of values[j] + penalty[j]; n is a multiple of 16.
    double (*least_sum)(const double* values, const double* penalty, std::size_t n);
};

const DistanceKernels& distance_kernels_for(CpuLevel level) noexcept;

}  // namespace branchline
