#include "branchline/optimal_tree.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "optimal/tree_search.hpp"

namespace branchline {

namespace optimal {

namespace {

constexpr double most_value = 0x1p58;

double total_units(const OptimalTarget& target, std::size_t n_rows) {
    if (target.units.empty()) return static_cast<double>(n_rows);
    double total = 0;
    for (const double units : target.units) total += units;
    return total;
}

// Rows with the same answers to all tests, found by sorting.
std::vector<std::vector<std::size_t>> groups_of_equal_rows(const RowBits& rows) {
    std::vector<std::size_t> places;
    each_bit(rows.everything(), [&](std::size_t place) { places.push_back(place); });
    const auto compare = [&](std::size_t a, std::size_t b) {
        const Word *x = rows.tests_of(a), *y = rows.tests_of(b);
        return std::lexicographical_compare_three_way(x, x + rows.n_words_of_row(), y,
                                                      y + rows.n_words_of_row());
    };
    std::sort(places.begin(), places.end(),
              [&](std::size_t a, std::size_t b) { return compare(a, b) < 0; });
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t k = 0; k < places.size(); ++k) {
        if (k == 0 || compare(places[k - 1], places[k]) != 0) groups.emplace_back();
        groups.back().push_back(places[k]);
    }
    return groups;
}

template <class Cost>
class Problem {
  public:
    Problem(const OptimalTests& tests, const OptimalTarget& target, const OptimalOptions& options,
            const Cost& cost)
        : tests_(tests), target_(target), options_(options), cost_(cost),
          n_rows_(target.is_classification() ? target.class_of_row.size() : target.sums.size()),
          rows_(tests, target.class_of_row, target.n_classes, n_rows_) {}

    // `unit` is what 1 of the raw cost stands for.
    OptimalResult solve(double unit, StopSignal& stop) {
        const Scale scale = make_scale(unit);
        PairSolver<Cost> pairs(rows_, tests_, target_, cost_, scale, options_);
        typename TreeSearch<Cost>::Bounds bounds{most_losses(), irreducible_costs(),
                                                 options_.min_leaf_units <= 1};
        TreeSearch<Cost> search(rows_, pairs, scale, options_, std::move(bounds), stop);
        const Answer answer = search.solve_root(options_.max_depth);
        return to_result(answer, scale, unit, search.n_pairs_solved());
    }

  private:
    double statistic(std::size_t place, std::size_t s) const {
        const std::size_t row = rows_.row(place);
        const double units = target_.units.empty() ? 1 : target_.units[row];
        if (target_.is_classification()) return target_.class_of_row[row] == s ? units : 0;
        return s == 0 ? units : s == 1 ? target_.sums[row] : target_.squares[row];
    }

    // The most that all rows can cost, in raw units.
    double most_raw() const {
        if (!target_.is_classification()) {
            double total = 0;
            for (const double square : target_.squares) total += square;
            return total;
        }
        const double units = total_units(target_, n_rows_);
        if (target_.costs.empty()) return units;
        return units * *std::max_element(target_.costs.begin(), target_.costs.end());
    }

    Scale make_scale(double unit) const {
        const double room = std::floor(std::log2(most_value / (most_raw() + 1)));
        const double factor = std::exp2(std::clamp(room, double(options_.max_depth + 1), 48.0));
        const double price = std::min(options_.leaf_penalty / unit * factor, most_value);
        return {static_cast<Value>(factor), static_cast<Value>(std::llrint(price)) + 1};
    }

    // What a row can cost at most in any leaf of any tree.
    std::vector<double> most_losses() const {
        std::vector<double> loss(rows_.n_words() * 64, 0);
        double least = 0, most = 0;
        if (!target_.is_classification()) {
            const auto mean = [&](std::size_t row) {
                return target_.sums[row] / (target_.units.empty() ? 1 : target_.units[row]);
            };
            least = most = mean(0);
            for (std::size_t row = 1; row < n_rows_; ++row) {
                least = std::min(least, mean(row)), most = std::max(most, mean(row));
            }
        }
        each_bit(rows_.everything(), [&](std::size_t place) {
            const std::size_t row = rows_.row(place);
            const double units = target_.units.empty() ? 1 : target_.units[row];
            if (!target_.is_classification()) {
                const double mean = target_.sums[row] / units;
                const double off = std::max(most - mean, mean - least);
                loss[place] = std::ceil(units * off * off * target_.square_scale * (1 + 1e-12)) + 4;
            } else if (target_.costs.empty()) {
                loss[place] = units;
            } else {
                const auto mine = target_.costs.subspan(
                    target_.class_of_row[row] * target_.n_classes, target_.n_classes);
                loss[place] = std::ceil(units * *std::max_element(mine.begin(), mine.end())) + 4;
            }
        });
        return loss;
    }

    // What rows that no test tells apart cost together, at the first of them.
    std::vector<double> irreducible_costs() const {
        std::vector<double> costs(rows_.n_words() * 64, 0);
        std::vector<double> sums(cost_.n_statistics);
        for (const auto& group : groups_of_equal_rows(rows_)) {
            if (group.size() < 2 && target_.is_classification()) continue;
            std::fill(sums.begin(), sums.end(), 0.0);
            for (const std::size_t place : group) {
                for (std::size_t s = 0; s < sums.size(); ++s) sums[s] += statistic(place, s);
            }
            const double cost = static_cast<double>(
                cost_([&](std::size_t s) { return static_cast<Raw>(sums[s]); }));
            // Costs that were rounded may differ by a few from the sum of their parts.
            const bool is_whole = target_.is_classification() && target_.costs.empty();
            costs[group.front()] = is_whole ? cost : std::max(0.0, cost - 4);
        }
        return costs;
    }

    OptimalResult to_result(const Answer& answer, const Scale& scale, double unit,
                            std::int64_t n_solved) const {
        const auto n_tests = static_cast<Value>(
            std::count_if(answer.tests.begin(), answer.tests.end(), [](auto t) { return t >= 0; }));
        const double of_value = unit / static_cast<double>(scale.factor);
        const Value leaves = n_tests + 1, most_leaves = Value{1} << options_.max_depth;
        // Values that differ by leaves alone are one value: what is left unproved is the fewest leaves.
        const bool is_proved = answer.is_exact || answer.value - answer.bound < most_leaves;
        const double value = static_cast<double>(answer.value - leaves) * of_value;
        const double least = static_cast<double>(answer.bound - most_leaves) * of_value;
        const double bound = is_proved ? value : std::clamp(least, 0.0, value);
        return {answer.tests, value, bound, is_proved, n_solved};
    }

    using Raw = typename Cost::Raw;

    const OptimalTests& tests_;
    const OptimalTarget& target_;
    const OptimalOptions& options_;
    Cost cost_;
    std::size_t n_rows_;
    RowBits rows_;
};

OptimalResult solve_costed(const OptimalTests& tests, const OptimalTarget& target,
                           const OptimalOptions& options, StopSignal& stop) {
    const double most = *std::max_element(target.costs.begin(), target.costs.end());
    const double room = 0x1p50 / (most * (total_units(target, target.class_of_row.size()) + 1));
    const double scale = std::exp2(std::floor(std::log2(room)));
    std::vector<double> costs(target.costs.begin(), target.costs.end());
    for (double& cost : costs) cost *= scale;
    OptimalTarget scaled = target;
    scaled.costs = costs;
    const CostedErrors cost{target.n_classes, costs};
    return Problem<CostedErrors>(tests, scaled, options, cost).solve(1 / scale, stop);
}

}  // namespace

}  // namespace optimal

OptimalResult optimal_tree(const OptimalTests& tests, const OptimalTarget& target,
                           const OptimalOptions& options, StopSignal& stop) {
    using namespace optimal;
    const auto solve = [&]<class Cost>(const Cost& cost) {
        return Problem<Cost>(tests, target, options, cost).solve(1.0, stop);
    };
    if (!target.is_classification()) return solve(SquaredErrors{target.square_scale});
    if (!target.costs.empty()) return solve_costed(tests, target, options, stop);
    const std::size_t n = target.n_classes;
    if (target.units.empty()) return n == 2 ? solve(CountedTwo{n}) : solve(CountedMany{n});
    return n == 2 ? solve(WeightedTwo{n}) : solve(WeightedMany{n});
}

}  // namespace branchline
