// What a tree loses on rows that did not grow it: at every node, and along a sequence of prunings.
//
// Rows go down the tree in codes (those the tree was grown on). A row passes through the nodes of its
// path, from the root to its end: a leaf, or an inner node that has no branch for it (it *stays*).
//   loss(row, node)   what the row loses when the node decides:
//     classes         cost[true class · n_classes + decision[node]]
//     numbers         Σ over outputs of (target − mean[node])²
//   passing(node)     Σ weight · loss(row, node) over the rows that pass through the node
//   stayed(node)      the same over the rows that stay in an inner node
// A subtree's loss is therefore stayed + Σ over its children: `cost_as_leaf` and `extra_cost` of
// prune_tree.hpp are `passing` and `stayed`.
//
// T(β) predicts a row at the first node of its path whose critical β is at most β, else at its end.
// A node's rows thus count for one range of β: from its own critical value (rows that end there: from
// −∞) up to the lowest of its ancestors. So sums are kept per node, and a node's sum is added to a
// range of the grid by halves, quarters, …: nothing is subtracted, nothing cancels.
//
// All sums carry their rounding errors along and are taken in the order of `rows`.
// Cost: rows × depth, and nodes × log(grid). One thread. Allocates per node; draws nothing.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "branchline/coded_tree.hpp"
#include "branchline/codes.hpp"
#include "branchline/stop_signal.hpp"
#include "branchline/types.hpp"

namespace branchline {

// `rows` are indices into the columns and the targets, in the order of summing; a weight each.
struct HeldOutRows {
    std::span<const CodeColumn> columns;
    std::size_t n_rows = 0;  // in each column
    std::span<const RowIndex> rows;
    std::span<const double> weight;
};

struct ClassLoss {
    std::span<const std::uint32_t> class_of_row;
    std::span<const std::int64_t> decision;  // one class a node
    std::span<const double> cost;            // n_classes × n_classes: true class, then decision
    std::size_t n_classes = 0;
};

// squared: (y − v)²; absolute: |y − v|; poisson: y log(y / v) − y + v, half the deviance (v > 0).
enum class NumberMeasure : int { squared = 0, absolute = 1, poisson = 2 };

struct NumberLoss {
    std::span<const double> target;  // n_outputs a row
    std::span<const double> value;   // n_outputs a node
    std::size_t n_outputs = 0;
    NumberMeasure measure = NumberMeasure::squared;
};

using HeldOutLoss = std::variant<ClassLoss, NumberLoss>;

struct NodeLosses {
    std::vector<double> passing, stayed;
};

// Throws std::invalid_argument when sizes do not fit, or rows, classes or columns are out of range.
NodeLosses node_losses(const CodedTree& tree, const HeldOutRows& held_out, const HeldOutLoss& loss,
                       StopSignal& stop);

struct PathLosses {
    std::vector<double> sum;             // Σ weight · loss under T(β), for each β of the grid
    std::vector<double> sum_of_squares;  // Σ weight · loss²
    std::vector<double> sum_of_squared_changes;  // Σ weight · (loss − loss at the root)²
};

// Requires: critical_beta one per node (of leaves it is not read), betas ascending. Throws as above.
PathLosses losses_along_path(const CodedTree& tree, const HeldOutRows& held_out,
                             const HeldOutLoss& loss, std::span<const double> critical_beta,
                             std::span<const double> betas, StopSignal& stop);

}  // namespace branchline
