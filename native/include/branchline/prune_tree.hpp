// Which subtrees of a grown tree to replace by leaves, given what each node costs as a leaf.
//
// Glossary (t is an inner node)
//   cost(t)      what t costs as a leaf: misclassification cost or squared error, on the rows that
//                the pruning goes by.
//   cost(T_t)    what the subtree below t costs: extra(t) + Σ cost(T_c) over the children c of t; a
//                leaf's is its own cost. extra(t): rows that stay in t because no branch takes them.
//   gain(t)      cost(t) − cost(T_t): what the tree loses when t collapses (becomes a leaf).
//   link(t)      gain(t) / (leaves(T_t) − 1): the price per leaf at which the subtree is not worth it.
//
// Weakest links (Breiman and others, 1984). T(β) is the smallest of the prunings that minimize
// cost + β · leaves. As β grows the T(β) are nested: at each step the nodes with the weakest link
// collapse, and β is that link. A node with equal costs collapses: cost(t) + β and
// cost(T_t) + β · leaves are equal when they differ by at most 1e−12 of either term.
//
// Greedy pruning (reduced error). At each step that node collapses whose gain is lowest; equal gains
// (to about 1e−12 of the largest cost) go to the node with most leaves below, then to the first.
//
// Both: after a collapse only ancestors change; the next node comes from a heap (a tournament over
// the nodes). Sums carry their rounding errors along, so that ties are ties.
// Cost: nodes × depth. Allocates about 60 bytes per node; no threads, no recursion, draws nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "branchline/stop_signal.hpp"

namespace branchline {

// Siblings stand together, children after their parent; n_children is 0 at a leaf, else at least 2.
struct TreeShape {
    std::span<const std::int32_t> first_child, n_children;
};

// The parent of each node, −1 for the root. Throws std::invalid_argument when it is not one tree.
std::vector<std::int32_t> parents_of(const TreeShape& shape);

// For each node the β from which on it is a leaf of T(β), or gone; −infinity for a leaf. Never below
// 0 in inner nodes; along every path the values decrease downwards or stay equal.
// Requires: finite costs with a finite sum; extra_cost empty (none) or one per node, 0 at leaves.
// Throws std::invalid_argument otherwise.
std::vector<double> weakest_link(const TreeShape& shape, std::span<const double> cost_as_leaf,
                                 std::span<const double> extra_cost, StopSignal& stop);

struct GreedyPruning {
    std::vector<std::int32_t> node;  // what collapses, step after step; the root is last
    std::vector<double> cost;        // of the whole tree: before any step, then after each
};

// The whole greedy sequence; the caller decides how far to follow it. A step whose gain is 0 (to the
// tolerance above) leaves the cost the same to the bit. Requires and throws as weakest_link.
GreedyPruning greedy_pruning(const TreeShape& shape, std::span<const double> cost_as_leaf,
                             std::span<const double> extra_cost, StopSignal& stop);

}  // namespace branchline
