// Sums of Euclidean distances from each row to the rows of each cluster: what a silhouette is made of.
//
//   out[row · n_clusters + c] = Σ_{other in c} weight(other) · ‖row − other‖
//
// Rows stand cluster by cluster. Missing cells (NaN) are left out; distances are scaled up to all columns,
// and pairs without a common known cell count as 0. Requires: `starts` from 0 to n_rows, increasing.
// Each pair is computed once. Cost: rows² × columns / 10 ns (many times that with missing cells); a block of
// distances for each thread.
// Threads do not change the result; draws nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "branchline/kmeans.hpp"
#include "branchline/stop_signal.hpp"

namespace branchline {

std::vector<double> distance_sums(const ClusterRows& rows, std::span<const std::int64_t> starts,
                                  int n_threads, StopSignal& stop);

}  // namespace branchline
