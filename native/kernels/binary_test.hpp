// The best cut of an ordered list of codes: thresholds of numbers and subsets of categories.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "branchline/find_test.hpp"
#include "histogram.hpp"

namespace branchline {

// Badnesses that differ by less than this, relative to Statistic::scale, are equal: what is left is
// rounding, and must not decide.
inline constexpr double equal_share = 1e-12;

// Codes order[0..n_left−1] go left, the others right, missing values where `missing_left` says.
struct Cut {
    std::vector<Code> order;
    std::size_t n_left = 0;
    bool missing_left = false;
    double badness = std::numeric_limits<double>::infinity();
};

template <class Statistic>
std::vector<Code> present_codes(const Histogram& histogram) {
    std::vector<Code> present;
    for (Code code = 1; code <= histogram.n_codes; ++code) {
        const bool is_present = Statistic::weight_of(histogram.cell(code), histogram.width) > 0;
        if (is_present) present.push_back(code);
    }
    return present;
}

// Orders categories by their mean response, or by the share of class `which`; equal ones by code.
template <class Statistic>
std::vector<Code> order_of_categories(const Histogram& histogram, const std::vector<Code>& present,
                                      std::size_t which) {
    std::vector<double> key(histogram.n_codes + 1);
    for (const Code code : present) {
        key[code] = Statistic::order_key(histogram.cell(code), histogram.width, which);
    }
    std::vector<Code> order = present;
    std::stable_sort(order.begin(), order.end(), [&](Code a, Code b) { return key[a] < key[b]; });
    return order;
}

// Two sides of a cut while codes move from right to left.
template <class Statistic>
class Sides {
  public:
    Sides(const Histogram& histogram, const std::vector<Code>& order, bool missing_left)
        : left(histogram.width), right(histogram.width) {
        for (const Code code : order) right.add(histogram.cell(code));
        (missing_left ? left : right).add(histogram.cell(missing_code));
    }
    void move(const std::int64_t* cell) {
        left.add(cell);
        right.remove(cell);
    }
    std::int64_t lighter() const { return std::min(left.weight(), right.weight()); }
    std::int64_t weight() const { return left.weight() + right.weight(); }
    double badness() const { return left.badness() + right.badness(); }

    Statistic left, right;
};

// Tries every cut of `order`, with missing values on one side; keeps the best (of equal ones the
// first) in `best`, but for its order. Returns whether it found a better one.
template <class Statistic>
bool scan(const Histogram& histogram, const std::vector<Code>& order, bool missing_left,
          std::int64_t min_units, Cut& best) {
    bool found = false;
    Sides<Statistic> sides(histogram, order, missing_left);
    for (std::size_t n_left = 1; n_left <= order.size(); ++n_left) {
        sides.move(histogram.cell(order[n_left - 1]));
        if (sides.lighter() < std::max<std::int64_t>(1, min_units)) continue;
        const double badness = sides.badness();
        const double slack = equal_share * Statistic::scale(badness, sides.weight());
        if (badness >= best.badness - slack) continue;
        best.n_left = n_left;
        best.missing_left = missing_left;
        best.badness = badness;
        found = true;
    }
    return found;
}

template <class Statistic>
std::optional<Cut> best_binary_cut(const Histogram& histogram, bool is_category,
                                   std::int64_t min_units, StopSignal& stop) {
    const std::vector<Code> present = present_codes<Statistic>(histogram);
    const bool any_missing =
        Statistic::weight_of(histogram.cell(missing_code), histogram.width) > 0;
    Cut best;
    const std::size_t n_orders = is_category ? Statistic::n_orders(histogram.width) : 1;
    for (std::size_t which = 0; which < n_orders; ++which) {
        stop.check();
        std::vector<Code> order =
            is_category ? order_of_categories<Statistic>(histogram, present, which) : present;
        bool found = scan<Statistic>(histogram, order, false, min_units, best);
        if (any_missing) found |= scan<Statistic>(histogram, order, true, min_units, best);
        if (found) best.order = std::move(order);
    }
    if (best.n_left == 0) return std::nullopt;
    return best;
}

}  // namespace branchline
