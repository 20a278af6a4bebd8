// Growing one tree whose tests are made node by node: sums of columns, nearest centers, look-ahead.
//
// A node first asks a *maker* which columns it may test beside those of the table. These columns exist
// for this node alone and are coded like all others, so that grow_tree.hpp chooses among them by its own
// rules (limits, criterion, missing values, chance); of equal tests one of the table's columns wins.
//
// Glossary
//   number      a numeric column: values, and a middle and a range that do not depend on weights.
//   projection  x_0 + c_1 x_1 + …: at most n_columns numbers, c_i rounded to three digits. It is
//               missing when one of its numbers is.
//   centers     the means of the two heaviest classes in a node (numbers: of the rows at most and above
//               the mean of the first output); a row belongs to the nearer one, by squared distance over
//               variance. Numbers that are missing take no part; a row without any number is missing.
//   look-ahead  tests of single columns, but a node takes the first test of the best tree of depth k.
//
// How a projection is found
//   1. Numbers are rounded to 16 bits (4096 steps a range), so that all sums are exact integers.
//   2. For each response (indicators of the heaviest classes; outputs) the least-squares fits of all
//      pairs of the columns that correlate most, widened one column at a time; and some pairs at random.
//   3. Each direction is scored on a histogram of 64 bins, and the best ones are turned step by step.
//   4. The two best are computed in full precision and offered to the grower.
// Nodes of more than 4096 rows are searched on a sample of that size, drawn by the rows' keys.
//
// Look-ahead k tries C tests in a node (at most 31 thresholds a column, at most 32 categories against
// the rest, or all of them in a multiway test), and in each branch again, k levels deep:
// cost rows × columns × C^(k − 1) per node. The test that grow_tree would take is among them, and wins
// ties; a test that gains nothing alone is taken when the tree below it gains.
//
// The result depends neither on the order of rows nor on threads; a row of weight k is k rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "branchline/grow_tree.hpp"

namespace branchline {

enum class NodeTestKind : int { projection = 0, centers = 1, lookahead = 2 };

struct NumberColumn {
    std::span<const double> values;  // NaN: missing
    std::uint32_t column = 0;        // its place in the table
    double middle = 0, range = 1;    // range > 0
};

struct NodeTestOptions {
    NodeTestKind kind = NodeTestKind::projection;
    std::size_t n_columns = 2;  // most columns of a projection, 2 to 8
    std::size_t n_random = 16;  // random directions in each node
    int lookahead = 1;          // 1: none
    std::uint64_t seed = 0;
};

struct NodeTestInput {
    std::span<const GrowColumn> columns;
    std::span<const NumberColumn> numbers;
    std::span<const std::uint64_t> keys;  // of all rows of the table
    GrowTarget target;
};

// A column that a node made. `first` are the coefficients of a projection, or the center of group_a;
// `second` and `scale` are the center of group_b and the variances.
struct MadeColumn {
    std::vector<std::uint32_t> columns;
    std::vector<double> first, second, scale;
    std::uint32_t group_a = 0, group_b = 0;
};

// `feature` of a made test is the number of columns plus its place in `made`; its threshold stands in
// `threshold`, which is 0 for all other nodes. Tests of centers have two categories, a and b.
struct TreeOfNodes {
    GrownTree tree;
    std::vector<double> threshold;
    std::vector<MadeColumn> made;
};

// Requires: what grow_tree requires; policies other than fractional; no max_leaves.
// Cost of projections: about rows × (columns² / 2 + 80) per level of at most 20 columns that are
// looked at in pairs. Allocates 2 bytes per number and row, 4 per row. Threads as grow_tree does.
TreeOfNodes grow_by_nodes(const NodeTestInput& input, std::span<const RowIndex> rows,
                          const GrowOptions& options, const NodeTestOptions& tests,
                          StopSignal& stop);

}  // namespace branchline
