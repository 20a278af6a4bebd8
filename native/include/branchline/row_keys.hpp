// Hashes of rows that depend on nothing but their content.
//
// With scramble(x) = mix(x + golden), all sums modulo 2^64, and
//   v_rc    the value of row r in column c: its code, or the rank of its code,
//   w_rc    scramble(v_rc),
//   n_r     how many copies row r stands for,
//   t_ro    output o of the target, as bits,
// a key starts at 0 and takes in the target, output after output:
//   k_r ← scramble(k_r ^ scramble(t_ro + o)).
// Twice, a column is then known by a sum over its rows, and a row's key is computed again from all columns:
//   s_c = Σ_r n_r scramble(w_rc ^ k_r),
//   k_r ← Σ_c scramble(w_rc ^ scramble(s_c + a_c)), then the target as above,
// where a_c is 1 and, the second time, counts the columns up to c that have this sum: nothing tells
// those apart but their order.
// Columns that are constant, or equal to one before, take no part.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "branchline/codes.hpp"
#include "branchline/stop_signal.hpp"

namespace branchline {

// A column of codes; ranks, where there are any, give what each code counts as.
struct RankedColumn {
    CodeColumn codes;
    std::span<const std::uint64_t> ranks;
};

// What rows have in addition to their columns: `n_outputs` words of target each (row after row), and copies.
struct KeyedTarget {
    std::span<const std::uint64_t> words;
    std::size_t n_outputs = 0;
    std::span<const std::int64_t> copies;  // empty: every row is there once
};

// Returns one key per row. Requires: columns of n_rows codes, n_rows × n_outputs words.
// Throws std::invalid_argument for a code that has no rank. Cost: about six passes over the codes; two
// bytes per code of memory at most. Threads over columns, then over rows; draws nothing.
std::vector<std::uint64_t> content_keys(std::span<const RankedColumn> columns, std::size_t n_rows,
                                        const KeyedTarget& target, int n_threads, StopSignal& stop);

// Where there is no target, rows are told apart before columns are known by Σ_c scramble(v_rc) over the
// columns that are not constant: one word for each row, which takes the place of the target.
std::vector<std::uint64_t> bags_of_values(std::span<const RankedColumn> columns, std::size_t n_rows,
                                          StopSignal& stop);

// The same keys for the exact codes of columns of numbers, which are made on the way and not given back:
// a matrix of many columns needs no array for each. Requires: float columns. Cost: few rows are compared
// in pairs, more are sorted; a byte per cell for few rows, else up to four and the distinct values.
// A target without outputs has the bags of the rows for its word.
std::vector<std::uint64_t> matrix_keys(std::span<const ColumnView> columns, std::size_t n_rows,
                                       const KeyedTarget& target, int n_threads, StopSignal& stop);

}  // namespace branchline
