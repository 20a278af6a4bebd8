// Grower: what nodes hold, and how they are split.
#pragma once

#include "tree/grower/grower.hpp"

namespace branchline::tree {

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
    if (options_.criterion == TreeCriterion::absolute_error) find_medians(open, rows);
    if (options_.criterion == TreeCriterion::poisson) find_deviances(open, rows);
}

template <class Sides>
void Grower<Sides>::find_medians(OpenNode& open, const NodeRows& rows) const {
    for (std::size_t o = 0; o < target_.n_outputs; ++o) {
        open.targets.push_back(targets_of(rows, target_, o));
        const MedianOfNode median = median_of(open.targets.back());
        open.twice_median.push_back(median.twice);
        open.loss.push_back(static_cast<double>(median.loss));
    }
}

// Σ value log(value / 2^62) is summed as integers: below 2^61 each. The values use about all bits, so
// that rounding costs nothing that matters.
template <class Sides>
void Grower<Sides>::find_deviances(OpenNode& open, const NodeRows& rows) const {
    constexpr double largest = 0x1p62;
    const auto weight = static_cast<double>(open.content[0]) * options_.unit;
    for (std::size_t o = 0; o < target_.n_outputs; ++o) {
        Int128 sum = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto value =
                static_cast<double>(target_.values_of_row[rows.rows[i] * target_.n_outputs + o]);
            if (value <= 0) continue;
            sum += Int128{static_cast<std::int64_t>(std::rint(value * std::log(value / largest)))} *
                   rows.units(i, target_);
        }
        const auto total = static_cast<double>(open.content[1 + o]);
        const double of_mean = total > 0 ? total * std::log(total / weight / largest) : 0;
        open.loss.push_back(std::max(0.0, static_cast<double>(sum) * options_.unit - of_mean));
    }
}

template <class Sides>
NodeFacts Grower<Sides>::facts_of(const OpenNode& open, Sides& sides) const {
    NodeFacts facts;
    facts.content = open.content;
    facts.targets = open.targets;
    if constexpr (std::is_same_v<Sides, MedianSides>) sides.enter(facts.targets);
    sides.start(facts.content);
    facts.weight = sides.right_weight();
    facts.impurity_weight = sides.impurity_weight();
    facts.badness = sides.right_badness();
    double spread = 0;
    const auto& lost = open.loss.empty() ? open.spread : open.loss;
    for (const double each : lost) spread += each;
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
                             : std::all_of(
                                   open.spread.begin(), open.spread.end(),
                                   [](double spread) { return spread <= 0; });
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
        child.node = tree.add_leaf(child.held());
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
