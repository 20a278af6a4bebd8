#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <random>
#include <vector>

#include "branchline/forest.hpp"
#include "check.hpp"
#include "forest_table.hpp"
#include "test_data.hpp"

namespace {

using namespace test_data;
using Bytes = std::vector<std::uint8_t>;
using Classes = std::vector<std::uint32_t>;
using Integers = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

// Columns of codes (some of them missing), two of numbers and one of categories, and targets.
struct Problem {
    static constexpr std::size_t n_codes = 12;

    explicit Problem(std::size_t rows, std::uint64_t seed, std::size_t classes = 2)
        : n_rows(rows), codes(3, Bytes(rows)), n_classes(classes), classes_of(rows), sums(rows),
          keys(rows), first(rows, 0) {
        std::mt19937_64 generator(seed);
        for (std::size_t row = 0; row < rows; ++row) {
            for (Bytes& column : codes) {
                const bool is_missing = generator() % 10 == 0;
                column[row] = is_missing ? 0 : static_cast<std::uint8_t>(1 + generator() % n_codes);
            }
            const bool is_high = codes[0][row] > 6;
            classes_of[row] =
                static_cast<std::uint32_t>((is_high + (generator() % 4 == 0)) % classes);
            // Large, as fixed-point sums are: gains of a few units are rounding.
            sums[row] = static_cast<std::int64_t>(generator() % 1000 + 2000 * is_high) << 24;
            keys[row] = generator();
        }
        for (std::size_t code = 1; code <= n_codes; ++code) {
            values.push_back(static_cast<double>(code));
        }
    }

    ForestInput input(bool of_classes = true) const {
        for (std::size_t c = 0; c < codes.size(); ++c) {
            GrowColumn column;
            column.codes = codes_of(codes[c]);
            column.n_codes = n_codes;
            column.is_category = c == 2;
            columns_[c] = column;
            known_[c] = {values, values};
        }
        ForestInput input;
        input.columns = columns_;
        input.values = known_;
        input.bag = {keys, {}, first};
        if (of_classes) {
            input.target.class_of_row = classes_of;
            input.target.n_classes = n_classes;
        } else {
            input.target.sums_of_row = sums;
            input.target.n_outputs = 1;
        }
        return input;
    }

    std::size_t n_rows;
    std::vector<Bytes> codes;
    std::size_t n_classes;
    Classes classes_of;
    Integers sums;
    std::vector<std::uint64_t> keys;
    Integers first;
    Numbers values;

  private:
    mutable std::vector<GrowColumn> columns_ = std::vector<GrowColumn>(3);
    mutable std::vector<KnownCodes> known_ = std::vector<KnownCodes>(3);
};

ForestOptions options_of(std::size_t n_trees, bool of_classes = true, int n_threads = 1) {
    ForestOptions options;
    options.tree.criterion = of_classes ? TreeCriterion::gini : TreeCriterion::variance;
    options.tree.n_threads = n_threads;
    options.n_trees = n_trees;
    return options;
}

GrownForest grow(const ForestInput& input, const ForestOptions& options) {
    StopSignal stop;
    return grow_forest(input, options, stop);
}

void same_forest(const GrownForest& seen, const GrownForest& expected,
                 check::Where where = check::Where::current()) {
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

// One tree on all rows and columns must be the one that grow_tree grows.
void same_as_grow_tree(const ForestInput& input, ForestOptions options) {
    options.max_columns = input.columns.size();
    options.bag.kind = BagKind::all;
    if (input.target.n_classes > 2) options.tree.subset_search = SubsetSearch::one_vs_rest;
    const GrownForest forest = grow(input, options);
    std::vector<RowIndex> rows(input.bag.keys.size());
    for (RowIndex row = 0; row < rows.size(); ++row) rows[row] = row;
    StopSignal stop;
    const GrownTree tree = grow_tree(input.columns, rows, input.target, options.tree, stop);
    check::equal(forest.kind, tree.kind);
    Integers content;
    const std::size_t width = input.target.width();
    std::size_t inner = 0;
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
        if (tree.kind[node] == 0) {
            const auto at = tree.content.begin() + static_cast<std::ptrdiff_t>(node * width);
            content.insert(content.end(), at, at + static_cast<std::ptrdiff_t>(width));
            continue;
        }
        check::equal(forest.feature[inner], static_cast<std::uint32_t>(tree.feature[node]));
        if (tree.kind[node] == 1) {
            check::equal(forest.left_code[inner], tree.left_code[node]);
            check::equal(forest.right_code[inner], tree.right_code[node]);
        }
        check::equal(forest.missing_left[inner] != 0, tree.missing_branch[node] == 0);
        ++inner;
    }
    check::equal(forest.content, content);
}

const check::Test is_grow_tree{"with all rows and columns a tree is the one of grow_tree", [] {
    for (const std::size_t n_rows : {2, 3, 20, 64, 65, 66, 130, 1000, 9000}) {
        for (const bool of_classes : {true, false}) {
            const Problem problem(n_rows, n_rows);
            same_as_grow_tree(problem.input(of_classes), options_of(1, of_classes));
        }
        const Problem problem(n_rows, n_rows, 3);
        same_as_grow_tree(problem.input(), options_of(1));
    }
}};

const check::Test several_classes{"with many codes and classes it is the one of grow_tree, too",
                                  [] {
    for (const std::size_t n_rows : {2, 40, 64, 65, 200, 1000, 9000}) {
        for (const std::size_t n_classes : {3, 7, 70}) {
            for (const bool on_bytes : {true, false}) {
                ForestTable table(n_rows, 8, n_rows + n_classes, n_classes);
                ForestOptions options = options_of(1);
                same_as_grow_tree(table.input(true, on_bytes), options);
                options.tree.min_leaf_units = 5;
                same_as_grow_tree(table.input(true, on_bytes), options);
            }
        }
    }
}};

const check::Test threads{"the same forest for any number of threads", [] {
    for (const bool of_classes : {true, false}) {
        for (const bool random_thresholds : {false, true}) {
            const Problem problem(500, 1, 3);
            ForestOptions options = options_of(13, of_classes);
            options.random_thresholds = random_thresholds;
            const GrownForest expected = grow(problem.input(of_classes), options);
            for (const int n_threads : thread_counts) {
                options.tree.n_threads = n_threads;
                same_forest(grow(problem.input(of_classes), options), expected);
            }
        }
    }
}};

const check::Test parts{"later trees do not depend on earlier ones", [] {
    const Problem problem(300, 2);
    const GrownForest whole = grow(problem.input(), options_of(7));
    GrownForest joined = grow(problem.input(), options_of(3));
    ForestOptions rest = options_of(4);
    rest.first_tree = 3;
    const GrownForest more = grow(problem.input(), rest);
    const auto append = [](auto& to, const auto& from) {
        to.insert(to.end(), from.begin(), from.end());
    };
    append(joined.n_nodes, more.n_nodes);
    append(joined.kind, more.kind);
    append(joined.feature, more.feature);
    append(joined.left_code, more.left_code);
    append(joined.content, more.content);
    check::equal(joined.n_nodes, whole.n_nodes);
    check::equal(joined.kind, whole.kind);
    check::equal(joined.feature, whole.feature);
    check::equal(joined.left_code, whole.left_code);
    check::equal(joined.content, whole.content);
}};

const check::Test shape{"arrays fit together: an inner node has two children, a leaf its content",
                        [] {
    for (const std::size_t n_classes : {2, 3}) {
        const Problem problem(400, 3, n_classes);
        const GrownForest forest = grow(problem.input(), options_of(9));
        std::int64_t n_nodes = 0, n_leaves = 0;
        std::size_t place = 0, pool_bytes = 0, inner = 0;
        for (const std::int64_t size : forest.n_nodes) {
            std::int64_t n_inner = 0;
            for (std::int64_t node = 0; node < size; ++node, ++place) {
                if (forest.kind[place] == 0) continue;
                ++n_inner;
                pool_bytes += forest.kind[place] == 2 ? (Problem::n_codes + 7) / 8 : 0;
                check::equal(forest.kind[place] == 2, forest.feature[inner] == 2);
                if (forest.kind[place] == 1 && forest.right_code[inner] != 0) {
                    check::that(forest.left_code[inner] < forest.right_code[inner], "in order");
                    check::equal(forest.fraction[inner], midpoint_fraction);
                }
                ++inner;
            }
            check::equal(size, 2 * n_inner + 1);
            n_nodes += size;
            n_leaves += n_inner + 1;
        }
        check::equal(forest.kind.size(), static_cast<std::size_t>(n_nodes));
        check::equal(forest.pool.size(), pool_bytes);
        check::equal(forest.content.size(), static_cast<std::size_t>(n_leaves) * n_classes);
    }
}};

const check::Test bags{"a tree holds as much as its bag", [] {
    const Problem problem(400, 4);
    const GrownForest forest = grow(problem.input(), options_of(5));
    std::size_t leaf = 0;
    for (std::uint64_t tree = 0; tree < 5; ++tree) {
        Integers held(2), expected(2);
        for (std::int64_t k = 0; k < (forest.n_nodes[tree] + 1) / 2; ++k, ++leaf) {
            held[0] += forest.content[2 * leaf];
            held[1] += forest.content[2 * leaf + 1];
        }
        const Bag bag({problem.keys, {}, problem.first}, {}, tree);
        for (std::size_t row = 0; row < 400; ++row) {
            expected[problem.classes_of[row]] += bag.count(row);
        }
        check::equal(held, expected);
    }
}};

const check::Test limits{"depth, leaves and weights keep their limits", [] {
    const Problem problem(500, 5);
    ForestOptions options = options_of(6);
    options.tree.max_leaves = 5;
    for (const std::int64_t size : grow(problem.input(), options).n_nodes) {
        check::that(size <= 9, "at most five leaves");
    }
    options = options_of(6);
    options.tree.max_depth = 1;
    for (const std::int64_t size : grow(problem.input(), options).n_nodes) {
        check::that(size <= 3, "one test");
    }
    options = options_of(6);
    options.tree.min_leaf_units = 40;
    const GrownForest forest = grow(problem.input(), options);
    for (std::size_t leaf = 0; leaf < forest.content.size() / 2; ++leaf) {
        check::that(forest.content[2 * leaf] + forest.content[2 * leaf + 1] >= 40, "heavy leaves");
    }
}};

const check::Test drawn_columns{"nodes draw columns: each is first about equally often", [] {
    const Problem noise = [] {
        Problem problem(200, 6);
        std::mt19937_64 generator(7);
        for (std::uint32_t& one : problem.classes_of) one = generator() % 2;
        return problem;
    }();
    ForestOptions options = options_of(1500);
    options.tree.max_depth = 1;
    options.max_columns = 1;
    const GrownForest forest = grow(noise.input(), options);
    Integers n_of_column(3);
    for (const std::uint32_t column : forest.feature) ++n_of_column[column];
    for (const std::int64_t n : n_of_column)
        check::near(static_cast<double>(n) / 1500, 1.0 / 3, 0.06);
}};

const check::Test budget{"without time one tree is grown", [] {
    const Problem problem(300, 8);
    for (const int n_threads : thread_counts) {
        ForestOptions options = options_of(50, true, n_threads);
        options.time_budget = 0;
        const GrownForest some = grow(problem.input(), options);
        check::that(!some.n_nodes.empty() && some.n_nodes.size() < 50, "fewer trees, but some");
        const GrownForest whole = grow(problem.input(), options_of(some.n_nodes.size()));
        same_forest(some, whole);
    }
}};

const check::Test told{"each tree is told of", [] {
    const Problem problem(100, 9);
    std::atomic<int> n_told = 0;
    StopSignal stop;
    grow_forest(problem.input(), options_of(21, true, 3), stop, [&] { ++n_told; });
    check::equal(n_told.load(), 21);
}};

const check::Test stops{"a request to stop is heard", [] {
    const Problem problem(5000, 10);
    StopSignal stop([] { return true; });
    check::throws<Interrupted>([&] { grow_forest(problem.input(), options_of(500), stop); });
}};

// The value of the leaf of a row whose codes are given; categories and numbers.
double mean_at(const GrownForest& forest, std::size_t tree_number, const std::array<Code, 3>& row) {
    std::size_t node_begin = 0, inner_begin = 0, leaf_begin = 0, byte = 0;
    for (std::size_t t = 0;; ++t) {
        const auto size = static_cast<std::size_t>(forest.n_nodes[t]);
        std::vector<std::size_t> rank(size), first_byte(size);
        std::size_t n_inner = 0, n_leaves = 0;
        for (std::size_t node = 0; node < size; ++node) {
            const auto kind = forest.kind[node_begin + node];
            first_byte[node] = byte;
            rank[node] = kind == 0 ? n_leaves++ : n_inner++;
            byte += kind == 2 ? (Problem::n_codes + 7) / 8 : 0;
        }
        if (t == tree_number) {
            std::size_t node = 0;
            while (forest.kind[node_begin + node] != 0) {
                const std::size_t test = inner_begin + rank[node];
                const Code code = row[forest.feature[test]];
                bool right = forest.missing_left[test] == 0;
                if (code != 0 && forest.kind[node_begin + node] == 1) {
                    right = forest.right_code[test] != 0 && code > forest.left_code[test];
                } else if (code != 0) {
                    const std::size_t bit = code - 1;
                    right = forest.pool[first_byte[node] + bit / 8] >> (bit % 8) & 1;
                }
                node = 1 + 2 * rank[node] + right;
            }
            const std::size_t leaf = leaf_begin + rank[node];
            return static_cast<double>(forest.content[2 * leaf + 1]) /
                   static_cast<double>(forest.content[2 * leaf]);
        }
        node_begin += size, inner_begin += n_inner, leaf_begin += n_leaves;
    }
}

const check::Test monotone{"directions hold for every other value of the row", [] {
    const Problem problem(600, 11);
    for (const int direction : {1, -1}) {
        const std::vector<std::int8_t> directions{static_cast<std::int8_t>(direction), 0, 0};
        ForestInput input = problem.input(false);
        input.monotone = directions;
        ForestOptions options = options_of(6, false);
        options.max_columns = 2;
        const GrownForest forest = grow(input, options);
        for (std::size_t tree = 0; tree < 6; ++tree) {
            for (Code second = 0; second <= 12; second += 3) {
                for (Code third = 0; third <= 12; third += 4) {
                    double before = mean_at(forest, tree, {1, second, third});
                    for (Code code = 2; code <= 12; ++code) {
                        const double here = mean_at(forest, tree, {code, second, third});
                        check::that(direction * (here - before) >= 0, "monotone");
                        before = here;
                    }
                }
            }
        }
    }
}};

const check::Test small{"tables of one row, of equal rows and of one class are leaves", [] {
    const Problem one(1, 12);
    check::equal(grow(one.input(), options_of(3)).n_nodes, Integers{1, 1, 1});
    Problem same(50, 13);
    for (Bytes& column : same.codes) std::fill(column.begin(), column.end(), 4);
    check::equal(grow(same.input(), options_of(2)).n_nodes, Integers{1, 1});
    Problem pure(50, 14);
    std::fill(pure.classes_of.begin(), pure.classes_of.end(), 1u);
    check::equal(grow(pure.input(), options_of(2)).n_nodes, Integers{1, 1});
    std::fill(pure.sums.begin(), pure.sums.end(), 5);
    check::equal(grow(pure.input(false), options_of(2, false)).n_nodes, Integers{1, 1});
}};

}  // namespace
