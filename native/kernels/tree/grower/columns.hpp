// Grower: looking at the columns of a node.
#pragma once

#include "tree/grower/scans.hpp"

namespace branchline::tree {

// A column with few codes is counted in large nodes; one with many is kept sorted.
template <class Sides>
bool Grower<Sides>::gets_list(std::size_t column, std::size_t n_rows) const {
    return !is_fractional() && columns_[column].n_codes > 255 && n_rows < (std::size_t{1} << 31);
}

template <class Sides>
template <class Index>
ColumnVerdict Grower<Sides>::look_at(int column, const OpenNode& open,
                                     const SortedLists<Index>& lists, const NodeFacts& facts,
                                     Desk<Sides>& desk) const {
    const GrowColumn& codes_of = columns_[static_cast<std::size_t>(column)];
    if (!lists.has_list(column)) {
        const NodeRows rows = rows_of(open, lists);
        if constexpr (can_scan<Sides>) {
            if (!facts.units_of_rows.empty() && !codes_of.is_category &&
                scanning_pays(rows.size(), codes_of.n_codes)) {
                return scan_counts(codes_of, rows, facts, desk);
            }
        }
        collect(codes_of, rows, target_, desk.scratch, desk.entries);
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
            } else if constexpr (std::is_same_v<typename Sides::Entry, RankEntry>) {
                desk.entries.push_back(
                    {code, units, target_.rank_of_row.data() + row * target_.n_outputs});
            } else {
                desk.entries.push_back(
                    {code, units, target_.sums_of_row.data() + row * target_.n_outputs});
            }
        }
    });
}

template <class Sides>
template <class Work>
void Grower<Sides>::for_columns(std::size_t n_columns, std::size_t n_rows, Desk<Sides>* desk,
                                const Work& work) {
    if (desk != nullptr) return work(std::size_t{0}, n_columns, *desk);
    // Taking a task costs as much as a look at some hundred cells, so short columns share one.
    constexpr std::size_t cells_of_task = std::size_t{1} << 13;
    const std::size_t step = 1 + cells_of_task / n_rows;
    pool_.run((n_columns + step - 1) / step, [&](std::size_t task, std::size_t worker) {
        work(task * step, std::min(n_columns, (task + 1) * step), desks_[worker]);
    });
}

template <class Sides>
template <class Index>
std::vector<ColumnVerdict> Grower<Sides>::look_at_all(const OpenNode& open,
                                                      const SortedLists<Index>& lists,
                                                      NodeFacts& facts, Desk<Sides>* desk) {
    if constexpr (can_scan<Sides>) {
        if (counts_apply(open, lists, facts)) facts.units_of_rows = pairs_of(rows_of(open, lists));
    }
    std::vector<ColumnVerdict> verdicts(open.columns.size());
    const auto look = [&](std::size_t begin, std::size_t end, Desk<Sides>& at) {
        at.known_gain = 0;
        if constexpr (std::is_same_v<Sides, MedianSides>) at.sides.enter(facts.targets);
        for (std::size_t i = begin; i < end; ++i) {
            verdicts[i] = look_at(open.columns[i], open, lists, facts, at);
            at.known_gain = std::max(at.known_gain, verdicts[i].test.gain);
        }
    };
    for_columns(verdicts.size(), n_rows_of(open), desk, look);
    return verdicts;
}

template <class Sides>
template <class Index>
Candidate Grower<Sides>::best_test(OpenNode& open, const SortedLists<Index>& lists,
                                   Desk<Sides>* desk) {
    NodeFacts facts = facts_of(open, (desk != nullptr ? *desk : desks_[0]).sides);
    if (must_stay_leaf(open, facts)) return {};
    facts.gain_to_spare = gain_to_spare(open, facts);
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
