// A tree while it grows: nodes are added in any order; finish() puts them into the final one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "branchline/branch_pool.hpp"
#include "branchline/grow_tree.hpp"
#include "tree/candidate.hpp"

namespace branchline::tree {

// What a node holds of its rows; the last two for criteria that have them.
struct HeldByNode {
    std::span<const std::int64_t> content;
    std::span<const double> spread;
    std::span<const std::int64_t> twice_median;
    std::span<const double> loss;
};

// What nodes hold, equally many integers each. Of many integers nearly all are 0, as of thousands of
// classes: then only the others are kept, with their places.
class NodeContents {
  public:
    void add(std::span<const std::int64_t> content);
    // Adds the nodes of `other` from `first` on.
    void add_from(const NodeContents& other, std::size_t first);
    // Those of the nodes `order`, one after the other.
    std::vector<std::int64_t> in_order(std::span<const std::int32_t> order) const;
    // Writes them without those that are 0. Requires: is_sparse().
    void pack_in_order(std::span<const std::int32_t> order, GrownTree& tree) const;
    bool is_sparse() const { return width_ > many; }

  private:
    static constexpr std::size_t many = 64;

    std::size_t width_ = 0;
    std::vector<std::int64_t> values_;
    std::vector<std::uint32_t> place_of_value_;  // sparse only
    std::vector<std::size_t> ends_;              // sparse only: of each node's values
};

class TreeBuilder {
  public:
    std::int32_t add_leaf(const HeldByNode& held);

    // Turns a leaf into a test; its children must be added next, one after the other.
    void set_test(std::int32_t node, const Candidate& test);

    // Puts a tree whose root is `node` in place of that leaf.
    void graft(std::int32_t node, TreeBuilder&& subtree);

    // Nodes by level, siblings together, children after their parents.
    // packs_contents: see GrowOptions.
    GrownTree finish(bool packs_contents) const;

  private:
    // What a tree keeps of a test: a candidate is several times as large, and there are many nodes.
    struct Node {
        std::int32_t column = -1;  // −1: a leaf
        std::int32_t first_child = -1;
        std::int32_t n_branches = 0, missing_branch = -1;
        Code left_code = 0, right_code = 0;
        std::unique_ptr<const BranchPool> branches;  // categories: of each code from 1
    };

    void write_node(const Node& node, std::int32_t first_child, GrownTree& tree) const;

    std::vector<Node> nodes_;
    NodeContents content_;
    std::vector<std::int64_t> twice_median_;
    std::vector<double> spread_, loss_;
};

// The node that each of some rows ends in, by the codes the tree was grown on.
std::vector<std::int32_t> leaves_of(const GrownTree& tree, std::span<const GrowColumn> columns,
                                    std::span<const RowIndex> rows);

}  // namespace branchline::tree
