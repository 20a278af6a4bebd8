// Grower: looking at the columns of a node.
#pragma once

#include "tree/grower.hpp"

namespace branchline::tree {

// The innermost loop exists for the commonest case: two classes, Gini, every row once.
template <class Sides>
inline constexpr bool can_scan = false;
template <>
inline constexpr bool can_scan<ClassSides<GiniImpurity, TwoCounts>> = true;

// A column with few codes is counted in large nodes; one with many is kept sorted.
template <class Sides>
bool Grower<Sides>::gets_list(std::size_t column, std::size_t n_rows) const {
    return !is_fractional() && columns_[column].n_codes > 255 && n_rows < (std::size_t{1} << 31);
}

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
ColumnVerdict Grower<Sides>::look_at(int column, const OpenNode& open,
                                     const SortedLists<Index>& lists, const NodeFacts& facts,
                                     Desk<Sides>& desk) const {
    const GrowColumn& codes_of = columns_[static_cast<std::size_t>(column)];
    if (!lists.has_list(column)) {
        collect(codes_of, rows_of(open, lists), target_, desk.scratch, desk.entries);
        return look_at_entries(codes_of, facts, target_, options_, desk);
    }
    const auto list = lists.list(column, open.begin, open.end);
    if (list.front().code == list.back().code) return {};
    if constexpr (can_scan<Sides>) {
        if (!codes_of.is_category && scan_applies(list)) {
            return scan_list(column, list, lists, facts, desk);
        }
    }
    collect_list(column, list, lists, desk);
    return look_at_entries(codes_of, facts, target_, options_, desk);
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
        const RowIndex row = lists.row_of(present[place].id());
        return visit_codes(columns_[static_cast<std::size_t>(column)].codes,
                           [&](const auto* codes) { return static_cast<Code>(codes[row]); });
    };
    const auto n_left = static_cast<std::int64_t>(best.n_items + (missing_left ? n_missing : 0));
    desk.sides.start(facts.content);
    desk.sides.to_left({0, 1, static_cast<std::int64_t>(best.ones_left)});
    desk.sides.to_left({0, 0, n_left - static_cast<std::int64_t>(best.ones_left)});
    const std::array<std::int64_t, 2> weights{n_left, static_cast<std::int64_t>(n) - n_left};
    Candidate& test = verdict.test;
    test.is_threshold = true;
    test.n_branches = 2;
    test.left_code = code_at(best.n_items - 1);
    test.right_code = best.n_items < present.size() ? code_at(best.n_items) : 0;
    test.missing_branch = n_missing > 0 ? !missing_left : weights[0] < weights[1];
    test.gain = (facts.badness - desk.sides.badness()) / facts.impurity_weight;
    test.split_information = split_information(weights);
    if (options_.correct_for_chance) {
        desk.sides.start(facts.content);
        desk.sides.drop_right({0, 1, static_cast<std::int64_t>(missing_ones)});
        desk.sides.drop_right({0, 0, static_cast<std::int64_t>(n_missing - missing_ones)});
        test.known_weight = desk.sides.right_weight();
        test.known_badness = desk.sides.right_badness();
    }
    return verdict;
}

template <class Sides>
template <class Index>
void Grower<Sides>::collect_list(int column, std::span<const Item<Index>> list,
                                 const SortedLists<Index>& lists, Desk<Sides>& desk) const {
    desk.entries.clear();
    desk.entries.reserve(list.size());
    visit_codes(columns_[static_cast<std::size_t>(column)].codes, [&](const auto* codes) {
        for (const Item<Index>& item : list) {
            const RowIndex row = lists.row_of(item.id());
            const std::int64_t units = target_.units.empty() ? 1 : target_.units[row];
            const auto code = static_cast<Code>(codes[row]);
            if constexpr (std::is_same_v<typename Sides::Entry, ClassEntry>) {
                desk.entries.push_back({code, target_.class_of_row[row], units});
            } else {
                desk.entries.push_back(
                    {code, units, target_.sums_of_row.data() + row * target_.n_outputs});
            }
        }
    });
}

template <class Sides>
template <class Index>
std::vector<ColumnVerdict> Grower<Sides>::look_at_all(const OpenNode& open,
                                                      const SortedLists<Index>& lists,
                                                      const NodeFacts& facts, Desk<Sides>* desk) {
    std::vector<ColumnVerdict> verdicts(open.columns.size());
    if (desk != nullptr) {
        for (std::size_t i = 0; i < verdicts.size(); ++i) {
            verdicts[i] = look_at(open.columns[i], open, lists, facts, *desk);
        }
    } else {
        pool_.run(verdicts.size(), [&](std::size_t i, std::size_t worker) {
            verdicts[i] = look_at(open.columns[i], open, lists, facts, desks_[worker]);
        });
    }
    return verdicts;
}

template <class Sides>
template <class Index>
Candidate Grower<Sides>::best_test(OpenNode& open, const SortedLists<Index>& lists,
                                   Desk<Sides>* desk) {
    const NodeFacts facts = facts_of(open, (desk != nullptr ? *desk : desks_[0]).sides);
    if (must_stay_leaf(open, facts)) return {};
    auto verdicts = look_at_all(open, lists, facts, desk);
    const int best = choose(verdicts, open.columns, columns_, facts, options_);
    if (best < 0) return {};
    Candidate test = std::move(verdicts[static_cast<std::size_t>(best)].test);
    std::vector<int> varying;
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        if (verdicts[i].varies) varying.push_back(open.columns[i]);
    }
    open.columns = std::move(varying);
    return test;
}

}  // namespace branchline::tree
