#include <stdexcept>

#include "branchline/tree_walker.hpp"
#include "check.hpp"
#include "test_data.hpp"

namespace {

using namespace test_data;
using Nodes = std::vector<std::int32_t>;

// 0: x ≤ 1.5 ? 1 : 2 (missing: 2);   2: color red → 3, green → 4, blue → 5 or stay (missing: stay).
struct SmallTree {
    std::vector<std::uint8_t> kind{1, 0, 2, 0, 0, 0};
    Nodes feature{0, -1, 1, -1, -1, -1};
    std::vector<double> threshold{1.5, 0, 0, 0, 0, 0};
    Nodes first_child{1, -1, 3, -1, -1, -1};
    Nodes n_children{2, 0, 3, 0, 0, 0};
    Nodes missing_branch{1, -1, -1, -1, -1, -1};
    std::vector<std::int64_t> pool_offset{0, 0, 1, 0, 0, 0};
    std::vector<double> weight{10, 4, 6, 3, 2, 1};
    Nodes pool{9, 0, 1, 2, -1};  // the first entry belongs to no node; the last category stays

    TreeView view() const {
        return {kind,           feature,     threshold, first_child, n_children,
                missing_branch, pool_offset, pool,      weight};
    }
};

Nodes leaves(const TreeView& tree, const std::vector<ColumnView>& columns, std::size_t n_rows,
             int n_threads = 1) {
    Nodes nodes(n_rows);
    StopSignal stop;
    TreeWalker(tree).find_leaves(columns, nodes, n_threads, stop);
    return nodes;
}

const check::Test walks{"rows go down by threshold and category; some stay on the way", [] {
    const SmallTree tree;
    const std::vector<double> numbers{1.5, 1.6, 2, 2, 2, 2, 2, missing, -9};
    const std::vector<float> singles(numbers.begin(), numbers.end());
    const Nodes colors{-1, 0, 1, 2, 3, -1, -2, 1, 0};
    const Nodes expected{1, 3, 4, 5, 2, 2, 2, 4, 1};
    check::equal(leaves(tree.view(), {view_of(numbers), view_of(colors, 4)}, 9), expected);
    check::equal(leaves(tree.view(), {view_of(singles), view_of(colors, 4)}, 9), expected);
}};

const check::Test infinite_threshold{"an infinite threshold asks only whether there is a value",
                                     [] {
    SmallTree tree;
    tree.threshold[0] = std::numeric_limits<double>::infinity();
    const std::vector<double> numbers{1e308, missing};
    const Nodes colors{0, 0};
    check::equal(leaves(tree.view(), {view_of(numbers), view_of(colors, 4)}, 2), Nodes{1, 3});
}};

const check::Test single_leaf{"in a tree of one leaf every row is at the root", [] {
    const std::vector<std::uint8_t> kind{0};
    const Nodes none{-1};
    const std::vector<double> zero{0};
    const std::vector<std::int64_t> offset{0};
    const Nodes no_children{0};
    const TreeView tree{kind, none, zero, none, no_children, none, offset, {}, zero};
    check::equal(leaves(tree, {}, 3), Nodes{0, 0, 0});
    check::equal(leaves(tree, {}, 0), Nodes{});
}};

const check::Test any_threads{"leaves do not depend on the number of threads or on strides", [] {
    const SmallTree tree;
    const std::vector<double> wide = mixed_values<double>(2 * 10'000, 6);
    std::vector<double> numbers;
    Nodes colors;
    for (std::size_t i = 0; i < 10'000; ++i) {
        numbers.push_back(wide[2 * i]);
        colors.push_back(static_cast<std::int32_t>(i % 6) - 2);
    }
    const Nodes alone = leaves(tree.view(), {view_of(numbers), view_of(colors, 4)}, 10'000);
    for (const int n_threads : thread_counts) {
        const std::vector<ColumnView> columns{view_of(wide, 0, 2), view_of(colors, 4)};
        check::equal(leaves(tree.view(), columns, 10'000, n_threads), alone);
    }
}};

const check::Test refusals{"columns that do not fit the tree are refused", [] {
    const SmallTree tree;
    const std::vector<double> numbers{2};
    const Nodes red{0}, strange{4};
    const auto refuse = [&](const std::vector<ColumnView>& columns) {
        check::throws<std::invalid_argument>([&] { leaves(tree.view(), columns, 1); });
    };
    refuse({view_of(numbers)});                    // a column is missing
    refuse({view_of(numbers), view_of(numbers)});  // a number where a category is tested
    refuse({view_of(red, 4), view_of(red, 4)});    // a category where a number is tested
    refuse({view_of(numbers), view_of(red, 5)});   // more categories than branches
    for (const int n_threads : thread_counts) {
        check::throws<std::out_of_range>(
            [&] { leaves(tree.view(), {view_of(numbers), view_of(strange, 4)}, 1, n_threads); });
    }
}};

const check::Test stops{"a request to stop is heard", [] {
    const SmallTree tree;
    const std::vector<double> numbers(5000, 2.0);
    const Nodes colors(5000, 1);
    const std::vector<ColumnView> columns{view_of(numbers), view_of(colors, 4)};
    Nodes nodes(5000);
    StopSignal stop([] { return true; });
    const TreeWalker walker(tree.view());
    check::throws<Interrupted>([&] { walker.find_leaves(columns, nodes, 2, stop); });
}};

}  // namespace
