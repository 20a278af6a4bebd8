// A tree in codes, checked, for rows whose codes are known.
//
// A row starts at node 0. Its code c of the tested column takes it on:
//   c = 0         missing_branch: a branch; `stay`; `every_branch`: here the heaviest one
//   threshold     branch 0 when c ≤ left_code, else 1
//   categories    branch pool[pool_offset + c − 1]; −1: stay
// until a leaf, or until it stays: no branch takes it, and the inner node's own value counts.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "branchline/branch_pool.hpp"
#include "branchline/types.hpp"

namespace branchline {

// Arrays as those of GrownTree (grow_tree.hpp); one entry per node, but for the pool.
struct CodedTreeView {
    std::span<const std::uint8_t> kind;  // NodeKind of tree_walker.hpp
    std::span<const std::int32_t> feature, first_child, n_children;
    std::span<const std::int32_t> missing_branch;  // a branch, `stay` or `every_branch`
    std::span<const Code> left_code;  // threshold: the last code that goes to branch 0, others to 1
    std::span<const std::int64_t> pool_offset;  // categories: where the branches begin …
    BranchesView pool;               // … one for each code from 1; −1: stay; −2: as missing
    std::span<const double> weight;  // a row for every_branch goes to the heaviest, first on ties
};

// Keeps its own checked copy, so that later changes of the arrays do no harm.
class CodedTree {
  public:
    // Throws std::invalid_argument when the arrays are not a tree.
    explicit CodedTree(const CodedTreeView& tree);

    struct Node {
        std::uint32_t first_child, n_children;  // no children: a leaf
        std::uint32_t feature;
        std::int32_t missing_branch;  // or `stay`
        std::int32_t parent;
        Code left_code;
        std::int64_t pool_offset;  // −1: a threshold
    };

    std::span<const Node> nodes() const { return nodes_; }
    std::size_t n_columns() const { return n_columns_; }  // how many columns the tests need

    // The branch a code takes, or `stay`. Throws std::out_of_range for a code that has none.
    std::int32_t branch_of(const Node& node, Code code) const;

  private:
    std::vector<Node> nodes_;
    BranchPool pool_;
    std::size_t n_columns_ = 0;
};

inline std::int32_t CodedTree::branch_of(const Node& node, Code code) const {
    if (code == missing_code) return node.missing_branch;
    if (node.pool_offset < 0) return code <= node.left_code ? 0 : 1;
    const std::size_t at = static_cast<std::size_t>(node.pool_offset) + code - 1;
    const std::int32_t branch =
        at < pool_.size() ? pool_[at] : std::numeric_limits<std::int32_t>::max();
    if (branch >= static_cast<std::int32_t>(node.n_children)) {
        throw std::out_of_range("a test has no branch for a code");
    }
    // −2, every branch: where a missing value would go.
    return branch < -1 ? node.missing_branch : branch;
}

}  // namespace branchline
