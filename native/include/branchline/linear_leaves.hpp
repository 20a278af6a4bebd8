// Leaves of boosted trees that are linear sums: fitting them, adding them to scores, explaining them.
//
// Glossary
//   term    a column of numbers in the sum of a leaf: slope · (z − center), z kept within [low, high]
//   z       a cell of the column, moved and scaled so that training values lie in −1..1; NaN: missing
//   path    the tests from the root to a leaf
//
// A leaf with the constant v predicts v + Σ_j slope_j (z_j − center_j); a missing z_j adds nothing.
// Its terms are the columns of numbers that its path tests, in the order of the path, at most
// `most_terms` of them. Let w be the weight of a row, g and h its gradient and hessian, G and H the sums
// of w g and w h over the n = Σ w rows that the tree was grown on and that end in the leaf.
//   center_j   mean of z_j by w h; low_j and high_j are the least and the largest z_j
//   d_j        z_j − center_j, 0 where missing. So Σ w h d_j = 0: the constant of least loss, and with
//              it v, is that of a leaf without terms.
//   C, b       Σ w h d dᵀ, Σ w g d; a column without spread is left out
//   s          −(C + λ diag(C) / H)⁻¹ b: a Newton step with a ridge penalty that is the same for
//              columns of any spread: as if λ rows of hessian 1 had shown no slope
// Slopes of columns that tell nothing gain about φ for each column all the same, where φ is the noise of
// a row: with Q = −bᵀs and k columns, φ = (n Σ w (g − h G/H)² / H − Q) / (n − 1 − k). So
//   slope = rate · s · max(0, 1 − k φ / Q)      (James and Stein 1961), 0 where n ≤ k + 1
// which leaves a leaf constant where its slopes are no more than chance. Sums are of fixed-point
// integers: neither the order of rows nor threads matter, and a row of weight k is k rows.
// Shi, Li and Li (2019), Gradient boosting with piece-wise linear regression trees.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "branchline/attributions.hpp"
#include "branchline/boosting.hpp"

namespace branchline {

// The numbers that leaves may use, one column after another; `place` has for each column of the booster
// which of them it is, or −1.
struct LinearColumns {
    std::span<const float> z;
    std::span<const std::int32_t> place;
};

// The terms of leaves, one leaf after another. Where they are fitted, `column` is one of LinearColumns.
struct LinearTerms {
    std::vector<std::uint8_t> n_terms;  // of each leaf
    std::vector<std::uint32_t> column;
    std::vector<float> slope, center, low, high;
};

// The same, borrowed; `first` has a number per leaf and one more: where its terms begin.
struct TermsView {
    std::span<const std::int64_t> first;
    std::span<const std::uint32_t> column;
    std::span<const float> slope, center, low, high;
};

struct LinearRule {
    static constexpr std::size_t most_terms = 16;

    double l2 = 0;    // λ
    double unit = 1;  // what a unit of weight weighs
    double rate = 1;
    int n_threads = 1;
};

// Trees as TreeBooster grows them, without what is not needed here.
struct GrownView {
    std::span<const std::int64_t> n_nodes;
    std::span<const std::uint8_t> kind;
    std::span<const std::uint32_t> feature;
    std::span<const double> sum_gradient, sum_hessian;
};

// Fits the leaves of one tree for each target, and writes their terms after those that are in `out`.
// Requires: trees grown for these targets, with `leaf_of_row` (tree after tree) as grow gives it.
// Throws std::overflow_error when a slope is beyond 32-bit numbers.
// Cost: rows × terms². Allocates 4 bytes per row and tree. Threads over leaves.
void fit_linear_leaves(const GrownView& trees, std::span<const BoostingTarget> targets,
                       std::span<const std::uint32_t> leaf_of_row, const LinearColumns& columns,
                       const LinearRule& rule, LinearTerms& out, StopSignal& stop);

// What rows get from the leaves that they are in: `value` is the constant of each leaf.
struct LinearLeaves {
    std::span<const double> value;
    TermsView terms;
    std::span<const float> z;  // n_rows for each column that terms use
    std::size_t n_rows = 0;    // the rows of a column
};

// scores[i] += what leaf first_leaf[t] + leaf_of_row[i] gives row i mod n_rows, for the i of tree t, of
// which all have equally many. Throws std::out_of_range for a leaf, term or column that is not there.
void add_linear_leaves(const LinearLeaves& leaves, std::span<const std::int64_t> n_leaves,
                       std::span<const std::uint32_t> leaf_of_row, std::span<double> scores,
                       int n_threads, StopSignal& stop);

// The same for whole models: leaf_of_row has n_trees leaves per row, numbered over all trees; tree t adds
// to output t mod n_outputs; scores are those of all rows for an output, then for the next.
void add_linear_trees(const LinearLeaves& leaves, std::span<const std::int32_t> leaf_of_row,
                      std::size_t n_outputs, std::span<double> scores, int n_threads,
                      StopSignal& stop);

// How cells of each column become z = (x − middle) / half; half 0: a column without terms.
struct TermScales {
    std::span<const double> middle, half;
};

// Adds to attributions (as `attribute` writes them) the exact Shapley values of the terms. Where the
// column of a term is not known, the term is left out; other columns are as in attributions.hpp. With the
// notation there, a term of value c = slope · (z − center) of column j in a leaf adds
//   to j        c o_j ∫ Π_{k ≠ j} f_k(t) dt
//   to i ≠ j    c o_j (o_i − z_i) ∫ t Π_{k ≠ i, j} f_k(t) dt
// and nothing to the expectation. Columns of terms are those of the table. Throws as `attribute` does,
// and for terms that are not there. Cost: leaves × columns on a path × ⌈that / 2⌉ per row. Threads over rows.
void attribute_terms(const AttributedTrees& model, const TermsView& terms, const TermScales& scales,
                     std::span<const ColumnView> columns, std::span<double> of_row, int n_threads,
                     StopSignal& stop);

}  // namespace branchline
