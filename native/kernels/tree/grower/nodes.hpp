// Grower: what nodes hold, and how they are split.
#pragma once

#include "tree/grower/grower.hpp"

namespace branchline::tree {

__extension__ typedef __int128 Int128;

template <class Sides>
OpenNode Grower<Sides>::make_root(std::span<const RowIndex> rows) const {
    OpenNode root;
    root.end = rows.size();
    if (is_fractional()) {
        root.own_rows.assign(rows.begin(), rows.end());
        for (const RowIndex row : rows) {
            root.own_parts.push_back(target_.units.empty() ? 1 : target_.units[row]);
        }
    }
    for (std::size_t c = 0; c < columns_.size(); ++c) root.columns.push_back(static_cast<int>(c));
    return root;
}

// Sums what the rows of a node hold; for numbers also the squared deviations from their mean, as
// integers, so that they do not depend on the order of rows.
template <class Sides>
void Grower<Sides>::summarize(OpenNode& open, const NodeRows& rows) const {
    open.content.assign(target_.width(), 0);
    if (target_.is_classification()) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            open.content[target_.class_of_row[rows.rows[i]]] += rows.units(i, target_);
        }
        return;
    }
    const std::size_t n_outputs = target_.n_outputs;
    std::vector<std::int64_t> sums(n_outputs);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        sums_of(rows, i, target_, sums.data());
        open.content[0] += rows.units(i, target_);
        for (std::size_t o = 0; o < n_outputs; ++o) open.content[1 + o] += sums[o];
    }
    std::vector<Int128> squares(n_outputs, 0);
    const std::int64_t weight = open.content[0];
    for (std::size_t i = 0; i < rows.size(); ++i) {
        sums_of(rows, i, target_, sums.data());
        const std::int64_t units = rows.units(i, target_);
        for (std::size_t o = 0; o < n_outputs; ++o) {
            const Int128 off = sums[o] - units * (open.content[1 + o] / weight);
            squares[o] += off * off / units;
        }
    }
    open.spread.assign(n_outputs, 0);
    for (std::size_t o = 0; o < n_outputs; ++o) {
        const Int128 rest = open.content[1 + o] % weight;  // around the mean, not its whole part
        open.spread[o] = static_cast<double>(squares[o]) -
                         static_cast<double>(rest * rest) / static_cast<double>(weight);
        open.spread[o] = std::max(0.0, open.spread[o]);
    }
}

template <class Sides>
NodeFacts Grower<Sides>::facts_of(const OpenNode& open, Sides& sides) const {
    NodeFacts facts;
    facts.content = open.content;
    sides.start(facts.content);
    facts.weight = sides.right_weight();
    facts.impurity_weight = sides.impurity_weight();
    facts.badness = sides.right_badness();
    double spread = 0;
    for (const double each : open.spread) spread += each;
    facts.impurity = (target_.is_classification() ? facts.badness : spread) / facts.impurity_weight;
    facts.slack = 1e-12 * (target_.is_classification() ? 1.0 : facts.impurity);
    return facts;
}

template <class Sides>
bool Grower<Sides>::must_stay_leaf(const OpenNode& open, const NodeFacts& facts) const {
    if (open.depth >= options_.max_depth || open.columns.empty()) return true;
    if (facts.weight < options_.min_split_units) return true;
    if (facts.weight < 2 * options_.min_leaf_units) return true;
    const bool is_pure = target_.is_classification()
                             ? std::count_if(open.content.begin(), open.content.end(),
                                             [](std::int64_t units) { return units > 0; }) < 2
                             : facts.impurity <= 0;
    return is_pure || facts.impurity <= options_.min_impurity;
}

// The branch of a row of the training table.
inline int branch_of_row(const Candidate& test, const GrowColumn& column, RowIndex row) {
    return branch_of(test, code_of_row(column, row));
}

template <class Sides>
template <class Index>
std::vector<OpenNode> Grower<Sides>::split(OpenNode& open, Candidate test,
                                           SortedLists<Index>& lists, TreeBuilder& tree,
                                           Desk<Sides>* desk) {
    std::vector<OpenNode> children(static_cast<std::size_t>(test.n_branches));
    if (is_fractional()) {
        share(open, test, children);
    } else {
        part(open, test, lists, children, desk);
    }
    tree.set_test(open.node, std::move(test));
    for (OpenNode& child : children) {
        child.depth = open.depth + 1;
        summarize(child, rows_of(child, lists));
        child.node = tree.add_leaf(child.content, child.spread);
    }
    if (has_last_tests(open)) return {};
    for (OpenNode& child : children) child.columns = open.columns;
    return children;
}

template <class Sides>
template <class Index>
void Grower<Sides>::part(const OpenNode& open, const Candidate& test, SortedLists<Index>& lists,
                         std::vector<OpenNode>& children, Desk<Sides>* desk) {
    const GrowColumn& column = columns_[static_cast<std::size_t>(test.column)];
    for (std::size_t i = open.begin; i < open.end; ++i) {
        const Index id = lists.id_at(i);
        lists.branch_of_id()[id] =
            static_cast<std::uint16_t>(branch_of_row(test, column, lists.row_of(id)));
    }
    const auto bounds = lists.part_rows(open.begin, open.end, children.size());
    for (std::size_t b = 0; b < children.size(); ++b) {
        children[b].begin = bounds[b];
        children[b].end = bounds[b + 1];
    }
    if (has_last_tests(open)) return;  // the lists are not needed any more
    const auto part_lists = [&](std::size_t first, std::size_t last, Desk<Sides>& at) {
        for (std::size_t i = first; i < last; ++i) {
            const int c = open.columns[i];
            if (lists.has_list(c)) lists.part_list(c, bounds, at.template spare<Index>());
        }
    };
    for_columns(open.columns.size(), n_rows_of(open), desk, part_lists);
}

// Gives each branch its part of a row, by the branches' weights; the heaviest takes what rounding
// leaves, so that the order of branches does not matter.
inline void share_out(RowIndex row, std::int64_t units, std::int64_t copies,
                      std::span<const std::int64_t> weights, std::vector<OpenNode>& children) {
    double total = 0;
    for (const std::int64_t weight : weights) total += static_cast<double>(weight);
    const std::int64_t of_one = units / copies;  // each copy is shared alike
    std::int64_t left = of_one;
    std::vector<std::int64_t> parts(children.size());
    for (std::size_t b = 0; b < children.size(); ++b) {
        const double share = static_cast<double>(weights[b]) / total;
        parts[b] = static_cast<std::int64_t>(static_cast<double>(of_one) * share);  // rounded down
        left -= parts[b];
    }
    const auto heaviest = std::max_element(weights.begin(), weights.end()) - weights.begin();
    parts[static_cast<std::size_t>(heaviest)] += left;
    for (std::size_t b = 0; b < children.size(); ++b) {
        if (parts[b] == 0) continue;
        children[b].own_rows.push_back(row);
        children[b].own_parts.push_back(parts[b] * copies);
    }
}

template <class Sides>
void Grower<Sides>::share(const OpenNode& open, const Candidate& test,
                          std::vector<OpenNode>& children) const {
    const GrowColumn& column = columns_[static_cast<std::size_t>(test.column)];
    std::vector<std::int64_t> weights(children.size(), 0);
    std::vector<std::size_t> everywhere;
    for (std::size_t i = 0; i < open.own_rows.size(); ++i) {
        const int branch = branch_of_row(test, column, open.own_rows[i]);
        if (branch < 0) {
            everywhere.push_back(i);
            continue;
        }
        const auto b = static_cast<std::size_t>(branch);
        children[b].own_rows.push_back(open.own_rows[i]);
        children[b].own_parts.push_back(open.own_parts[i]);
        weights[b] += open.own_parts[i];
    }
    for (const std::size_t i : everywhere) {
        const RowIndex row = open.own_rows[i];
        share_out(row, open.own_parts[i], target_.copies(row), weights, children);
    }
}

}  // namespace branchline::tree
