// A grown tree as arrays by name.
#pragma once

#include "arrays.hpp"
#include "branchline/grow_tree.hpp"

namespace branchline::bindings {

inline nb::dict give_tree(GrownTree&& tree) {
    nb::dict out;
    out["kind"] = give(std::move(tree.kind));
    out["feature"] = give(std::move(tree.feature));
    out["first_child"] = give(std::move(tree.first_child));
    out["n_children"] = give(std::move(tree.n_children));
    out["missing_branch"] = give(std::move(tree.missing_branch));
    out["left_code"] = give(std::move(tree.left_code));
    out["right_code"] = give(std::move(tree.right_code));
    out["pool_offset"] = give(std::move(tree.pool_offset));
    out["pool"] = give(std::move(tree.pool));
    out["content"] = give(std::move(tree.content));
    out["spread"] = give(std::move(tree.spread));
    out["twice_median"] = give(std::move(tree.twice_median));
    out["loss"] = give(std::move(tree.loss));
    out["leaf_of_row"] = give(std::move(tree.leaf_of_row));
    return out;
}

}  // namespace branchline::bindings
