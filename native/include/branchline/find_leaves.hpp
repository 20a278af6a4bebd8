// Sending rows down a tree.
//
// A tree is arrays, one entry a node; siblings stand together, children after their parent.
// A row starts at node 0 and goes on until a leaf, or until a test has no branch for it (an unseen
// category in a multiway test): then it stays where it is, and the node's own value is used.
#pragma once

#include <cstdint>
#include <span>

#include "branchline/stop_signal.hpp"
#include "branchline/types.hpp"

namespace branchline {

enum class NodeKind : std::uint8_t { leaf = 0, threshold = 1, categories = 2 };

struct TreeView {
    std::span<const std::uint8_t> kind;
    std::span<const std::int32_t> feature;
    std::span<const double> threshold;  // kind threshold: value ≤ threshold goes to branch 0
    std::span<const std::int32_t> first_child;
    std::span<const std::int32_t> missing_branch;  // −1: stay
    std::span<const std::int64_t> pool_offset;     // kind categories: where the branches begin …
    std::span<const std::int32_t> pool;            // … one for each category; −1: stay
};

// Writes the node that each row ends in.
// Requires: a validated tree (see branchline.tree._tree_arrays): children in range, no cycle.
// Throws std::invalid_argument when a test does not fit its column, or lacks a branch for one of its
// categories, and std::out_of_range for a category that is not below n_categories.
// Cost: a pass over the nodes, then a walk a row. Threads over blocks of rows.
void find_leaves(const TreeView& tree, std::span<const ColumnView> columns,
                 std::span<std::int32_t> node_of_row, int n_threads, StopSignal& stop);

}  // namespace branchline
