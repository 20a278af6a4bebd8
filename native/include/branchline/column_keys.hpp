// Hashes of columns that depend on nothing but their content: an order of columns that is the same
// however a table lists them.
//
// With scramble(x) = mix(x + golden), all sums modulo 2^64, and
//   w_rc    scramble(code of row r in column c),
//   n_r     how many copies row r stands for,
//   t_r     scramble of the target of row r, as bits,
// a column is known by s_c = Σ_r n_r t_r w_rc: which codes it has with which targets. Where two columns
// have one sum, all are known by the rows as well:
//   k_r = scramble(t_r ^ Σ_c scramble(w_rc ^ s_c)),
//   s_c ← scramble(s_c) + Σ_r n_r k_r w_rc.
// Columns that still have one hash are equal, or no row tells them apart.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "branchline/codes.hpp"
#include "branchline/stop_signal.hpp"

namespace branchline {

// Rows beside their columns: a word of target each, and copies (empty: every row is there once).
struct ColumnRows {
    std::span<const std::uint64_t> target;
    std::span<const std::int64_t> copies;
};

// Returns one hash a column. Requires: columns of as many codes as there are targets. Cost: a pass over
// the codes, and two more where two sums are equal. Threads over columns; draws nothing.
std::vector<std::uint64_t> column_keys(std::span<const CodeColumn> columns, const ColumnRows& rows,
                                       int n_threads, StopSignal& stop);

}  // namespace branchline
