// Sums over rows of products of terms, without rounding: Σ_r l_jr k_ir for all pairs of a left and a right slice.
//
// A number x (a term times the factor of its row, times the power of two of the term: at most 1) is cut into slices, multiples
// of 2^−20, 2^−41 and 2^−62, each at most 2^20 of its units:
//   s_1 = x rounded to its unit,   s_2 = x − s_1 rounded to its unit, …
// A term that is 0 or 1 has one slice, itself. Products of two slices over at most 8,192 rows are whole multiples of a unit below
// 2^53 of it, so they are added exactly, in any order.
//
// Nouns: slices stand as in `_exact_products.Cutter`: the first slice of each term that is cut, then the second ones, …, then
// the terms that are not cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace branchline {

struct CutTerms {
    std::span<const double> power;           // of each term
    std::span<const std::uint8_t> is_whole;  // of each term: it is not cut
    std::size_t n_slices = 1;

    std::size_t n_terms() const { return power.size(); }
    std::size_t size() const;  // the number of all slices
};

// Terms of some rows: term t of row r is at data[t · stride + r], times factor[r].
struct TermRows {
    const double* data = nullptr;
    std::size_t stride = 0;
    std::span<const double> factor;  // empty: 1
};

// Returns a row for each left slice, a column for each right one. Requires: n_rows at most 8,192. Cost: a few operations for each
// pair of slices and eight rows. One thread; draws nothing.
std::vector<double> exact_products(const CutTerms& left, const TermRows& left_rows,
                                   const CutTerms& right, const TermRows& right_rows,
                                   std::size_t n_rows);

// The same for pairs of slices of the same rows.
std::vector<double> exact_squares(const CutTerms& terms, const TermRows& rows, std::size_t n_rows);

}  // namespace branchline
