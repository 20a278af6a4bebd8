// The innermost loop of k-means, compiled once for each processor level: 32 rows against all centers.
//
// Rows stand column after column (a panel); centers stand in tiles of six, column after column, times −2.
// score = ‖c‖² − 2 x·c over the known cells: the squared distance less ‖x‖², which does not change the
// order of centers. Products may be fused: callers allow for the rounding (see ScreenedCenters).
#pragma once

#include <cstddef>
#include <cstdint>

#include "branchline/cpu_level.hpp"

namespace branchline::cluster {

inline constexpr std::size_t panel_rows = 32;
inline constexpr std::size_t tile_centers = 6;

struct CenterTiles {
    const float* products;   // −2 c, tile after tile
    const float* squares;    // c², tile after tile; used for rows with missing cells
    const float* base;       // ‖c‖²; very large for the centers that fill the last tile
    const float* bare_base;  // the same without ‖c‖²
    std::size_t n_tiles, n_columns;
};

// The two least scores of each row and the center of the least.
struct NearestTwo {
    float best[panel_rows], second[panel_rows];
    std::int32_t center[panel_rows];
};

struct NearestKernels {
    // known is nullptr, or a panel of 1 and 0: which cells are known (the others are 0 in rows).
    void (*nearest)(const CenterTiles& centers, const float* rows, const float* known,
                    NearestTwo& out);
    // out[row] = Σ (x − z)² of panel rows and one point, in float and in the order of columns.
    void (*squares)(const float* rows, const float* known, const float* point,
                    std::size_t n_columns, float* out);
    // squares[i] becomes its root.
    void (*roots)(double* squares, std::size_t n);
    // Σ weights[i] · values[i], in eight sums side by side; no weights (nullptr): all 1.
    double (*weighted_sum)(const double* values, const double* weights, std::size_t n);
    // sums[i] += weight · values[i].
    void (*add_scaled)(const double* values, double weight, std::size_t n, double* sums);
};

const NearestKernels& nearest_kernels_for(CpuLevel level) noexcept;

}  // namespace branchline::cluster
