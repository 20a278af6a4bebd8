// Grower: scans of numbers for two classes and Gini, the commonest case: over sorted lists when every
// row counts once, over counts of codes whatever rows count.
#pragma once

#include "tree/grower/grower.hpp"

namespace branchline::tree {

template <class Sides>
inline constexpr bool can_scan = false;
template <>
inline constexpr bool can_scan<ClassSides<GiniImpurity, TwoCounts>> = true;

template <class Sides>
template <class Index>
bool Grower<Sides>::scan_applies(std::span<const Item<Index>> list) const {
    const bool any_missing = list.front().code == missing_code;
    return target_.units.empty() && target_.class_factor.empty() &&
           list.size() < max_rows_of_scan && !options_.cautious_thresholds &&
           options_.significance >= 1 &&
           (!any_missing || options_.missing == MissingPolicy::learned) &&
           options_.missing != MissingPolicy::mode;
}

template <class Sides>
template <class Index>
ColumnVerdict Grower<Sides>::scan_list(int column, std::span<const Item<Index>> list,
                                       const SortedLists<Index>& lists, const NodeFacts& facts,
                                       Desk<Sides>& desk) const {
    static const auto scan = scan_two_classes_for<Index>(best_cpu_level());
    std::uint32_t n_missing = 0, missing_ones = 0;
    while (list[n_missing].code == missing_code) missing_ones += list[n_missing++].class_bit();
    const auto n = static_cast<std::uint32_t>(list.size());
    const auto ones = static_cast<std::uint32_t>(facts.content[1]);
    const auto least =
        static_cast<std::uint32_t>(std::min<std::int64_t>(options_.min_leaf_units, n));
    const auto present = list.subspan(n_missing);
    // A score is the gain times n² / 2.
    const double slack = facts.slack * static_cast<double>(n) * static_cast<double>(n) / 2;
    ScanStart start{0, 0, n, ones, least, slack};
    ScanResult best = scan(present.data(), present.size(), start);
    bool missing_left = false;
    if (n_missing > 0) {
        start.n_left = n_missing, start.ones_left = missing_ones;
        const ScanResult other = scan(present.data(), present.size(), start);
        if (other.score > best.score + slack) best = other, missing_left = true;
    }
    ColumnVerdict verdict;
    verdict.varies = true;
    if (best.score < 0) return verdict;
    const auto code_at = [&](std::size_t place) {
        return code_of_row(columns_[static_cast<std::size_t>(column)],
                           lists.row_of(present[place].id()));
    };
    const auto pair_of = [](std::size_t n_rows, std::uint32_t n_ones) {
        return ClassPair{static_cast<std::int64_t>(n_rows - n_ones), n_ones};
    };
    return verdict_of(
        {code_at(best.n_items - 1), best.n_items < present.size() ? code_at(best.n_items) : 0,
         pair_of(best.n_items + (missing_left ? n_missing : 0), best.ones_left),
         pair_of(n_missing, missing_ones), missing_left},
        facts, desk);
}

template <class Sides>
template <class Index>
bool Grower<Sides>::counts_apply(const OpenNode& open, const SortedLists<Index>& lists,
                                 const NodeFacts& facts) const {
    return target_.class_factor.empty() && facts.weight < max_units_of_counts &&
           options_.min_leaf_units > 0 && !options_.cautious_thresholds &&
           options_.significance >= 1 && options_.missing == MissingPolicy::learned &&
           std::any_of(open.columns.begin(), open.columns.end(),
                       [&](int column) { return !lists.has_list(column); });
}

template <class Sides>
std::vector<ClassPair> Grower<Sides>::pairs_of(const NodeRows& rows) const {
    std::vector<ClassPair> pairs(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool is_one = target_.class_of_row[rows.rows[i]] == 1;
        (is_one ? pairs[i].ones : pairs[i].zeros) = rows.units(i, target_);
    }
    return pairs;
}

// Where tests are compared by their gains, one that gains clearly less than another need not be found.
// Gains within the slack are equal, so the choice could go from test to test by steps of a slack; there
// are fewer steps than columns and cuts, and so it is the same without those this far behind.
template <class Sides>
double Grower<Sides>::gain_to_spare(const OpenNode& open, const NodeFacts& facts) const {
    const bool by_gain = !options_.correct_for_chance && !options_.description_length &&
                         !options_.gain_ratio && !options_.multiway;
    std::size_t n_steps = 0;
    for (const int c : open.columns) {
        const GrowColumn& column = columns_[static_cast<std::size_t>(c)];
        if (!by_gain || column.cost != 1) return std::numeric_limits<double>::infinity();
        n_steps = std::max(n_steps, 2 * column.n_codes);
    }
    return 4 * facts.slack * static_cast<double>(n_steps + open.columns.size());
}

template <class Sides>
ColumnVerdict Grower<Sides>::scan_counts(const GrowColumn& column, const NodeRows& rows,
                                         const NodeFacts& facts, Desk<Sides>& desk) const {
    static const auto scan = scan_counts_for(best_cpu_level());
    CountedCuts& cuts = desk.cuts;
    const bool in_order = column.order.size() == rows.size();
    if (in_order) {
        order_cuts(column, facts.units_of_rows, cuts);
    } else {
        count_cuts(column, rows.rows, facts.units_of_rows, cuts);
    }
    const bool any_missing = cuts.missing.units() > 0;
    ColumnVerdict verdict;
    verdict.varies = cuts.n_cuts + any_missing > 1;
    if (!verdict.varies) return verdict;
    const ClassPair all{facts.content[0], facts.content[1]};
    const std::int64_t least = std::min(options_.min_leaf_units, facts.weight);
    CountedStart start{{}, all, facts.badness, least, facts.badness_slack()};
    const double enough = desk.known_gain - facts.gain_to_spare;
    CountedResult best{facts.badness - enough * facts.impurity_weight};
    best = scan(cuts.blocks(), start, best);
    bool missing_left = false;
    if (any_missing) {
        start.before = cuts.missing;
        const CountedResult other = scan(cuts.blocks(), start, best);
        missing_left = other.badness < best.badness;
        best = other;
    }
    if (!best.found()) return verdict;
    ClassPair left = cuts.up_to[best.place];
    if (missing_left) left += cuts.missing;
    const auto code_at = [&](std::size_t place) {
        return in_order ? code_of_row(column, cuts.sign[place]) : Code{cuts.sign[place]};
    };
    const bool is_last = best.place + 1 == cuts.n_cuts;
    return verdict_of({code_at(best.place), is_last ? 0 : code_at(best.place + 1), left,
                       cuts.missing, missing_left},
                      facts, desk);
}

template <class Sides>
ColumnVerdict Grower<Sides>::verdict_of(const TwoClassCut& cut, const NodeFacts& facts,
                                        Desk<Sides>& desk) const {
    const std::array<std::int64_t, 2> weights{cut.left.units(), facts.weight - cut.left.units()};
    ColumnVerdict verdict;
    verdict.varies = true;
    Candidate& test = verdict.test;
    test.is_threshold = true;
    test.n_branches = 2;
    test.left_code = cut.left_code;
    test.right_code = cut.right_code;
    test.missing_branch = cut.missing.units() > 0 ? !cut.missing_left : weights[0] < weights[1];
    desk.sides.start(facts.content);
    desk.sides.to_left({0, 0, cut.left.zeros});
    desk.sides.to_left({0, 1, cut.left.ones});
    test.gain = (facts.badness - desk.sides.badness()) / facts.impurity_weight;
    test.split_information = split_information(weights);
    if (options_.correct_for_chance) {
        desk.sides.start(facts.content);
        desk.sides.drop_right({0, 0, cut.missing.zeros});
        desk.sides.drop_right({0, 1, cut.missing.ones});
        test.known_weight = desk.sides.right_weight();
        test.known_badness = desk.sides.right_badness();
    }
    return verdict;
}

}  // namespace branchline::tree
