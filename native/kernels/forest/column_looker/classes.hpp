// ColumnLooker: many rows of several classes, counted class by class.
#pragma once

#include "forest/column_looker/column_looker.hpp"

namespace branchline::forest {

template <class Counter>
template <class Index>
bool ColumnLooker<Counter>::look_at_classes(const CodeColumn& codes,
                                            const NodeItems<Index, Payload>& node, Offer& offer) {
    const std::int64_t least = options_.tree.min_leaf_units;
    const ClassesNode classes = counter_.node(least);
    const std::size_t n_codes = about().n_codes;
    const bool varies = visit_codes(codes, [&](const auto* column) {
        const auto first = column[node.id[0]];
        const bool is_constant = std::all_of(node.id.begin(), node.id.end(),
                                             [&](Index id) { return column[id] == first; });
        if (is_constant) return false;
        class_cells_.count(column, n_codes, node);
        return true;
    });
    if (!varies) return false;
    const bool any_missing = class_cells_.any_of(missing_code);
    Best best;
    for (const bool missing_left : {false, true}) {
        if (missing_left && !any_missing) break;
        const CellCut cut =
            kernels_.cut_classes({class_cells_.cells(), n_codes, missing_left}, classes);
        const double score = cut.score + counter_.cut_offset();
        if (cut.score < 0 || !(score > best.score + counter_.score_slack())) continue;
        best = {score, cut.n_left, missing_left, cut.left_weight, 0, 0};
    }
    if (best.score > no_score) {
        auto right = static_cast<Code>(best.n_left + 1);
        while (right <= n_codes && !class_cells_.any_of(right)) ++right;
        offer_threshold(best, any_missing, static_cast<Code>(best.n_left),
                        right <= n_codes ? right : 0, offer);
    }
    class_cells_.clear(n_codes);
    return true;
}

}  // namespace branchline::forest
