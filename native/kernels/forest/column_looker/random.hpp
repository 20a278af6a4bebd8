// ColumnLooker: random thresholds (extra-trees).
#pragma once

#include "forest/column_looker/column_looker.hpp"

namespace branchline::forest {

// A threshold drawn uniformly between the least and the greatest value. A bin of several values goes
// where its middle is.
template <class Counter>
typename ColumnLooker<Counter>::RandomCut ColumnLooker<Counter>::draw_cut(Code lowest, Code highest,
                                                                          NodeDraws& draws) const {
    const KnownCodes& values = input_.values[static_cast<std::size_t>(column_)];
    const double low = values.lowest[lowest - 1], high = values.highest[highest - 1];
    const double half = low / 2 + draws.uniform() * (high / 2 - low / 2);  // a range may overflow
    const double threshold = 2 * half;
    const double* middle = middles_[static_cast<std::size_t>(column_)].data();
    std::size_t first = lowest - 1;
    for (std::size_t n = highest - lowest; n > 1;) {  // no branch: halves are a coin's toss
        const std::size_t step = n / 2;
        first += middle[first + step] <= threshold ? step : 0;
        n -= step;
    }
    return {static_cast<Code>(first + 1), false, threshold};
}

template <class Counter>
std::uint8_t ColumnLooker<Counter>::fraction_of(double threshold, Code left, Code right) const {
    const KnownCodes& values = input_.values[static_cast<std::size_t>(column_)];
    return fraction_between(values.highest[left - 1] / 2, values.lowest[right - 1] / 2,
                            threshold / 2);
}

template <class Counter>
template <class Index>
bool ColumnLooker<Counter>::look_at_random(const CodeColumn& codes,
                                           const NodeItems<Index, Payload>& node, NodeDraws& draws,
                                           Offer& offer) {
    return visit_codes(codes, [&](const auto* column) {
        using Value = std::remove_cvref_t<decltype(*column)>;
        Value* here = scratch_.template of<Value>(node.size());
        const RandomRange<Value> range = gather(column, node, here);
        if (range.highest == 0 || (range.is_single() && !range.any_missing)) return false;
        const RandomCut cut = range.is_single() ? RandomCut{range.highest, true, 0}
                                                : draw_cut(range.lowest(), range.highest, draws);
        offer_random(here, node, range.any_missing, cut, offer);
        return true;
    });
}

template <class Counter>
template <class Value, class Index>
RandomRange<Value> ColumnLooker<Counter>::gather(const Value* column,
                                                 const NodeItems<Index, Payload>& node,
                                                 Value* here) const {
    RandomRange<Value> range;
    Value lowest = std::numeric_limits<Value>::max();
    for (std::size_t i = 0; i < node.size(); ++i) {
        const Value code = column[node.id[i]];
        here[i] = code;
        lowest = std::min(lowest, code);
        range.before_lowest = std::min(range.before_lowest, static_cast<Value>(code - 1));
        range.highest = std::max(range.highest, code);
    }
    range.any_missing = lowest == missing_code;
    return range;
}

// No branches: which way a row goes cannot be foreseen.
template <class Counter>
template <class Value, class Index>
void ColumnLooker<Counter>::offer_random(const Value* here, const NodeItems<Index, Payload>& node,
                                         bool any_missing, const RandomCut& cut, Offer& offer) {
    left_cell_.assign(counter_.cell_words(), {});
    missing_cell_.assign(counter_.cell_words(), {});
    any_missing_ = any_missing;
    if constexpr (std::is_same_v<Counter, TwoClassCounter> && sizeof(Value) <= 2) {
        const GivenCut sums = counter_.sum_left(kernels_, here, node.payload, cut.last_left);
        left_cell_[0] = sums.ones << 32 | (sums.weight - sums.ones);
    } else {
        for (std::size_t i = 0; i < node.size(); ++i) {
            const bool is_left = static_cast<Value>(here[i] - 1) < cut.last_left;
            counter_.add_if(is_left, left_cell_.data(), node.payload[i]);
        }
    }
    for (std::size_t i = 0; any_missing && i < node.size(); ++i) {
        counter_.add_if(here[i] == missing_code, missing_cell_.data(), node.payload[i]);
    }
    Best best;
    for (const bool missing_left : {false, true}) {
        if (missing_left && (!any_missing || cut.is_single)) break;
        counter_.start();
        if (missing_left) counter_.to_left(missing_cell_.data());
        counter_.to_left(left_cell_.data());
        consider(1, missing_left, best);
    }
    if (best.score == no_score) return;
    offer_threshold(best, any_missing, cut.last_left, 0, offer);
    offer.n_values = node.size();
    offer.threshold = cut.threshold;
    offer.is_unsettled = !cut.is_single;
}

template <class Counter>
template <class Index>
void ColumnLooker<Counter>::settle(const CodeColumn& codes, const NodeItems<Index, Payload>& node,
                                   Offer& offer) {
    if (!offer.is_unsettled) return;
    column_ = offer.column;
    constexpr Code none = std::numeric_limits<Code>::max();
    Code last_left = 0, first_right = none;
    visit_codes(codes, [&](const auto* column) {
        for (const Index id : node.id) {  // no branch: which way a row goes cannot be foreseen
            const Code code = column[id];
            const bool is_right = code > offer.left_code;
            first_right = std::min(first_right, is_right ? code : none);
            last_left = std::max(last_left, is_right ? 0 : code);
        }
    });
    offer.left_code = last_left;
    offer.right_code = first_right;
    offer.fraction = fraction_of(offer.threshold, last_left, first_right);
}

}  // namespace branchline::forest
