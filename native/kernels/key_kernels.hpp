// The innermost loops of row keys, compiled once for each processor level.
//
// A column of few rows has one 8-bit code for each row, and `words` has the scrambled value of each code:
// words[code] = scramble(code). Wider codes are scrambled on the way. All sums are modulo 2^64, so every level gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "branchline/cpu_level.hpp"

namespace branchline {

// Up to this many rows, comparing all pairs of values is faster than sorting them.
inline constexpr std::size_t few_rows = 160;

struct CodeSummary {
    std::uint64_t differing;  // 0 where all codes are equal
    std::uint64_t hash;       // Σ code[row] place_words[row]
};

struct KeyKernels {
    // Writes the exact codes of at most few_rows values: 1 + how many distinct values are smaller;
    // 0 for NaN.
    void (*rank)(const double* values, std::size_t n_rows, std::uint8_t* codes);
    CodeSummary (*summarize)(const std::uint8_t* codes, std::size_t n_rows,
                             const std::uint64_t* place_words);
    // Returns Σ scramble(words[code[row]] ^ keys[row]).
    std::uint64_t (*sum)(const std::uint8_t* codes, std::size_t n_rows, const std::uint64_t* words,
                         const std::uint64_t* keys);
    // keys[row] += scramble(words[code[row]] ^ salt).
    void (*add)(const std::uint8_t* codes, std::size_t n_rows, const std::uint64_t* words,
                std::uint64_t salt, std::uint64_t* keys);
    // The same for wider codes.
    std::uint64_t (*sum_16)(const std::uint16_t* codes, std::size_t n_rows,
                            const std::uint64_t* keys);
    std::uint64_t (*sum_32)(const std::uint32_t* codes, std::size_t n_rows,
                            const std::uint64_t* keys);
    void (*add_16)(const std::uint16_t* codes, std::size_t n_rows, std::uint64_t salt,
                   std::uint64_t* keys);
    void (*add_32)(const std::uint32_t* codes, std::size_t n_rows, std::uint64_t salt,
                   std::uint64_t* keys);
    // The sums of term_sums.hpp over one row of numbers.
    void (*add_bits)(const double* row, std::size_t n_columns, std::uint64_t word,
                     std::uint64_t* sums);
    void (*add_words)(const double* row, std::size_t n_columns, std::uint64_t word,
                      std::uint64_t* sums);
    std::uint64_t (*row_sum)(const double* row, std::size_t n_columns, const std::uint64_t* words);
};

const KeyKernels& key_kernels_for(CpuLevel level) noexcept;

}  // namespace branchline
