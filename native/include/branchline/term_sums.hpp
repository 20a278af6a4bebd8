// Sums that tell encoded terms and their rows apart by content (src/branchline/_encoding/_term_order.py).
//
// x_rc are the bits of the number of row r in term c as a 32-bit float, 0 for both zeros;
// scramble(x) = mix(x + golden); all sums are modulo 2^64, and cells of 0 add nothing:
//   bit_sums    Σ_r w_r x_rc for each term,
//   word_sums   Σ_r w_r scramble(x_rc) for each term,
//   row_sums    Σ_c scramble(x_rc ^ w_c) for each row.
//
// Requires: numbers row after row, none NaN; a word for each row, or for each term. One pass each; one
// thread; draws nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "branchline/stop_signal.hpp"

namespace branchline {

struct EncodedNumbers {
    const double* values;
    std::size_t n_rows, n_columns;
};

std::vector<std::uint64_t> bit_sums(const EncodedNumbers& numbers,
                                    std::span<const std::uint64_t> words, StopSignal& stop);
std::vector<std::uint64_t> word_sums(const EncodedNumbers& numbers,
                                     std::span<const std::uint64_t> words, StopSignal& stop);
std::vector<std::uint64_t> row_sums(const EncodedNumbers& numbers,
                                    std::span<const std::uint64_t> words, StopSignal& stop);

}  // namespace branchline
