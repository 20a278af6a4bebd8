#include "branchline/coded_tree.hpp"

#include <algorithm>
#include <stdexcept>

#include "branchline/prune_tree.hpp"
#include "branchline/tree_walker.hpp"

namespace branchline {

namespace {

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

void check_sizes(const CodedTreeView& tree) {
    const std::size_t n = tree.kind.size();
    require(tree.feature.size() == n && tree.first_child.size() == n &&
                tree.n_children.size() == n && tree.missing_branch.size() == n &&
                tree.left_code.size() == n && tree.pool_offset.size() == n &&
                tree.weight.size() == n,
            "arrays of one length, one entry per node");
    const auto is_branch = [](auto branch) { return branch >= every_branch; };
    require(std::ranges::all_of(tree.pool.narrow, is_branch) &&
                std::ranges::all_of(tree.pool.wide, is_branch),
            "a branch in the pool is below -2");
}

std::int32_t heaviest_branch(const CodedTreeView& tree, std::size_t node) {
    const auto weight = tree.weight.subspan(static_cast<std::size_t>(tree.first_child[node]),
                                            static_cast<std::size_t>(tree.n_children[node]));
    return static_cast<std::int32_t>(std::max_element(weight.begin(), weight.end()) -
                                     weight.begin());
}

// Requires: the shape has been checked.
CodedTree::Node inner_node(const CodedTreeView& tree, std::size_t node) {
    const std::int32_t missing = tree.missing_branch[node];
    require(tree.feature[node] >= 0, "an inner node tests no column");
    require(missing >= every_branch && missing < tree.n_children[node],
            "missing_branch out of range");
    const bool is_category = tree.kind[node] == static_cast<std::uint8_t>(NodeKind::categories);
    require(!is_category || tree.pool_offset[node] >= 0, "pool_offset out of range");
    return {.first_child = static_cast<std::uint32_t>(tree.first_child[node]),
            .n_children = static_cast<std::uint32_t>(tree.n_children[node]),
            .feature = static_cast<std::uint32_t>(tree.feature[node]),
            .missing_branch = missing == every_branch ? heaviest_branch(tree, node) : missing,
            .parent = -1,
            .left_code = tree.left_code[node],
            .pool_offset = is_category ? tree.pool_offset[node] : -1};
}

}  // namespace

CodedTree::CodedTree(const CodedTreeView& tree) {
    check_sizes(tree);
    pool_ = tree.pool.packed();
    const auto parent = parents_of({tree.first_child, tree.n_children});
    nodes_.reserve(parent.size());
    for (std::size_t i = 0; i < parent.size(); ++i) {
        const bool is_leaf = tree.kind[i] == static_cast<std::uint8_t>(NodeKind::leaf);
        require(tree.kind[i] <= static_cast<std::uint8_t>(NodeKind::categories) &&
                    is_leaf == (tree.n_children[i] == 0),
                "the kind of a node does not fit its children");
        nodes_.push_back(is_leaf ? Node{} : inner_node(tree, i));
        nodes_.back().parent = parent[i];
        if (!is_leaf) n_columns_ = std::max(n_columns_, std::size_t{nodes_.back().feature} + 1);
    }
}

}  // namespace branchline
