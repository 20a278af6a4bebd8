// The test of a node that lets linear models of its two branches fit best.
//
// Nouns. A *term* is a column of the encoded table (a scaled number or an indicator). A *side* is what a test sends one
// way. The error of a side is that of its ridge model over the chosen terms (and the tested column's own term),
//   E(side) = min over b, w of  Σ ω (y − b − w·z)² + ridge · Ω · ‖w‖²,     Ω = Σ ω, ω the weights of its rows,
// and the best test makes E(left) + E(right) least.
//
// 1. A column's rows are added up by code: a *cell* is the matrix of products Σ ω (1, z, y)ᵀ(1, z, y) of a code.
// 2. Cells of a numeric column stand in the order of codes, those of a category by the mean residual of the node's own
//    model. A side is the sum of the first cells; the other side is the rest.
// 3. E is the last pivot of the Cholesky decomposition of the side's matrix.
// 4. Code 0 (missing) and categories of less than `min_category` go to the side where they fit better, or face all others.
//
// Requires: codes below n_codes + 1 and finite numbers, rows in range and in the order in which sums are to be taken. Cost, with
// k terms: rows × columns × k² additions and codes × columns × k³ / 3 for the pivots. One task per column; the result
// depends neither on the number of threads nor (ties of equal error apart: the first column wins) on the order of columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "branchline/stop_signal.hpp"

namespace branchline {

struct LinearTestColumns {
    std::span<const std::uint16_t>
        codes;  // columns × rows of the table, one column after the other
    std::span<const std::uint32_t> n_codes;  // the largest code of each column
    std::span<const std::uint8_t> is_category;
    std::span<const std::int32_t> own_term;  // the term of a numeric column; −1: none
};

struct LinearTestRows {
    std::span<const double> matrix;  // rows × terms of the table
    std::span<const double> target;
    std::span<const double> weight;
    std::size_t n_terms = 0;
};

struct LinearTestOptions {
    double ridge = 1e-4;
    double min_weight = 1.0;    // the least weight of a side
    double min_category = 1.0;  // the least weight of a category that may be told from others
    int n_threads = 1;
};

struct LinearTest {
    std::int32_t column = -1;  // −1: no test has two sides of the least weight
    double node_error = 0.0;
    double error = 0.0;         // E(left) + E(right)
    bool missing_left = false;  // missing values, rare and unseen categories go left
    // A number: the last code on the left and the first on the right; 0: all numbers are on the left.
    std::uint32_t left_code = 0, right_code = 0;
    std::vector<std::uint16_t> left_categories, right_categories;  // codes that are told apart
};

LinearTest find_linear_test(const LinearTestColumns& columns, const LinearTestRows& data,
                            std::span<const std::uint32_t> rows,
                            std::span<const std::int32_t> terms, const LinearTestOptions& options,
                            StopSignal& stop);

}  // namespace branchline
