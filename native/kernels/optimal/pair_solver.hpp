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
               const Cost& cost, const Scale& scale, double min_leaf_units)
        : cost_(cost),
          scale_(scale),
          counter_(rows, tests, target),
          score_pairs_(score_pairs_for<Cost>(best_cpu_level())) {
        table_.resize(rows.n_tests(), cost.n_statistics);
        table_.min_weight = min_leaf_units > 1 ? static_cast<Raw>(min_leaf_units) : 0;
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
            if (value < best.value) best = {value, static_cast<std::int32_t>(i)};
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
        value_of_root_.assign(table_.n_tests, no_value);
        SmallTree best{leaf_value()};
        for (std::size_t i = 0; i < table_.n_tests; ++i) {
            if (!allows(i)) continue;
            const auto [yes, yes_by] = best_branch(i, true);
            const auto [no, no_by] = best_branch(i, false);
            value_of_root_[i] = yes + no;
            if (yes + no < best.value) best = {yes + no, static_cast<std::int32_t>(i), yes_by, no_by};
        }
        return best;
    }

    // What the best two levels with each test at the root cost, after best_pair.
    const std::vector<Value>& value_of_root() const { return value_of_root_; }

  private:
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
    Value branch_value(std::size_t i, bool holds) const {
        return value_of(with_branch(i, holds, [this](auto get) { return cost_(get); }), 1);
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
    Counter counter_;
    ScorePairs<Cost> score_pairs_;
    PairTable<Cost> table_;
    std::vector<Value> value_of_root_;
};

}  // namespace branchline::optimal
