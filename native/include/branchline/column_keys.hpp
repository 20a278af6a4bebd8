// Ranks of columns that depend on nothing but their content: an order of columns that is the same
// however a table lists them.
//
// With scramble(x) = mix(x + golden), [x] the upper half of x, and
//   w_rc    scramble(code of row r in column c),
//   n_r     how many copies row r stands for,
//   t_r     an odd scramble of the target of row r, as bits,
// columns are ranked by s_c = Σ_r n_r [t_r w_rc]: which codes they have with which targets. If every row
// is there k times, all sums are k times as large, and ranks are the same. Where two columns have one
// rank p_c, the rows decide as well: by Σ_r n_r [k_r w_rc], where k_r is odd and made of
//   t_r ^ Σ_c scramble(w_rc ^ scramble(p_c)).
// Columns that still have one rank are equal, or no row tells them apart.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "branchline/codes.hpp"
#include "branchline/stop_signal.hpp"

namespace branchline {

// Rows in addition to their columns: a word of target each, and copies (empty: every row is there once).
struct ColumnRows {
    std::span<const std::uint64_t> target;
    std::span<const std::int64_t> copies;
};

// Returns one rank per column, from 0. Requires: columns of as many codes as there are targets. Cost: a pass over
// the codes, and two more where two sums are equal. Threads over columns; draws nothing.
std::vector<std::uint64_t> column_keys(std::span<const CodeColumn> columns, const ColumnRows& rows,
                                       int n_threads, StopSignal& stop);

}  // namespace branchline
