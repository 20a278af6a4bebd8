// The best test of one node: the column, and the branch of each of its codes.
//
// 1. count: one histogram a column, a cell for each code (threads over columns);
// 2. search: a *threshold* (codes up to some code go left), a *subset* (categories ordered by mean
//    response, cut once; with several classes the best over one order per class), or *multiway* (a
//    branch per category; those with less than the minimum weight share a last branch);
// 3. missing values (code 0): both sides are tried, as is "present or missing"; multiway gives them
//    a branch of their own. With none in the node they follow the heavier branch.
// Equal gains: within a column the first cut, missing values right before left; between columns
// fewest branches, then the first column. Equal means to 1e−12 for classes, and relative to that for
// variance: what is less is rounding, and a gain of rounding alone is 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "branchline/codes.hpp"
#include "branchline/stop_signal.hpp"

namespace branchline {

enum class Criterion : int { gini = 0, entropy = 1, misclassification = 2, variance = 3 };

// A column of codes as the search sees it.
struct SearchColumn {
    CodeColumn codes;
    std::size_t n_codes = 0;
    bool is_category = false;
};

// Classification: the class of each row and n_classes >= 1. Regression: the fixed-point target
// times the units (sum). `units` is empty when every row counts once.
struct SearchTarget {
    std::span<const std::uint32_t> class_of_row;
    std::span<const std::int64_t> sum_of_row;
    std::span<const std::int64_t> units;
    std::size_t n_classes = 0;
};

struct SearchOptions {
    Criterion criterion = Criterion::gini;
    bool multiway = false;
    std::int64_t min_branch_units = 1;
    int n_threads = 1;
};

struct FoundTest {
    int column = -1;  // −1: no test improves the criterion
    bool is_threshold = false;
    Code left_code = 0;   // threshold: the last code present in the node that goes left, …
    Code right_code = 0;  // … and the first that goes right; 0 when only missing values do
    int n_branches = 0;
    int missing_branch = -1;  // −1: the row stays in the node
    double gain = 0;          // decrease of badness per unit of weight; 0 when there is none
    std::vector<std::int32_t> branch_of_code;  // by code; −1: not present in the node
};

// Requires: at least one row; all spans as long as the codes. Throws std::invalid_argument for a
// code above n_codes, a class that is not below n_classes, or a criterion that does not fit the target.
// Allocates; threads over columns.
FoundTest find_test(std::span<const SearchColumn> columns, std::size_t n_rows,
                    const SearchTarget& target, const SearchOptions& options, StopSignal& stop);

}  // namespace branchline
