// Rows of numbers on the scales of their columns, where they are.
//
//   x ← x · power − center, divided by spread, held within ±largest;  a missing x becomes `fill`.
//
// Each step is rounded, as if columns were scaled one step after the other: so bits are the same however
// many rows there are. Cost: about 1 ns a number. One thread; allocates nothing.
//
// Columns of a table become terms in the same way, a term in each row of `terms`; an indicator of missing cells is a term of its
// own. The bits are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "branchline/types.hpp"

namespace branchline {

// An entry for each column.
struct RowScales {
    std::span<const double> power, center, spread, fill;
    double largest = 0.0;
};

// `cells` has one row after the other.
void scale_rows(std::span<double> cells, const RowScales& scales);

// An entry for each column that is read: where it stands, and which term its numbers and its indicator become (−1: none).
struct ColumnTerms {
    std::span<const std::int64_t> place, number, indicator;
    RowScales scales;
    bool marks_missing = false;  // a missing x is NaN, also of an indicator
};

// Terms of some rows: term t of row r is at data[t · stride + r].
struct TermsOut {
    double* data = nullptr;
    std::size_t stride = 0;
};

// Requires: places below the number of columns. Cost: about 1 ns a number.
void scale_columns(std::span<const ColumnView> columns, std::size_t n_rows,
                   const ColumnTerms& terms, const TermsOut& out);

// Sums of a row's terms: sum k has weights[k · terms + t] for term t and the constant bias[k].
struct TermWeights {
    std::span<const double> weights, bias;
    std::size_t n_terms = 0;
};

// sums[row · n_sums + k] = b_k + Σ_t w_kt z_t of each row, a term after the other: a row's sums do not depend on other rows.
// Requires: all terms are written by `terms`. Cost: about 1 ns a number for few sums.
void column_scores(std::span<const ColumnView> columns, std::size_t n_rows,
                   const ColumnTerms& terms, const TermWeights& by, std::span<double> sums);

}  // namespace branchline
