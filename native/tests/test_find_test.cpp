#include <cmath>
#include <numeric>
#include <stdexcept>

#include "branchline/find_test.hpp"
#include "check.hpp"
#include "test_data.hpp"

namespace {

using namespace test_data;
using Bytes = std::vector<std::uint8_t>;
using Classes = std::vector<std::uint32_t>;
using Integers = std::vector<std::int64_t>;
using Branches = std::vector<std::int32_t>;

FoundTest find(const std::vector<SearchColumn>& columns, const SearchTarget& target,
               const SearchOptions& options) {
    StopSignal stop;
    const std::size_t n_rows = std::max(target.class_of_row.size(), target.sum_of_row.size());
    return find_test(columns, n_rows, target, options, stop);
}

// Mitchell's days of tennis: outlook (sunny, overcast, rain), temperature (hot, mild, cool),
// humidity (high, normal), wind (weak, strong); class 1 is a day on which one plays.
struct Tennis {
    Bytes outlook{1, 1, 2, 3, 3, 3, 2, 1, 1, 3, 1, 2, 2, 3};
    Bytes temperature{1, 1, 1, 2, 3, 3, 3, 2, 3, 2, 2, 2, 1, 2};
    Bytes humidity{1, 1, 1, 1, 2, 2, 2, 1, 2, 2, 2, 1, 2, 1};
    Bytes wind{1, 2, 1, 1, 1, 2, 2, 1, 1, 1, 2, 2, 1, 2};
    Classes plays{0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0};

    std::vector<SearchColumn> columns() const {
        return {{codes_of(wind), 2, true},
                {codes_of(humidity), 2, true},
                {codes_of(temperature), 3, true},
                {codes_of(outlook), 3, true}};
    }
    SearchTarget target() const { return {plays, {}, {}, 2}; }
};

const check::Test tennis_entropy{"tennis: outlook has the highest information gain, 0.2467 bits",
                                 [] {
    const Tennis tennis;
    const FoundTest found = find(tennis.columns(), tennis.target(), {Criterion::entropy, true});
    check::equal(found.column, 3);
    check::equal(found.n_branches, 3);
    check::equal(found.branch_of_code, Branches{-1, 0, 1, 2});
    check::equal(found.missing_branch, -1);
    check::near(found.gain, 0.24674981977443912, 1e-14);
}};

const check::Test tennis_columns{"tennis: the gains of each column are those of the textbook", [] {
    const Tennis tennis;
    const std::vector<double> gains{0.04812703, 0.15183550, 0.02922257, 0.24674982};
    for (std::size_t c = 0; c < 4; ++c) {
        const FoundTest found =
            find({tennis.columns()[c]}, tennis.target(), {Criterion::entropy, true});
        check::near(found.gain, gains[c], 1e-8);
    }
}};

const check::Test tennis_gini{"tennis: the best subset by Gini is overcast against the others", [] {
    const Tennis tennis;
    const FoundTest found = find(tennis.columns(), tennis.target(), {});
    check::equal(found.column, 3);
    check::equal(found.n_branches, 2);
    check::equal(found.branch_of_code, Branches{-1, 1, 0, 1});
    check::equal(found.missing_branch, 1);  // none is missing: where most rows go
    check::near(found.gain, 90.0 / 196 - 5.0 / 14, 1e-14);
}};

const check::Test tennis_errors{"tennis: outlook saves one error of five", [] {
    const Tennis tennis;
    const FoundTest found =
        find(tennis.columns(), tennis.target(), {Criterion::misclassification, true});
    check::near(found.gain, 1.0 / 14, 1e-14);
    check::equal(found.column, 1);  // humidity saves one as well, with fewer branches
}};

const check::Test light_branches{"multiway: categories below the minimum share the last branch",
                                 [] {
    const Bytes codes{1, 1, 1, 2, 3, 3, 3, 4, 0};
    const Classes classes{0, 0, 0, 1, 1, 1, 0, 1, 1};
    const FoundTest found =
        find({{codes_of(codes), 5, true}}, {classes, {}, {}, 2}, {Criterion::gini, true, 2});
    check::equal(found.n_branches, 3);
    check::equal(found.branch_of_code, Branches{2, 0, 2, 1, 2, -1});
    check::equal(found.missing_branch, 2);
}};

const check::Test missing_sides{"missing values go to the side that makes the test better", [] {
    const Bytes codes{1, 1, 2, 2, 0, 0};
    const std::vector<SearchColumn> columns{{codes_of(codes), 2, false}};
    const auto with = [&](const Classes& classes) {
        return find(columns, {classes, {}, {}, 2}, {});
    };
    check::equal(with({0, 0, 1, 1, 0, 0}).missing_branch, 0);
    check::equal(with({0, 0, 1, 1, 1, 1}).missing_branch, 1);
    const FoundTest present = with({0, 0, 0, 0, 1, 1});  // only being missing tells
    check::equal(present.left_code, Code{2});
    check::equal(present.right_code, missing_code);
    check::equal(present.missing_branch, 1);
    check::near(present.gain, 4.0 / 9, 1e-14);
}};

const check::Test regression{"regression: the decrease of variance is found, shifts do not matter",
                             [] {
    const Bytes codes{1, 2, 3, 4};
    for (const std::int64_t shift : {std::int64_t{0}, std::int64_t{1} << 50}) {
        const Integers sums{shift + 0, shift + 2, shift + 10, shift + 12};
        const FoundTest found =
            find({{codes_of(codes), 4, false}}, {{}, sums, {}, 0}, {Criterion::variance});
        check::equal(found.left_code, Code{2});
        check::equal(found.right_code, Code{3});
        check::near(found.gain, 25, 1e-9);
    }
}};

const check::Test rounding_is_no_gain{"regression: equal means are no gain, however large they are",
                                      [] {
    const Bytes codes{1, 1, 1, 2, 2, 2, 2, 2, 2, 2};
    const std::int64_t big = 0x1234'5678'9ABC'DEF;
    const Integers sums(10, big);
    const FoundTest found =
        find({{codes_of(codes), 2, false}}, {{}, sums, {}, 0}, {Criterion::variance});
    check::equal(found.gain, 0.0);
}};

const check::Test ties{"equal tests: the first cut, the fewest branches, the first column", [] {
    const Bytes mirrored{1, 2, 3, 4}, two{1, 1, 2, 2}, four{1, 2, 3, 4};
    const Classes ends{0, 1, 1, 0}, halves{0, 0, 1, 1};
    const FoundTest cut = find({{codes_of(mirrored), 4, false}}, {ends, {}, {}, 2}, {});
    check::equal(cut.left_code, Code{1});  // as good as after 3
    const std::vector<SearchColumn> columns{
        {codes_of(four), 4, true}, {codes_of(two), 2, true}, {codes_of(two), 2, true}};
    check::equal(find(columns, {halves, {}, {}, 2}, {Criterion::entropy, true}).column, 1);
}};

const check::Test minimum{"no test is found when every branch would be too light", [] {
    const Bytes codes{1, 1, 1, 2}, constant{1, 1, 1, 1};
    const Classes classes{0, 0, 0, 1};
    SearchOptions options;
    options.min_branch_units = 2;
    check::equal(find({{codes_of(codes), 2, false}}, {classes, {}, {}, 2}, options).column, -1);
    check::equal(find({{codes_of(constant), 1, true}}, {classes, {}, {}, 2}, {}).column, -1);
    const Integers units{1, 1, 1, 2};
    check::equal(find({{codes_of(codes), 2, false}}, {classes, {}, units, 2}, options).column, 0);
}};

const check::Test threads_and_widths{"tests do not depend on threads or on the width of codes", [] {
    const std::size_t n_rows = 500, n_columns = 30;
    std::mt19937_64 random(3);
    std::vector<Bytes> narrow(n_columns, Bytes(n_rows));
    std::vector<std::vector<std::uint16_t>> middle(n_columns);
    std::vector<std::vector<std::uint32_t>> wide(n_columns);
    Classes classes(n_rows);
    for (auto& each : classes) each = static_cast<std::uint32_t>(random() % 4);
    std::array<std::vector<SearchColumn>, 3> columns;
    for (std::size_t c = 0; c < n_columns; ++c) {
        for (auto& each : narrow[c]) each = static_cast<std::uint8_t>(random() % 21);
        middle[c].assign(narrow[c].begin(), narrow[c].end());
        wide[c].assign(narrow[c].begin(), narrow[c].end());
        columns[0].push_back({codes_of(narrow[c]), 20, c % 2 == 0});
        columns[1].push_back({codes_of(middle[c]), 20, c % 2 == 0});
        columns[2].push_back({codes_of(wide[c]), 20, c % 2 == 0});
    }
    const FoundTest alone = find(columns[0], {classes, {}, {}, 4}, {});
    for (const int n_threads : thread_counts) {
        for (const auto& each : columns) {
            const FoundTest found =
                find(each, {classes, {}, {}, 4}, {Criterion::gini, false, 1, n_threads});
            check::equal(found.column, alone.column);
            check::equal(found.branch_of_code, alone.branch_of_code);
            check::equal(found.gain, alone.gain);
        }
    }
}};

const check::Test many_codes{"a scan that improves at every step takes no more than linear time",
                             [] {
    const std::size_t n = 300'000;  // copying the order at each step would take minutes
    std::vector<std::uint32_t> codes(n);
    std::iota(codes.begin(), codes.end(), 1u);
    Classes classes(n, 0);
    std::fill(classes.begin() + n / 2, classes.end(), 1u);
    const FoundTest found = find({{codes_of(codes), n, false}}, {classes, {}, {}, 2}, {});
    check::equal(found.left_code, static_cast<Code>(n / 2));
    check::near(found.gain, 0.5, 1e-12);
}};

const check::Test refusals{"codes, classes and criteria that do not fit are refused", [] {
    const Bytes codes{1, 3};
    const Classes classes{0, 1};
    const Integers sums{0, 1};
    const auto refused = [](const SearchColumn& column, const SearchTarget& target,
                            SearchOptions options) {
        check::throws<std::invalid_argument>([&] { find({column}, target, options); });
    };
    refused({codes_of(codes), 2, false}, {classes, {}, {}, 2}, {});
    refused({codes_of(codes), 3, false}, {classes, {}, {}, 1}, {});
    refused({codes_of(codes), 3, false}, {classes, {}, {}, 2}, {Criterion::variance});
    refused({codes_of(codes), 3, false}, {{}, sums, {}, 0}, {Criterion::gini});
    refused({codes_of(codes), 3, false}, {classes, {}, {}, 2}, {static_cast<Criterion>(9)});
    refused({codes_of(codes), 3, false}, {classes, {}, {}, 2}, {Criterion::gini, false, 1, 0});
}};

}  // namespace
