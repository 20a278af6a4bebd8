// The tree of least cost among all trees of a given depth, or the list of rules, with a proof.
//
//   minimize  Σ_leaves cost(rows of the leaf)  +  leaf_penalty · W · (number of leaves)
//
// W is the total weight. The cost of a leaf is the weight that its best class misclassifies, the cost of
// its best class under a matrix of costs, or the sum of squared deviations from its mean (Q − S²/w).
//
// Method (Demirović et al. 2022, van der Linden et al. 2023; bounds also of Lin et al. 2020):
// 1. A node is the set of its rows, as bits. Its two last levels are solved at once: the statistics of
//    all pairs of tests give the best test below both branches of every test.
// 2. Above, each test is tried; a branch is not searched when lower bounds show that it cannot win:
//    - what rows with equal answers to all tests cost in any tree, and one price for each leaf;
//    - similar nodes: optimum(D) >= optimum(D') − (what rows of D' that are not in D can cost at most);
//    - what is known of the same rows from another path (kept by a 128-bit hash of the bits).
// 3. Depths 1, 2, … are solved in turn: the last solution is where the next begins.
//
// A list of rules is a tree in which one branch of each test is a leaf: the rows of its rule. Its bounds are
// those of trees (and of CORELS, Angelino et al. 2018: a rule must save more than its price).
//
// Values are integers (errors times a power of two, plus leaves), so equal trees have equal values: fewest
// leaves, then the lowest test number at the root, then in its branches. The result depends neither on
// the order of rows nor on time, unless time runs out: then `bound` is what no tree can be below.
//
// Requires: bits of row r in bits[r · n_words …], n_words = ⌈n_tests / 64⌉; families are runs of tests,
// either nested (each test holds where the one before holds) or exclusive (at most one holds).
// Cost: a pair solution takes tests² · rows / 64 words for classes without weights, else
// columns² · rows + tests²; a depth d needs at most (2 · tests)^(d − 2) of them. One thread, no draws.
//
// Words: *test* a yes-no question; *family* the tests of one column; *pair solution* the best tree of
// depth 2; *node* a set of rows; *value* the objective as an integer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "branchline/stop_signal.hpp"

namespace branchline {

struct OptimalTests {
    std::span<const std::uint64_t> bits;         // row by row
    std::span<const std::uint32_t> first_test;   // of each family, and the number of tests
    std::span<const std::uint8_t> is_exclusive;  // of each family; else nested

    std::size_t n_families() const { return is_exclusive.size(); }
    std::size_t n_tests() const { return first_test.back(); }
    std::size_t n_words() const { return (n_tests() + 63) / 64; }
};

// Either classes, or numbers: weight, sum and sum of squares of each row, whole numbers whose sums stay
// below 2^53; costs are on the scale of `squares`, so cost = squares − sums² / units · square_scale.
struct OptimalTarget {
    std::span<const std::uint32_t> class_of_row;
    std::span<const double> units;    // weight of each row, whole numbers; empty: 1
    std::span<const double> sums;     // numbers only
    std::span<const double> squares;  // numbers only
    std::span<const double> costs;    // classes only: n_classes², rows are the truth; empty: 1
    std::size_t n_classes = 0;
    double square_scale = 1;

    bool is_classification() const { return n_classes > 0; }
};

// A *list* takes rows off where a test holds, and goes on with the others; a *list of answers* takes rows
// off where it holds (number 2 · test) or where it fails (2 · test + 1).
enum class TreeShape : std::uint8_t { any, list, list_of_answers };

struct OptimalOptions {
    int max_depth = 3;        // at most 6
    double leaf_penalty = 0;  // in units of the cost, already multiplied by the total weight
    double min_leaf_units = 0;
    double time_limit = 60;  // seconds
    TreeShape shape = TreeShape::any;
};

struct OptimalResult {
    // As a heap: the branches of place k are 2k + 1 (the test holds) and 2k + 2; −1 is a leaf. In a list,
    // 2k + 1 is the leaf of the rule and 2k + 2 what follows.
    std::vector<std::int32_t> tests;
    double value = 0;          // in units of the cost
    double bound = 0;          // no tree has less
    bool is_proved = false;    // no tree has a smaller value
    std::int64_t n_nodes = 0;  // how many pair solutions were computed
};

// Returns the optimal tree, or the best that was found within the time limit.
OptimalResult optimal_tree(const OptimalTests& tests, const OptimalTarget& target,
                           const OptimalOptions& options, StopSignal& stop);

}  // namespace branchline
