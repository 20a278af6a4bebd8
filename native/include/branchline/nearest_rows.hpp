// Of each row the k nearest points, the nearest first: what a graph of neighbors is made of.
//
// Distances are those of distances.hpp. Ties go to the point that stands first. With `skip_own`, rows
// and points are the same table and no row is its own neighbor.
//
// Requires 1 ≤ k ≤ the points that a row may have. Cost: rows × points × columns; memory: rows × k and a
// tile of distances for each thread. The result does not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "branchline/distances.hpp"
#include "branchline/stop_signal.hpp"

namespace branchline {

struct NearestRows {
    std::vector<std::uint32_t> place;  // k for each row
    std::vector<double> distance;
};

NearestRows nearest_rows(const DistanceForm& form, const DistanceRows& rows,
                         const DistanceRows& points, std::size_t k, bool skip_own, int n_threads,
                         StopSignal& stop);

}  // namespace branchline
