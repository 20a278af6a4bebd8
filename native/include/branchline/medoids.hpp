// k-medoids: k rows (medoids) such that the weighted distances of all rows from the nearest are least.
//
// FasterPAM (Schubert and Rousseeuw 2021). Each row remembers its nearest and its second nearest medoid. For
// a candidate c, one pass over the rows gives the change of the loss for each medoid that it might replace:
//   removing m costs Σ_{o near m} w (d_2 − d_1);  c gains Σ_{d(o,c) < d_1} w (d(o,c) − d_1), and takes part of
//   the cost of removing the nearest medoid of o back where d(o,c) < d_2.
// The best swap is made at once when it lowers the loss; candidates go round until none does.
// BUILD (Kaufman and Rousseeuw 1990): the row of least total distance, then always the row that gains most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "branchline/stop_signal.hpp"

namespace branchline {

struct Medoids {
    std::vector<std::uint32_t> rows;
    double loss = 0;
    std::int64_t n_swaps = 0;
};

// Requires: n × n symmetric distances, n weights above 0, k different rows to start from (none: BUILD is
// used) and k ≤ n. Cost: n² for each time round, and k n² for BUILD. One thread; ties go to the first row.
Medoids find_medoids(std::span<const double> distances, std::span<const double> weights,
                     std::size_t k, std::span<const std::uint32_t> start, StopSignal& stop);

}  // namespace branchline
