// The best cut of several classes by Gini, from counts class by class or from few rows.
// Included by level_kernels.cpp alone, inside its unnamed namespace: compiled once a level.
#pragma once

#include "forest/level_vectors.hpp"

// Cuts with what lies on their sides: its weight, and the squares of its classes added up. All whole
// numbers, and exact.
template <class Number, std::size_t room>
struct ClassCuts {
    alignas(64) Number weight[room];
    alignas(64) Number left[room];
    alignas(64) Number right[room];

    double least_left;  // what the left side must hold: more than missing values

    // Σ l² / L + Σ r² / R; −1 where a side holds too little.
    double score(std::size_t i, const ClassesNode& node) const {
        const auto own = static_cast<double>(weight[i]);
        const double other = static_cast<double>(node.weight) - own;
        const double here =
            static_cast<double>(left[i]) / own + static_cast<double>(right[i]) / other;
        const bool is_allowed = (own >= least_left) & (other >= static_cast<double>(node.least));
        return is_allowed ? here : -1.0;
    }
};

// What the left side of a cut must hold when missing values are on it, so that others are, too.
inline double least_beside(std::int64_t missing_left, const ClassesNode& node) {
    return static_cast<double>(missing_left >= node.least ? missing_left + 1 : node.least);
}

// The first of those that are as good as the best of n.
template <class Cuts>
CellCut best_class_cut(const Cuts& cuts, std::size_t n, const ClassesNode& node) {
    CellCut best;
    alignas(64) double score[max_class_codes];
    for (std::size_t i = 0; i < n; ++i) score[i] = cuts.score(i, node);
    double highest = -1;
    for (std::size_t i = 0; i < n; ++i) highest = score[i] > highest ? score[i] : highest;
    if (highest < 0) return best;
    std::size_t i = 0;
    while (score[i] < highest - node.slack) ++i;
    return {score[i], i + 1, static_cast<std::int64_t>(cuts.weight[i])};
}

CellCut cut_heavy_classes(const ClassCounts& counts, const ClassesNode& node) {
    ClassCuts<double, max_class_codes> cuts;
    const std::size_t n = counts.n_codes;
    std::int64_t missing_left = 0;
    for (std::size_t i = 0; i < n; ++i) cuts.weight[i] = cuts.left[i] = cuts.right[i] = 0;
    for (std::size_t c = 0; c < node.n_classes; ++c) {
        if (node.units[c] == 0) continue;
        const std::uint32_t* of_code = counts.units + c * class_pitch;
        const auto all = static_cast<double>(node.units[c]);
        double units[max_class_codes];
        std::uint32_t sum = counts.missing_left ? of_code[0] : 0;
        missing_left += sum;
        for (std::size_t i = 0; i < n; ++i) units[i] = static_cast<double>(sum += of_code[1 + i]);
        for (std::size_t i = 0; i < n; ++i) {
            const double other = all - units[i];
            cuts.weight[i] += units[i];
            cuts.left[i] += units[i] * units[i];
            cuts.right[i] += other * other;
        }
    }
    cuts.least_left = least_beside(missing_left, node);
    return best_class_cut(cuts, n, node);
}

#if defined(__AVX512F__) && defined(__AVX512DQ__)

// Sums of the lanes up to each.
inline __m512i running_sums(__m512i lanes) {
    const __m512i zero = _mm512_setzero_si512();
    lanes = _mm512_add_epi32(lanes, _mm512_alignr_epi32(lanes, zero, 15));
    lanes = _mm512_add_epi32(lanes, _mm512_alignr_epi32(lanes, zero, 14));
    lanes = _mm512_add_epi32(lanes, _mm512_alignr_epi32(lanes, zero, 12));
    return _mm512_add_epi32(lanes, _mm512_alignr_epi32(lanes, zero, 8));
}

// Up to so much weight, squares are exact in 24 bits.
constexpr std::int64_t light_weight = 4096;

// The best of those cuts whose rounded scores are next to the highest.
CellCut best_near(const ClassCuts<float, max_class_codes>& cuts, const float* rounded,
                  float highest_rounded, std::size_t n, const ClassesNode& node) {
    CellCut best;
    if (highest_rounded < 0) return best;
    constexpr float rounding = 2e-6f;  // more than two quotients and their sum are off by
    const __m512 limit = _mm512_set1_ps(highest_rounded * (1 - rounding));
    std::size_t near[max_class_codes], n_near = 0;
    double score[max_class_codes], highest = -1;
    for (std::size_t first = 0; first < n; first += 16) {
        std::uint32_t lanes =
            _mm512_cmp_ps_mask(_mm512_load_ps(rounded + first), limit, _CMP_GE_OQ);
        for (; lanes != 0; lanes &= lanes - 1) {
            const std::size_t i = first + static_cast<std::size_t>(__builtin_ctz(lanes));
            if (i >= n) break;
            score[n_near] = cuts.score(i, node);
            highest = score[n_near] > highest ? score[n_near] : highest;
            near[n_near++] = i;
        }
    }
    std::size_t k = 0;
    while (score[k] < highest - node.slack) ++k;
    return {score[k], near[k] + 1, static_cast<std::int64_t>(cuts.weight[near[k]])};
}

// Sixteen cuts at a time, in floats. Their scores are rounded: those near the highest are computed
// again.
CellCut cut_light_classes(const ClassCounts& counts, const ClassesNode& node) {
    ClassCuts<float, max_class_codes> cuts;
    alignas(64) float score[max_class_codes];
    alignas(64) std::uint32_t before[max_classes];
    std::uint32_t present[max_classes];
    std::size_t n_present = 0;
    std::int64_t missing_left = 0;
    for (std::size_t c = 0; c < node.n_classes; ++c) {
        if (node.units[c] == 0) continue;
        before[n_present] = counts.missing_left ? counts.units[c * class_pitch] : 0;
        missing_left += before[n_present];
        present[n_present++] = static_cast<std::uint32_t>(c);
    }
    const __m512 all = _mm512_set1_ps(static_cast<float>(node.weight));
    const __m512 least = _mm512_set1_ps(static_cast<float>(node.least));
    cuts.least_left = least_beside(missing_left, node);
    const __m512 least_left = _mm512_set1_ps(static_cast<float>(cuts.least_left));
    const __m512i last_lane = _mm512_set1_epi32(15);
    __m512 highest = _mm512_set1_ps(-1);
    for (std::size_t i = 0; i < counts.n_codes; i += 16) {
        __m512 weight = _mm512_setzero_ps(), left = weight, right = weight;
        for (std::size_t k = 0; k < n_present; ++k) {
            const std::uint32_t* of_code = counts.units + present[k] * class_pitch + 1 + i;
            const __m512i sums = _mm512_add_epi32(running_sums(_mm512_loadu_si512(of_code)),
                                                  _mm512_set1_epi32(static_cast<int>(before[k])));
            before[k] = static_cast<std::uint32_t>(
                _mm512_cvtsi512_si32(_mm512_permutexvar_epi32(last_lane, sums)));
            const __m512 units = _mm512_cvtepi32_ps(sums);
            const __m512 other =
                _mm512_sub_ps(_mm512_set1_ps(static_cast<float>(node.units[present[k]])), units);
            weight = _mm512_add_ps(weight, units);
            left = _mm512_add_ps(left, _mm512_mul_ps(units, units));
            right = _mm512_add_ps(right, _mm512_mul_ps(other, other));
        }
        const __m512 rest = _mm512_sub_ps(all, weight);
        const __mmask16 allowed = _mm512_cmp_ps_mask(weight, least_left, _CMP_GE_OQ) &
                                  _mm512_cmp_ps_mask(rest, least, _CMP_GE_OQ);
        const __m512 here = _mm512_mask_add_ps(
            _mm512_set1_ps(-1), allowed, _mm512_div_ps(left, weight), _mm512_div_ps(right, rest));
        highest = _mm512_max_ps(highest, here);
        _mm512_store_ps(cuts.weight + i, weight);
        _mm512_store_ps(cuts.left + i, left);
        _mm512_store_ps(cuts.right + i, right);
        _mm512_store_ps(score + i, here);
    }
    return best_near(cuts, score, _mm512_reduce_max_ps(highest), counts.n_codes, node);
}

CellCut cut_classes(const ClassCounts& counts, const ClassesNode& node) {
    return node.weight < light_weight ? cut_light_classes(counts, node)
                                      : cut_heavy_classes(counts, node);
}

#else

CellCut cut_classes(const ClassCounts& counts, const ClassesNode& node) {
    return cut_heavy_classes(counts, node);
}

#endif

// Few rows, in the order of their codes: squares change by what a row adds.
template <class Value>
FewCut cut_few_classes(const Value* codes, const ClassUnits* rows, std::size_t n,
                       const ClassesNode& node) {
    std::uint8_t order[few_rows];
    order_codes(codes, n, order);
    std::int64_t left_of_class[max_classes], weight = 0, left = 0, right = 0;
    for (std::size_t c = 0; c < node.n_classes; ++c) {
        left_of_class[c] = 0;
        right += node.units[c] * node.units[c];
    }
    ClassCuts<double, few_rows> cuts;
    cuts.least_left = static_cast<double>(node.least);
    std::uint8_t place[few_rows];
    std::size_t n_cuts = 0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const auto [units32, c] = rows[order[i]];
        const auto units = static_cast<std::int64_t>(units32);
        const std::int64_t before = left_of_class[c], after = node.units[c] - before;
        left_of_class[c] = before + units;
        weight += units;
        left += units * (2 * before + units);
        right -= units * (2 * after - units);
        cuts.weight[n_cuts] = static_cast<double>(weight);
        cuts.left[n_cuts] = static_cast<double>(left);
        cuts.right[n_cuts] = static_cast<double>(right);
        place[n_cuts] = static_cast<std::uint8_t>(i);
        n_cuts += codes[order[i]] != codes[order[i + 1]];  // no branch: equal codes go together
    }
    const CellCut cut = best_class_cut(cuts, n_cuts, node);
    if (cut.score < 0) return {};
    const std::size_t last = place[cut.n_left - 1];
    return {cut.score, codes[order[last]], codes[order[last + 1]], cut.left_weight};
}
