// TreeGrower: finding the test of a node, and splitting it.
#pragma once

#include "forest/tree_grower/tree_grower.hpp"

namespace branchline::forest {

template <class Counter>
bool TreeGrower<Counter>::must_stay_leaf(const OpenNode& open, std::span<const Payload> payload) {
    const auto content = tree_.content(open.node);
    if (open.depth >= options_.tree.max_depth || open.size() < 2) return true;
    const std::int64_t weight = weight_of(open.node);
    if (weight < options_.tree.min_split_units || weight < 2 * options_.tree.min_leaf_units) {
        return true;
    }
    return counter_.is_pure(content, payload);
}

template <class Counter>
template <class Index>
bool TreeGrower<Counter>::look(int column, const RowLists<Index, Payload>& rows,
                               const NodeItems<Index, Payload>& node, NodeDraws& draws,
                               Offer& offer, bool& was_searched) {
    const auto c = static_cast<std::size_t>(column);
    was_searched = !options_.random_thresholds && chooser_.searches(input_.columns[c]);
    if (!was_searched) return looker_.look(column, rows.columns[c], node, draws, offer);
    looker_.collect(column, rows.columns[c], node);
    if (looker_.groups().size() < 2) return false;
    return chooser_.search(column, looker_.groups(), offer, looker_.branch_of_code());
}

// Draws columns until enough of them varied and one gained.
template <class Counter>
template <class Index>
bool TreeGrower<Counter>::find_test(OpenNode& open, const RowLists<Index, Payload>& rows,
                                    Offer& best) {
    const auto node = rows.items(open.begin, open.end);
    const auto content = tree_.content(open.node);
    looker_.begin_node(content, node.payload, open.bounds);
    if (options_.score_threshold <= 1) counter_.begin_information(node.payload);
    if (uses_chooser_) chooser_.begin_node(content, node.payload);
    NodeDraws draws(open.key);
    const bool in_order = is_first_tree_ && options_.max_columns >= deck_.size();
    const double least_gain = std::max(options_.tree.min_gain, counter_.slack());
    best = {};
    std::size_t n_looked = 0;
    int chosen = -1;
    Offer offer;
    bool was_searched = false;
    for (std::size_t k = 0; k < deck_.size(); ++k) {
        if (n_looked >= options_.max_columns && (best.column >= 0 || chosen >= 0)) break;
        const auto column = static_cast<int>(deck_.draw(k, in_order, draws));
        if (open.constant.holds(static_cast<std::size_t>(column))) continue;
        if (!look(column, rows, node, draws, offer, was_searched)) {
            open.constant.add(static_cast<std::size_t>(column));
            continue;
        }
        ++n_looked;
        if (chooser_.compares_all()) {
            chooser_.add(offer, looker_.branch_of_code(), looker_.missing(), was_searched);
            if (n_looked >= options_.max_columns) chosen = chooser_.choose();
            continue;
        }
        if (offer.column < 0 || !(offer.gain > least_gain)) continue;
        const double ahead = best.column < 0 ? 0 : best.gain + 1e-12 * std::abs(best.gain);
        if (best.column >= 0 && !(offer.gain > ahead)) continue;
        best = offer;
        if (offer.is_category) branch_of_code_.swap(looker_.branch_of_code());
        if (offer.information >= options_.score_threshold) break;
    }
    deck_.put_back();
    if (chooser_.compares_all()) {
        if (chosen < 0) chosen = chooser_.choose();
        if (chosen < 0) return false;
        best = chooser_.offer(chosen);
        branch_of_code_ = chooser_.branches(chosen);
    }
    if (best.column < 0) return false;
    looker_.settle(rows.columns[static_cast<std::size_t>(best.column)], node, best);
    return true;
}

// Stable: the left rows stay in place, the right ones take a detour.
template <class Counter>
template <class Index, class GoesLeft>
std::size_t TreeGrower<Counter>::part(const OpenNode& open, RowLists<Index, Payload>& rows,
                                      GoesLeft&& goes_left) {
    Index* id = rows.id.data();
    Payload* payload = rows.payload.data();
    Index* spare_id = rows.spare_id.data();
    Payload* spare_payload = rows.spare_payload.data();
    std::size_t left = open.begin, right = 0;
    for (std::size_t i = open.begin; i < open.end; ++i) {
        const Index row = id[i];
        const Payload own = payload[i];
        const bool to_left = goes_left(row);
        id[left] = row, payload[left] = own;  // no branch: which way is a coin's toss
        spare_id[right] = row, spare_payload[right] = own;
        left += to_left;
        right += !to_left;
    }
    std::copy_n(spare_id, right, id + left);
    std::copy_n(spare_payload, right, payload + left);
    return left;
}

template <class Counter>
template <class Index>
std::array<OpenNode, 2> TreeGrower<Counter>::split(const OpenNode& open, const Offer& test,
                                                   RowLists<Index, Payload>& rows) {
    std::size_t middle = 0;
    visit_codes(rows.columns[static_cast<std::size_t>(test.column)], [&](const auto* codes) {
        if (test.is_category) {
            branch_of_code_[0] = !test.missing_left;
            for (std::uint8_t& branch : branch_of_code_) {
                if (branch == 2) branch = !test.missing_left;
            }
            middle = part(open, rows, [&](Index row) { return branch_of_code_[codes[row]] == 0; });
            return;
        }
        // Code 0 becomes the largest of all when missing values go right.
        const Code shift = test.missing_left ? 0 : 1, last = test.left_code - shift;
        middle = part(open, rows, [&](Index row) { return Code{codes[row]} - shift <= last; });
    });
    const double worth = test.gain * static_cast<double>(weight_of(open.node));
    const std::int32_t first = tree_.split(open.node, test, worth, branch_of_code_);
    std::array<OpenNode, 2> children;
    for (int branch = 0; branch < 2; ++branch) {
        OpenNode& child = children[static_cast<std::size_t>(branch)];
        child.node = first + branch;
        child.depth = open.depth + 1;
        child.begin = branch == 0 ? open.begin : middle;
        child.end = branch == 0 ? middle : open.end;
        child.key = key_of_child(open.key, branch);
        child.bounds = open.bounds;
        child.constant = open.constant;
    }
    write_contents(open.node, children, rows);
    if (!input_.monotone.empty()) {
        const int direction = input_.monotone[static_cast<std::size_t>(test.column)];
        const std::size_t higher = direction > 0 ? 1 : 0;
        if (direction != 0) {
            children[higher].bounds.lower = std::max(open.bounds.lower, test.middle);
            children[1 - higher].bounds.upper = std::min(open.bounds.upper, test.middle);
        }
    }
    return children;
}

// The lighter branch is added up, the other one is what is left.
template <class Counter>
template <class Index>
void TreeGrower<Counter>::write_contents(std::int32_t parent,
                                         const std::array<OpenNode, 2>& children,
                                         const RowLists<Index, Payload>& rows) {
    const std::size_t light = children[0].size() <= children[1].size() ? 0 : 1;
    const auto all = tree_.content(parent), some = tree_.content(children[light].node);
    const auto rest = tree_.content(children[1 - light].node);
    for (std::size_t i = children[light].begin; i < children[light].end; ++i) {
        counter_.add_to_content(some.data(), rows.payload[i]);
    }
    for (std::size_t w = 0; w < all.size(); ++w) rest[w] = all[w] - some[w];
}

}  // namespace branchline::forest
