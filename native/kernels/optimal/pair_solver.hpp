// The best tree of depth 2 of a node, and the best one below each test at its root.
#pragma once

#include <limits>
#include <type_traits>
#include <vector>

#include "optimal/pair_counters.hpp"

namespace branchline::optimal {

using Value = std::int64_t;

inline constexpr Value no_value = std::numeric_limits<Value>::max() / 4;

// Raw costs become values: raw · factor + price · leaves.
struct Scale {
    Value factor = 1;
    Value price = 1;
};

// What may stand at the root of a tree or list: a test and, in a list, the answer that a rule takes.
struct Root {
    std::size_t test;
    bool holds;
};

inline Root root_of(std::size_t number, TreeShape shape) {
    if (shape != TreeShape::list_of_answers) return {number, true};
    return {number / 2, number % 2 == 0};
}

struct SmallTree {
    Value value = no_value;
    std::int32_t root = -1, yes = -1, no = -1;
};

template <class Cost>
class PairSolver {
  public:
    using Raw = typename Cost::Raw;
    using Counter =
        std::conditional_t<std::is_same_v<Raw, std::int32_t>, BitCounter<Cost>, SumCounter<Cost>>;

    PairSolver(const RowBits& rows, const OptimalTests& tests, const OptimalTarget& target,
               const Cost& cost, const Scale& scale, const OptimalOptions& options)
        : cost_(cost), scale_(scale), shape_(options.shape), counter_(rows, tests, target),
          score_pairs_(score_pairs_for<Cost>(best_cpu_level())) {
        table_.resize(rows.n_tests(), cost.n_statistics);
        const double least = options.min_leaf_units;
        table_.min_weight = least > 1 ? static_cast<Raw>(least) : 0;
    }

    const Counter& counter() const { return counter_; }

    // Finds the statistics of the node and of each test in it; the rest works on this node.
    void load(const Mask& node) { counter_.load(node, table_); }

    Value leaf_value() const {
        return value_of(cost_([&](std::size_t s) { return table_.all[s]; }), 1);
    }

    bool allows(std::size_t test) const {
        return weight_of(test, true) >= std::max(table_.min_weight, Raw{1}) &&
               weight_of(test, false) >= std::max(table_.min_weight, Raw{1});
    }

    // The best single test.
    SmallTree best_stump() const {
        SmallTree best{leaf_value()};
        for (std::size_t i = 0; i < table_.n_tests; ++i) {
            if (!allows(i)) continue;
            const Value value = branch_value(i, true) + branch_value(i, false);
            if (value < best.value) best = {value, number_of(static_cast<std::int32_t>(i))};
        }
        return best;
    }

    // The best two levels. `goes_on` is asked now and then; when it says no, the best so far is returned.
    template <class GoesOn>
    SmallTree best_pair(GoesOn&& goes_on) {
        table_.forget();
        for (std::size_t i = 0; i + 1 < table_.n_tests && goes_on(); ++i) {
            counter_.count(i, table_);
            score_pairs_(cost_, table_, i);
        }
        const std::size_t n_roots = table_.n_tests * (shape_ == TreeShape::list_of_answers ? 2 : 1);
        value_of_root_.assign(n_roots, no_value);
        SmallTree best{leaf_value()};
        for (std::size_t number = 0; number < n_roots; ++number) {
            const auto [i, holds] = root_of(number, shape_);
            if (!allows(i)) continue;
            const auto [first, first_by] = shape_ == TreeShape::any
                                               ? best_branch(i, holds)
                                               : std::pair{branch_value(i, holds), -1};
            const auto [rest, rest_by] = best_branch(i, !holds);
            value_of_root_[number] = first + rest;
            if (first + rest >= best.value) continue;
            best = {first + rest, static_cast<std::int32_t>(number), first_by, number_of(rest_by)};
        }
        return best;
    }

    // What the best two levels with each test at the root cost, after best_pair.
    const std::vector<Value>& value_of_root() const { return value_of_root_; }

    // What a leaf costs in the branch of a test.
    Value branch_value(std::size_t i, bool holds) const {
        return value_of(with_branch(i, holds, [this](auto get) { return cost_(get); }), 1);
    }

  private:
    // A test as the number of a root; −1 stays.
    std::int32_t number_of(std::int32_t test) const {
        return shape_ == TreeShape::list_of_answers && test > 0 ? 2 * test : test;
    }

    Value value_of(Raw raw, Value leaves) const {
        return static_cast<Value>(raw) * scale_.factor + leaves * scale_.price;
    }

    template <class Use>
    auto with_branch(std::size_t i, bool holds, Use&& use) const {
        return use([this, i, holds](std::size_t s) {
            const Raw yes = table_.holds[s * table_.stride + i];
            return holds ? yes : static_cast<Raw>(table_.all[s] - yes);
        });
    }
    Raw weight_of(std::size_t i, bool holds) const {
        return with_branch(i, holds, [this](auto get) { return cost_.weight(get); });
    }
    std::pair<Value, std::int32_t> best_branch(std::size_t i, bool holds) const {
        const Value leaf = branch_value(i, holds);
        const Raw raw = holds ? table_.yes[i] : table_.no[i];
        if (raw >= PairTable<Cost>::forbidden) return {leaf, -1};
        const Value split = value_of(raw, 2);
        if (split >= leaf) return {leaf, -1};
        return {split, static_cast<std::int32_t>(holds ? table_.yes_by[i] : table_.no_by[i])};
    }

    Cost cost_;
    Scale scale_;
    TreeShape shape_;
    Counter counter_;
    ScorePairs<Cost> score_pairs_;
    PairTable<Cost> table_;
    std::vector<Value> value_of_root_;
};

}  // namespace branchline::optimal
