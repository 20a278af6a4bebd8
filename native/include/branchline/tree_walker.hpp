// Sending rows down a fitted tree.
//
// A tree is arrays, one entry per node; siblings stand together, children after their parent.
// A row starts at node 0 and goes on until a leaf, or until a test has no branch for it (a category
// that a multiway test never saw): then it stays where it is, and the node's own value is used.
// A missing value takes the node's missing_branch: a branch, `stay`, or `every_branch`: the row is
// then shared among all branches by their weights (C4.5).
//
// The walker keeps its own compact copy, 16 bytes per node; where tests are thresholds only, several rows
// go down side by side.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "branchline/branch_pool.hpp"
#include "branchline/stop_signal.hpp"
#include "branchline/types.hpp"

namespace branchline {

enum class NodeKind : std::uint8_t { leaf = 0, threshold = 1, categories = 2 };

inline constexpr std::int32_t stay = -1;
inline constexpr std::int32_t every_branch = -2;

struct TreeView {
    std::span<const std::uint8_t> kind;
    std::span<const std::int32_t> feature;
    std::span<const double>
        threshold;  // kind threshold: value ≤ threshold goes to branch 0, else 1
    std::span<const std::int32_t> first_child, n_children;
    std::span<const std::int32_t> missing_branch;
    std::span<const std::int64_t> pool_offset;  // kind categories: where the branches begin …
    BranchesView pool;                          // … one for each category; −1: stay
    std::span<const double> weight;             // by what every_branch shares
};

class TreeWalker {
  public:
    // Throws std::invalid_argument unless children are in range and stand after their parent, and
    // branches lead to children; std::length_error for more than 2^24 columns.
    explicit TreeWalker(const TreeView& tree);

    // Writes the node that each row ends in; a shared row is followed to its heaviest branches.
    // Throws std::invalid_argument when a test does not fit its column, or lacks a branch for one of
    // its categories, and std::out_of_range for a category that is not below n_categories.
    // Cost: a walk per row. Threads over blocks of rows.
    void find_leaves(std::span<const ColumnView> columns, std::span<std::int32_t> node_of_row,
                     int n_threads, StopSignal& stop) const;

    // Writes what each row gets: the value (`width` numbers per node) of the node it ends in, or the
    // average over the nodes it is shared among.
    void average(std::span<const ColumnView> columns, std::span<const double> value,
                 std::span<double> of_row, int n_threads, StopSignal& stop) const;

    bool shares_rows() const noexcept { return shares_rows_; }
    std::size_t n_nodes() const noexcept { return nodes_.size(); }

  private:
    struct Node {
        double threshold;  // kind categories: the pool offset, in the same 8 bytes
        std::uint32_t first_child;
        std::uint32_t feature : 24, is_leaf : 1, is_category : 1, missing_left : 1, spare : 5;
    };
    static_assert(sizeof(Node) == 16);

    // A part of a row that has come to a node.
    struct Share {
        std::size_t node;
        double part;
    };

    // What a test asks of its column.
    struct Need {
        std::size_t column;
        bool is_category;
        std::size_t n_categories;  // branches that the shortest test of the column has
    };

    // Where in needs_ a column stands, by 2 · column + is_category; only while the walker is made.
    using Places = std::unordered_map<std::size_t, std::size_t>;

    void add_need(const TreeView& tree, std::size_t node, Places& place_of);
    void check_columns(std::span<const ColumnView> columns) const;
    std::int32_t branch_of(std::size_t node, std::span<const ColumnView> columns,
                           std::size_t row) const;
    std::int32_t leaf_of(std::span<const ColumnView> columns, std::size_t row) const;
    void add_shares(std::span<const ColumnView> columns, std::size_t row,
                    std::span<const double> value, std::vector<Share>& open,
                    std::span<double> sum) const;
    template <class Value>
    void walk_block(std::span<const ColumnView> columns, std::size_t first_row,
                    std::span<std::int32_t> node_of_row) const;
    bool all_of_type(std::span<const ColumnView> columns, ValueType type) const;

    std::vector<Node> nodes_;
    std::vector<std::int32_t> n_children_, missing_branch_, heaviest_;
    BranchPool pool_;
    std::vector<double> weight_;
    std::vector<Need> needs_;
    bool only_cuts_ = true;  // nothing but thresholds with two branches, missing values in one
    bool shares_rows_ = false;
};

}  // namespace branchline
