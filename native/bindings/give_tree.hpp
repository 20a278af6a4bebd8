// A grown tree as arrays by name.
#pragma once

#include <algorithm>

#include "arrays.hpp"
#include "branchline/grow_tree.hpp"

namespace branchline::bindings {

// All integers of all nodes, of which the tree has those that are not 0.
template <class Value>
nb::object unpacked(const GrownTree& tree, std::size_t width) {
    std::vector<Value> all(tree.n_nodes() * width);
    std::size_t at = 0;
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
        for (; at < tree.content_ends[node]; ++at) {
            all[node * width + tree.place_of_content[at]] = static_cast<Value>(tree.content[at]);
        }
    }
    return nb::cast(give(std::move(all)));
}

// Of many classes nearly all integers are small: an array as narrow as they allow.
inline nb::object give_content(GrownTree&& tree, std::size_t width) {
    if (tree.content_ends.empty()) return nb::cast(give(std::move(tree.content)));
    const std::int64_t most = *std::ranges::max_element(tree.content);
    if (most <= 0xFF) return unpacked<std::uint8_t>(tree, width);
    if (most <= 0xFFFF) return unpacked<std::uint16_t>(tree, width);
    return unpacked<std::int64_t>(tree, width);
}

// `width`: integers of a node, for trees that were grown with packs_contents.
inline nb::dict give_tree(GrownTree&& tree, std::size_t width) {
    nb::dict out;
    out["content"] = give_content(std::move(tree), width);
    out["kind"] = give(std::move(tree.kind));
    out["feature"] = give(std::move(tree.feature));
    out["first_child"] = give(std::move(tree.first_child));
    out["n_children"] = give(std::move(tree.n_children));
    out["missing_branch"] = give(std::move(tree.missing_branch));
    out["left_code"] = give(std::move(tree.left_code));
    out["right_code"] = give(std::move(tree.right_code));
    out["pool_offset"] = give(std::move(tree.pool_offset));
    out["pool"] = give(std::move(tree.pool));
    out["spread"] = give(std::move(tree.spread));
    out["twice_median"] = give(std::move(tree.twice_median));
    out["loss"] = give(std::move(tree.loss));
    out["leaf_of_row"] = give(std::move(tree.leaf_of_row));
    return out;
}

}  // namespace branchline::bindings
