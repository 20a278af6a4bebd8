// One round of a walk with 512-bit vectors: 64 rows side by side, two gathers a step.
//
// Only narrow nodes. A third faster than the plain loop, which asks for more instructions a step.
#pragma once

// GCC 12 takes the undefined vectors that its own header passes on for mistakes.
#pragma GCC diagnostic push
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <bit>

#include "forest/walker/kernels.hpp"

namespace branchline::BRANCHLINE_LEVEL::avx512 {

inline constexpr std::size_t n_vectors = 4, vector_rows = 16;
inline constexpr std::size_t walk_lanes = n_vectors * vector_rows;
static_assert(walk_lanes <= lanes_spare);
inline constexpr int steps_a_round = 5;

inline __m512i all_lanes(std::uint32_t value) { return _mm512_set1_epi32(static_cast<int>(value)); }

// The nodes of 16 places: their lower and upper halves.
struct NodeHalves {
    __m512i lower, upper;
};

inline NodeHalves gather_nodes(NarrowTree tree, __m512i place) {
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, all_lanes(1));
    const __m512i first = _mm512_i32gather_epi64(_mm512_castsi512_si256(place), tree.nodes, 8);
    const __m512i last = _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(place, 1), tree.nodes, 8);
    return {_mm512_permutex2var_epi32(first, even, last),
            _mm512_permutex2var_epi32(first, odd, last)};
}

// As NarrowTree::step, for 16 rows; first_code: where the codes of each row begin.
inline __m512i step(NarrowTree tree, __m512i place, const std::uint32_t* codes,
                    __m512i first_code) {
    const NodeHalves node = gather_nodes(tree, place);
    const __m512i view =
        _mm512_or_si512(_mm512_srli_epi32(node.lower, 24),
                        _mm512_slli_epi32(_mm512_and_si512(node.upper, all_lanes(0xFF)), 8));
    const __m512i code = _mm512_i32gather_epi32(_mm512_add_epi32(first_code, view), codes, 4);
    const __mmask16 right = _mm512_cmpgt_epu32_mask(code, node.upper);
    const __m512i child = _mm512_and_si512(node.lower, all_lanes(NarrowTree::place_mask));
    return _mm512_mask_add_epi32(child, right, child, all_lanes(1));
}

// Writes the places of rows that have arrived, keeps the others; returns how many those are.
inline std::size_t keep_on_the_way(NarrowTree tree, __m512i row, __m512i place, __mmask16 in_use,
                                   Frontier kept, std::uint32_t* place_of_row) {
    const __m512i upper = gather_nodes(tree, place).upper;
    const __m512i lowest_of_leaf = all_lanes(NarrowTree::leaf_limit << NarrowTree::code_shift);
    const __mmask16 on_the_way = _mm512_mask_cmplt_epu32_mask(in_use, upper, lowest_of_leaf);
    const auto arrived = static_cast<__mmask16>(in_use & ~on_the_way);
    _mm512_mask_i32scatter_epi32(place_of_row, arrived, row, place, 4);
    _mm512_storeu_si512(kept.row + kept.n, _mm512_maskz_compress_epi32(on_the_way, row));
    _mm512_storeu_si512(kept.place + kept.n, _mm512_maskz_compress_epi32(on_the_way, place));
    return static_cast<std::size_t>(std::popcount(static_cast<unsigned>(on_the_way)));
}

inline __mmask16 first_lanes(std::size_t n) {
    return static_cast<__mmask16>(n >= vector_rows ? 0xFFFFu : (1u << n) - 1);
}

inline std::size_t walk_round(NarrowTree tree, CodedRows rows, Frontier frontier,
                              std::uint32_t* place_of_row) {
    const __m512i n_views = all_lanes(static_cast<std::uint32_t>(rows.n_views));
    Frontier kept{frontier.row, frontier.place, 0};
    for (std::size_t begin = 0; begin < frontier.n; begin += walk_lanes) {
        __m512i row[n_vectors], place[n_vectors], first_code[n_vectors];
        for (std::size_t v = 0; v < n_vectors; ++v) {
            row[v] = _mm512_loadu_si512(frontier.row + begin + v * vector_rows);
            place[v] = _mm512_loadu_si512(frontier.place + begin + v * vector_rows);
            first_code[v] = _mm512_mullo_epi32(row[v], n_views);
        }
        for (int i = 0; i < steps_a_round; ++i) {
            for (std::size_t v = 0; v < n_vectors; ++v) {
                place[v] = step(tree, place[v], rows.codes, first_code[v]);
            }
        }
        for (std::size_t v = 0; v < n_vectors; ++v) {
            const std::size_t at = begin + v * vector_rows;
            const __mmask16 in_use = first_lanes(frontier.n - std::min(frontier.n, at));
            kept.n += keep_on_the_way(tree, row[v], place[v], in_use, kept, place_of_row);
        }
    }
    return kept.n;
}

}  // namespace branchline::BRANCHLINE_LEVEL::avx512
