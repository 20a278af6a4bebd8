#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>

#include "branchline/thread_pool.hpp"
#include "forest/column_looker_few.hpp"
#include "forest/column_looker_random.hpp"
#include "forest/tree_grower.hpp"
#include "forest/tree_grower_nodes.hpp"
#include "forest/wide_counters.hpp"

namespace branchline {

namespace forest {

namespace {

template <class Value>
void append(std::vector<Value>& to, std::vector<Value>& from) {
    to.insert(to.end(), from.begin(), from.end());
    std::vector<Value>().swap(from);  // memory goes back at once
}

GrownForest join(std::vector<GrownForest>& trees) {
    GrownForest all;
    for (GrownForest& tree : trees) {
        append(all.n_nodes, tree.n_nodes);
        append(all.kind, tree.kind);
        append(all.feature, tree.feature);
        append(all.left_code, tree.left_code);
        append(all.right_code, tree.right_code);
        append(all.fraction, tree.fraction);
        append(all.missing_left, tree.missing_left);
        append(all.pool, tree.pool);
        append(all.content, tree.content);
        all.importance.resize(tree.importance.size());
        for (std::size_t c = 0; c < tree.importance.size(); ++c) {
            all.importance[c] += tree.importance[c];
        }
    }
    return all;
}

template <class Counter>
GrownForest grow_with(const ForestInput& input, const ForestOptions& options, StopSignal& stop,
                      const std::function<void()>& on_tree) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    ThreadPool pool(options.tree.n_threads, stop);
    std::vector<std::unique_ptr<TreeGrower<Counter>>> growers(pool.n_workers());
    std::vector<GrownForest> trees(options.n_trees);
    pool.run(options.n_trees, [&](std::size_t t, std::size_t worker) {
        const std::chrono::duration<double> spent = Clock::now() - begin;
        if (t > 0 && spent.count() > options.time_budget) return;
        auto& grower = growers[worker];
        if (!grower) grower = std::make_unique<TreeGrower<Counter>>(input, options, stop);
        grower->grow(options.first_tree + t, trees[t]);
        if (on_tree) on_tree();
    });
    // A tree that did not begin ends the forest, though a later one may have: numbers have no gaps.
    const auto end = std::find_if(trees.begin(), trees.end(),
                                  [](const GrownForest& tree) { return tree.n_nodes.empty(); });
    trees.erase(end, trees.end());
    growers.clear();
    return join(trees);
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
        return grow_with<Counter>(input, options, stop, on_tree);
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
    }
    throw std::invalid_argument("unknown criterion");
}

}  // namespace branchline
