#include "tree/tree_builder.hpp"

#include <algorithm>
#include <limits>

#include "branchline/tree_walker.hpp"

namespace branchline::tree {

namespace {

// Appends what the nodes from `begin` to `end` have; each of `n_nodes` has equally much.
template <class Value>
void append(std::vector<Value>& to, const std::vector<Value>& from, std::size_t begin,
            std::size_t end, std::size_t n_nodes) {
    const std::size_t width = from.size() / n_nodes;
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(begin * width),
              from.begin() + static_cast<std::ptrdiff_t>(end * width));
}

template <class Value>
void append(std::vector<Value>& to, std::span<const Value> from) {
    to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

void NodeContents::add(std::span<const std::int64_t> content) {
    width_ = content.size();
    if (!is_sparse()) return append(values_, content);
    for (std::size_t place = 0; place < content.size(); ++place) {
        if (content[place] == 0) continue;
        values_.push_back(content[place]);
        place_of_value_.push_back(static_cast<std::uint32_t>(place));
    }
    ends_.push_back(values_.size());
}

void NodeContents::add_from(const NodeContents& other, std::size_t first) {
    width_ = other.width_;
    const std::size_t begin = is_sparse() ? other.ends_[first - 1] : first * width_;
    const auto from = static_cast<std::ptrdiff_t>(begin);
    const std::size_t before = values_.size();
    values_.insert(values_.end(), other.values_.begin() + from, other.values_.end());
    if (!is_sparse()) return;
    place_of_value_.insert(place_of_value_.end(), other.place_of_value_.begin() + from,
                           other.place_of_value_.end());
    for (std::size_t node = first; node < other.ends_.size(); ++node) {
        ends_.push_back(before + other.ends_[node] - begin);
    }
}

std::vector<std::int64_t> NodeContents::in_order(std::span<const std::int32_t> order) const {
    std::vector<std::int64_t> all(order.size() * width_);
    std::int64_t* to = all.data();
    for (const std::int32_t number : order) {
        const auto node = static_cast<std::size_t>(number);
        if (is_sparse()) {
            for (std::size_t i = node == 0 ? 0 : ends_[node - 1]; i < ends_[node]; ++i) {
                to[place_of_value_[i]] = values_[i];
            }
        } else {
            std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(node * width_), width_, to);
        }
        to += width_;
    }
    return all;
}

void NodeContents::pack_in_order(std::span<const std::int32_t> order, GrownTree& tree) const {
    tree.content.reserve(values_.size());
    tree.place_of_content.reserve(values_.size());
    for (const std::int32_t number : order) {
        const auto node = static_cast<std::size_t>(number);
        for (std::size_t i = node == 0 ? 0 : ends_[node - 1]; i < ends_[node]; ++i) {
            tree.content.push_back(values_[i]);
            tree.place_of_content.push_back(place_of_value_[i]);
        }
        tree.content_ends.push_back(tree.content.size());
    }
}

std::int32_t TreeBuilder::add_leaf(const HeldByNode& held) {
    nodes_.emplace_back();
    content_.add(held.content);
    append(spread_, held.spread);
    append(twice_median_, held.twice_median);
    append(loss_, held.loss);
    return static_cast<std::int32_t>(nodes_.size() - 1);
}

void TreeBuilder::set_test(std::int32_t node, const Candidate& test) {
    Node& place = nodes_[static_cast<std::size_t>(node)];
    place.column = test.column;
    place.first_child = static_cast<std::int32_t>(nodes_.size());
    place.n_branches = test.n_branches;
    place.missing_branch = test.missing_branch;
    place.left_code = test.left_code;
    place.right_code = test.right_code;
    if (test.is_threshold) return;
    // A subset test sends a category it never saw where missing values go; a multiway one keeps it.
    const std::int32_t unseen = test.is_multiway ? stay : test.missing_branch;
    std::vector<std::int32_t> branches(test.branch_of_code.begin() + 1, test.branch_of_code.end());
    std::ranges::replace_if(branches, [](std::int32_t branch) { return branch < 0; }, unseen);
    place.branches = std::make_unique<const BranchPool>(std::span<const std::int32_t>(branches));
}

void TreeBuilder::graft(std::int32_t node, TreeBuilder&& subtree) {
    if (subtree.nodes_.size() < 2) return;
    // The subtree's node 1 becomes our next one: its root is already here.
    const auto shift = static_cast<std::int32_t>(nodes_.size()) - 1;
    Node& root = subtree.nodes_[0];
    if (root.first_child >= 0) root.first_child += shift;
    nodes_[static_cast<std::size_t>(node)] = std::move(root);
    for (std::size_t n = 1; n < subtree.nodes_.size(); ++n) {
        nodes_.push_back(std::move(subtree.nodes_[n]));
        if (nodes_.back().first_child >= 0) nodes_.back().first_child += shift;
    }
    const std::size_t n = subtree.nodes_.size();
    content_.add_from(subtree.content_, 1);
    append(spread_, subtree.spread_, 1, n, n);
    append(twice_median_, subtree.twice_median_, 1, n, n);
    append(loss_, subtree.loss_, 1, n, n);
}

void TreeBuilder::write_node(const Node& node, std::int32_t first_child, GrownTree& tree) const {
    const bool is_leaf = node.column < 0;
    const NodeKind kind = is_leaf                    ? NodeKind::leaf
                          : node.branches == nullptr ? NodeKind::threshold
                                                     : NodeKind::categories;
    tree.kind.push_back(static_cast<std::uint8_t>(kind));
    tree.feature.push_back(node.column);
    tree.first_child.push_back(is_leaf ? -1 : first_child);
    tree.n_children.push_back(node.n_branches);
    tree.missing_branch.push_back(node.missing_branch);
    tree.left_code.push_back(node.left_code);
    tree.right_code.push_back(node.right_code);
    tree.pool_offset.push_back(static_cast<std::int64_t>(tree.pool.size()));
    if (kind != NodeKind::categories) return;
    for (std::size_t i = 0; i < node.branches->size(); ++i)
        tree.pool.push_back((*node.branches)[i]);
}

GrownTree TreeBuilder::finish(bool packs_contents) const {
    GrownTree tree;
    std::size_t n_branches = 0;
    for (const Node& node : nodes_) {
        if (node.branches != nullptr) n_branches += node.branches->size();
    }
    tree.pool.reserve(n_branches);
    std::vector<std::int32_t> order{0};  // old numbers in their new order
    for (std::size_t at = 0; at < order.size(); ++at) {
        const auto old = static_cast<std::size_t>(order[at]);
        const Node& node = nodes_[old];
        write_node(node, static_cast<std::int32_t>(order.size()), tree);
        append(tree.spread, spread_, old, old + 1, nodes_.size());
        append(tree.twice_median, twice_median_, old, old + 1, nodes_.size());
        append(tree.loss, loss_, old, old + 1, nodes_.size());
        for (int branch = 0; branch < tree.n_children.back(); ++branch) {
            order.push_back(node.first_child + branch);
        }
    }
    if (packs_contents && content_.is_sparse()) {
        content_.pack_in_order(order, tree);
    } else {
        tree.content = content_.in_order(order);
    }
    return tree;
}

namespace {

// Below 0: the row stays.
std::int32_t branch_of(const GrownTree& tree, std::size_t node, Code code) {
    if (code == missing_code) return tree.missing_branch[node];
    if (tree.kind[node] == static_cast<std::uint8_t>(NodeKind::threshold)) {
        return code <= tree.left_code[node] ? 0 : 1;
    }
    return tree.pool[static_cast<std::size_t>(tree.pool_offset[node]) + code - 1];
}

}  // namespace

std::vector<std::int32_t> leaves_of(const GrownTree& tree, std::span<const GrowColumn> columns,
                                    std::span<const RowIndex> rows) {
    std::vector<std::int32_t> leaves;
    leaves.reserve(rows.size());
    for (const RowIndex row : rows) {
        std::size_t node = 0;
        while (tree.n_children[node] > 0) {
            const GrowColumn& column = columns[static_cast<std::size_t>(tree.feature[node])];
            const std::int32_t branch = branch_of(tree, node, code_of_row(column, row));
            if (branch < 0) break;
            node = static_cast<std::size_t>(tree.first_child[node] + branch);
        }
        leaves.push_back(static_cast<std::int32_t>(node));
    }
    return leaves;
}

}  // namespace branchline::tree
