#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "branchline/thread_pool.hpp"
#include "forest/column_looker/classes.hpp"
#include "forest/column_looker/few_rows.hpp"
#include "forest/column_looker/random.hpp"
#include "forest/random_grower/levels.hpp"
#include "forest/sum_counters.hpp"
#include "forest/tree_grower/nodes.hpp"
#include "forest/tree_grower/tree_grower.hpp"

namespace branchline {

namespace forest {

namespace {

// Joins trees in their order, while others are still growing.
class Joiner {
  public:
    // `n_expected`: how many trees there is to be room for at once. `by_tree`: importances are not added.
    Joiner(std::size_t n_expected, bool by_tree) : n_expected_(n_expected), by_tree_(by_tree) {}

    // Takes tree number t of those asked for, once it is grown.
    void add(std::size_t t, GrownForest&& tree) {
        const std::lock_guard lock(mutex_);
        waiting_.emplace(t, std::move(tree));
        for (; !waiting_.empty() && waiting_.begin()->first == next_; ++next_) {
            append(waiting_.begin()->second);
            waiting_.erase(waiting_.begin());  // memory goes back at once
        }
    }
    // A tree that did not begin ends the forest, though a later one may have: numbers have no gaps.
    GrownForest take() { return std::move(all_); }

  private:
    void append(const GrownForest& tree) {
        append(tree.n_nodes, all_.n_nodes);
        append(tree.kind, all_.kind);
        append(tree.feature, all_.feature);
        append(tree.left_code, all_.left_code);
        append(tree.right_code, all_.right_code);
        append(tree.fraction, all_.fraction);
        append(tree.missing_left, all_.missing_left);
        append(tree.pool, all_.pool);
        append(tree.content, all_.content);
        if (by_tree_) return append(tree.importance, all_.importance);
        all_.importance.resize(tree.importance.size());
        for (std::size_t c = 0; c < tree.importance.size(); ++c) {
            all_.importance[c] += tree.importance[c];
        }
    }
    // Trees are about equally large: the first tells how much room all of them need.
    template <class Value>
    void append(const std::vector<Value>& from, std::vector<Value>& to) const {
        if (next_ == 0) to.reserve(from.size() * n_expected_ + from.size() * n_expected_ / 8);
        to.insert(to.end(), from.begin(), from.end());
    }

    std::mutex mutex_;
    std::size_t n_expected_, next_ = 0;
    bool by_tree_;
    std::map<std::size_t, GrownForest> waiting_;
    GrownForest all_;
};

// Whether there is time for a further tree: as much as one took so far, on average.
class Budget {
  public:
    using Clock = std::chrono::steady_clock;
    explicit Budget(double seconds) : seconds_(seconds), begin_(Clock::now()) {}

    bool is_over() const {
        const std::int64_t n = n_trees_.load();
        const double usual =
            n == 0 ? 0 : static_cast<double>(spent_.load()) * 1e-9 / static_cast<double>(n);
        return std::chrono::duration<double>(Clock::now() - begin_).count() + usual > seconds_;
    }
    void count_tree(Clock::time_point begin) {
        spent_ +=
            std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
        ++n_trees_;
    }

  private:
    double seconds_;
    Clock::time_point begin_;
    std::atomic<std::int64_t> spent_{0}, n_trees_{0};
};

// Grows the trees; make() makes what grows a tree, once for each worker.
template <class Make>
GrownForest grow_with(const ForestOptions& options, ThreadPool& pool,
                      const std::function<void()>& on_tree, const Make& make) {
    Budget budget(options.time_budget);
    std::vector<decltype(make())> growers(pool.n_workers());
    // Under a budget there may be far fewer trees than were asked for.
    constexpr std::size_t many = 256;
    Joiner joiner(
        std::isinf(options.time_budget) ? options.n_trees : std::min(options.n_trees, many),
        options.importance_by_tree);
    pool.run(options.n_trees, [&](std::size_t t, std::size_t worker) {
        if (t > 0 && budget.is_over()) return;
        const auto begin = Budget::Clock::now();
        auto& grower = growers[worker];
        if (!grower) grower = make();
        GrownForest tree;
        grower->grow(options.first_tree + t, tree);
        budget.count_tree(begin);
        joiner.add(t, std::move(tree));
        if (on_tree) on_tree();
    });
    return joiner.take();
}

template <class Counter>
GrownForest grow_counting(const ForestInput& input, const ForestOptions& options, StopSignal& stop,
                          const std::function<void()>& on_tree) {
    ThreadPool pool(options.tree.n_threads, stop);
    const std::size_t n_rows = input.bag.keys.size();
    const auto fill = [&](RecordTable& table) {
        pool.run(table.n_blocks(), [&](std::size_t block, std::size_t) { table.fill(block); });
    };
    constexpr bool is_wide =
        std::is_same_v<Counter, NumbersCounter> || std::is_same_v<Counter, CountsCounter>;
    if constexpr (!is_wide) {
        if (can_grow_on_records(input, options)) {
            RecordTable table(input.columns, input.target, n_rows);
            fill(table);
            return grow_with(options, pool, on_tree, [&] {
                return std::make_unique<RandomGrower<Counter>>(input, options, stop, table);
            });
        }
    }
    // Two classes and numbers gain nothing by records.
    std::optional<RecordTable> table;
    if (Counter::counts_classes && RecordTable::can_hold(input.columns, n_rows)) {
        fill(table.emplace(input.columns, n_rows));
    }
    return grow_with(options, pool, on_tree, [&] {
        return std::make_unique<TreeGrower<Counter>>(input, options, stop,
                                                     table ? &*table : nullptr);
    });
}

// Both counts of a cell must fit 32 bits, and a row's units 31.
bool is_light(const ForestInput& input) {
    constexpr double most = 1u << 30;
    double total = 0, heaviest = 1;
    for (RowIndex row = 0; row < input.bag.keys.size(); ++row) {
        const double copies =
            input.bag.copies.empty() ? 1 : static_cast<double>(input.bag.copies[row]);
        const double units = copies * static_cast<double>(units_of(input.target, row));
        total += units;
        heaviest = std::max(heaviest, units);
    }
    // A bag may weigh more than the table, by far less than these factors.
    return 4 * total < most && 32 * heaviest < most;
}

}  // namespace

}  // namespace forest

GrownForest grow_forest(const ForestInput& input, const ForestOptions& options, StopSignal& stop,
                        const std::function<void()>& on_tree) {
    using namespace forest;
    const GrowTarget& target = input.target;
    const auto grow = [&]<class Counter>(std::type_identity<Counter>) {
        return grow_counting<Counter>(input, options, stop, on_tree);
    };
    switch (options.tree.criterion) {
        case TreeCriterion::gini:
            if (target.n_classes == 2 && target.class_factor.empty() && is_light(input)) {
                return grow(std::type_identity<TwoClassCounter>{});
            }
            if (target.class_factor.empty() && is_light(input)) {
                return grow(std::type_identity<ClassCounter<tree::GiniImpurity, std::uint32_t>>{});
            }
            return grow(std::type_identity<ClassCounter<tree::GiniImpurity>>{});
        case TreeCriterion::entropy:
            return grow(std::type_identity<ClassCounter<tree::EntropyImpurity>>{});
        case TreeCriterion::misclassification:
            return grow(std::type_identity<ClassCounter<tree::ErrorImpurity>>{});
        case TreeCriterion::variance:
            return target.n_outputs == 1 ? grow(std::type_identity<NumberCounter>{})
                                         : grow(std::type_identity<NumbersCounter>{});
        case TreeCriterion::poisson: return grow(std::type_identity<CountsCounter>{});
        case TreeCriterion::absolute_error: break;  // single trees only
    }
    throw std::invalid_argument("unknown criterion");
}

}  // namespace branchline
