// The optimal tree of small functions, by counting bits and by adding weights; lists; time that is over.
#include <bit>
#include <cstdint>
#include <vector>

#include "branchline/optimal_tree.hpp"
#include "check.hpp"

namespace {

using namespace branchline;

// All rows of n inputs; test t of a row is its bit t.
struct Grid {
    std::vector<std::uint64_t> bits;
    std::vector<std::uint32_t> first_test;
    std::vector<std::uint8_t> is_exclusive;

    explicit Grid(std::uint32_t n) : is_exclusive(n, 0) {
        for (std::uint64_t row = 0; row < (std::uint64_t{1} << n); ++row) bits.push_back(row);
        for (std::uint32_t t = 0; t <= n; ++t) first_test.push_back(t);
    }
    OptimalTests view() const { return {bits, first_test, is_exclusive}; }
};

template <class Function>
std::vector<std::uint32_t> classes_of(const Grid& grid, Function function) {
    std::vector<std::uint32_t> classes;
    for (const std::uint64_t row : grid.bits) classes.push_back(function(row) ? 1 : 0);
    return classes;
}

OptimalResult solve(const Grid& grid, const OptimalTarget& target, const OptimalOptions& options) {
    StopSignal stop;
    return optimal_tree(grid.view(), target, options, stop);
}

bool parity(std::uint64_t row) { return std::popcount(row) % 2 == 1; }

const check::Test needs_three_levels{"optimal tree: parity of three inputs needs three levels", [] {
    const Grid grid(5);
    const auto classes = classes_of(grid, [](std::uint64_t row) { return parity(row & 7); });
    const std::vector<double> units(32, 3.0);
    for (const bool weighted : {false, true}) {
        OptimalTarget target;
        target.class_of_row = classes;
        target.n_classes = 2;
        if (weighted) target.units = units;
        OptimalOptions options;
        options.max_depth = 2;
        check::that(solve(grid, target, options).value == (weighted ? 48.0 : 16.0), "the result");
        options.max_depth = 4;
        const OptimalResult found = solve(grid, target, options);
        check::that(found.is_proved && found.value == 0 && found.bound == 0, "the result");
        check::that(found.tests[0] == 0 && found.tests[1] == 1 && found.tests[3] == 2 &&
                        found.tests[7] == -1,
                    "the result");
    }
}};

const check::Test price_is_too_high{"optimal tree: a price above what leaves save leaves one leaf",
                                    [] {
    const Grid grid(3);
    const auto classes = classes_of(grid, parity);
    OptimalTarget target;
    target.class_of_row = classes;
    target.n_classes = 2;
    OptimalOptions options;
    options.leaf_penalty = 1;
    const OptimalResult found = solve(grid, target, options);
    check::that(found.is_proved && found.value == 5 && found.tests[0] == -1, "the result");
}};

const check::Test list_takes_rows_off{"optimal list: rules take rows off one after the other", [] {
    const Grid grid(4);
    // if bit 1 then yes, else if not bit 3 then no, else bit 0
    const auto classes = classes_of(grid, [](std::uint64_t row) {
        if (row & 2) return true;
        if (!(row & 8)) return false;
        return (row & 1) == 1;
    });
    OptimalTarget target;
    target.class_of_row = classes;
    target.n_classes = 2;
    OptimalOptions options;
    options.shape = TreeShape::list_of_answers;
    const OptimalResult found = solve(grid, target, options);
    check::that(found.is_proved && found.value == 0, "the result");
    check::that(
        found.tests[0] >= 0 && found.tests[1] == -1 && found.tests[2] >= 0 && found.tests[6] >= 0,
        "the result");
    options.shape = TreeShape::list;
    check::that(solve(grid, target, options).value >= found.value, "the result");
}};

const check::Test numbers_are_split{"optimal tree: numbers are split at their means", [] {
    const Grid grid(2);
    const std::vector<double> sums{-3, -1, 1, 3}, squares{9, 1, 1, 9};
    OptimalTarget target;
    target.sums = sums;
    target.squares = squares;
    OptimalOptions options;
    options.max_depth = 1;
    const OptimalResult found = solve(grid, target, options);
    check::that(found.is_proved && found.tests[0] == 1 && found.value == 4, "the result");
}};

}  // namespace
