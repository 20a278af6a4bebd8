#include <numeric>
#include <random>

#include "boosting/attribution_paths.hpp"
#include "branchline/attributions.hpp"
#include "check.hpp"
#include "test_data.hpp"

namespace {

using namespace test_data;
using Numbers = std::vector<double>;

// Trees in arrays that can be changed. Columns 0 to 3 are numbers, column 4 has 11 categories.
struct Trees {
    std::vector<std::int64_t> n_nodes, n_codes{0, 0, 0, 0, 11};
    std::vector<std::uint8_t> kind, missing_left, pool;
    std::vector<std::int32_t> feature;
    Numbers threshold, leaf_value, leaf_cover;
    std::size_t width = 1, n_outputs = 1;

    ForestView view() const {
        return {n_nodes, kind, feature, threshold, missing_left, pool, n_codes, leaf_value, width};
    }
    AttributedTrees model() const { return {view(), leaf_cover, n_outputs}; }
};

struct Table {
    std::vector<Numbers> numbers;
    std::vector<std::int32_t> categories;
    std::vector<ColumnView> columns;
    std::size_t n_rows = 0;
};

Table make_table(std::size_t n_rows, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    Table table;
    table.n_rows = n_rows;
    for (std::uint64_t c = 0; c < 4; ++c) {
        table.numbers.push_back(mixed_values<double>(n_rows, seed + c));
    }
    for (std::size_t i = 0; i < n_rows; ++i) {
        table.categories.push_back(static_cast<std::int32_t>(generator() % 12) - 1);
    }
    for (const Numbers& values : table.numbers) table.columns.push_back(view_of(values));
    table.columns.push_back(view_of(table.categories, 11));
    return table;
}

void add_test(Trees& trees, std::mt19937_64& generator) {
    const auto column = static_cast<std::int32_t>(generator() % 5);
    trees.feature.push_back(column);
    trees.kind.push_back(column == 4 ? 2 : 1);
    trees.threshold.push_back(static_cast<double>(generator() % 13) - 6);
    trees.missing_left.push_back(generator() % 2);
    if (column != 4) return;
    for (int byte = 0; byte < 2; ++byte) {
        trees.pool.push_back(static_cast<std::uint8_t>(generator()));
    }
}

// Random shapes of n_inner tests; some leaves have no cover.
Trees make_trees(std::size_t n_trees, std::size_t n_inner, std::uint64_t seed,
                 std::size_t width = 1) {
    std::mt19937_64 generator(seed);
    Trees trees;
    trees.width = trees.n_outputs = width;
    for (std::size_t t = 0; t < n_trees; ++t) {
        std::size_t n_tests = 0;
        for (std::size_t n_open = 1; n_open > 0;) {
            if (n_tests < n_inner && (n_open == 1 || generator() % 3 > 0)) {
                add_test(trees, generator);
                ++n_tests, ++n_open;
                continue;
            }
            trees.kind.push_back(0);
            trees.leaf_cover.push_back(static_cast<double>(generator() % 40));
            for (std::size_t k = 0; k < width; ++k) {
                trees.leaf_value.push_back(static_cast<double>(generator() % 1000) / 100 - 5);
            }
            --n_open;
        }
        trees.leaf_cover.back() += 1;
        trees.n_nodes.push_back(static_cast<std::int64_t>(2 * n_inner + 1));
    }
    return trees;
}

Numbers attributions(const Trees& trees, const std::vector<ColumnView>& columns, std::size_t n_rows,
                     int n_threads = 1) {
    StopSignal stop;
    Numbers out(n_rows * trees.n_outputs * (columns.size() + 1), -1.0);
    attribute(trees.model(), columns, out, n_threads, stop);
    return out;
}

const check::Test by_hand{"two columns share what they do together", [] {
    // x0 ≤ 0: 0 (cover 2); else x1 ≤ 0: 0 (1), 8 (1). f(∅) = 2, f({0}) = f({1}) = 4, f({0, 1}) = 8.
    Trees trees;
    trees.n_nodes = {5};
    trees.n_codes = {0, 0};
    trees.kind = {1, 0, 1, 0, 0};
    trees.feature = {0, 1};
    trees.threshold = {0, 0};
    trees.missing_left = {0, 0};
    trees.leaf_value = {0, 0, 8};
    trees.leaf_cover = {2, 1, 1};
    const Numbers one{1};
    check::equal(attributions(trees, {view_of(one), view_of(one)}, 1), Numbers{3, 3, 2});
}};

const check::Test quadrature{"points of Gauss and Legendre integrate powers", [] {
    for (const std::size_t n : {1, 2, 5, 30, 200}) {
        const std::vector<QuadraturePoint> points = gauss_legendre(n);
        check::equal(points.size(), n);
        for (std::size_t power = 0; power < 2 * n; ++power) {
            double sum = 0, mirrored = 0;
            for (const auto& [t, rest, weight] : points) {
                sum += weight * std::pow(t, static_cast<double>(power));
                mirrored += weight * std::pow(rest, static_cast<double>(power));
            }
            const double expected = 1 / (static_cast<double>(power) + 1);
            check::near(sum, expected, 1e-12 * expected);
            check::near(mirrored, expected, 1e-12 * expected);
        }
    }
}};

const check::Test sums{"shares and expectation add up to the prediction", [] {
    const Table table = make_table(300, 1);
    for (const std::size_t n_inner : {0, 1, 7, 62, 400}) {
        const Trees trees = make_trees(6, n_inner, 2 + n_inner, 3);
        StopSignal stop;
        Numbers mean(300 * 3);
        ForestWalker(trees.view(), 1, stop).average(table.columns, {0, 6}, mean, 1, stop);
        const Numbers shares = attributions(trees, table.columns, 300);
        for (std::size_t i = 0; i < mean.size(); ++i) {
            const auto first = shares.begin() + static_cast<std::ptrdiff_t>(6 * i);
            check::near(std::accumulate(first, first + 6, 0.0), 6 * mean[i], 1e-11);
        }
    }
}};

const check::Test turns{"trees of one value take turns", [] {
    const Table table = make_table(20, 5);
    Trees trees = make_trees(2, 30, 6);
    trees.n_outputs = 2;
    const Numbers both = attributions(trees, table.columns, 20);
    std::fill(trees.leaf_value.begin(), trees.leaf_value.begin() + 31, 0.0);
    const Numbers second = attributions(trees, table.columns, 20);
    for (std::size_t i = 0; i < both.size(); ++i) {
        check::equal(second[i], i / 6 % 2 == 0 ? 0.0 : both[i]);
    }
}};

const check::Test same_bits{"threads and other rows change no bit", [] {
    const Table table = make_table(333, 7);
    const Trees trees = make_trees(90, 200, 8);  // more than are made ready at a time
    const Numbers whole = attributions(trees, table.columns, 333);
    for (const int n_threads : thread_counts) {
        check::equal(attributions(trees, table.columns, 333, n_threads), whole);
    }
    for (const std::size_t n_rows : {1, 7, 8, 9, 64, 65}) {
        const auto end = whole.begin() + static_cast<std::ptrdiff_t>(6 * n_rows);
        check::equal(attributions(trees, table.columns, n_rows), Numbers(whole.begin(), end));
    }
}};

const check::Test levels{"all processor levels give the same bits", [] {
    const Trees trees = make_trees(1, 150, 9, 2);
    const std::vector<TreePart> parts = find_parts(trees.view());
    const TreePaths paths = make_paths(trees.model(), parts[0], parts[1]);
    const BranchWalk walk{paths.branches.data(),
                          paths.branches.size(),
                          paths.n_points,
                          paths.factors.data(),
                          paths.weights.data(),
                          trees.leaf_value.data(),
                          2,
                          trees.pool.data()};
    Numbers cells = mixed_values<double>(5 * n_lanes, 10);
    for (std::size_t lane = 0; lane < n_lanes; ++lane) {
        cells[4 * n_lanes + lane] = static_cast<double>(lane) - 1;
    }
    const std::size_t a_depth = paths.n_points * n_lanes;
    Numbers products(paths.n_depths * a_depth), values(2 * products.size()), first;
    std::vector<std::int64_t> agrees(paths.n_depths * n_lanes), to_right(agrees.size());
    std::vector<std::uint32_t> open(paths.n_depths);
    const WalkRoom room{products.data(), values.data(), agrees.data(), to_right.data(),
                        open.data()};
    for (const CpuLevel level : available_cpu_levels()) {
        Numbers shares(2 * 5 * n_lanes);
        add_attributions_for(level)(walk, cells.data(), 5, room, shares.data());
        if (first.empty()) first = shares;
        check::equal(shares, first);
    }
}};

const check::Test refusals{"damaged trees, covers and columns that do not fit are refused", [] {
    const Trees good = make_trees(4, 20, 11);
    const Table table = make_table(30, 12);
    const auto refuse = [&](auto&& damage) {
        Trees trees = good;
        std::vector<ColumnView> columns = table.columns;
        damage(trees, columns);
        check::throws<std::invalid_argument>([&] { attributions(trees, columns, 30); });
    };
    using Columns = std::vector<ColumnView>;
    refuse([](Trees& t, Columns&) { t.leaf_cover.pop_back(); });
    refuse([](Trees& t, Columns&) { t.leaf_cover[3] = -1; });
    refuse([](Trees& t, Columns&) { t.leaf_cover[3] = missing; });
    refuse([](Trees& t, Columns&) { t.leaf_cover[3] = std::numeric_limits<double>::infinity(); });
    refuse([](Trees& t, Columns&) { std::fill_n(t.leaf_cover.begin(), 21, 0.0); });
    refuse([](Trees& t, Columns&) { ++t.n_nodes[0]; });
    refuse([](Trees& t, Columns&) { t.feature[5] = 5; });
    refuse([](Trees& t, Columns&) { t.pool.pop_back(); });
    refuse([](Trees& t, Columns&) { t.n_outputs = 0; });
    refuse([](Trees& t, Columns&) { t.n_outputs = 5; });
    refuse([](Trees&, Columns& c) { c.pop_back(); });
    refuse([](Trees&, Columns& c) { c[4] = c[0]; });
    refuse([](Trees&, Columns& c) { c[0] = c[4]; });
    refuse([](Trees&, Columns& c) { c[4].n_categories = 12; });
    std::vector<ColumnView> columns = table.columns;
    columns[4].n_categories = 5;
    check::throws<std::out_of_range>([&] { attributions(good, columns, 30); });
}};

const check::Test stops{"a request to stop is heard", [] {
    const Trees trees = make_trees(12, 60, 13);
    const Table table = make_table(2000, 14);
    Numbers out(2000 * 6);
    StopSignal stop([] { return true; });
    check::throws<Interrupted>([&] { attribute(trees.model(), table.columns, out, 2, stop); });
}};

}  // namespace
