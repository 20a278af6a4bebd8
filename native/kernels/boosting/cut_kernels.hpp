// The innermost loops that search for the best cut of a column: a part of level_kernels.cpp, which alone
// includes this file and is compiled once for each processor level.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

#include "boosting/bundles.hpp"
#include "boosting/level_kernels.hpp"

namespace branchline::boosting::BRANCHLINE_LEVEL {

namespace {

constexpr std::size_t strip = 64;  // cuts that are scored at a time

inline double score_of(double g, double h, double rows, const CutNode& node) {
    const double other_g = node.g - g, other_h = node.h - h, other_rows = node.n - rows;
    const double below = h + node.l2, other_below = other_h + node.l2;
    const double value = (g * g * other_below + other_g * other_g * below) / (below * other_below);
    const bool holds = (rows >= node.least_n) & (other_rows >= node.least_n) & (h >= node.least_h) &
                       (other_h >= node.least_h) & (below > 0) & (other_below > 0);
    return holds ? value : -std::numeric_limits<double>::infinity();
}

void score_strip(const std::int64_t* left_g, const std::uint64_t* left_hn, std::size_t n,
                 const CutNode& node, double* score) {
    constexpr std::uint64_t n_mask = (std::uint64_t{1} << sum_h_shift) - 1;
    for (std::size_t i = 0; i < n; ++i) {
        const auto h = static_cast<std::int64_t>(left_hn[i] >> sum_h_shift);
        const auto rows = static_cast<std::int64_t>(left_hn[i] & n_mask);
        score[i] = score_of(static_cast<double>(left_g[i]) * node.g_unit,
                            static_cast<double>(h) * node.h_unit, static_cast<double>(rows), node);
    }
}

// The largest of n scores (a multiple of 8); lanes because comparing in order would be slow.
double largest_score(const double* score, std::size_t n) {
    std::array<double, 8> lane;
    lane.fill(-std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < n; i += 8) {
        for (std::size_t k = 0; k < 8; ++k) {
            lane[k] = score[i + k] > lane[k] ? score[i + k] : lane[k];
        }
    }
    return *std::max_element(lane.begin(), lane.end());
}

BestScore score_cuts(Bins bins, std::int64_t left_g, std::uint64_t left_hn, const CutNode& node,
                     double* score) {
    constexpr double none = -std::numeric_limits<double>::infinity();
    std::array<std::int64_t, strip> g;
    std::array<std::uint64_t, strip> hn;
    BestScore best{none, 0};
    for (std::size_t first = 1; first < bins.n; first += strip) {
        const std::size_t n = std::min(strip, bins.n - first);
        for (std::size_t i = 0; i < n; ++i) {
            g[i] = left_g += bins.g[first + i];
            hn[i] = left_hn += bins.hn[first + i];
        }
        score_strip(g.data(), hn.data(), n, node, score + first);
        std::size_t n_even = n;
        while (n_even % 8 != 0) score[first + n_even++] = none;
        const double most = largest_score(score + first, n_even);
        if (!(most > best.score)) continue;
        best = {most, first};
        while (score[best.place] != most) ++best.place;
    }
    return best;
}

BestScore best_cut(Bins bins, std::int64_t left_g, std::uint64_t left_hn, const CutNode& node) {
    constexpr double none = -std::numeric_limits<double>::infinity();
    constexpr std::size_t size = narrow_codes;
    std::array<std::int64_t, size> g;
    std::array<std::uint64_t, size> hn;
    std::array<std::uint32_t, size> place;
    std::array<double, size> score;
    BestScore best{none, 0};
    for (std::size_t first = 1; first < bins.n; first += size) {
        const std::size_t end = std::min(bins.n, first + size);
        std::size_t n = 0;
        for (std::size_t i = first; i < end; ++i) {
            const std::uint64_t here = bins.hn[i];
            g[n] = left_g += bins.g[i];
            hn[n] = left_hn += here;
            place[n] = static_cast<std::uint32_t>(i);
            n += here != 0;
        }
        score_strip(g.data(), hn.data(), n, node, score.data());
        std::size_t n_even = n;
        while (n_even % 8 != 0) score[n_even++] = none;
        const double most = largest_score(score.data(), n_even);
        if (!(most > best.score)) continue;
        std::size_t at = 0;
        while (score[at] != most) ++at;
        best = {most, place[at]};
    }
    return best;
}

// Writes the sums up to each word that is not 0, and their places. Returns how many there are. The
// places after them may be written, too, up to 8.
std::size_t add_up(const std::uint64_t* words, std::size_t begin, std::size_t end,
                   std::uint64_t& left, std::uint64_t* sums, std::uint32_t* places) {
    std::size_t i = begin, n = 0;
#if defined(__AVX512BW__)
    const __m512i zero = _mm512_setzero_si512(), last = _mm512_set1_epi64(7);
    __m512i before = _mm512_set1_epi64(static_cast<long long>(left));
    __m256i place = _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(begin)),
                                     _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    for (; i + 8 <= end; i += 8) {
        __m512i sum = _mm512_loadu_si512(words + i);
        const __mmask8 holds = _mm512_test_epi64_mask(sum, sum);
        sum = _mm512_add_epi64(sum, _mm512_alignr_epi64(sum, zero, 7));
        sum = _mm512_add_epi64(sum, _mm512_alignr_epi64(sum, zero, 6));
        sum = _mm512_add_epi64(sum, _mm512_alignr_epi64(sum, zero, 4));
        sum = _mm512_add_epi64(sum, before);
        before = _mm512_permutexvar_epi64(last, sum);
        _mm512_storeu_si512(sums + n, _mm512_maskz_compress_epi64(holds, sum));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(places + n),
                            _mm256_maskz_compress_epi32(holds, place));
        place = _mm256_add_epi32(place, _mm256_set1_epi32(8));
        n += static_cast<std::size_t>(__builtin_popcount(holds));
    }
    left = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm512_castsi512_si128(before)));
#endif
    for (; i < end; ++i) {
        sums[n] = left += words[i];
        places[n] = static_cast<std::uint32_t>(i);
        n += words[i] != 0;
    }
    return n;
}

constexpr std::size_t lanes = 16;  // rough scores that are looked at together

// The largest of n rough scores, a multiple of 16, at least −1.
float largest_rough(const float* rough, std::size_t n) {
#if defined(__AVX512BW__)
    __m512 most = _mm512_set1_ps(-1);
    for (std::size_t i = 0; i < n; i += lanes)
        most = _mm512_max_ps(most, _mm512_loadu_ps(rough + i));
    return _mm512_reduce_max_ps(most);
#else
    float most = -1;
    for (std::size_t i = 0; i < n; ++i) most = rough[i] > most ? rough[i] : most;
    return most;
#endif
}

// A bit for each of 16 rough scores that is at least so much.
unsigned at_least(const float* rough, float least) {
#if defined(__AVX512BW__)
    return _mm512_cmp_ps_mask(_mm512_loadu_ps(rough), _mm512_set1_ps(least), _CMP_GE_OQ);
#else
    unsigned bits = 0;
    for (unsigned k = 0; k < lanes; ++k) bits |= static_cast<unsigned>(rough[k] >= least) << k;
    return bits;
#endif
}

// Cuts in integers, so that 32 bits are precise enough to say which may be the best: every rounding
// below is by at most 2^-24 of what is rounded, and nothing but exact integers is subtracted.
struct WordCuts {
    static constexpr float tolerance = 4e-6F;

    WordCuts(std::uint64_t total, const CutNode& node)
        : g(g_of_word(total)), h(h_of_word(total)), n(n_of_word(total)),
          least_n(static_cast<std::int32_t>(std::ceil(std::min(node.least_n, 1e9)))),
          l2(static_cast<float>(node.l2 / node.h_unit)) {}

    static std::int32_t g_of_word(std::uint64_t word) {
        return static_cast<std::int32_t>(static_cast<std::int64_t>(word) >> word_g_shift);
    }
    static std::int32_t h_of_word(std::uint64_t word) {
        return static_cast<std::int32_t>((word >> word_h_shift) & word_h_mask);
    }
    static std::int32_t n_of_word(std::uint64_t word) {
        return static_cast<std::int32_t>(word & word_n_mask);
    }

    // Writes scores, −1 where a side has too few rows or no hessian; returns the largest. The
    // places after them are made −1 up to a multiple of 16.
    float score(const std::uint64_t* left, std::size_t n_cuts, float* to) const {
        for (std::size_t i = 0; i < n_cuts; ++i) {
            const std::int32_t left_h = h_of_word(left[i]), left_n = n_of_word(left[i]);
            const std::int32_t left_g = g_of_word(left[i]);
            const auto a = static_cast<float>(left_g), b = static_cast<float>(g - left_g);
            const float below = static_cast<float>(left_h) + l2;
            const float other_below = static_cast<float>(h - left_h) + l2;
            const float value = (a * a * other_below + b * b * below) / (below * other_below);
            const bool holds =
                (left_n >= least_n) & (n - left_n >= least_n) & (below > 0) & (other_below > 0);
            to[i] = holds ? value : -1;
        }
        while (n_cuts % lanes != 0) to[n_cuts++] = -1;
        return largest_rough(to, n_cuts);
    }

    std::int32_t g, h, n, least_n;
    float l2;  // in units of hessians
};

double exact_score(std::uint64_t left, const CutNode& node) {
    return score_of(static_cast<double>(WordCuts::g_of_word(left)) * node.g_unit,
                    static_cast<double>(WordCuts::h_of_word(left)) * node.h_unit,
                    static_cast<double>(WordCuts::n_of_word(left)), node);
}

// The best of the cuts whose rough score is at least `least`.
BestScore best_of_rough(const float* rough, float least, const std::uint64_t* left, std::size_t n,
                        const CutNode& node) {
    BestScore best{-std::numeric_limits<double>::infinity(), 0};
    for (std::size_t first = 0; first < n; first += lanes) {
        for (unsigned bits = at_least(rough + first, least); bits != 0; bits &= bits - 1) {
            const std::size_t i = first + static_cast<std::size_t>(std::countr_zero(bits));
            if (i >= n) break;
            const double score = exact_score(left[i], node);
            if (score > best.score) best = {score, i};
        }
    }
    return best;
}

BestScore best_cut_of_words(const std::uint64_t* words, std::size_t n_words, std::uint64_t left,
                            std::uint64_t total, const CutNode& node) {
    constexpr double none = -std::numeric_limits<double>::infinity();
    constexpr std::size_t size = narrow_codes;
    std::array<std::uint64_t, size + 8> sums;
    std::array<std::uint32_t, size + 8> places;
    std::array<float, size + lanes> rough;
    const WordCuts cuts(total, node);
    const bool is_tame = cuts.l2 < 1e9F;  // else squares would leave the range of 32 bits
    BestScore best{none, 0};
    for (std::size_t first = 1; first < n_words; first += size) {
        const std::size_t end = std::min(n_words, first + size);
        const std::size_t n = add_up(words, first, end, left, sums.data(), places.data());
        const float most = is_tame ? cuts.score(sums.data(), n, rough.data()) : 0;
        if (most < 0) continue;
        if (!is_tame) rough.fill(0);
        BestScore here =
            best_of_rough(rough.data(), most - WordCuts::tolerance * most, sums.data(), n, node);
        // Those may all leave too little hessian on a side: then any may be the best.
        if (here.score == none) here = best_of_rough(rough.data(), 0, sums.data(), n, node);
        if (here.score > best.score) best = {here.score, places[here.place]};
    }
    return best;
}

}  // namespace

}  // namespace branchline::boosting::BRANCHLINE_LEVEL
