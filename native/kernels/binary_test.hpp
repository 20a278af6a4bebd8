// The best cut of an ordered list of codes: thresholds of numbers and subsets of categories.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "branchline/find_test.hpp"
#include "histogram.hpp"

namespace branchline {

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
        if (Statistic::weight_of(histogram.cell(code), histogram.width) > 0) present.push_back(code);
    }
    return present;
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
    double badness() const { return left.badness() + right.badness(); }

    Statistic left, right;
};

// Tries every cut of `order`, with missing values on one side; keeps the best in `best`.
template <class Statistic>
void scan(const Histogram& histogram, const std::vector<Code>& order, bool missing_left,
          std::int64_t min_units, Cut& best) {
    Sides<Statistic> sides(histogram, order, missing_left);
    for (std::size_t n_left = 1; n_left <= order.size(); ++n_left) {
        sides.move(histogram.cell(order[n_left - 1]));
        if (sides.lighter() < std::max<std::int64_t>(1, min_units)) continue;
        const double badness = sides.badness();
        if (badness < best.badness) best = {order, n_left, missing_left, badness};
    }
}

template <class Statistic>
std::optional<Cut> best_binary_cut(const Histogram& histogram, bool is_category,
                                   std::int64_t min_units) {
    const std::vector<Code> present = present_codes<Statistic>(histogram);
    const bool any_missing =
        Statistic::weight_of(histogram.cell(missing_code), histogram.width) > 0;
    Cut best;
    const std::size_t n_orders = is_category ? Statistic::n_orders(histogram.width) : 1;
    for (std::size_t which = 0; which < n_orders; ++which) {
        std::vector<Code> order = present;
        if (is_category) {
            const auto key = [&](Code code) {
                return Statistic::order_key(histogram.cell(code), histogram.width, which);
            };
            std::stable_sort(order.begin(), order.end(),
                             [&](Code a, Code b) { return key(a) < key(b); });
        }
        scan<Statistic>(histogram, order, false, min_units, best);
        if (any_missing) scan<Statistic>(histogram, order, true, min_units, best);
    }
    if (best.n_left == 0) return std::nullopt;
    return best;
}

}  // namespace branchline
