#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "boosting/bundles.hpp"
#include "boosting/rows.hpp"
#include "branchline/boosting.hpp"
#include "check.hpp"
#include "test_data.hpp"

namespace {

using namespace test_data;
using Bytes = std::vector<std::uint8_t>;
using Shorts = std::vector<std::uint16_t>;
using Integers = std::vector<std::int64_t>;
using Leaves = std::vector<std::uint32_t>;
using Singles = std::vector<float>;
using Words = std::vector<std::uint64_t>;
using Rows = std::vector<std::size_t>;

constexpr std::array growths{TreeGrowth::leaf_wise, TreeGrowth::depth_wise, TreeGrowth::symmetric};
constexpr std::array<std::size_t, 4> block_sizes{1, 7, 100, 16384};

// Rows of 18 columns of one byte (the last: categories) and 3 wide ones (the last: categories).
class Problem {
  public:
    static constexpr std::size_t n_narrow = 18, n_wide = 3;

    Problem(std::size_t n_rows, std::uint64_t seed)
        : narrow(n_narrow, Bytes(n_rows)), wide(n_wide, Shorts(n_rows)), gradients(n_rows),
          hessians(n_rows), keys(n_rows) {
        std::mt19937_64 generator(seed);
        std::normal_distribution<double> normal;
        for (std::size_t row = 0; row < n_rows; ++row) {
            for (Bytes& column : narrow) {
                const bool is_missing = generator() % 8 == 0;
                column[row] =
                    static_cast<std::uint8_t>(is_missing ? 0 : 1 + generator() % narrow_codes);
            }
            for (Shorts& column : wide) {
                const bool is_missing = generator() % 8 == 0;
                column[row] =
                    static_cast<std::uint16_t>(is_missing ? 0 : 1 + generator() % wide_codes);
            }
            const double signal = (narrow[3][row] > 12) + (narrow[17][row] % 3 == 0) +
                                  (wide[0][row] < 200) - (wide[2][row] % 5 == 1);
            gradients[row] = static_cast<float>(normal(generator) + signal - 0.8);
            hessians[row] = static_cast<float>(generator() % 1000) / 1000;
            keys[row] = generator();
        }
    }

    // The same rows, some of them perhaps several times.
    Problem taken(const Rows& rows) const {
        Problem out(0, 0);
        for (std::size_t c = 0; c < n_narrow; ++c) out.narrow[c] = take(narrow[c], rows);
        for (std::size_t c = 0; c < n_wide; ++c) out.wide[c] = take(wide[c], rows);
        out.gradients = take(gradients, rows);
        out.hessians = take(hessians, rows);
        out.keys = take(keys, rows);
        return out;
    }

    std::size_t n_rows() const { return keys.size(); }

    std::vector<GrowColumn> columns() const {
        std::vector<GrowColumn> out;
        const auto add = [&](CodeColumn codes, std::size_t n_codes) {
            GrowColumn column;
            column.codes = codes;
            column.n_codes = n_codes;
            out.push_back(column);
        };
        for (const Bytes& codes : narrow) add(codes_of(codes), narrow_codes);
        for (const Shorts& codes : wide) add(codes_of(codes), wide_codes);
        out[n_narrow - 1].is_category = out.back().is_category = true;
        return out;
    }

    template <class Value>
    static std::vector<Value> take(const std::vector<Value>& from, const Rows& rows) {
        std::vector<Value> out;
        for (const std::size_t row : rows) out.push_back(from[row]);
        return out;
    }

    std::vector<Bytes> narrow;
    std::vector<Shorts> wide;
    Singles gradients, hessians;
    Words keys;

  private:
    static constexpr std::size_t narrow_codes = 20, wide_codes = 700;
};

struct Grown {
    BoostedTrees trees;
    Leaves leaf_of_row;
};

struct Asked {
    BoostingOptions options;
    std::size_t block_rows = 16384;
    bool constant_hessian = false;
    Integers units;
    std::vector<std::int8_t> monotone;
};

Asked asked_for(TreeGrowth growth, std::int64_t max_leaves = 15) {
    Asked asked;
    asked.options.growth = growth;
    asked.options.max_leaves = max_leaves;
    asked.options.min_leaf_units = 3;
    asked.options.l2 = 1;
    asked.options.category_l2 = 2;
    asked.options.category_smoothing = 3;
    return asked;
}

Grown grow(const Problem& problem, const Asked& asked) {
    StopSignal stop;
    const std::vector<GrowColumn> columns = problem.columns();
    const std::size_t n = problem.n_rows();
    TreeBooster booster(columns, n, problem.keys, asked.block_rows, asked.options.n_threads, stop);
    BoostingTarget target{problem.gradients, problem.hessians, asked.units};
    if (asked.constant_hessian) target.hessians = {};
    const std::array<BoostingTarget, 2> targets{target, target};
    Grown out{{}, Leaves(2 * n)};
    out.trees = booster.grow(targets, {asked.monotone, {}}, asked.options, out.leaf_of_row, stop);
    return out;
}

void same_trees(const BoostedTrees& seen, const BoostedTrees& expected,
                check::Where where = check::Where::current()) {
    check::equal(seen.n_nodes, expected.n_nodes, where);
    check::equal(seen.kind, expected.kind, where);
    check::equal(seen.feature, expected.feature, where);
    check::equal(seen.left_code, expected.left_code, where);
    check::equal(seen.right_code, expected.right_code, where);
    check::equal(seen.missing_left, expected.missing_left, where);
    check::equal(seen.pool, expected.pool, where);
    check::equal(seen.gain, expected.gain, where);
    check::equal(seen.sum_gradient, expected.sum_gradient, where);
    check::equal(seen.sum_hessian, expected.sum_hessian, where);
    check::equal(seen.lowest, expected.lowest, where);
    check::equal(seen.highest, expected.highest, where);
    check::equal(seen.units, expected.units, where);
}

void same_grown(const Grown& seen, const Grown& expected,
                check::Where where = check::Where::current()) {
    same_trees(seen.trees, expected.trees, where);
    check::equal(seen.leaf_of_row, expected.leaf_of_row, where);
}

const check::Test threads{"boosting: the same trees for any number of threads", [] {
    const Problem problem(5000, 1);
    for (const TreeGrowth growth : growths) {
        Asked asked = asked_for(growth);
        asked.block_rows = 300;
        const Grown expected = grow(problem, asked);
        check::that(expected.trees.n_nodes[0] > 9, "a tree of some size");
        for (const int n_threads : thread_counts) {
            asked.options.n_threads = n_threads;
            same_grown(grow(problem, asked), expected);
        }
    }
}};

const check::Test blocks{"boosting: the same trees for any size of blocks", [] {
    const Problem problem(700, 2);
    for (const TreeGrowth growth : growths) {
        for (const bool constant_hessian : {false, true}) {
            Asked asked = asked_for(growth);
            asked.constant_hessian = constant_hessian;
            const Grown expected = grow(problem, asked);
            for (const std::size_t size : block_sizes) {
                asked.block_rows = size;
                asked.options.n_threads = size == 7 ? 3 : 1;
                same_grown(grow(problem, asked), expected);
            }
        }
    }
}};

const check::Test full_blocks{"boosting: cells hold the sums of many full blocks", [] {
    const Problem problem(40'000, 3);
    Asked asked = asked_for(TreeGrowth::leaf_wise, 6);
    const Grown expected = grow(problem, asked);
    asked.block_rows = 9999;
    same_grown(grow(problem, asked), expected);
}};

const check::Test order{"boosting: the order of rows does not matter", [] {
    const Problem problem(900, 4);
    Rows rows(problem.n_rows());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::shuffle(rows.begin(), rows.end(), std::mt19937_64(5));
    for (const TreeGrowth growth : growths) {
        const Grown expected = grow(problem, asked_for(growth));
        const Grown seen = grow(problem.taken(rows), asked_for(growth));
        same_trees(seen.trees, expected.trees);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            check::equal(seen.leaf_of_row[i], expected.leaf_of_row[rows[i]]);
        }
    }
}};

const check::Test copies{"boosting: a row of weight k is k rows", [] {
    const Problem problem(600, 6);
    std::mt19937_64 generator(7);
    for (const TreeGrowth growth : growths) {
        for (const bool constant_hessian : {false, true}) {
            Asked asked = asked_for(growth);
            asked.constant_hessian = constant_hessian;
            Rows repeated;
            Asked weighted = asked;
            for (std::size_t row = 0; row < problem.n_rows(); ++row) {
                weighted.units.push_back(static_cast<std::int64_t>(1 + generator() % 3));
                repeated.insert(repeated.end(), static_cast<std::size_t>(weighted.units[row]), row);
            }
            const Grown expected = grow(problem.taken(repeated), asked);
            const Grown seen = grow(problem, weighted);
            same_trees(seen.trees, expected.trees);
            for (std::size_t i = 0; i < repeated.size(); ++i) {
                check::equal(expected.leaf_of_row[i], seen.leaf_of_row[repeated[i]]);
            }
        }
    }
}};

const check::Test left_out{"boosting: rows that count nothing change nothing, however large", [] {
    Problem problem(600, 8);
    Rows kept;
    Asked asked = asked_for(TreeGrowth::leaf_wise), some = asked;
    for (std::size_t row = 0; row < problem.n_rows(); ++row) {
        some.units.push_back(row % 3 != 0);
        if (row % 3 != 0) kept.push_back(row);
    }
    const Grown expected = grow(problem.taken(kept), asked);
    for (std::size_t row = 0; row < problem.n_rows(); row += 3) {
        problem.gradients[row] *= 1e20F;
        problem.hessians[row] *= 1e20F;
    }
    same_trees(grow(problem, some).trees, expected.trees);
}};

const check::Test subtraction{"boosting: what is left of a parent is what counting gives", [] {
    for (const bool is_weighted : {false, true}) {
        const Problem problem(3000, 9);
        for (const TreeGrowth growth : growths) {
            Asked asked = asked_for(growth, 40);
            for (std::size_t row = 0; is_weighted && row < problem.n_rows(); ++row) {
                asked.units.push_back(1 + static_cast<std::int64_t>(row % 3));
            }
            asked.block_rows = 500;
            const Grown expected = grow(problem, asked);
            asked.options.histogram_bytes = 1;
            same_grown(grow(problem, asked), expected);
            asked.options.n_threads = 3;
            same_grown(grow(problem, asked), expected);
        }
    }
}};

const check::Test reuse{"boosting: a tree does not depend on what was grown before", [] {
    const Problem problem(800, 10);
    const std::vector<GrowColumn> columns = problem.columns();
    StopSignal stop;
    const std::size_t n = problem.n_rows();
    TreeBooster booster(columns, n, problem.keys, 100, 2, stop);
    const std::array<BoostingTarget, 1> target{{{problem.gradients, problem.hessians, {}}}};
    const Asked first = asked_for(TreeGrowth::leaf_wise);
    Leaves leaves(n), again(n);
    const BoostedTrees expected = booster.grow(target, {}, first.options, leaves, stop);
    Asked other = asked_for(TreeGrowth::symmetric, 4);
    other.options.seed = 7;
    other.options.n_threads = 3;
    const Integers units(n, 5);
    const std::array<BoostingTarget, 1> heavy{{{problem.hessians, {}, units}}};
    booster.grow(heavy, {}, other.options, again, stop);
    StopSignal at_once([] { return true; });
    check::throws<Interrupted>([&] { booster.grow(target, {}, first.options, again, at_once); });
    same_trees(booster.grow(target, {}, first.options, again, stop), expected);
    check::equal(again, leaves);
}};

// Columns of which at most one is away from its usual code: three sets of 0/1 columns, then others.
Problem with_exclusive_columns(std::size_t n_rows, std::uint64_t seed) {
    Problem problem(n_rows, seed);
    std::mt19937_64 generator(seed);
    for (std::size_t row = 0; row < n_rows; ++row) {
        const std::size_t chosen = generator() % 6, other = 6 + generator() % 11;
        for (std::size_t c = 0; c < 17; ++c) {
            const bool is_set = c == chosen || c == other;
            const bool is_missing = is_set && generator() % 9 == 0;
            problem.narrow[c][row] = static_cast<std::uint8_t>(is_missing ? 0 : is_set ? 7 : 3);
        }
        problem.gradients[row] += static_cast<float>(chosen % 3) - static_cast<float>(other % 2);
    }
    return problem;
}

const check::Test exclusive{"boosting: columns that are counted together give the same trees", [] {
    for (const TreeGrowth growth : growths) {
        for (const bool is_heavy : {false, true}) {
            Problem problem = with_exclusive_columns(3000, 41);
            Asked asked = asked_for(growth, 40);
            asked.units.assign(3000, is_heavy ? 2 : 1);
            Grown together = grow(problem, asked);
            // One more row, which counts nothing, forbids to count any of them together.
            for (Bytes& codes : problem.narrow) codes.push_back(9);
            for (Shorts& codes : problem.wide) codes.push_back(9);
            problem.gradients.push_back(0);
            problem.hessians.push_back(0);
            problem.keys.push_back(5);
            asked.units.push_back(0);
            same_trees(grow(problem, asked).trees, together.trees);
        }
    }
}};

const check::Test bundling{"boosting: bundles hold the codes of their columns", [] {
    StopSignal stop;
    ThreadPool pool(2, stop);
    const Problem problem = with_exclusive_columns(2000, 42);
    const std::vector<GrowColumn> columns = problem.columns();
    const boosting::Bundles made = boosting::make_bundles(columns, problem.n_rows(), pool);
    check::that(made.bundles.size() < columns.size(), "some are together");
    for (std::size_t c = 0; c < Problem::n_narrow; ++c) {
        const boosting::BundledColumn& at = made.of_column[c];
        const boosting::Bundle& bundle = made.bundles[at.bundle];
        const auto* bins = reinterpret_cast<const std::uint8_t*>(bundle.codes.data);
        for (std::size_t row = 0; row < problem.n_rows(); ++row) {
            const Code code = problem.narrow[c][row];
            if (bundle.is_single()) {
                check::equal(Code{bins[row]}, code);
            } else if (code != at.usual) {
                check::equal(std::size_t{bins[row]}, at.bin_of(code));
            } else {
                const bool is_other =
                    bins[row] < at.first_bin || bins[row] >= at.first_bin + columns[c].n_codes;
                check::that(is_other, "the bins of a column are its own");
            }
        }
    }
}};

const check::Test leaf_sums{"boosting: leaves report the sums of their rows", [] {
    const Problem problem(500, 11);
    for (const TreeGrowth growth : growths) {
        Asked asked = asked_for(growth);
        for (std::size_t row = 0; row < problem.n_rows(); ++row) {
            asked.units.push_back(static_cast<std::int64_t>(row % 4));
        }
        const Grown grown = grow(problem, asked);
        const auto n_leaves = static_cast<std::size_t>((grown.trees.n_nodes[0] + 1) / 2);
        std::vector<double> g(n_leaves), h(n_leaves);
        Integers units(n_leaves);
        for (std::size_t row = 0; row < problem.n_rows(); ++row) {
            const std::size_t leaf = grown.leaf_of_row[row];
            check::that(leaf < n_leaves, "a leaf that is there");
            units[leaf] += asked.units[row];
            g[leaf] += static_cast<double>(asked.units[row]) * problem.gradients[row];
            h[leaf] += static_cast<double>(asked.units[row]) * problem.hessians[row];
        }
        for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
            check::equal(grown.trees.units[leaf], units[leaf]);
            check::near(grown.trees.sum_gradient[leaf], g[leaf], 1e-9);
            check::near(grown.trees.sum_hessian[leaf], h[leaf], 1e-9);
            check::that(units[leaf] >= 3, "min_leaf_units");
        }
    }
}};

const check::Test shape{"boosting: arrays fit together, limits hold", [] {
    const Problem problem(2000, 12);
    for (const TreeGrowth growth : growths) {
        for (const int max_depth : {1, 2, 5}) {
            Asked asked = asked_for(growth, 1000);
            asked.options.max_depth = max_depth;
            const BoostedTrees trees = grow(problem, asked).trees;
            const auto n_nodes = static_cast<std::size_t>(trees.n_nodes[0] + trees.n_nodes[1]);
            const std::size_t n_inner = trees.feature.size();
            check::equal(trees.kind.size(), n_nodes);
            check::equal(trees.units.size(), n_inner + 2);
            check::equal(trees.gain.size(), n_inner);
            std::vector<int> depth(n_nodes, 0);
            std::size_t inner = 0, pool_bytes = 0;
            for (std::size_t tree = 0, first = 0; tree < 2; ++tree) {
                std::size_t next = first + 1;
                const std::size_t end = first + static_cast<std::size_t>(trees.n_nodes[tree]);
                for (std::size_t node = first; node < end; ++node) {
                    check::that(depth[node] <= max_depth, "depth");
                    if (trees.kind[node] == 0) continue;
                    depth[next] = depth[next + 1] = depth[node] + 1;
                    next += 2;
                    const std::uint32_t column = trees.feature[inner];
                    const bool is_category = column == 17 || column == 20;
                    check::equal(trees.kind[node] == 2, is_category);
                    const std::size_t n_codes = column < Problem::n_narrow ? 20 : 700;
                    pool_bytes += is_category ? (n_codes + 7) / 8 : 0;
                    check::that(trees.gain[inner] > 0, "a gain");
                    if (!is_category && trees.right_code[inner] != 0) {
                        check::that(trees.left_code[inner] < trees.right_code[inner], "in order");
                    }
                    ++inner;
                }
                check::equal(next, end);
                first = end;
            }
            check::equal(trees.pool.size(), pool_bytes);
        }
    }
}};

const check::Test bounds{"boosting: bounds of leaves part their values along a direction", [] {
    const Problem problem(2000, 13);
    for (const TreeGrowth growth : growths) {
        Asked asked = asked_for(growth, 20);
        asked.monotone.assign(Problem::n_narrow + Problem::n_wide, 0);
        asked.monotone[3] = 1;
        const BoostedTrees trees = grow(problem, asked).trees;
        bool is_bound = false;
        for (std::size_t leaf = 0; leaf < trees.lowest.size(); ++leaf) {
            check::that(trees.lowest[leaf] <= trees.highest[leaf], "bounds in order");
            is_bound |= std::isfinite(trees.lowest[leaf]) || std::isfinite(trees.highest[leaf]);
        }
        check::that(is_bound || std::count(trees.feature.begin(), trees.feature.end(), 3u) == 0,
                    "a test of the column binds");
    }
}};

const check::Test small{"boosting: one row, equal rows and no gradient are leaves", [] {
    for (const TreeGrowth growth : growths) {
        Asked asked = asked_for(growth);
        asked.options.min_leaf_units = 1;
        check::equal(grow(Problem(1, 14), asked).trees.n_nodes, Integers{1, 1});
        const Problem two(2, 15);
        const Problem same = two.taken(Rows(50, 0));
        check::equal(grow(same, asked).trees.n_nodes, Integers{1, 1});
        Problem flat(50, 16);
        for (const float gradient : {0.0F, 1e-45F, 1.0F}) {
            std::fill(flat.gradients.begin(), flat.gradients.end(), gradient);
            Asked plain = asked;
            plain.constant_hessian = true;
            plain.options.l2 = 0;
            check::equal(grow(flat, plain).trees.n_nodes, Integers{1, 1});
        }
    }
}};

const check::Test adding{"boosting: a leaf that is not there cannot be added", [] {
    StopSignal stop;
    std::vector<double> scores{1, 2, 3};
    const std::vector<double> values{0.5, -0.5};
    add_leaf_values(Leaves{1, 0, 1}, Integers{2}, values, scores, 2, stop);
    check::equal(scores, std::vector<double>{0.5, 2.5, 2.5});
    check::throws<std::out_of_range>(
        [&] { add_leaf_values(Leaves{1, 2, 1}, Integers{2}, values, scores, 1, stop); });
    check::throws<std::out_of_range>(
        [&] { add_leaf_values(Leaves{0, 0, 1}, Integers{1, 1, 0}, values, scores, 1, stop); });
}};

}  // namespace
