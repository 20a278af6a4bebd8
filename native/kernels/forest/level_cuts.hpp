// The best cut of cells in order, for two classes, several classes, and numbers.
// Included by level_kernels.cpp alone, inside its unnamed namespace: compiled once a level.
#pragma once

// See two_class_scan.hpp. 0 where a side holds too little.
inline double two_class_score(std::int32_t weight, std::int32_t ones, const TwoClassNode& node) {
    const auto left = static_cast<double>(weight);
    const double right = node.weight - left;
    const double surplus = static_cast<double>(ones) * node.weight - left * node.ones;
    const double score = surplus * surplus / (left * right);
    const bool allowed = (weight >= node.least) & (right >= node.least);
    return allowed ? score : -1.0;
}

// Cells are looked at in pieces: adding up takes turns, scores are computed side by side.
constexpr std::size_t piece = 64;

#if defined(__AVX512F__) && defined(__AVX512DQ__)

// Eight cuts at a time; each lane remembers its best, and the first place among the best wins.
CellCut best_of_lanes(__m512d score, __m512i place, __m512d weight) {
    const double highest = _mm512_reduce_max_pd(score);
    if (highest < 0) return {};
    const __mmask8 equal = _mm512_cmp_pd_mask(score, _mm512_set1_pd(highest), _CMP_EQ_OQ);
    const auto first = static_cast<std::size_t>(_mm512_mask_reduce_min_epu64(equal, place));
    const __mmask8 lane = _mm512_mask_cmpeq_epi64_mask(
        equal, place, _mm512_set1_epi64(static_cast<long long>(first)));
    return {highest, first, static_cast<std::int64_t>(_mm512_mask_reduce_max_pd(lane, weight))};
}

CellCut cut_two_class_cells(const std::uint64_t* cells, std::size_t n, std::uint64_t left,
                            const TwoClassNode& node) {
    alignas(64) std::uint64_t sums[piece + 8];
    const __m512d all = _mm512_set1_pd(node.weight), all_ones = _mm512_set1_pd(node.ones);
    const __m512d least = _mm512_set1_pd(node.least), most = _mm512_sub_pd(all, least);
    const __m512i low_half = _mm512_set1_epi64(0xFFFF'FFFF);
    __m512d best = _mm512_set1_pd(-1), best_weight = _mm512_setzero_pd();
    __m512i best_place = _mm512_setzero_si512();
    __m512i place = _mm512_setr_epi64(1, 2, 3, 4, 5, 6, 7, 8);
    for (std::size_t first = 0; first < n; first += piece) {
        const std::size_t size = n - first < piece ? n - first : piece;
        for (std::size_t i = 0; i < size; ++i) sums[i] = left += cells[first + i];
        for (std::size_t i = size; i % 8 != 0; ++i) sums[i] = 0;  // weighs nothing: not allowed
        for (std::size_t i = 0; i < size; i += 8) {
            const __m512i sum = _mm512_load_si512(sums + i);
            const __m512d ones = _mm512_cvtepi64_pd(_mm512_srli_epi64(sum, 32));
            const __m512d zeros = _mm512_cvtepi64_pd(_mm512_and_si512(sum, low_half));
            const __m512d weight = _mm512_add_pd(ones, zeros);
            const __m512d surplus =
                _mm512_sub_pd(_mm512_mul_pd(ones, all), _mm512_mul_pd(weight, all_ones));
            const __m512d product = _mm512_mul_pd(weight, _mm512_sub_pd(all, weight));
            const __m512d score = _mm512_div_pd(_mm512_mul_pd(surplus, surplus), product);
            const __mmask8 allowed = _mm512_cmp_pd_mask(weight, least, _CMP_GE_OQ) &
                                     _mm512_cmp_pd_mask(weight, most, _CMP_LE_OQ);
            const __mmask8 better = _mm512_mask_cmp_pd_mask(allowed, score, best, _CMP_GT_OQ);
            best = _mm512_mask_mov_pd(best, better, score);
            best_weight = _mm512_mask_mov_pd(best_weight, better, weight);
            best_place = _mm512_mask_mov_epi64(best_place, better, place);
            place = _mm512_add_epi64(place, _mm512_set1_epi64(8));
        }
    }
    return best_of_lanes(best, best_place, best_weight);
}

#else

CellCut cut_two_class_cells(const std::uint64_t* cells, std::size_t n, std::uint64_t left,
                            const TwoClassNode& node) {
    CellCut best;
    alignas(64) std::int32_t weight[piece];
    alignas(64) std::int32_t ones[piece];
    alignas(64) double score[piece];
    for (std::size_t first = 0; first < n; first += piece) {
        const std::size_t size = n - first < piece ? n - first : piece;
        for (std::size_t i = 0; i < size; ++i) {
            left += cells[first + i];
            ones[i] = static_cast<std::int32_t>(left >> 32);
            weight[i] = static_cast<std::int32_t>(left & 0xFFFF'FFFFu) + ones[i];
        }
        for (std::size_t i = 0; i < size; ++i) score[i] = two_class_score(weight[i], ones[i], node);
        double highest = best.score;
        for (std::size_t i = 0; i < size; ++i) highest = score[i] > highest ? score[i] : highest;
        if (!(highest > best.score)) continue;
        std::size_t i = 0;
        while (score[i] != highest) ++i;
        best = {highest, first + i + 1, weight[i]};
    }
    return best;
}

#endif

#if defined(__AVX512F__) && defined(__AVX512DQ__)

CellCut cut_number_cells(const NumberCell* cells, std::size_t n, NumberCell left,
                         const NumberNode& node) {
    alignas(64) std::int64_t units[piece + 8], centered[piece + 8];
    const __m512d all = _mm512_set1_pd(static_cast<double>(node.units));
    const __m512i rest = _mm512_set1_epi64(node.sum - node.units * node.center);
    const __m512d least = _mm512_set1_pd(static_cast<double>(node.least));
    __m512d best = _mm512_set1_pd(-1), best_weight = _mm512_setzero_pd();
    __m512i best_place = _mm512_setzero_si512();
    __m512i place = _mm512_setr_epi64(1, 2, 3, 4, 5, 6, 7, 8);
    for (std::size_t first = 0; first < n; first += piece) {
        const std::size_t size = n - first < piece ? n - first : piece;
        for (std::size_t i = 0; i < size; ++i) {
            units[i] = left.units += cells[first + i].units;
            left.sum += cells[first + i].sum;
            centered[i] = left.sum - left.units * node.center;
        }
        for (std::size_t i = size; i % 8 != 0; ++i) units[i] = centered[i] = 0;  // not allowed
        for (std::size_t i = 0; i < size; i += 8) {
            const __m512d weight = _mm512_cvtepi64_pd(_mm512_load_si512(units + i));
            const __m512d other = _mm512_sub_pd(all, weight);
            const __m512i sums = _mm512_load_si512(centered + i);
            const __m512d left_sum = _mm512_cvtepi64_pd(sums);
            const __m512d right_sum = _mm512_cvtepi64_pd(_mm512_sub_epi64(rest, sums));
            const __m512d score =
                _mm512_add_pd(_mm512_div_pd(_mm512_mul_pd(left_sum, left_sum), weight),
                              _mm512_div_pd(_mm512_mul_pd(right_sum, right_sum), other));
            const __mmask8 allowed = _mm512_cmp_pd_mask(weight, least, _CMP_GE_OQ) &
                                     _mm512_cmp_pd_mask(other, least, _CMP_GE_OQ);
            const __mmask8 better = _mm512_mask_cmp_pd_mask(allowed, score, best, _CMP_GT_OQ);
            best = _mm512_mask_mov_pd(best, better, score);
            best_weight = _mm512_mask_mov_pd(best_weight, better, weight);
            best_place = _mm512_mask_mov_epi64(best_place, better, place);
            place = _mm512_add_epi64(place, _mm512_set1_epi64(8));
        }
    }
    return best_of_lanes(best, best_place, best_weight);
}

#else

CellCut cut_number_cells(const NumberCell* cells, std::size_t n, NumberCell left,
                         const NumberNode& node) {
    CellCut best;
    alignas(64) double units[piece], right_units[piece], sum[piece], right_sum[piece];
    alignas(64) double score[piece];
    const auto least = static_cast<double>(node.least);
    for (std::size_t first = 0; first < n; first += piece) {
        const std::size_t size = n - first < piece ? n - first : piece;
        for (std::size_t i = 0; i < size; ++i) {
            left.units += cells[first + i].units;
            left.sum += cells[first + i].sum;
            const std::int64_t right = node.units - left.units;
            units[i] = static_cast<double>(left.units);
            right_units[i] = static_cast<double>(right);
            sum[i] = static_cast<double>(left.sum - left.units * node.center);
            right_sum[i] = static_cast<double>(node.sum - left.sum - right * node.center);
        }
        for (std::size_t i = 0; i < size; ++i) {
            const double here =
                sum[i] * sum[i] / units[i] + right_sum[i] * right_sum[i] / right_units[i];
            score[i] = ((units[i] >= least) & (right_units[i] >= least)) ? here : -1.0;
        }
        double highest = best.score;
        for (std::size_t i = 0; i < size; ++i) highest = score[i] > highest ? score[i] : highest;
        if (!(highest > best.score)) continue;
        std::size_t i = 0;
        while (score[i] != highest) ++i;
        best = {highest, first + i + 1, static_cast<std::int64_t>(units[i])};
    }
    return best;
}

#endif

// Class by class: what is left of each cut, then its square and that of what is right, added up.
template <class Word>
CellCut cut_class_cells(const Word* cells, std::size_t n, const Word* left,
                        const ClassesNode& node) {
    CellCut best;
    alignas(64) double weight[piece], left_squares[piece], right_squares[piece], score[piece];
    alignas(64) double units[piece];
    const std::size_t n_classes = node.n_classes;
    const auto all = static_cast<double>(node.weight), least = static_cast<double>(node.least);
    Word before[max_classes];
    for (std::size_t c = 0; c < n_classes; ++c) before[c] = left != nullptr ? left[c] : 0;
    for (std::size_t first = 0; first < n; first += piece) {
        const std::size_t size = n - first < piece ? n - first : piece;
        for (std::size_t i = 0; i < size; ++i) weight[i] = left_squares[i] = right_squares[i] = 0;
        for (std::size_t c = 0; c < n_classes; ++c) {
            if (node.units[c] == 0) continue;
            const auto of_class = static_cast<double>(node.units[c]);
            Word sum = before[c];
            const Word* cell = cells + first * n_classes + c;
            for (std::size_t i = 0; i < size; ++i) {
                sum += cell[i * n_classes];
                units[i] = static_cast<double>(sum);
            }
            before[c] = sum;
            for (std::size_t i = 0; i < size; ++i) {
                const double right = of_class - units[i];
                weight[i] += units[i];
                left_squares[i] += units[i] * units[i];
                right_squares[i] += right * right;
            }
        }
        for (std::size_t i = 0; i < size; ++i) {
            const double right = all - weight[i];
            const double here = left_squares[i] / weight[i] + right_squares[i] / right;
            score[i] = ((weight[i] >= least) & (right >= least)) ? here : -1.0;
        }
        double highest = best.score;
        for (std::size_t i = 0; i < size; ++i) highest = score[i] > highest ? score[i] : highest;
        if (!(highest > best.score + node.slack)) continue;
        std::size_t i = 0;
        while (score[i] < highest - node.slack) ++i;
        best = {score[i], first + i + 1, static_cast<std::int64_t>(weight[i])};
    }
    return best;
}
