// ColumnLooker: nodes of few rows.
#pragma once

#include "forest/column_looker/column_looker.hpp"

namespace branchline::forest {

// Few rows: the codes side by side; a kernel finds the best cut, unless values are missing.
template <class Counter>
template <class Index>
bool ColumnLooker<Counter>::look_at_few(const CodeColumn& codes,
                                        const NodeItems<Index, Payload>& node, Offer& offer) {
    return visit_codes(codes, [&](const auto* column) {
        using Value = std::remove_cvref_t<decltype(*column)>;
        Value* here = few_.template of<Value>();
        Value differs = 0, lowest = std::numeric_limits<Value>::max();
        const Value first = column[node.id[0]];
        for (std::size_t i = 0; i < node.size(); ++i) {
            const Value code = column[node.id[i]];
            here[i] = code;
            differs |= static_cast<Value>(code ^ first);
            lowest = std::min(lowest, code);
        }
        if (differs == 0) return false;
        if constexpr (Counter::has_kernel || Counter::counts_classes) {
            if constexpr (sizeof(Value) <= 2) {
                if (lowest != missing_code && counter_.cuts_cells() && !needs_each_cut()) {
                    const FewCut cut = counter_.cut_few(kernels_, here, node.payload,
                                                        options_.tree.min_leaf_units);
                    if (cut.score < 0) return true;
                    Best best;
                    best.score = cut.score + counter_.cut_offset();
                    best.left_weight = cut.left_weight;
                    offer_threshold(best, false, cut.code, cut.next_code, offer);
                    offer.n_values = node.size();
                    return true;
                }
            }
        }
        cut_sorted(here, node, offer);
        return true;
    });
}

template <class Counter>
template <class Value, class Index>
void ColumnLooker<Counter>::cut_sorted(const Value* here, const NodeItems<Index, Payload>& node,
                                       Offer& offer) {
    std::uint8_t order[few_rows];
    const std::size_t n = node.size();
    order_few(kernels_, here, n, order);
    std::size_t n_missing = 0;
    while (n_missing < n && here[order[n_missing]] == missing_code) ++n_missing;
    if (n_missing > 0 && options_.tree.correct_for_chance) {
        missing_cell_.assign(counter_.cell_words(), {});
        for (std::size_t i = 0; i < n_missing; ++i) {
            counter_.add(missing_cell_.data(), node.payload[order[i]]);
        }
        any_missing_ = true;
    }
    Best best;
    for (const bool missing_left : {false, true}) {
        if (missing_left && n_missing == 0) break;
        counter_.start();
        for (std::size_t i = 0; missing_left && i < n_missing; ++i) {
            counter_.row_to_left(node.payload[order[i]]);
        }
        for (std::size_t i = n_missing; i < n; ++i) {
            counter_.row_to_left(node.payload[order[i]]);
            if (i + 1 == n || here[order[i]] != here[order[i + 1]]) {
                consider(i + 1, missing_left, best);
            }
        }
    }
    if (best.score == no_score) return;
    const Code right = best.n_left < n ? here[order[best.n_left]] : 0;
    offer_threshold(best, n_missing > 0, here[order[best.n_left - 1]], right, offer);
    offer.n_values = n - n_missing;
}

}  // namespace branchline::forest
