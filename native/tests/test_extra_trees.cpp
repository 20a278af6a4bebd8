// Extra-trees are grown on records where codes have one byte, else column by column: the same trees.
#include <cstdint>
#include <limits>
#include <vector>

#include "branchline/forest.hpp"
#include "check.hpp"
#include "forest_table.hpp"

namespace {

using namespace test_data;

ForestOptions extra_trees(std::size_t max_columns, TreeCriterion criterion = TreeCriterion::gini) {
    ForestOptions options;
    options.tree.criterion = criterion;
    options.n_trees = 3;
    options.max_columns = max_columns;
    options.random_thresholds = true;
    options.bag.kind = BagKind::all;
    return options;
}

// Grows both ways. Equal sums of gains are added up in the same order: level by level.
void same_both_ways(ForestTable& table, const ForestOptions& options,
                    check::Where where = check::Where::current()) {
    const bool of_classes = options.tree.criterion != TreeCriterion::variance;
    StopSignal stop;
    const GrownForest seen = grow_forest(table.input(of_classes, true), options, stop);
    const GrownForest expected = grow_forest(table.input(of_classes, false), options, stop);
    check::equal(seen.n_nodes, expected.n_nodes, where);
    check::equal(seen.kind, expected.kind, where);
    check::equal(seen.feature, expected.feature, where);
    check::equal(seen.left_code, expected.left_code, where);
    check::equal(seen.right_code, expected.right_code, where);
    check::equal(seen.fraction, expected.fraction, where);
    check::equal(seen.missing_left, expected.missing_left, where);
    check::equal(seen.pool, expected.pool, where);
    check::equal(seen.content, expected.content, where);
    check::equal(seen.importance, expected.importance, where);
}

const check::Test sizes{"records of any width and number grow the same extra-trees", [] {
    for (const std::size_t n_rows : {1, 2, 3, 8, 9, 60, 300, 1500}) {
        for (const std::size_t n_columns : {1, 5, 16, 17, 40, 64, 65}) {
            ForestTable table(n_rows, n_columns, n_rows + n_columns);
            same_both_ways(table, extra_trees(3));
            same_both_ways(table, extra_trees(3, TreeCriterion::variance));
        }
    }
}};

const check::Test copied{"subtrees that copy their records grow the same extra-trees", [] {
    ForestTable table(70'000, 3, 1);  // more than a tier holds
    same_both_ways(table, extra_trees(2));
    same_both_ways(table, extra_trees(1, TreeCriterion::variance));
}};

const check::Test classes{"extra-trees of several classes are the same, by every criterion", [] {
    for (const std::size_t n_classes : {2, 3, 7, 90}) {
        ForestTable table(500, 12, n_classes, n_classes);
        for (const auto criterion :
             {TreeCriterion::gini, TreeCriterion::entropy, TreeCriterion::misclassification}) {
            for (const std::size_t max_columns : {1, 4, 12}) {
                same_both_ways(table, extra_trees(max_columns, criterion));
            }
        }
    }
}};

const check::Test class_factors{"extra-trees whose classes count differently are the same", [] {
    ForestTable table(400, 9, 5, 3);
    const std::vector<double> factor{1, 2.5, 0.25};
    StopSignal stop;
    std::vector<GrownForest> forests;
    for (const bool on_records : {true, false}) {
        ForestInput input = table.input(true, on_records);
        input.target.class_factor = factor;
        forests.push_back(grow_forest(input, extra_trees(3), stop));
    }
    check::equal(forests[0].feature, forests[1].feature);
    check::equal(forests[0].left_code, forests[1].left_code);
    check::equal(forests[0].content, forests[1].content);
}};

const check::Test limits{"extra-trees keep the same limits", [] {
    ForestTable table(600, 10, 6);
    for (const auto criterion : {TreeCriterion::gini, TreeCriterion::variance}) {
        ForestOptions options = extra_trees(4, criterion);
        options.tree.max_depth = 4;
        same_both_ways(table, options);
        options = extra_trees(4, criterion);
        options.tree.min_leaf_units = 7;
        same_both_ways(table, options);
        options = extra_trees(4, criterion);
        options.tree.min_split_units = 20;
        same_both_ways(table, options);
        options = extra_trees(1, criterion);
        options.tree.min_gain = criterion == TreeCriterion::gini ? 0.05 : 1e15;
        same_both_ways(table, options);
    }
}};

const check::Test not_on_records{"extra-trees that records do not grow are the same for all codes",
                                 [] {
    for (const std::size_t n_classes : {2, 3}) {
        ForestTable table(700, 10, 9, n_classes);
        ForestOptions options = extra_trees(4);
        options.score_threshold = 0.2;
        same_both_ways(table, options);
        options = extra_trees(4);
        options.tree.max_leaves = 20;
        same_both_ways(table, options);
    }
}};

const check::Test bags{"rows that are drawn several times grow the same extra-trees", [] {
    ForestTable table(400, 8, 7);
    for (const auto criterion : {TreeCriterion::gini, TreeCriterion::variance}) {
        ForestOptions options = extra_trees(3, criterion);
        options.bag.kind = BagKind::bootstrap;
        same_both_ways(table, options);
        options.bag = {BagKind::subsample, 0.4, 3};
        same_both_ways(table, options);
        for (std::size_t row = 0; row < table.n_rows; ++row) {
            table.copies.push_back(static_cast<std::int64_t>(1 + row % 3));
        }
        same_both_ways(table, extra_trees(3, criterion));
        options.bag = {BagKind::bootstrap, 1, 3};
        same_both_ways(table, options);
        table.copies.clear();
    }
}};

const check::Test extremes{"values at the ends of what numbers hold part rows the same way", [] {
    ForestTable table(300, 4, 8);
    const double most = std::numeric_limits<double>::max();
    for (auto& [lowest, highest] : table.values) {
        const auto n = static_cast<double>(lowest.size());
        for (std::size_t c = 0; c < lowest.size(); ++c) {
            const double share = lowest.size() < 2 ? 0 : static_cast<double>(c) / (n - 1);
            lowest[c] = highest[c] = most * (2 * share - 1);
        }
    }
    same_both_ways(table, extra_trees(3));
    for (auto& [lowest, highest] : table.values) {
        for (std::size_t c = 0; c < lowest.size(); ++c) {
            lowest[c] = highest[c] =
                static_cast<double>(c) * std::numeric_limits<double>::denorm_min();
        }
    }
    same_both_ways(table, extra_trees(3));
}};

}  // namespace
