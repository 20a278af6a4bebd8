// The innermost loops of boosting, compiled once for each processor level.
//
// A short word is g · 2^19 + h · 2 + n, what one row adds: |g| ≤ 4095, 0 ≤ h ≤ 255, n ≤ 1. A word is
// g · 2^37 + h · 2^15 + n: those of 16 384 rows can be summed without their fields meeting. The sums of
// a histogram are wider: g apart, h · 2^32 + n together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "branchline/cpu_level.hpp"

namespace branchline::boosting {

inline constexpr int short_h_shift = 1, short_g_shift = 19;
inline constexpr int word_h_shift = 15, word_g_shift = 37;
inline constexpr std::uint64_t word_h_mask =
    (std::uint64_t{1} << (word_g_shift - word_h_shift)) - 1;
inline constexpr std::uint64_t word_n_mask = (std::uint64_t{1} << word_h_shift) - 1;
inline constexpr int sum_h_shift = 32;
inline constexpr std::size_t most_word_rows = 16384;
inline constexpr int most_word_g = 4094, most_word_h = 254;  // before rounding up

// How gradients become integers.
struct Rounding {
    float g_factor = 0, h_factor = 0;  // gradients and hessians are multiplied by; h 0: all are 1
    std::uint64_t key = 0;
};

// Sums of a node, and what its test must keep.
struct CutNode {
    double g, h, n;
    double g_unit, h_unit;    // what an integer of a histogram stands for
    double l2;                // λ
    double least_n, least_h;  // of each side
};

// A column's or bundle's part of a histogram.
struct Bins {
    std::int64_t* g;
    std::uint64_t* hn;
    std::size_t n;
};

// Codes of some bundles of a block, row after row, `stride` bytes apart.
struct TileCodes {
    const std::uint8_t* codes;
    std::size_t stride, n_bundles;
};

// Some of the codes of one byte: a bit for each, and a byte for each.
struct CodeSet {
    std::uint32_t words[16] = {};  // 8 of them are used; as many as a register holds
    std::uint8_t bytes[256] = {};  // 1 or 0

    void set(std::size_t code) {
        words[code / 32] |= std::uint32_t{1} << (code % 32);
        bytes[code] = 1;
    }
    bool has(std::size_t code) const { return bytes[code] != 0; }
};

struct BestScore {
    double score;
    std::size_t place;  // 0: none
};

// Fixed-point sums of a leaf.
struct LeafSums {
    std::int64_t g = 0, h = 0, units = 0;
};
struct LeafFactors {
    double g, h;
};

struct BoostingKernels {
    // Writes the words of some rows, in their order; rows null: of rows 0 … n − 1.
    void (*spread_words)(const std::uint32_t* short_words, const std::uint16_t* rows, std::size_t n,
                         std::uint64_t* words);
    // Adds the words of some rows to the cells of their codes, 256 cells a bundle.
    void (*count_rows)(const TileCodes& tile, const std::uint16_t* rows, std::size_t n,
                       const std::uint64_t* words, std::uint64_t* cells);
    // The same for rows 0 … n − 1.
    void (*count_all)(const TileCodes& tile, std::size_t n, const std::uint64_t* words,
                      std::uint64_t* cells);
    // Writes cells to bins, or adds them; makes the cells zero.
    void (*take_cells)(std::uint64_t* cells, Bins bins, bool add);
    // The same for histograms of words.
    void (*take_words)(std::uint64_t* cells, std::uint64_t* words, std::size_t n, bool add);
    // Writes cells to words and takes them from the rest; makes the cells zero. None may overlap.
    void (*take_words_from)(std::uint64_t* cells, std::uint64_t* words, std::uint64_t* rest,
                            std::size_t n);
    // words −= other.
    void (*subtract_words)(std::uint64_t* words, const std::uint64_t* other, std::size_t n);
    // Writes the fields of words to bins.
    void (*unpack)(const std::uint64_t* words, Bins bins);
    // bins += other, bins −= other.
    void (*add)(Bins bins, Bins other);
    void (*subtract)(Bins bins, Bins other);
    // Scores each code from 1 on by what a cut after it gives: G_l² / (H_l + λ) + G_r² / (H_r + λ),
    // −inf where a side holds too little; `left_*` is on the left from the beginning. Returns the
    // first of the best. `score` has room for 8 more than bins.n.
    BestScore (*score_cuts)(Bins bins, std::int64_t left_g, std::uint64_t left_hn,
                            const CutNode& node, double* score);
    // The same without the scores, for the best alone: codes that hold nothing are passed over.
    BestScore (*best_cut)(Bins bins, std::int64_t left_g, std::uint64_t left_hn,
                          const CutNode& node);
    // The same for words; `total` is the sum of all.
    BestScore (*best_cut_of_words)(const std::uint64_t* words, std::size_t n, std::uint64_t left,
                                   std::uint64_t total, const CutNode& node);
    // Parts ascending rows stably: those whose code is in `goes` go to `right`, the others stay.
    // `right` has room for 16 more than n. Returns how many stay.
    std::size_t (*part)(std::uint16_t* rows, std::size_t n, const std::uint8_t* codes,
                        const CodeSet& goes, std::uint16_t* right);
    // The largest absolute value.
    float (*largest)(const float* values, std::size_t n);
    // Rounds gradients and hessians: integers, one a row.
    void (*round)(const float* g, const float* h, const std::uint64_t* keys, std::size_t n,
                  const Rounding& rounding, std::int32_t* to_g, std::int32_t* to_h);
    // Sums some rows; h null: all are 1, units null: 1 each.
    LeafSums (*sum_rows)(const std::uint16_t* rows, std::size_t n, const float* g, const float* h,
                         const std::int64_t* units, const LeafFactors& factors);
    // scores[i] += values[leaves[i]]; false, and nothing is added, where one is not below n_values.
    bool (*add_values)(const std::uint32_t* leaves, std::size_t n, const double* values,
                       std::size_t n_values, double* scores);
};

const BoostingKernels& boosting_kernels_for(CpuLevel level) noexcept;

}  // namespace branchline::boosting
