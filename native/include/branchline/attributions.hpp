// What each column adds to the prediction of a row: exact Shapley values of a sum of trees, with
// the expectation that follows the paths of a tree (Lundberg, Erion and Lee 2018).
//
// The game of one tree: f(S) is what a row is worth when only the columns of S are known. A test of
// a known column sends the row one way; a test of another shares it among both branches by cover
// (a node of no cover: half each). A leaf with d columns on its path then adds to f(S)
//   value · Π_{k ∈ S} o_k · Π_{k ∉ S} z_k
//   o_k   1 where the row agrees with all tests of column k on the path, else 0
//   z_k   the product of the shares of cover at the branches that test column k
// and to the Shapley value of column j, because s! (d−1−s)! / d! = ∫ tˢ (1−t)^(d−1−s) dt over 0..1,
//   value · (o_j − z_j) · ∫ Π_{k ≠ j} f_k(t) dt      f_k(t) = t o_k + (1−t) z_k.
// The integrand is a polynomial below degree d: ⌈d/2⌉ points of Gauss and Legendre make it exact.
// All factors and weights are at least 0, so nothing cancels in deep trees either.
//
// One walk down and up a tree serves all of its leaves, for several rows at once:
//   down   a branch makes the product of its column's old factor the product of its new one
//   up     the values below it, times their products, are weighted by (o_j − z_j) / f_j(t); what
//          the branch above that tests the same column is going to count is taken off
//
// Cost: O(branches · ⌈d/2⌉) per row and tree, where d is the maximum number of columns on a path; and
// a table of as many numbers per tree, made once per call for some trees at a time.
// Rows are added up each by itself, in tree order: same bits for any number of threads.
#pragma once

#include <cstdint>
#include <span>

#include "branchline/forest_walker.hpp"
#include "branchline/stop_signal.hpp"
#include "branchline/types.hpp"

namespace branchline {

struct AttributedTrees {
    ForestView trees;
    std::span<const double> leaf_cover;  // one number per leaf, in node order
    // With width 1, tree t adds to output t % n_outputs; else all trees add to all outputs, of
    // which there are `width`.
    std::size_t n_outputs = 1;
};

// Writes n_outputs × (columns + 1) numbers per row: the shares of the columns and, last, the
// expectation. Together they are the sum of the row's leaf values. A column without a test has 0.
// Throws std::invalid_argument unless the arrays describe trees, covers are finite, at least 0 and
// positive in sum in each tree, and tests fit the columns, of which there is one for each of
// n_codes; std::out_of_range for a category that is not below n_categories. Threads over blocks of
// rows. Draws no random numbers.
void attribute(const AttributedTrees& model, std::span<const ColumnView> columns,
               std::span<double> of_row, int n_threads, StopSignal& stop);

}  // namespace branchline
