// Sending rows down all trees of a forest.
//
// A forest is arrays, one entry per node, tree after tree; the nodes of a tree stand in level order,
// so that its j-th inner node has its children at the places 1 + 2j and 2 + 2j of that tree.
//   threshold   value ≤ threshold goes left; +infinity: only missing values go right
//   categories  a bit each, lowest bit first, means right when set; ⌈n_codes / 8⌉ bytes per test
//   missing     missing values, and negative categories, go left where missing_left
//
// The walker keeps its own compact copy. A number x becomes a code once, before any tree is walked:
//   code(x) = how many of the column's distinct thresholds in the forest are below x,
// so x ≤ k-th threshold ⇔ code(x) ≤ k, exactly. A node is then 8 bytes (16 where there are category
// tests), and a step down compares two integers without a branch.
//
// Values are added in tree order, for every row by itself: results have the same bits for any
// number of threads, and for a row alone or among others.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "branchline/bag.hpp"
#include "branchline/stop_signal.hpp"
#include "branchline/types.hpp"

namespace branchline {

struct CompactForest;

struct ForestView {
    std::span<const std::int64_t> n_nodes;  // of each tree
    std::span<const std::uint8_t> kind;     // of each node: a NodeKind, see tree_walker.hpp
    // One entry per inner node.
    std::span<const std::int32_t> feature;
    std::span<const double> threshold;
    std::span<const std::uint8_t> missing_left;
    std::span<const std::uint8_t> pool;     // bits of the category tests, in node order
    std::span<const std::int64_t> n_codes;  // of each column; 0: a column of numbers
    std::span<const double> leaf_value;     // `width` numbers per leaf, in node order
    std::size_t width = 1;
};

// Which trees take part.
struct TreeRange {
    std::size_t first = 0, n = 0;
};

// What is known of one copy of each row that may be out of bag; one entry per row, in `sums` one per
// row and output.
struct BagTargets {
    std::span<const std::uint32_t> class_of_row;  // classification, else empty
    std::span<const std::int64_t> sums;           // regression: fixed-point sums, else empty
    std::span<const std::int64_t> units;          // empty: one each
};

// What comes out: arrays of the caller, all zero before.
struct OutOfBag {
    std::span<double> sums;             // n_rows × width: sum of leaf values over trees
    std::span<std::int64_t> n_votes;    // n_rows: over how many trees and copies
    std::span<std::int64_t> of_leaves;  // leaves × (classes, or 1 + outputs): what its rows hold
};

class ForestWalker {
  public:
    // For how few rows average_few is meant.
    static constexpr std::size_t few_rows = 64;

    // Throws std::invalid_argument unless the arrays describe a forest. Allocates 8 or 16 bytes a
    // node, 4 per leaf, 8 per distinct threshold, and the distinct leaf values of each tree.
    // Cost: a sort of each column's thresholds. Threads over columns and trees.
    ForestWalker(const ForestView& forest, int n_threads, StopSignal& stop);
    ~ForestWalker();
    ForestWalker(ForestWalker&&) noexcept;

    // Writes the mean over trees of the leaf values, `width` numbers per row.
    // Throws std::invalid_argument when a test does not fit its column, and std::out_of_range for a
    // category that is not below n_categories. Cost: a search per value, a walk per row and tree.
    // Threads over blocks of rows.
    void average(std::span<const ColumnView> columns, TreeRange trees, std::span<double> of_row,
                 int n_threads, StopSignal& stop) const;

    // Writes sums over trees instead, for boosting: tree t adds to output t % n_outputs, so a row has
    // n_outputs · width numbers.
    void sum(std::span<const ColumnView> columns, TreeRange trees, std::size_t n_outputs,
             std::span<double> of_row, int n_threads, StopSignal& stop) const;

    // As average, on this thread and at once: it cannot be stopped. Of a handful of rows, each goes
    // down all trees side by side.
    void average_few(std::span<const ColumnView> columns, TreeRange trees,
                     std::span<double> of_row) const;

    // Writes the place in its tree (in level order) of the leaf that a row ends in: n_trees numbers
    // a row.
    void find_leaves(std::span<const ColumnView> columns, std::span<std::int32_t> leaf_of_row,
                     int n_threads, StopSignal& stop) const;

    // For each row, the prediction of the trees that were grown without it; for each leaf, the targets
    // of the rows that its tree was grown without. A row of several copies counts as often as there
    // are copies that the tree does not hold. There are n_votes.size() rows.
    // Throws std::invalid_argument unless bags, targets and room fit the trees and rows.
    void out_of_bag(std::span<const ColumnView> columns, std::span<const Bag> bag_of_tree,
                    const BagTargets& targets, const OutOfBag& out, int n_threads,
                    StopSignal& stop) const;

    std::size_t n_trees() const noexcept;
    std::size_t n_nodes() const noexcept;
    std::size_t n_leaves() const noexcept;
    std::size_t width() const noexcept;
    std::size_t n_bytes() const noexcept;

  private:
    std::unique_ptr<const CompactForest> forest_;
};

}  // namespace branchline
