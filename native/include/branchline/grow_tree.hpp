// Growing one tree on coded columns: find the best test of a node, send its rows down, go on.
//
// Glossary
//   entry     what one row (or one code and class) of a column adds to a node; sorted by code.
//   content   what a node holds, integers: units of each class; or units, then the sum of each output.
//   badness   weight times impurity; a test is good when the badness of its branches is low.
//   gain      decrease of badness per unit of weight.
//   score     what tests are compared by: the gain or the gain ratio, less what chance alone would
//             give (correct_for_chance), per cost of the column.
//
// A node becomes a leaf when it is pure, when no column varies in it, when a limit of GrowOptions
// says so, or when no gain is above `min_gain` (with split_on_zero_gain: when no column varies).
// A column of more than 2048 categories is tested only in nodes that have a row for every 64 of them:
// a test lists them all, so that memory would grow as the square of the rows.
// Equal scores (to 1e−12 of the node's impurity): fewest branches, then the first column. Within a
// column: the first cut; missing values right before left.
// The tree does not depend on the order of rows or on threads: counts are integers, columns are
// compared in order, and whether to sort or to count is decided by sizes.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "branchline/codes.hpp"
#include "branchline/stop_signal.hpp"

namespace branchline {

// Numbers: variance; the sum of distances to the median (absolute_error); or half the Poisson deviance,
// Σ y log(y / mean), for which a branch must hold a target above 0.
enum class TreeCriterion : int {
    gini = 0,
    entropy = 1,
    misclassification = 2,
    variance = 3,
    absolute_error = 4,
    poisson = 5,
};

inline bool is_of_numbers(TreeCriterion criterion) {
    return static_cast<int>(criterion) >= static_cast<int>(TreeCriterion::variance);
}

enum class MissingPolicy : int {
    learned = 0,     // the side that makes the test better; "present or missing" is a test too
    own_branch = 1,  // a branch of their own
    mode = 2,        // as the most common value of the node, or as `fill_code` when it is given
    fractional = 3,  // every branch, weighted by the branches' weights (C4.5)
};

enum class SubsetSearch : int {
    automatic = 0,  // ordered by mean response when that is optimal; else exact, else the next two
    one_vs_rest = 1,  // one order for each class
    flip_flop = 2,    // flip-flop from each order of one_vs_rest
    greedy = 3,       // the left side grows by one category at a time
    exact = 4,        // every subset
};

struct GrowColumn {
    CodeColumn codes;
    std::size_t n_codes = 0;
    bool is_category = false;
    double cost = 1;     // the score is divided by it
    Code fill_code = 0;  // policy mode: the value that stands for missing; 0: the node's own mode
    // Categories: subsets given by the user, one bit per code (code 1 first), `n_codes` bytes each.
    // When there are some, only these are tried.
    std::span<const std::uint8_t> given_subsets;
    bool is_multiway =
        false;  // categories: a branch for each, also where others are tested by subsets
    // Numbers, for many trees on the same few rows: see order_rows.
    std::span<const std::uint16_t> order;
};

// All rows in order of code, missing values first, each as 2 · row + (1 if it is the last of its
// code). Tables of few rows are sorted once so: a root that holds every row is then not counted.
// Empty for categories, and where counting costs no more: n_rows above 2 n_codes, or above 2^15.
std::vector<std::uint16_t> order_rows(const GrowColumn& column, std::size_t n_rows);

// Classification: class_of_row and n_classes >= 1. Regression: n_outputs fixed-point sums per row
// (value times units), row after row. `units` is empty when every row counts once.
struct GrowTarget {
    std::span<const std::uint32_t> class_of_row;
    std::span<const std::int64_t> sums_of_row;
    std::span<const std::int64_t> units;
    std::span<const double> class_factor;  // factor of each class in impurities; empty: 1
    std::size_t n_classes = 0;
    std::size_t n_outputs = 0;
    // Policy fractional: units of one copy of a row, so that k copies are shared like one row of
    // weight k; 0: a row is one copy.
    std::int64_t part_units = 0;
    // absolute_error, poisson: the fixed-point value of each row, n_outputs each, without weights.
    std::span<const std::int64_t> values_of_row;
    // absolute_error, made by grow_tree: the rank of each row's value among all; whether thresholds may
    // be scanned by deleting rows (median_scan.hpp).
    std::span<const std::uint32_t> rank_of_row;
    bool may_scan_medians = false;

    std::int64_t copies(RowIndex row) const {
        return part_units > 0 && !units.empty() ? units[row] / part_units : 1;
    }
    bool is_classification() const { return n_classes > 0; }
    // Integers that describe a node: class weights, or the weight and the sums.
    std::size_t width() const { return is_classification() ? n_classes : 1 + n_outputs; }
};

struct GrowOptions {
    TreeCriterion criterion = TreeCriterion::gini;
    MissingPolicy missing = MissingPolicy::learned;
    SubsetSearch subset_search = SubsetSearch::automatic;
    bool gain_ratio = false;  // gain / split information, among tests of at least average gain
    bool multiway = false;
    bool share_rare_branches = false;  // multiway: categories below min_leaf_units share a branch
    bool cautious_thresholds = false;  // C4.5, release 8: log2(cuts)/N off the gain of a threshold,
                                       // and a tenth of the rows a class (at most 25) on each side
    bool correct_for_chance = false;   // what a test of many values gains by chance off its score
    bool sets_singles_aside = false;  // subsets: many categories of one row go with missing values,
                                      // also without correct_for_chance
    bool description_length = false;  // a test must save more bits than describing it takes
    bool split_on_zero_gain = false;
    int max_depth = std::numeric_limits<int>::max();
    std::int64_t max_leaves = std::numeric_limits<std::int64_t>::max();  // best-first when given
    std::int64_t min_split_units = 2;
    std::int64_t min_leaf_units = 1;  // binary: each branch; multiway: two branches at least
    double min_impurity = 0;          // a node whose impurity is not above it becomes a leaf
    double min_gain = 0;
    double significance = 1;         // χ² test of test and class at this level; 1: no test
    double unit = 1;                 // what a unit of weight weighs
    std::size_t exact_subsets = 10;  // several classes: all subsets up to this many categories
    bool keeps_leaves = false;       // also return where each row ends
    bool packs_contents = false;     // of more than 64 integers a node, return those that are not 0
    int n_threads = 1;
};

// A tree in codes. Siblings stand together; levels follow one another.
struct GrownTree {
    std::vector<std::uint8_t> kind;  // NodeKind of tree_walker.hpp
    std::vector<std::int32_t> feature, first_child, n_children, missing_branch;
    std::vector<Code> left_code,
        right_code;  // threshold: the neighbors that go apart; right_code 0:
                     // only missing values go right
    std::vector<std::int64_t> pool_offset;
    std::vector<std::int32_t> pool;     // categories: the branch of each code from 1; −1: none
    std::vector<std::int64_t> content;  // width integers a node; see packs_contents
    // packs_contents: the places of the integers of `content`, and where those of each node end.
    std::vector<std::uint32_t> place_of_content;
    std::vector<std::size_t> content_ends;
    std::vector<double> spread;  // regression: Σ (sum − mean)² of each output, n_outputs a node
    // absolute_error: twice the median of each output in units of values_of_row; else empty.
    std::vector<std::int64_t> twice_median;
    // absolute_error: Σ units · |value − median| of each output; poisson: Σ units · value · log value
    // less S log(S / weight), S being the sum; else empty.
    std::vector<double> loss;
    // keeps_leaves: the node that each of the grown rows ends in, in their order; a row that is
    // shared among branches stays in the node that shares it. Else empty.
    std::vector<std::int32_t> leaf_of_row;

    std::size_t n_nodes() const { return kind.size(); }
};

// Grows on the rows listed in `rows` (each once, ascending).
// Requires: at least one row; codes at most n_codes; classes below n_classes; units >= 1 in `rows`.
// Requires for absolute_error and poisson: values_of_row; for poisson none below 0.
// Cost: rows × columns × depth, times a logarithm in small nodes, and for absolute_error with very
// different weights, with shared rows, and for categories (median_sides.hpp). Allocates 8 bytes per cell; threads
// over columns in large nodes and over subtrees in small ones.
GrownTree grow_tree(std::span<const GrowColumn> columns, std::span<const RowIndex> rows,
                    const GrowTarget& target, const GrowOptions& options, StopSignal& stop);

// A column's best test of one node: a line of the table that explains a choice.
struct ListedTest {
    int column = -1;
    bool is_threshold = false;
    int n_branches = 0;
    int missing_branch = -1;
    Code left_code = 0, right_code = 0;
    std::vector<std::int32_t> branch_of_code;  // categories; entry 0 is unused
    double gain = 0, split_information = 0, score = 0;
    double p_value = 1;  // of χ²; 1 for numbers
    bool is_chosen = false;
};

// The best test of each column in the node that holds `rows`, in the order of columns; columns that
// offer none are left out.
std::vector<ListedTest> list_tests(std::span<const GrowColumn> columns,
                                   std::span<const RowIndex> rows, const GrowTarget& target,
                                   const GrowOptions& options, StopSignal& stop);

}  // namespace branchline
