// Trees that were grown before, applied to the codes of rows.
#pragma once

#include "boosting/rows.hpp"
#include "branchline/thread_pool.hpp"

namespace branchline::boosting {

// What TreeBooster::replay does. Cost: the rows of each node, once. Threads over blocks.
void replay_trees(const BlockedRows& rows, const GrownTrees& trees, std::span<const double> values,
                  std::span<double> scores, ThreadPool& pool);

}  // namespace branchline::boosting
