// What inner nodes hold of the training rows: the sums of what their children hold.
//
// content       integers: units of each class; or units, then the sum of each output.
// spread        of each output, the sum of squared deviations from the node's mean; none for classes.
//               Σ over children of spread(child) + weight(child) · (mean(child) − mean(node))²,
//               where weight = units · unit and mean = sum / weight / 2^bits, bits those of the
//               units in which spreads are counted.
// One pass from the last node to the first: cost nodes × width, whatever the depth. No threads.
#pragma once

#include <cstdint>
#include <span>

#include "branchline/prune_tree.hpp"

namespace branchline {

// Overwrites the entries of inner nodes; those of leaves are read.
// Throws std::invalid_argument when the shape is not one tree or sizes do not fit.
void sum_children(const TreeShape& shape, std::span<std::int64_t> content, std::span<double> spread,
                  double unit, int bits);

}  // namespace branchline
