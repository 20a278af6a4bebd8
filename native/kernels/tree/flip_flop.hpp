// Flip-flop: subsets of categories for several classes (Nádas, Nahamoo, Picheny, Powell, 1991).
//
// 1. given the categories on the left, the best group of classes: classes in order of their share on
//    the left, cut where the side is least open once the group is known: H(side | group, others);
// 2. given that group, a two-class problem: the best cut of categories in order of its share;
// 3. until nothing improves.
#pragma once

#include "tree/subset_order.hpp"

namespace branchline::tree {

// A two-way table of (left, right) × (group, others).
struct ClassTable {
    double left_in = 0, right_in = 0, left_out = 0, right_out = 0;

    double badness() const {
        const auto n_log_n = [](double n) { return n > 0 ? n * std::log2(n) : 0.0; };
        const auto entropy = [&](double a, double b) {
            return n_log_n(a + b) - n_log_n(a) - n_log_n(b);
        };
        return entropy(left_in, right_in) + entropy(left_out, right_out);
    }
};

inline std::vector<bool> best_class_group(const std::vector<std::int64_t>& left,
                                          const std::vector<std::int64_t>& all) {
    std::vector<std::size_t> order;
    ClassTable table;
    for (std::size_t c = 0; c < all.size(); ++c) {
        if (all[c] == 0) continue;
        order.push_back(c);
        table.left_out += static_cast<double>(left[c]);
        table.right_out += static_cast<double>(all[c] - left[c]);
    }
    const auto share = [&](std::size_t c) {
        return static_cast<double>(left[c]) / static_cast<double>(all[c]);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return share(a) < share(b); });
    double lowest = std::numeric_limits<double>::infinity();
    std::size_t n_chosen = 0;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        const auto here = static_cast<double>(left[order[i]]);
        const auto there = static_cast<double>(all[order[i]] - left[order[i]]);
        table.left_in += here, table.left_out -= here;
        table.right_in += there, table.right_out -= there;
        const double found = table.badness();
        if (found < lowest) lowest = found, n_chosen = i + 1;
    }
    std::vector<bool> chosen(all.size(), false);
    for (std::size_t i = 0; i < n_chosen; ++i) chosen[order[i]] = true;
    return chosen;
}

// The group of classes that the left side of the best subset tells most about.
template <class Sides>
std::vector<bool> classes_of_left(const Finder<Sides>& finder, const GroupCells& cells,
                                  const BestSubset& best) {
    std::vector<std::int64_t> left(cells.width, 0), all(cells.width, 0);
    std::vector<bool> is_left(finder.grow_column.n_codes + 1, false);
    for (std::size_t g = 0; g < best.cut.n_left; ++g) is_left[best.order[g].code] = true;
    for (std::size_t g = 0; g < finder.groups.size(); ++g) {
        for (std::size_t c = 0; c < cells.width; ++c) {
            all[c] += cells.of(g)[c];
            if (is_left[finder.groups[g].code]) left[c] += cells.of(g)[c];
        }
    }
    return best_class_group(left, all);
}

template <class Sides>
void flip_flop(const Finder<Sides>& finder, const GroupCells& cells, BestSubset& best) {
    constexpr int most_rounds = 20;
    for (int round = 0; round < most_rounds && best.cut.found(); ++round) {
        const double before = best.cut.badness;
        const std::vector<bool> chosen = classes_of_left(finder, cells, best);
        try_order(finder, ordered(finder.groups, shares(cells, chosen)), best);
        if (best.cut.badness >= before) return;
    }
}

}  // namespace branchline::tree
