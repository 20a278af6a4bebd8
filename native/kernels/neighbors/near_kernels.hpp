// The innermost loop of the search for near points, compiled once for each processor level: 32 queries
// against tiles of six points.
//
// Queries stand column after column (a panel); points stand in tiles, column after column, times −2.
// Products may be fused: callers allow for the rounding (see near_points.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "branchline/cpu_level.hpp"

namespace branchline::neighbors {

inline constexpr std::size_t panel_queries = 32;
inline constexpr std::size_t tile_points = 6;

struct PointTiles {
    const float* products;  // −2 t, tile after tile
    const float* base;      // ‖t‖²; infinite for points that fill the last tile
    std::size_t n_columns;
};

// A point whose score is below the bound of a query of the panel.
struct Hit {
    float score;
    std::uint32_t point;
    std::uint32_t query;
};

struct NearKernels {
    // Writes the hits of tiles first..last−1 and returns how many there are; `hits` has room for all
    // pairs. Hits of a query are in order of their points.
    std::size_t (*screen)(const PointTiles& points, std::size_t first, std::size_t last,
                          const float* queries, const float* bounds, Hit* hits);
};

const NearKernels& near_kernels_for(CpuLevel level) noexcept;

}  // namespace branchline::neighbors
