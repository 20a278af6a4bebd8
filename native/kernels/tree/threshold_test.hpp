// Thresholds of a number: codes up to some code go left.
#pragma once

#include <algorithm>

#include "tree/finder.hpp"

namespace branchline::tree {

// C4.5 (release 8): each side of a threshold holds a tenth of the known rows a class, at most 25.
template <class Sides>
std::int64_t least_of_side(const Finder<Sides>& finder, std::size_t n_classes) {
    const std::int64_t least = finder.options.min_leaf_units;
    if (!finder.options.cautious_thresholds) return least;
    const auto known = static_cast<double>(weight_of(finder.column.present)) * finder.options.unit;
    const double rows =
        std::min(25.0, 0.1 * known / static_cast<double>(std::max<std::size_t>(1, n_classes)));
    return std::max(least, static_cast<std::int64_t>(std::ceil(rows / finder.options.unit)));
}

template <class Sides>
Candidate threshold_of_cut(const Finder<Sides>& finder, const Cut& cut) {
    const auto present = finder.column.present;
    const Code left_code = present[cut.n_left - 1].code;
    Candidate test = candidate_of_cut(finder, cut, finder.fill <= left_code ? 0 : 1);
    test.is_threshold = true;
    test.left_code = left_code;
    test.right_code = cut.n_left < present.size() ? present[cut.n_left].code : 0;
    return test;
}

template <class Sides>
Candidate threshold_test(const Finder<Sides>& finder, std::size_t n_classes) {
    auto search = finder.search(least_of_side(finder, n_classes));
    Cut best;
    finder.for_missing_sides([&](MissingSide side) {
        if constexpr (std::is_same_v<Sides, MedianSides>) {
            if (finder.sides.may_scan) {
                const std::int64_t least = finder.options.min_leaf_units;
                return scan_medians(finder.sides, finder.column, least, side, best);
            }
        }
        search.scan_in_order(side, best);
    });
    if (!best.found()) return {};
    Candidate test = threshold_of_cut(finder, best);
    if (finder.options.cautious_thresholds) {
        const auto n_cuts = static_cast<double>(search.n_considered);
        const double rows = static_cast<double>(finder.column.facts.weight) * finder.options.unit;
        if (n_cuts > 0) test.gain -= std::log2(n_cuts) / rows;
    }
    return test;
}

}  // namespace branchline::tree
