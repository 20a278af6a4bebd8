// What one column has to offer for one node.
#pragma once

#include "tree/chi_square.hpp"
#include "tree/multiway_test.hpp"
#include "tree/sorted_lists.hpp"
#include "tree/split_sides.hpp"
#include "tree/subset_test.hpp"
#include "tree/threshold_test.hpp"

namespace branchline::tree {

// What a worker needs to look at one column of one node.
template <class Sides>
struct Desk {
    Desk(const GrowTarget& target, const LogTable& logs) : sides(target, logs) {}

    Sides sides;
    EntryScratch scratch;
    std::vector<typename Sides::Entry> entries;
    std::vector<Group> groups;
    CountedCuts cuts;
    double known_gain = 0;  // the largest of the columns of a task, as far as they were looked at
    std::vector<Item<std::uint16_t>> spare16;
    std::vector<Item<std::uint32_t>> spare32;

    template <class Index>
    std::vector<Item<Index>>& spare() {
        if constexpr (sizeof(Index) == 2) {
            return spare16;
        } else {
            return spare32;
        }
    }
};

// What a column says about a node: its test, and whether it varies at all.
struct ColumnVerdict {
    Candidate test;
    bool varies = false;
};

// A number's most common value is its median: values of their own have no mode.
template <class Entry>
Code mode_of(std::span<const Entry> entries, std::span<const Group> groups, bool is_category) {
    const std::int64_t total = weight_of(entries);
    Code mode = 0;
    std::int64_t before = 0, most = 0;
    for (const Group& group : groups) {
        const std::int64_t weight =
            weight_of(entries.subspan(group.begin, group.end - group.begin));
        before += weight;
        if (is_category && weight > most) most = weight, mode = group.code;
        if (!is_category && 2 * before >= total) return group.code;
    }
    return mode;
}

// Missing entries (the first n_missing) become entries of the code they stand for, in its place.
template <class Entry>
void fill_missing(std::vector<Entry>& entries, std::size_t n_missing, Code fill) {
    const auto present = entries.begin() + static_cast<std::ptrdiff_t>(n_missing);
    const auto place = std::lower_bound(present, entries.end(), fill,
                                        [](const Entry& e, Code code) { return e.code < code; });
    for (auto entry = entries.begin(); entry != present; ++entry) entry->code = fill;
    std::rotate(entries.begin(), present, place);
}

// The branch of an entry at a candidate: −1 when it is in none (missing, policy fractional).
inline int branch_of(const Candidate& test, Code code) {
    if (code == missing_code) return std::max(test.missing_branch, -1);
    if (test.is_threshold) return code <= test.left_code ? 0 : 1;
    const int branch = test.branch_of_code[code];
    return branch < 0 ? std::max(test.missing_branch, -1) : branch;
}

inline double p_value_of(const Candidate& test, std::span<const ClassEntry> entries,
                         std::size_t n_classes, double unit) {
    std::vector<double> table(static_cast<std::size_t>(test.n_branches) * n_classes, 0.0);
    for (const ClassEntry& entry : entries) {
        const int branch = branch_of(test, entry.code);
        if (branch < 0) continue;
        table[static_cast<std::size_t>(branch) * n_classes + entry.class_index] +=
            static_cast<double>(entry.units) * unit;
    }
    return independence_p_value(table, n_classes);
}

template <class Entry>
double p_value_of(const Candidate&, std::span<const Entry>, std::size_t, double) {
    return 1;
}

template <class Entry>
std::size_t count_singles(std::span<const Entry> entries, std::span<const Group> groups,
                          double unit) {
    std::size_t n = 0;
    for (const Group& group : groups) {
        const auto weight = weight_of(entries.subspan(group.begin, group.end - group.begin));
        n += static_cast<double>(weight) * unit < 1.5;
    }
    return n;
}

// Missing values that are too few for a branch of their own join the branch that suits them.
template <class Entry>
MissingPolicy policy_here(const GrowOptions& options, const std::vector<Entry>& entries,
                          std::size_t n_missing) {
    const bool own = options.missing == MissingPolicy::own_branch && !options.multiway;
    const std::span<const Entry> missing = std::span<const Entry>(entries).first(n_missing);
    const bool few = own && weight_of(missing) < options.min_leaf_units;
    return few ? MissingPolicy::learned : options.missing;
}

// Policy mode: what missing values of this node stand for.
template <class Sides>
Code code_of_missing(const GrowColumn& column, std::size_t n_missing, Desk<Sides>& desk) {
    if (column.fill_code != 0) return column.fill_code;
    const std::span<const typename Sides::Entry> all(desk.entries);
    find_groups(all.subspan(n_missing), desk.groups);
    return mode_of(all.subspan(n_missing), std::span<const Group>(desk.groups), column.is_category);
}

// Categories of one row each tell nothing about other rows: when there are many of them (names,
// identifiers), they go where missing values go. Returns how many entries are missing now.
template <class Entry>
std::size_t set_singles_aside(std::vector<Entry>& entries, std::size_t n_missing,
                              std::vector<Group>& groups, double unit) {
    constexpr std::size_t many = 10;
    const auto present = std::span<Entry>(entries).subspan(n_missing);
    find_groups(std::span<const Entry>(present), groups);
    const auto is_single = [&](const Group& group) {
        std::int64_t weight = 0;
        for (std::uint32_t i = group.begin; i < group.end; ++i) weight += present[i].units;
        return static_cast<double>(weight) * unit < 1.5;
    };
    const auto n = std::count_if(groups.begin(), groups.end(), is_single);
    if (static_cast<std::size_t>(n) <= many) return n_missing;
    for (const Group& group : groups) {
        if (!is_single(group)) continue;
        for (std::uint32_t i = group.begin; i < group.end; ++i) present[i].code = missing_code;
    }
    const auto first = std::stable_partition(entries.begin(), entries.end(),
                                             [](const Entry& e) { return e.code == missing_code; });
    return static_cast<std::size_t>(first - entries.begin());
}

// What the rows with a value are like before they are split.
template <class Sides>
void describe_known(const Finder<Sides>& finder, Candidate& test) {
    finder.sides.start(finder.column.facts.content);
    for (const auto& entry : finder.column.missing) finder.sides.drop_right(entry);
    test.known_weight = finder.sides.right_weight();
    test.known_badness = finder.is_of_numbers
                             ? finder.column.facts.impurity * static_cast<double>(test.known_weight)
                             : finder.sides.right_badness();
}

// The column's best test from its entries, which stand in desk.entries in order of code.
template <class Sides>
ColumnVerdict look_at_entries(const GrowColumn& column, const NodeFacts& facts,
                              const GrowTarget& target, const GrowOptions& options,
                              Desk<Sides>& desk) {
    using Entry = typename Sides::Entry;
    ColumnVerdict verdict;
    verdict.varies = desk.entries.front().code != desk.entries.back().code;
    if (!verdict.varies) return verdict;
    std::size_t n_missing = 0;
    while (desk.entries[n_missing].code == missing_code) ++n_missing;  // varies: not all are
    const bool sets_aside = options.correct_for_chance || options.sets_singles_aside;
    const bool is_multiway = options.multiway || column.is_multiway;
    if (column.is_category && !is_multiway && sets_aside && column.given_subsets.empty()) {
        n_missing = set_singles_aside(desk.entries, n_missing, desk.groups, options.unit);
        if (n_missing == desk.entries.size()) return verdict;
    }
    const MissingPolicy policy = policy_here(options, desk.entries, n_missing);
    Code fill = 0;
    if (policy == MissingPolicy::mode) {
        fill = code_of_missing<Sides>(column, n_missing, desk);
        fill_missing(desk.entries, n_missing, fill);
        n_missing = 0;
    }
    const std::span<const Entry> all(desk.entries);
    const NodeColumn<Entry> in_node{all.subspan(n_missing), all.first(n_missing), facts};
    if (column.is_category) find_groups(in_node.present, desk.groups);
    const Finder<Sides> finder{desk.sides, column, options, in_node, desk.groups, policy, fill};
    if (!column.is_category) {
        verdict.test = threshold_test(finder, target.n_classes);
    } else {
        verdict.test = is_multiway
                           ? multiway_test(finder)
                           : subset_test(finder, target.is_classification() ? target.n_classes
                                                                            : target.n_outputs);
        verdict.test.n_values = desk.groups.size();
        verdict.test.n_single_values =
            count_singles(in_node.present, std::span<const Group>(desk.groups), options.unit);
    }
    if (options.correct_for_chance && verdict.test.is_test()) describe_known(finder, verdict.test);
    if (options.significance < 1 && verdict.test.is_test()) {
        verdict.test.p_value = p_value_of(verdict.test, all, target.n_classes, options.unit);
    }
    return verdict;
}

}  // namespace branchline::tree
