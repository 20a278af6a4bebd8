#include <algorithm>
#include <cmath>
#include <numeric>

#include "branchline/grow_tree.hpp"
#include "branchline/tree_walker.hpp"
#include "check.hpp"
#include "test_data.hpp"
#include "tree/flip_flop.hpp"
#include "tree/two_class_scan.hpp"

namespace {

using namespace test_data;
using Bytes = std::vector<std::uint8_t>;
using Classes = std::vector<std::uint32_t>;
using Integers = std::vector<std::int64_t>;
using Branches = std::vector<std::int32_t>;
using Codes = std::vector<Code>;
using Kinds = std::vector<std::uint8_t>;

template <class CodeType>
GrowColumn column_of(const std::vector<CodeType>& codes, std::size_t n_codes, bool is_category) {
    GrowColumn column;
    column.codes = codes_of(codes);
    column.n_codes = n_codes;
    column.is_category = is_category;
    return column;
}

GrowColumn number(const Bytes& codes, std::size_t n_codes) {
    return column_of(codes, n_codes, false);
}

GrowColumn category(const Bytes& codes, std::size_t n_codes) {
    return column_of(codes, n_codes, true);
}

std::vector<RowIndex> all_rows(const GrowTarget& target) {
    const std::size_t n_rows = target.is_classification()
                                   ? target.class_of_row.size()
                                   : target.sums_of_row.size() / target.n_outputs;
    std::vector<RowIndex> rows(n_rows);
    std::iota(rows.begin(), rows.end(), RowIndex{0});
    return rows;
}

GrownTree grow(const std::vector<GrowColumn>& columns, const GrowTarget& target,
               const GrowOptions& options = {}) {
    StopSignal stop;
    return grow_tree(columns, all_rows(target), target, options, stop);
}

std::vector<ListedTest> list(const std::vector<GrowColumn>& columns, const GrowTarget& target,
                             const GrowOptions& options = {}) {
    StopSignal stop;
    return list_tests(columns, all_rows(target), target, options, stop);
}

GrowTarget classes_of(const Classes& classes, std::size_t n_classes = 2) {
    GrowTarget target;
    target.class_of_row = classes;
    target.n_classes = n_classes;
    return target;
}

GrowTarget numbers_of(const Integers& sums, std::size_t n_outputs = 1) {
    GrowTarget target;
    target.sums_of_row = sums;
    target.n_outputs = n_outputs;
    return target;
}

GrowOptions id3() {
    GrowOptions options;
    options.criterion = TreeCriterion::entropy;
    options.missing = MissingPolicy::own_branch;
    options.multiway = options.split_on_zero_gain = true;
    return options;
}

GrowOptions of_numbers() {
    GrowOptions options;
    options.criterion = TreeCriterion::variance;
    return options;
}

void same_tree(const GrownTree& seen, const GrownTree& expected,
               check::Where where = check::Where::current()) {
    check::equal(seen.kind, expected.kind, where);
    check::equal(seen.feature, expected.feature, where);
    check::equal(seen.first_child, expected.first_child, where);
    check::equal(seen.missing_branch, expected.missing_branch, where);
    check::equal(seen.left_code, expected.left_code, where);
    check::equal(seen.right_code, expected.right_code, where);
    check::equal(seen.pool, expected.pool, where);
    check::equal(seen.content, expected.content, where);
    check::equal(seen.spread, expected.spread, where);
}

// Mitchell's days of tennis: outlook (sunny, overcast, rain), temperature (hot, mild, cool),
// humidity (high, normal), wind (weak, strong); class 1 is a day on which one plays.
struct Tennis {
    Bytes outlook{1, 1, 2, 3, 3, 3, 2, 1, 1, 3, 1, 2, 2, 3};
    Bytes temperature{1, 1, 1, 2, 3, 3, 3, 2, 3, 2, 2, 2, 1, 2};
    Bytes humidity{1, 1, 1, 1, 2, 2, 2, 1, 2, 2, 2, 1, 2, 1};
    Bytes wind{1, 2, 1, 1, 1, 2, 2, 1, 1, 1, 2, 2, 1, 2};
    Classes plays{0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0};

    std::vector<GrowColumn> columns() const {
        return {category(outlook, 3), category(temperature, 3), category(humidity, 2),
                category(wind, 2)};
    }
};

const check::Test tennis_tree{"tennis: outlook, then humidity and wind; five pure leaves", [] {
    const Tennis tennis;
    const GrownTree tree = grow(tennis.columns(), classes_of(tennis.plays), id3());
    check::equal(tree.kind, Kinds{2, 2, 0, 2, 0, 0, 0, 0});
    check::equal(tree.feature, Branches{0, 2, -1, 3, -1, -1, -1, -1});
    check::equal(tree.first_child, Branches{1, 4, -1, 6, -1, -1, -1, -1});
    check::equal(tree.content, Integers{5, 9, 3, 2, 0, 4, 2, 3, 3, 0, 0, 2, 0, 3, 2, 0});
    const auto tests = list(tennis.columns(), classes_of(tennis.plays), id3());
    const std::vector<double> gains{0.24674982, 0.02922257, 0.15183550, 0.04812703};
    for (std::size_t c = 0; c < 4; ++c) check::near(tests[c].gain, gains[c], 1e-8);
    check::near(tests[0].split_information, 1.5774, 1e-4);
    check::that(tests[0].is_chosen && !tests[1].is_chosen, "outlook is chosen");
}};

const check::Test leaves{"one row, pure nodes, constant and empty columns make a leaf", [] {
    const Bytes varies{1, 2, 1, 2}, constant{1, 1, 1, 1}, empty{0, 0, 0, 0};
    const Classes pure{1, 1, 1, 1}, mixed{0, 1, 1, 0};
    const std::vector<GrowColumn> useless{number(constant, 1), number(empty, 0),
                                          category(empty, 3)};
    for (const MissingPolicy policy : {MissingPolicy::learned, MissingPolicy::own_branch,
                                       MissingPolicy::mode, MissingPolicy::fractional}) {
        GrowOptions options;
        options.missing = policy;
        options.split_on_zero_gain = true;
        check::equal(grow({number(varies, 2)}, classes_of(pure), options).kind, Kinds{0});
        check::equal(grow(useless, classes_of(mixed), options).content, Integers{2, 2});
        check::that(list(useless, classes_of(mixed), options).empty(), "no tests");
        const Bytes one{2};
        const Classes its_class{1};
        check::equal(grow({number(one, 2)}, classes_of(its_class), options).content,
                     Integers{0, 1});
    }
    const Integers equal(4, std::int64_t{1} << 58);
    check::equal(grow({number(varies, 2)}, numbers_of(equal), of_numbers()).kind, Kinds{0});
}};

const check::Test xor_needs_zero_gain{"XOR: no test gains; without gain the tree is exact", [] {
    const Bytes a{1, 1, 2, 2}, b{1, 2, 1, 2};
    const Classes classes{0, 1, 1, 0};
    const std::vector<GrowColumn> columns{number(a, 2), category(b, 2)};
    GrowOptions options;
    check::equal(grow(columns, classes_of(classes), options).kind, Kinds{0});
    options.split_on_zero_gain = true;
    const GrownTree tree = grow(columns, classes_of(classes), options);
    check::equal(tree.feature, Branches{0, 1, 1, -1, -1, -1, -1});
    for (std::size_t leaf = 3; leaf < 7; ++leaf) {
        check::equal(tree.content[2 * leaf] * tree.content[2 * leaf + 1], std::int64_t{0});
    }
}};

const check::Test penalties{"without gain a tree goes on when asked to, by gain or by gain ratio",
                            [] {
    const Bytes codes{1, 2, 3, 4, 5, 6, 7, 8};
    const Classes classes{0, 1, 0, 1, 0, 1, 0, 1};
    for (const bool gain_ratio : {false, true}) {
        GrowOptions options = id3();
        options.cautious_thresholds = true;  // log2(7) / 8 off every gain: all are below 0
        options.gain_ratio = gain_ratio;
        const GrownTree tree = grow({number(codes, 8)}, classes_of(classes), options);
        check::equal(tree.n_nodes(), std::size_t{15});
        options.split_on_zero_gain = false;
        check::equal(grow({number(codes, 8)}, classes_of(classes), options).n_nodes(),
                     std::size_t{1});
    }
}};

const check::Test missing_sides{"missing values go to the side that makes the test better", [] {
    const Bytes codes{1, 1, 2, 2, 0, 0};
    for (const bool is_category : {false, true}) {
        const auto with = [&](const Classes& classes) {
            return grow({column_of(codes, 2, is_category)}, classes_of(classes));
        };
        check::equal(with({0, 0, 1, 1, 0, 0}).missing_branch[0], 0);
        check::equal(with({0, 0, 1, 1, 1, 1}).missing_branch[0], 1);
        const GrownTree present = with({0, 0, 0, 0, 1, 1});  // only being missing tells
        check::equal(present.content, Integers{4, 2, 4, 0, 0, 2});
        check::equal(present.right_code[0], missing_code);
        check::equal(present.missing_branch[0], 1);
    }
}};

const check::Test other_policies{"missing values: a branch of their own; the median; a given code",
                                 [] {
    const Bytes codes{1, 1, 2, 3, 3, 0, 0};
    const Classes classes{0, 0, 0, 1, 1, 1, 0};
    std::vector<GrowColumn> columns{number(codes, 3)};
    GrowOptions options;
    options.missing = MissingPolicy::own_branch;
    const GrownTree own = grow(columns, classes_of(classes), options);
    check::equal(own.n_children[0], 3);
    check::equal(own.missing_branch[0], 2);
    check::equal(own.content, Integers{4, 3, 3, 0, 0, 2, 1, 1});
    options.missing = MissingPolicy::mode;
    options.max_depth = 1;
    const GrownTree median = grow(columns, classes_of(classes), options);  // 2 stands for missing
    check::equal(median.missing_branch[0], 0);
    check::equal(median.content, Integers{4, 3, 4, 1, 0, 2});
    columns[0].fill_code = 3;
    check::equal(grow(columns, classes_of(classes), options).missing_branch[0], 1);
}};

const check::Test parts{"shared rows: parts sum to the whole, weight three is three copies", [] {
    const Bytes codes{1, 1, 1, 2, 2, 0, 0};
    const Bytes other{1, 2, 1, 2, 0, 1, 2};
    const Classes classes{0, 0, 1, 1, 1, 0, 1};
    const std::int64_t part = 1 << 20;
    const Integers units{part, part, part, part, 3 * part, part, 3 * part};
    const std::vector<GrowColumn> columns{category(codes, 2), number(other, 2)};
    GrowTarget target = classes_of(classes);
    target.units = units;
    target.part_units = part;
    GrowOptions options;
    options.missing = MissingPolicy::fractional;
    options.split_on_zero_gain = true;
    options.unit = 1.0 / static_cast<double>(part);
    const GrownTree tree = grow(columns, target, options);
    check::equal(tree.missing_branch[0], every_branch);
    check::that(tree.n_nodes() >= 5, "tests below tests");
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
        if (tree.n_children[node] == 0) continue;
        Integers sum(2, 0);
        for (int b = 0; b < tree.n_children[node]; ++b) {
            const auto child = static_cast<std::size_t>(tree.first_child[node] + b);
            sum[0] += tree.content[2 * child], sum[1] += tree.content[2 * child + 1];
        }
        check::equal(sum, Integers{tree.content[2 * node], tree.content[2 * node + 1]});
    }
    Bytes many_codes, many_other;
    Classes many_classes;
    for (std::size_t row = 0; row < classes.size(); ++row) {
        for (std::int64_t copy = 0; copy < units[row] / part; ++copy) {
            many_codes.push_back(codes[row]), many_other.push_back(other[row]);
            many_classes.push_back(classes[row]);
        }
    }
    const Integers single(many_classes.size(), part);
    target.class_of_row = many_classes, target.units = single;
    same_tree(grow({category(many_codes, 2), number(many_other, 2)}, target, options), tree);
}};

const check::Test best_first{"a limit of leaves: the leaf that gains most is split first", [] {
    // A cheap test tells the first four rows from the others; then these gain more, by the second.
    const Bytes half{1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2},
        place{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const Classes classes{0, 0, 0, 1, 2, 2, 2, 2, 3, 3, 3, 3};
    std::vector<GrowColumn> columns{category(half, 2), number(place, 12)};
    columns[0].cost = 0.01;
    GrowOptions options;
    options.max_leaves = 3;
    const GrownTree tree = grow(columns, classes_of(classes, 4), options);
    check::equal(tree.feature, Branches{0, -1, 1, -1, -1});
    check::equal(tree.first_child, Branches{1, -1, 3, -1, -1});
    check::equal(tree.left_code[2], Code{8});
    options.max_leaves = 100;
    const GrownTree all = grow(columns, classes_of(classes, 4), options);
    same_tree(grow(columns, classes_of(classes, 4)), all);
    check::equal(std::count(all.kind.begin(), all.kind.end(), 0), std::ptrdiff_t{4});
}};

const check::Test limits{"depth, weights, impurity and gain keep a node from being split", [] {
    const Bytes codes{1, 2, 3, 4, 5, 6, 7, 8};
    const Classes classes{0, 1, 0, 0, 1, 1, 0, 1};
    const auto nodes_with = [&](auto&& change) {
        GrowOptions options;
        change(options);
        return grow({number(codes, 8)}, classes_of(classes), options).n_nodes();
    };
    check::equal(nodes_with([](GrowOptions& o) { o.max_depth = 0; }), std::size_t{1});
    check::equal(nodes_with([](GrowOptions& o) { o.max_depth = 1; }), std::size_t{3});
    check::equal(nodes_with([](GrowOptions& o) { o.min_split_units = 9; }), std::size_t{1});
    check::equal(nodes_with([](GrowOptions& o) { o.min_leaf_units = 4; }), std::size_t{3});
    check::equal(nodes_with([](GrowOptions& o) { o.min_leaf_units = 5; }), std::size_t{1});
    check::equal(nodes_with([](GrowOptions& o) { o.min_impurity = 0.5; }), std::size_t{1});
    check::equal(nodes_with([](GrowOptions& o) { o.min_gain = 0.2; }), std::size_t{1});
    check::equal(nodes_with([](GrowOptions& o) { o.significance = 0.001; }), std::size_t{1});
}};

const check::Test given_subsets{"subsets given by the user are the only ones tried", [] {
    const Bytes codes{1, 1, 2, 2, 3, 3, 4, 4};
    const Classes classes{0, 0, 1, 1, 0, 0, 1, 1};
    const Bytes given{1, 1, 0, 0, /**/ 1, 1, 1, 0};  // {1, 2} and {1, 2, 3}
    GrowColumn column = category(codes, 4);
    check::equal(list({column}, classes_of(classes))[0].branch_of_code, Branches{-1, 0, 1, 0, 1});
    column.given_subsets = given;
    const ListedTest test = list({column}, classes_of(classes))[0];
    check::equal(test.branch_of_code, Branches{-1, 0, 0, 0, 1});
    check::near(test.gain, 0.5 - 6.0 / 8 * 4 / 9, 1e-14);
    const Bytes none{0, 0, 0, 0};
    column.given_subsets = none;
    check::that(list({column}, classes_of(classes)).empty(), "no row is in the subset");
}};

const check::Test rare_branches{"multiway: rare categories share the last branch", [] {
    const Bytes codes{1, 1, 1, 2, 3, 3, 3, 4, 0};
    const Classes classes{0, 0, 0, 1, 1, 1, 0, 1, 1};
    GrowOptions options;
    options.multiway = options.share_rare_branches = true;
    options.min_leaf_units = 2;
    const GrownTree tree = grow({category(codes, 5)}, classes_of(classes), options);
    check::equal(tree.n_children[0], 4);
    check::equal(tree.missing_branch[0], 3);
    check::equal(tree.pool, Branches{0, 2, 1, 2, -1});  // no row has the fifth: it stays
}};

const check::Test far_from_zero{"numbers: large means cost no digits", [] {
    const Bytes codes{1, 2, 3, 4}, pairs{1, 1, 2, 2};
    for (const std::int64_t shift : {std::int64_t{0}, std::int64_t{1'000'000'000'000'003},
                                     std::int64_t{1} << 59, -(std::int64_t{1} << 59)}) {
        const Integers sums{shift + 0, shift + 2, shift + 10, shift + 13};
        const GrownTree tree = grow({number(codes, 4)}, numbers_of(sums), of_numbers());
        check::equal(tree.left_code[0], Code{2});
        check::equal(tree.spread, std::vector<double>{116.75, 2, 4.5, 0, 0, 0, 0});
        check::near(list({number(codes, 4)}, numbers_of(sums), of_numbers())[0].gain, 27.5625,
                    1e-12);
        const Integers same_means{shift - 1, shift + 1, shift + 2, shift - 2};
        check::equal(grow({number(pairs, 2)}, numbers_of(same_means), of_numbers()).kind, Kinds{0});
    }
}};

const check::Test several_outputs{"numbers: squared errors of several outputs are added", [] {
    const Bytes codes{1, 2, 3};
    const Integers sums{0, 5, /**/ 1, 5, /**/ 0, 8};
    const GrownTree tree = grow({number(codes, 3)}, numbers_of(sums, 2), of_numbers());
    check::equal(tree.left_code[0], Code{2});
    check::equal(tree.content[3], std::int64_t{2});
    check::equal(tree.spread[2], 0.5);
    check::equal(tree.spread[3], 0.0);
}};

const check::Test class_factors{"factors make a class count more in impurities, not in contents",
                                [] {
    const Bytes a{1, 1, 1, 1, 2, 2, 2, 2}, b{1, 1, 1, 2, 2, 2, 2, 2};
    const Classes classes{0, 0, 0, 1, 1, 1, 1, 0};
    const std::vector<double> factor{1, 9};
    GrowTarget target = classes_of(classes);
    const std::vector<GrowColumn> columns{number(a, 2), number(b, 2)};
    const auto plain = list(columns, target);
    target.class_factor = factor;
    const auto weighed = list(columns, target);
    // (3, 27) of class 0 against (1, 9) … in units of impurity: 4 and 36 of 40.
    check::near(plain[1].gain, 0.5 - 5.0 / 8 * 0.32, 1e-14);
    const double before = 0.18, after = 37.0 / 40 * (2.0 * 36 / (37 * 37));
    check::near(weighed[1].gain, before - after, 1e-14);
    check::equal(grow(columns, target).content[0], std::int64_t{4});
}};

const check::Test equal_tests{"equal tests: the first cut, the fewest branches, the first column",
                              [] {
    const Bytes mirrored{1, 2, 3, 4}, two{1, 1, 2, 2};
    const Classes ends{0, 1, 1, 0}, halves{0, 0, 1, 1};
    check::equal(grow({number(mirrored, 4)}, classes_of(ends)).left_code[0], Code{1});
    const std::vector<GrowColumn> columns{category(mirrored, 4), category(two, 2),
                                          category(two, 2)};
    check::equal(grow(columns, classes_of(halves), id3()).feature[0], 1);
}};

// A large table: numbers of many values, in sorted lists, and a few categories; missing values.
struct Large {
    static constexpr std::size_t n_rows = 20'000, n_codes = 700;
    std::vector<std::vector<std::uint16_t>> codes;
    Classes classes;
    Integers sums;

    explicit Large(std::uint32_t n_classes) {
        std::mt19937_64 random(5);
        const auto draw = [&](std::size_t below) { return static_cast<int>(random() % below); };
        codes.assign(6, std::vector<std::uint16_t>(n_rows));
        for (std::size_t row = 0; row < n_rows; ++row) {
            for (std::size_t c = 0; c < codes.size(); ++c) {
                const int n = c < 4 ? static_cast<int>(n_codes) : 9;
                codes[c][row] = static_cast<std::uint16_t>(
                    draw(12) == 0 ? 0 : 1 + draw(static_cast<std::size_t>(n)));
            }
            const int score = codes[0][row] + codes[1][row] + 40 * codes[4][row] + draw(500);
            classes.push_back(static_cast<std::uint32_t>(score) / 600 % n_classes);
            sums.push_back(score);
        }
    }
    std::vector<GrowColumn> columns(std::size_t declared = n_codes) const {
        std::vector<GrowColumn> made;
        for (std::size_t c = 0; c < codes.size(); ++c) {
            made.push_back(column_of(codes[c], c < 4 ? declared : 9, c >= 4));
        }
        return made;
    }
};

const check::Test threads{"large tables: the tree does not depend on threads", [] {
    const Large two(2), three(3);
    for (const int kind : {0, 1, 2, 3}) {
        GrowOptions options;
        options.min_leaf_units = 20;
        options.criterion = kind == 0   ? TreeCriterion::gini
                            : kind == 3 ? TreeCriterion::variance
                                        : TreeCriterion::entropy;
        options.missing = kind == 2 ? MissingPolicy::fractional : MissingPolicy::learned;
        if (kind == 1) options.significance = 0.05;
        const GrowTarget target = kind == 3   ? numbers_of(two.sums)
                                  : kind == 0 ? classes_of(two.classes)
                                              : classes_of(three.classes, 3);
        const GrownTree alone = grow(two.columns(), target, options);
        check::that(alone.n_nodes() > 50, "a tree of some size");
        for (const int n_threads : thread_counts) {
            options.n_threads = n_threads;
            same_tree(grow(two.columns(), target, options), alone);
        }
    }
}};

const check::Test weights_of_one{"large tables: rows of weight one are scanned as others are", [] {
    const Large large(2);
    const Integers ones(Large::n_rows, 1);
    GrowTarget weighed = classes_of(large.classes);
    weighed.units = ones;
    same_tree(grow(large.columns(), classes_of(large.classes)), grow(large.columns(), weighed));
}};

const check::Test interrupted{"growing stops when asked to, at once or while it runs", [] {
    const Large large(2);
    const GrowTarget target = classes_of(large.classes);
    for (const int n_threads : {1, 3}) {
        GrowOptions options;
        options.n_threads = n_threads;
        for (const std::int64_t max_leaves : {std::int64_t{1} << 40, std::int64_t{1} << 62}) {
            options.max_leaves = max_leaves;
            StopSignal at_once;
            at_once.request();
            check::throws<Interrupted>(
                [&] { grow_tree(large.columns(), all_rows(target), target, options, at_once); });
        }
        int n_looks = 0;
        StopSignal later([&] { return ++n_looks > 0; });
        check::throws<Interrupted>(
            [&] { grow_tree(large.columns(), all_rows(target), target, options, later); });
        check::that(n_looks == 1, "the signal was looked at");
    }
}};

// The scan of two_class_scan.hpp, cut by cut.
template <class Index>
tree::ScanResult plain_scan(const std::vector<tree::Item<Index>>& items,
                            const tree::ScanStart& start) {
    tree::ScanResult best;
    double highest = -1;
    std::uint32_t ones = start.ones_left;
    for (std::size_t i = 0; i < items.size(); ++i) {
        ones += items[i].class_bit();
        const double left = start.n_left + static_cast<double>(i) + 1, n = start.n;
        const bool is_cut = i + 1 == items.size() || items[i].code != items[i + 1].code;
        if (!is_cut || left < start.min_leaf || n - left < start.min_leaf) continue;
        const double surplus = ones * n - left * start.ones;
        const double score = surplus * surplus / (left * (n - left));
        if (score > highest) {
            highest = score;
            best = {score, i + 1, ones};
        }
    }
    return best;
}

template <class Index>
void scan_on_all_levels(std::size_t n_items, std::uint32_t n_missing, std::uint32_t min_leaf) {
    std::mt19937_64 random(n_items);
    std::vector<tree::Item<Index>> items(n_items);
    std::uint32_t ones = 0, code = 1;
    for (std::size_t i = 0; i < n_items; ++i) {
        code += random() % 3 == 0;
        const auto bit = static_cast<std::uint32_t>(random() % 100 < i * 100 / n_items);
        ones += bit;
        items[i] = {static_cast<Index>(code), static_cast<Index>(i << 1 | bit)};
    }
    tree::ScanStart start{};
    start.n_left = n_missing, start.ones_left = n_missing / 3;
    start.n = static_cast<std::uint32_t>(n_items) + n_missing, start.ones = ones + n_missing / 3;
    start.min_leaf = min_leaf;
    const tree::ScanResult expected = plain_scan(items, start);
    for (const CpuLevel level : available_cpu_levels()) {
        const auto scan = tree::scan_two_classes_for<Index>(level);
        const tree::ScanResult seen = scan(items.data(), items.size(), start);
        check::equal(seen.n_items, expected.n_items);
        if (expected.n_items == 0) {
            check::that(seen.score < 0, "no cut");
            continue;
        }
        check::equal(seen.score, expected.score);
        check::equal(seen.ones_left, expected.ones_left);
    }
}

const check::Test levels{"the scan gives the same cut on every processor level", [] {
    for (const std::size_t n_items : {1, 2, 5, 127, 128, 129, 1000, 16'383}) {
        for (const std::uint32_t n_missing : {0u, 7u}) {
            for (const std::uint32_t min_leaf : {1u, 3u, 600u}) {
                scan_on_all_levels<std::uint16_t>(n_items, n_missing, min_leaf);
                scan_on_all_levels<std::uint32_t>(n_items, n_missing, min_leaf);
            }
        }
    }
}};

// Counts of six classes (a to f) in four categories (alpha to delta; no row is in beta).
const std::vector<Integers> flip_flop_counts{{1, 0, 5, 0}, {2, 0, 0, 0}, {2, 0, 0, 1},
                                             {1, 0, 2, 1}, {0, 0, 1, 2}, {1, 0, 0, 1}};

const check::Test class_groups{"flip-flop: alpha tells most about the classes a, d, e", [] {
    Integers left, all;
    for (const Integers& of_class : flip_flop_counts) {
        left.push_back(of_class[0]);
        all.push_back(std::accumulate(of_class.begin(), of_class.end(), std::int64_t{0}));
    }
    const std::vector<bool> chosen = tree::best_class_group(left, all);
    check::that(chosen == std::vector<bool>{true, false, false, true, true, false}, "a, d, e");
}};

const check::Test flip_flop_table{"flip-flop and exact search find the best subset, gamma", [] {
    Bytes codes;
    Classes classes;
    for (std::uint32_t c = 0; c < 6; ++c) {
        for (std::uint8_t x = 0; x < 4; ++x) {
            for (std::int64_t i = 0; i < flip_flop_counts[c][x]; ++i) {
                codes.push_back(static_cast<std::uint8_t>(x + 1));
                classes.push_back(c);
            }
        }
    }
    for (const SubsetSearch search : {SubsetSearch::flip_flop, SubsetSearch::exact}) {
        GrowOptions options;
        options.criterion = TreeCriterion::entropy;
        options.subset_search = search;
        const ListedTest test = list({category(codes, 4)}, classes_of(classes, 6), options)[0];
        check::equal(test.branch_of_code[1], test.branch_of_code[4]);
        check::that(test.branch_of_code[1] != test.branch_of_code[3], "gamma on its own");
        check::equal(test.branch_of_code[2], -1);
        double entropy = 0;
        for (const double n : {6.0, 2.0, 3.0, 4.0, 3.0, 2.0}) {
            entropy -= n / 20 * std::log2(n / 20);
        }
        check::near(entropy - test.gain, 2.0328, 1e-4);
    }
}};

}  // namespace
