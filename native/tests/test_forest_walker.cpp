#include <algorithm>
#include <random>
#include <stdexcept>

#include "branchline/forest_walker.hpp"
#include "branchline/tree_walker.hpp"
#include "check.hpp"
#include "forest/walker/kernels.hpp"
#include "test_data.hpp"

namespace {

using namespace test_data;
using Numbers = std::vector<double>;
using Places = std::vector<std::int32_t>;

constexpr double infinity = std::numeric_limits<double>::infinity();

// A forest in arrays that can be changed, and a walk down it that is easy to believe.
struct Forest {
    std::vector<std::int64_t> n_nodes, n_codes;
    std::vector<std::uint8_t> kind, missing_left, pool;
    Places feature;
    Numbers threshold, leaf_value;
    std::size_t width = 2;

    ForestView view() const {
        return {n_nodes, kind, feature, threshold, missing_left, pool, n_codes, leaf_value, width};
    }

    ForestWalker walker(int n_threads = 1) const {
        StopSignal stop;
        return ForestWalker(view(), n_threads, stop);
    }

    std::size_t n_leaves() const { return leaf_value.size() / width; }
};

struct Table {
    std::vector<std::vector<double>> doubles;
    std::vector<std::vector<float>> floats;
    std::vector<Places> categories;
    std::vector<ColumnView> columns;
    std::size_t n_rows = 0;
};

// Columns 0 and 1 are doubles (1 with a stride), 2 is of floats, 3 and 4 are categories.
constexpr std::array<std::int64_t, 5> codes_of_column{0, 0, 0, 3, 21};

Table make_table(std::size_t n_rows, std::uint64_t seed, bool has_infinities = true) {
    std::mt19937_64 generator(seed);
    Table table;
    table.n_rows = n_rows;
    table.doubles = {mixed_values<double>(n_rows, seed),
                     mixed_values<double>(2 * n_rows, seed + 1)};
    table.floats = {mixed_values<float>(n_rows, seed + 2)};
    for (std::size_t i = 0; i < n_rows && has_infinities; i += 13) {
        table.doubles[0][i] = i % 2 ? infinity : -infinity;
    }
    for (const std::int64_t n : {3, 21}) {
        Places& values = table.categories.emplace_back(n_rows);
        for (auto& value : values) {
            value = static_cast<std::int32_t>(generator() % static_cast<std::uint64_t>(n + 2)) - 2;
        }
    }
    table.columns = {view_of(table.doubles[0]), view_of(table.doubles[1], 0, 2),
                     view_of(table.floats[0]), view_of(table.categories[0], 3),
                     view_of(table.categories[1], 21)};
    return table;
}

double number_at(const ColumnView& column, std::size_t row) {
    return column.type == ValueType::float32 ? static_cast<double>(value_at<float>(column, row))
                                             : value_at<double>(column, row);
}

void add_test(Forest& forest, std::mt19937_64& generator, std::size_t n_columns) {
    const auto column = static_cast<std::size_t>(generator() % n_columns);
    const auto n_codes = static_cast<std::size_t>(codes_of_column[column]);
    forest.feature.push_back(static_cast<std::int32_t>(column));
    forest.missing_left.push_back(generator() % 2);
    forest.kind.push_back(n_codes > 0 ? 2 : 1);
    const double drawn = mixed_values<double>(1, generator())[0];
    const auto special = generator() % 20;
    forest.threshold.push_back(special == 0       ? infinity
                               : special == 1     ? -infinity
                               : drawn != drawn   ? -0.0
                               : special % 2 == 0 ? std::round(drawn)
                                                  : drawn);
    for (std::size_t i = 0; i < (n_codes + 7) / 8; ++i) {
        forest.pool.push_back(static_cast<std::uint8_t>(generator()));
    }
}

// Trees of random shapes, of all sizes from one leaf up; n_columns 3: numbers only.
Forest make_forest(std::size_t n_trees, std::size_t n_columns, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    Forest forest;
    forest.n_codes.assign(codes_of_column.begin(), codes_of_column.end());
    for (std::size_t t = 0; t < n_trees; ++t) {
        std::size_t n_open = 1, n_nodes = 0, n_inner = 0;
        const std::size_t most_inner = (t % 5) * (t % 5) * 15;
        while (n_open > 0) {
            ++n_nodes;
            --n_open;
            if (n_inner < most_inner && (n_open == 0 || generator() % 4 > 0)) {
                add_test(forest, generator, n_columns);
                ++n_inner;
                n_open += 2;
            } else {
                forest.kind.push_back(0);
                const double share = static_cast<double>(generator() % 7) / 7;
                forest.leaf_value.insert(forest.leaf_value.end(), {share, 1 - share});
            }
        }
        forest.n_nodes.push_back(static_cast<std::int64_t>(n_nodes));
    }
    return forest;
}

bool goes_right(const Forest& forest, std::size_t inner, std::size_t pool,
                std::span<const ColumnView> columns, std::size_t row) {
    const auto column = static_cast<std::size_t>(forest.feature[inner]);
    const bool if_missing = forest.missing_left[inner] == 0;
    if (forest.n_codes[column] > 0) {
        const auto category = value_at<std::int32_t>(columns[column], row);
        if (category < 0) return if_missing;
        const auto c = static_cast<std::size_t>(category);
        return (forest.pool[pool + c / 8] >> (c % 8)) & 1;
    }
    const double value = number_at(columns[column], row);
    return value != value ? if_missing : !(value <= forest.threshold[inner]);
}

// The place of a row's leaf in each tree, and its number among all leaves.
struct Leaves {
    Places place;
    std::vector<std::size_t> number;
};

Leaves plain_walk(const Forest& forest, std::span<const ColumnView> columns, std::size_t row) {
    Leaves leaves;
    std::size_t first_node = 0, inner = 0, leaf = 0, pool = 0;
    for (const std::int64_t n : forest.n_nodes) {
        std::size_t at = 0, n_inner = 0, n_leaves = 0;
        for (std::size_t place = 0; place < static_cast<std::size_t>(n); ++place) {
            const std::uint8_t kind = forest.kind[first_node + place];
            if (kind == 0 && place == at) {
                leaves.place.push_back(static_cast<std::int32_t>(place));
                leaves.number.push_back(leaf + n_leaves);
            }
            n_leaves += kind == 0;
            if (kind == 0) continue;
            if (place == at) {
                at = 1 + 2 * n_inner + goes_right(forest, inner + n_inner, pool, columns, row);
            }
            if (kind == 2) {
                const auto column = static_cast<std::size_t>(forest.feature[inner + n_inner]);
                pool += (static_cast<std::size_t>(forest.n_codes[column]) + 7) / 8;
            }
            ++n_inner;
        }
        first_node += static_cast<std::size_t>(n);
        inner += n_inner;
        leaf += n_leaves;
    }
    return leaves;
}

Numbers plain_average(const Forest& forest, const Table& table, TreeRange trees) {
    Numbers out;
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        const Leaves leaves = plain_walk(forest, table.columns, row);
        for (std::size_t i = 0; i < forest.width; ++i) {
            double sum = 0;
            for (std::size_t t = trees.first; t < trees.first + trees.n; ++t) {
                sum += forest.leaf_value[leaves.number[t] * forest.width + i];
            }
            out.push_back(sum / static_cast<double>(trees.n));
        }
    }
    return out;
}

Numbers average(const ForestWalker& walker, std::span<const ColumnView> columns, std::size_t n_rows,
                TreeRange trees, int n_threads = 1) {
    Numbers out(n_rows * walker.width(), 9.0);
    StopSignal stop;
    walker.average(columns, trees, out, n_threads, stop);
    return out;
}

const check::Test agrees{"means over trees are those of a plain walk, to the bit", [] {
    for (const std::size_t n_columns : {3, 5}) {
        const Forest forest = make_forest(23, n_columns, 7 + n_columns);
        const Table table = make_table(700, 3);
        const ForestWalker walker = forest.walker();
        for (const TreeRange trees : {TreeRange{0, 23}, TreeRange{4, 9}, TreeRange{22, 1}}) {
            const Numbers expected = plain_average(forest, table, trees);
            for (const int n_threads : thread_counts) {
                check::equal(average(walker, table.columns, 700, trees, n_threads), expected);
            }
        }
    }
}};

const check::Test one_by_one{"a row alone gets the bits that it gets among others", [] {
    for (const std::size_t n_columns : {3, 5}) {
        const Forest forest = make_forest(40, n_columns, 1);
        const Table table = make_table(5000, 4);
        const ForestWalker walker = forest.walker(3);
        const Numbers together = average(walker, table.columns, 5000, {0, 40}, 2);
        for (std::size_t row = 0; row < 5000; row += 61) {
            std::vector<ColumnView> columns = table.columns;
            for (auto& column : columns) {
                column.data += static_cast<std::ptrdiff_t>(row) * column.stride;
            }
            for (std::size_t n_rows : {1, 20, 21, 64}) {
                n_rows = std::min(n_rows, 5000 - row);
                Numbers few(2 * n_rows);
                walker.average_few(columns, {0, 40}, few);
                check::equal(few, Numbers(&together[2 * row], &together[2 * row] + few.size()));
            }
        }
    }
}};

const check::Test finds_leaves{"leaves are found by their places in level order", [] {
    for (const std::size_t n_columns : {3, 5}) {
        const Forest forest = make_forest(23, n_columns, 5);
        const Table table = make_table(600, 6);
        Places expected;
        for (std::size_t row = 0; row < 600; ++row) {
            const Leaves leaves = plain_walk(forest, table.columns, row);
            expected.insert(expected.end(), leaves.place.begin(), leaves.place.end());
        }
        for (const int n_threads : thread_counts) {
            Places seen(600 * 23);
            StopSignal stop;
            forest.walker(n_threads).find_leaves(table.columns, seen, n_threads, stop);
            check::equal(seen, expected);
        }
    }
}};

const check::Test levels{"every processor level walks alike", [] {
    std::mt19937_64 generator(2);
    const Numbers values = mixed_values<double>(1000, 8);
    for (const std::size_t n_edges : {0, 1, 2, 3, 17, 500}) {
        Numbers edges;
        for (std::size_t i = 0; i < n_edges; ++i) edges.push_back(static_cast<double>(i) / 40 - 6);
        std::vector<std::uint32_t> expected;
        for (const double value : values) {
            expected.push_back(static_cast<std::uint32_t>(
                std::count_if(edges.begin(), edges.end(), [&](double e) { return e < value; })));
        }
        for (const CpuLevel level : available_cpu_levels()) {
            std::vector<std::uint32_t> ranks(values.size());
            forest_kernels_for(level).rank(edges, values, ranks.data());
            check::equal(ranks, expected);
        }
    }
    // A tree of depth 12 over four views; node places count from 1.
    std::vector<NarrowNode> nodes(8192);
    for (std::uint32_t place = 1; place < nodes.size(); ++place) {
        const auto drawn = static_cast<std::uint32_t>(generator());
        nodes[place] = place < 4096 ? NarrowTree::node(2 * place, drawn % 4, drawn % 1000)
                                    : NarrowTree::node(place, 0, NarrowTree::leaf_limit);
    }
    const NarrowTree tree{nodes.data()};
    for (const std::size_t n_rows : {1, 15, 64, 65, 1000}) {
        std::vector<std::uint32_t> codes, expected;
        for (std::size_t i = 0; i < 4 * n_rows; ++i) {
            codes.push_back(static_cast<std::uint32_t>(generator() % 1000) << 8);
        }
        for (std::size_t row = 0; row < n_rows; ++row) {
            std::uint32_t place = root_place;
            while (!tree.is_leaf(place)) place = tree.step(place, &codes[4 * row]);
            expected.push_back(place);
        }
        for (const CpuLevel level : available_cpu_levels()) {
            std::vector<std::uint32_t> rows(n_rows + lanes_spare), at(rows.size(), root_place);
            for (std::uint32_t i = 0; i < n_rows; ++i) rows[i] = i;
            std::vector<std::uint32_t> places(n_rows);
            forest_kernels_for(level).descend(tree, {codes.data(), 4},
                                              {rows.data(), at.data(), n_rows}, places.data());
            check::equal(places, expected);
        }
    }
}};

// What out_of_bag should say, row after row and tree after tree.
struct PlainOutOfBag {
    Numbers sums;
    std::vector<std::int64_t> n_votes, of_leaves;
};

PlainOutOfBag plain_out_of_bag(const Forest& forest, const Table& table,
                               const std::vector<Bag>& bags, const BagTargets& targets) {
    const std::size_t width = forest.width, held = targets.sums.empty() ? width : 1 + width;
    PlainOutOfBag out{Numbers(table.n_rows * width), std::vector<std::int64_t>(table.n_rows),
                      std::vector<std::int64_t>(forest.n_leaves() * held)};
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        const Leaves leaves = plain_walk(forest, table.columns, row);
        const std::int64_t units = targets.units.empty() ? 1 : targets.units[row];
        for (std::size_t t = 0; t < bags.size(); ++t) {
            const std::int64_t n = bags[t].left_out(row);
            const std::size_t leaf = leaves.number[t];
            out.n_votes[row] += n;
            for (std::size_t i = 0; i < width; ++i) {
                out.sums[row * width + i] +=
                    static_cast<double>(n) * forest.leaf_value[leaf * width + i];
                if (held > width)
                    out.of_leaves[leaf * held + 1 + i] += n * targets.sums[row * width + i];
            }
            const std::size_t to = held > width ? 0 : targets.class_of_row[row];
            out.of_leaves[leaf * held + to] += n * units;
        }
    }
    return out;
}

const check::Test out_of_bag{"rows are judged by the trees that did not see them", [] {
    constexpr std::size_t n_rows = 900, n_trees = 12;
    const Forest forest = make_forest(n_trees, 5, 9);
    const Table table = make_table(n_rows, 10);
    std::mt19937_64 generator(11);
    std::vector<std::uint64_t> keys(n_rows);
    std::vector<std::int64_t> first(n_rows, 0), units(n_rows), sums(2 * n_rows), copies(n_rows);
    std::vector<std::uint32_t> classes(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) {
        keys[i] = generator();
        units[i] = static_cast<std::int64_t>(generator() % 9);
        classes[i] = generator() % 2;
        copies[i] = 1 + static_cast<std::int64_t>(generator() % 3);
        sums[2 * i] = static_cast<std::int64_t>(generator() % 1000) - 500;
    }
    std::vector<Bag> bags;
    for (std::size_t t = 0; t < n_trees; ++t) {
        // The second half of the trees draws rows copy by copy.
        const std::span<const std::int64_t> each{copies.data(), t < n_trees / 2 ? 0 : n_rows};
        bags.emplace_back(BagRows{keys, each, first}, BagRule{}, 100 + t);
    }
    for (const BagTargets& targets : {BagTargets{classes, {}, {}}, BagTargets{classes, {}, units},
                                      BagTargets{{}, sums, units}}) {
        const PlainOutOfBag expected = plain_out_of_bag(forest, table, bags, targets);
        for (const int n_threads : thread_counts) {
            PlainOutOfBag seen{Numbers(2 * n_rows), std::vector<std::int64_t>(n_rows),
                               std::vector<std::int64_t>(expected.of_leaves.size())};
            StopSignal stop;
            forest.walker().out_of_bag(table.columns, bags, targets,
                                       {seen.sums, seen.n_votes, seen.of_leaves}, n_threads, stop);
            check::equal(seen.sums, expected.sums);
            check::equal(seen.n_votes, expected.n_votes);
            check::equal(seen.of_leaves, expected.of_leaves);
        }
    }
}};

const check::Test many_columns{"a forest of more views than 16 bits can number is walked too", [] {
    constexpr std::size_t n_columns = 70'000;
    Forest forest;
    forest.n_codes.assign(n_columns, 0);
    forest.width = 1;
    for (std::size_t t = 0; t < n_columns; ++t) {
        forest.n_nodes.push_back(3);
        forest.kind.insert(forest.kind.end(), {1, 0, 0});
        forest.feature.push_back(static_cast<std::int32_t>(t));
        forest.threshold.push_back(0.5);
        forest.missing_left.push_back(0);
        forest.leaf_value.insert(forest.leaf_value.end(), {0.0, 1.0});
    }
    const Numbers zero{0}, one{1};
    std::vector<ColumnView> columns(n_columns, view_of(zero));
    columns.back() = view_of(one);
    const ForestWalker walker = forest.walker(2);
    check::equal(average(walker, columns, 1, {n_columns - 1, 1}), Numbers{1});
    check::equal(average(walker, columns, 1, {n_columns - 2, 1}), Numbers{0});
}};

const check::Test refusals{"damaged forests and columns that do not fit are refused", [] {
    const Forest good = make_forest(12, 5, 12);
    const auto refuse = [&](auto&& damage) {
        Forest forest = good;
        damage(forest);
        check::throws<std::invalid_argument>([&] { forest.walker(); });
    };
    refuse([](Forest& f) { f = Forest{}; });
    refuse([](Forest& f) { ++f.n_nodes[3]; });
    refuse([](Forest& f) { f.n_nodes[3] = -1; });
    refuse([](Forest& f) { f.n_nodes[3] = std::numeric_limits<std::int64_t>::max(); });
    refuse([](Forest& f) { f.n_nodes.pop_back(); });
    refuse([](Forest& f) { f.kind[1] = 0, f.kind[2] = 0; });
    refuse([](Forest& f) { f.kind.back() = 1; });
    refuse([](Forest& f) { f.kind.front() = 3; });
    refuse([](Forest& f) { f.feature[5] = -1; });
    refuse([](Forest& f) { f.feature[5] = 5; });
    refuse([](Forest& f) { f.feature.pop_back(); });
    refuse([](Forest& f) { f.missing_left[0] = 2; });
    refuse([](Forest& f) { f.threshold.assign(f.threshold.size(), missing); });
    refuse([](Forest& f) { f.pool.pop_back(); });
    refuse([](Forest& f) { f.pool.push_back(0); });
    refuse([](Forest& f) { f.n_codes[4] = 0; });
    refuse([](Forest& f) { f.n_codes[0] = 4; });
    refuse([](Forest& f) { f.n_codes[4] = -1; });
    refuse([](Forest& f) { f.leaf_value.pop_back(); });
    refuse([](Forest& f) { f.width = 0; });

    const ForestWalker walker = good.walker();
    const Table table = make_table(100, 13);
    const auto refuse_columns = [&](std::vector<ColumnView> columns) {
        for (const std::size_t n_rows : {1, 100}) {
            check::throws<std::invalid_argument>(
                [&] { average(walker, columns, n_rows, {0, 12}); });
        }
    };
    std::vector<ColumnView> columns = table.columns;
    refuse_columns({columns[0], columns[1], columns[2], columns[3]});
    refuse_columns({columns[3], columns[1], columns[2], columns[3], columns[4]});
    refuse_columns({columns[0], columns[1], columns[2], columns[3], columns[0]});
    columns[4].n_categories = 22;
    refuse_columns(columns);
    columns[4].n_categories = 7;
    check::throws<std::out_of_range>([&] { average(walker, columns, 100, {0, 12}); });
    check::throws<std::invalid_argument>([&] { average(walker, table.columns, 1, {0, 13}); });
    check::throws<std::invalid_argument>([&] { average(walker, table.columns, 1, {12, 1}); });
    check::throws<std::invalid_argument>([&] { average(walker, table.columns, 1, {0, 0}); });
}};

const check::Test stops{"a request to stop is heard", [] {
    const Forest forest = make_forest(12, 5, 14);
    const Table table = make_table(5000, 15);
    const ForestWalker walker = forest.walker();
    Numbers out(10'000);
    StopSignal stop([] { return true; });
    check::throws<Interrupted>([&] { walker.average(table.columns, {0, 12}, out, 2, stop); });
}};

}  // namespace
