// Subsets of categories: some go left, the others right.
//
// - Two classes, or numbers: categories in order of their mean response; one of the k − 1 cuts is
//   the best of all 2^(k−1) − 1 subsets (Breiman, Friedman, Olshen and Stone, 1984), unless a
//   minimum weight of branches forbids it. The same holds for counts (poisson), whose impurity is a
//   concave function of the mean.
// - Numbers by absolute error: categories in order of their medians, a heuristic.
// - Several classes, few categories: every subset, one category changing sides at a time.
// - Several classes, many categories: the orders by each class's share, flip-flop from each of them.
// - By request: greedy (the left side grows by the best category until nothing improves), subsets
//   given by the user.
#pragma once

#include <bit>

#include "tree/flip_flop.hpp"

namespace branchline::tree {

// The groups of which `is_left` holds first, then the others.
template <class Sides, class IsLeft>
std::vector<Group> left_then_right(const Finder<Sides>& finder, IsLeft&& is_left) {
    std::vector<Group> order;
    for (const bool side : {true, false}) {
        for (std::size_t g = 0; g < finder.groups.size(); ++g) {
            if (is_left(g) == side) order.push_back(finder.groups[g]);
        }
    }
    return order;
}

// Every subset: groups change sides one at a time, in the order of a Gray code.
template <class Sides>
void try_all_subsets(const Finder<Sides>& finder, BestSubset& best) {
    const std::size_t k = finder.groups.size();
    const std::uint64_t n_subsets = std::uint64_t{1} << (k - 1);
    finder.for_missing_sides([&](MissingSide missing) {
        auto& sides = finder.sides;
        auto search = finder.search(finder.options.min_leaf_units);
        search.start(missing);
        std::uint64_t on_left = 0, best_left = 0;
        Cut cut;
        // With missing values on the right, "all present" against "missing" is a test too.
        const bool one_more = missing == MissingSide::right && finder.any_missing();
        const auto flip = [&](std::size_t g) {
            on_left ^= std::uint64_t{1} << g;
            const bool to_left = on_left >> g & 1u;
            const auto move = [&](const auto& entry) {
                to_left ? sides.to_left(entry) : sides.to_right(entry);
            };
            const Group& group = finder.groups[g];
            for (std::uint32_t i = group.begin; i < group.end; ++i) move(finder.column.present[i]);
            const double before = cut.badness;
            search.consider(static_cast<std::size_t>(std::popcount(on_left)), missing, cut);
            if (cut.badness < before) best_left = on_left;  // it was taken
        };
        for (std::uint64_t step = 1; step < n_subsets; ++step) {
            flip(static_cast<std::size_t>(std::countr_zero(step)));
        }
        if (one_more) {
            for (std::size_t g = 0; g < k; ++g) {
                if (!(on_left >> g & 1u)) flip(g);
            }
        }
        best.offer(left_then_right(finder, [&](std::size_t g) { return best_left >> g & 1u; }), cut,
                   finder.column.facts.badness_slack());
    });
}

// The left side grows by the category that helps most, from nothing, until all have been added.
template <class Sides>
void try_greedy(const Finder<Sides>& finder, BestSubset& best) {
    finder.for_missing_sides([&](MissingSide missing) {
        std::vector<Group> order(finder.groups.begin(), finder.groups.end());
        auto search = finder.search(0);
        for (std::size_t n_left = 1; n_left < order.size(); ++n_left) {
            std::size_t choice = n_left - 1;
            double lowest = std::numeric_limits<double>::infinity();
            for (std::size_t g = n_left - 1; g < order.size(); ++g) {
                search.start(missing);
                for (std::size_t i = 0; i + 1 < n_left; ++i) search.move(order[i]);
                search.move(order[g]);
                const double badness = finder.sides.badness();
                if (badness < lowest) lowest = badness, choice = g;
            }
            std::swap(order[n_left - 1], order[choice]);
        }
        try_order(finder, std::move(order), best);
    });
}

template <class Sides>
void try_given(const Finder<Sides>& finder, BestSubset& best) {
    const std::size_t n_codes = finder.grow_column.n_codes;
    const auto given = finder.grow_column.given_subsets;
    auto search = finder.search(finder.options.min_leaf_units);
    for (std::size_t first = 0; first < given.size(); first += n_codes) {
        const auto in_subset = [&](std::size_t g) {
            return given[first + finder.groups[g].code - 1] != 0;
        };
        auto order = left_then_right(finder, in_subset);
        std::size_t n_left = 0;
        for (std::size_t g = 0; g < finder.groups.size(); ++g) n_left += in_subset(g);
        if (n_left == 0) continue;
        Cut cut;
        finder.for_missing_sides([&](MissingSide side) {
            search.start(side);
            for (std::size_t g = 0; g < n_left; ++g) search.move(order[g]);
            search.consider(n_left, side, cut);
        });
        best.offer(std::move(order), cut, finder.column.facts.badness_slack());
    }
}

inline std::vector<bool> only(std::size_t c, std::size_t n_classes) {
    std::vector<bool> chosen(n_classes, false);
    chosen[c] = true;
    return chosen;
}

// Several classes.
template <class Sides>
    requires std::is_same_v<typename Sides::Entry, ClassEntry>
void search_subsets(const Finder<Sides>& finder, std::size_t n_classes, BestSubset& best) {
    const SubsetSearch how = finder.options.subset_search;
    const GroupCells cells = class_cells(finder, n_classes);
    if (n_classes == 2 && how == SubsetSearch::automatic) {
        try_order(finder, ordered(finder.groups, shares(cells, only(1, 2))), best);
        return;
    }
    const bool few = finder.groups.size() <= finder.options.exact_subsets;
    if (how == SubsetSearch::exact || (how == SubsetSearch::automatic && few)) {
        try_all_subsets(finder, best);
        return;
    }
    if (how == SubsetSearch::greedy) {
        try_greedy(finder, best);
        return;
    }
    for (std::size_t c = 0; c < n_classes; ++c) {
        BestSubset start;
        try_order(finder, ordered(finder.groups, shares(cells, only(c, n_classes))), start);
        if (how != SubsetSearch::one_vs_rest) flip_flop(finder, cells, start);
        best.offer(std::move(start.order), start.cut, finder.column.facts.badness_slack());
    }
}

// Numbers: the mean response; with several outputs the best over one order for each.
template <class Sides>
    requires std::is_same_v<typename Sides::Entry, SumEntry>
void search_subsets(const Finder<Sides>& finder, std::size_t n_outputs, BestSubset& best) {
    const SubsetSearch how = finder.options.subset_search;
    if (how == SubsetSearch::exact) {
        try_all_subsets(finder, best);
        return;
    }
    if (how == SubsetSearch::greedy) {
        try_greedy(finder, best);
        return;
    }
    for (std::size_t o = 0; o < n_outputs; ++o) {
        std::vector<double> mean;
        for (const Group& group : finder.groups) {
            std::int64_t sum = 0, weight = 0;
            for (std::uint32_t i = group.begin; i < group.end; ++i) {
                sum += finder.column.present[i].sums[o];
                weight += finder.column.present[i].units;
            }
            mean.push_back(static_cast<double>(sum) / static_cast<double>(weight));
        }
        try_order(finder, ordered(finder.groups, mean), best);
    }
}

inline double median_of_group(const Finder<MedianSides>& finder, const Group& group,
                              std::size_t output) {
    NodeTargets targets;
    for (std::uint32_t i = group.begin; i < group.end; ++i) {
        const RankEntry& entry = finder.column.present[i];
        RankedTarget target = finder.sides.targets()[output][finder.sides.place_of(entry, output)];
        target.units = entry.units;
        targets.push_back(target);
    }
    std::sort(targets.begin(), targets.end(),
              [](const RankedTarget& a, const RankedTarget& b) { return a.rank < b.rank; });
    return static_cast<double>(median_of(targets).twice);
}

// Absolute error: the median; with several outputs the best over one order for each.
inline void search_subsets(const Finder<MedianSides>& finder, std::size_t n_outputs,
                           BestSubset& best) {
    const SubsetSearch how = finder.options.subset_search;
    if (how == SubsetSearch::exact) return try_all_subsets(finder, best);
    if (how == SubsetSearch::greedy) return try_greedy(finder, best);
    for (std::size_t o = 0; o < n_outputs; ++o) {
        std::vector<double> median;
        for (const Group& group : finder.groups) {
            median.push_back(median_of_group(finder, group, o));
        }
        try_order(finder, ordered(finder.groups, median), best);
    }
}

template <class Sides>
Candidate subset_test(const Finder<Sides>& finder, std::size_t n_targets) {
    BestSubset best;
    if (!finder.grow_column.given_subsets.empty()) {
        try_given(finder, best);
    } else if (has_too_few_rows(finder)) {
        return {};
    } else {
        search_subsets(finder, n_targets, best);
    }
    if (!best.cut.found()) return {};
    std::vector<std::int32_t> branch_of_code(finder.grow_column.n_codes + 1, -1);
    for (std::size_t g = 0; g < best.order.size(); ++g) {
        branch_of_code[best.order[g].code] = g < best.cut.n_left ? 0 : 1;
    }
    Candidate test = candidate_of_cut(finder, best.cut, branch_of_code[finder.fill]);
    test.branch_of_code = std::move(branch_of_code);
    return test;
}

}  // namespace branchline::tree
