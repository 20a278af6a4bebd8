// A tree while it grows: nodes are added in any order; finish() puts them into the final one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "branchline/grow_tree.hpp"
#include "tree/candidate.hpp"

namespace branchline::tree {

class TreeBuilder {
  public:
    // Nodes hold `width` integers, and `n_outputs` spreads.
    TreeBuilder(std::size_t width, std::size_t n_outputs) : width_(width), n_outputs_(n_outputs) {}

    std::int32_t add_leaf(std::span<const std::int64_t> content, std::span<const double> spread);

    // Turns a leaf into a test; its children must be added next, one after the other.
    void set_test(std::int32_t node, Candidate test);

    // Puts a tree whose root is `node` in place of that leaf.
    void graft(std::int32_t node, TreeBuilder&& subtree);

    // Nodes by level, siblings together, children after their parents.
    GrownTree finish() const;

  private:
    struct Node {
        Candidate test;  // column −1: a leaf
        std::int32_t first_child = -1;
    };

    void write_node(const Node& node, std::int32_t first_child, GrownTree& tree) const;

    std::size_t width_, n_outputs_;
    std::vector<Node> nodes_;
    std::vector<std::int64_t> content_;
    std::vector<double> spread_;
};

// The node that each of some rows ends in, by the codes the tree was grown on.
std::vector<std::int32_t> leaves_of(const GrownTree& tree, std::span<const GrowColumn> columns,
                                    std::span<const RowIndex> rows);

}  // namespace branchline::tree
