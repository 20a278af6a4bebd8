// Trees of clusters from a matrix of distances.
//
// Clusters are joined two at a time, the nearest first. With sizes n and Lance and Williams' formulas, the
// distance of a cluster k from the union of x and y is
//   single   min(d(x,k), d(y,k))                complete   max(d(x,k), d(y,k))
//   average  (n_x d(x,k) + n_y d(y,k)) / (n_x + n_y)
//   ward     √(((n_x + n_k) d²(x,k) + (n_y + n_k) d²(y,k) − n_k d²(x,y)) / (n_x + n_y + n_k))
// Ward begins with √(2 n_x n_y / (n_x + n_y)) times the distance of rows of weights n_x and n_y: a row of
// weight w is w equal rows that were joined at height 0.
//
// The nearest-neighbor chain (Murtagh 1983): follow nearest neighbors until two are each other's; join
// them; go on from the rest of the chain. Single linkage is the minimum spanning tree (Prim).
// Ties go to the row that stands first, so rows in canonical order make the tree independent of row order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "branchline/stop_signal.hpp"

namespace branchline {

enum class Linkage : int { single, complete, average, ward };

// Merges in the order of heights; clusters below n are rows, n + i is what merge i made.
struct ClusterTree {
    std::vector<std::int64_t> first, second;  // first < second
    std::vector<double> height;               // never falls
};

// Requires: n × n distances, symmetric, which are overwritten; sizes above 0. Cost: about 4 n² steps.
// One thread; allocates 4 n.
ClusterTree join_clusters(Linkage linkage, std::span<double> distances,
                          std::span<const double> sizes, StopSignal& stop);

// Divides clusters (DIANA: Kaufman and Rousseeuw 1990, chapter 6): the row that is farthest on average from
// the others leaves, and rows that are nearer on average to those that left follow, the nearest first.
// The height of a cluster is its largest distance. Requires: as above; distances are read only.
ClusterTree divide_clusters(std::span<const double> distances, std::span<const double> sizes,
                            StopSignal& stop);

}  // namespace branchline
