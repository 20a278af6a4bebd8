// Random thresholds of several columns. See record_kernels.hpp.
// Included by level_kernels.cpp alone, inside its unnamed namespace: compiled once a level.
#pragma once

#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__)

// Eight cuts, from lane `first` on.
inline void find_eight_cuts(const ThresholdTables& tables, const CutLanes& lanes,
                            std::size_t first) {
    const auto load = [&](const std::uint32_t* from) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + first));
    };
    const auto look_up = [&](const double* table, __m256i place) {
        return _mm512_i32gather_pd(place, table, 8);
    };
    const __m256i one = _mm256_set1_epi32(1), column = load(lanes.column);
    const __m256i lowest = load(lanes.lowest), highest = load(lanes.highest);
    static_assert(ThresholdTables::pitch == 256);
    const __m256i row = _mm256_slli_epi32(column, 8);
    const __m512d low = look_up(tables.half_lowest, _mm256_add_epi32(row, lowest));
    const __m512d high = look_up(tables.half_highest, _mm256_add_epi32(row, highest));
    const __m512d uniform = _mm512_loadu_pd(lanes.uniform + first);
    const __m512d half = _mm512_add_pd(low, _mm512_mul_pd(uniform, _mm512_sub_pd(high, low)));
    const __m512d threshold = _mm512_add_pd(half, half);
    __m512d step = _mm512_mul_pd(_mm512_sub_pd(half, look_up(tables.first_half, column)),
                                 look_up(tables.steps_a_half, column));
    // The order of operands makes 0 of what is not a number.
    step = _mm512_min_pd(_mm512_max_pd(step, _mm512_setzero_pd()),
                         _mm512_set1_pd(ThresholdTables::n_steps));
    const __m256i steps = _mm256_mullo_epi32(
        column, _mm256_set1_epi32(static_cast<int>(ThresholdTables::step_pitch)));
    const __m256i bytes =
        _mm256_i32gather_epi32(reinterpret_cast<const int*>(tables.first_of_step),
                               _mm256_add_epi32(steps, _mm512_cvttpd_epi32(step)), 1);
    const __m256i byte = _mm256_set1_epi32(0xFF);
    const auto bounded = [&](__m256i code) {
        return _mm256_min_epu32(_mm256_max_epu32(_mm256_and_si256(code, byte), lowest),
                                _mm256_sub_epi32(highest, one));
    };
    __m256i last = bounded(bytes);
    // How many more codes may be on the left: half of them are tried at a time.
    __m256i n = _mm256_sub_epi32(bounded(_mm256_srli_epi32(bytes, 8)), last);
    for (__mmask8 open; (open = _mm256_test_epi32_mask(n, n)) != 0;) {
        const __m256i some = _mm256_srli_epi32(_mm256_add_epi32(n, one), 1);
        const __m256i next = _mm256_add_epi32(last, some);
        const __m512d middle = look_up(tables.middle, _mm256_add_epi32(row, next));
        const __mmask8 is_left = _mm512_mask_cmp_pd_mask(open, middle, threshold, _CMP_LE_OQ);
        last = _mm256_mask_mov_epi32(last, is_left, next);
        const __m256i below = _mm256_mask_sub_epi32(n, open, some, one);
        n = _mm256_mask_sub_epi32(below, is_left, n, some);
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes.last_left + first), last);
    _mm512_storeu_pd(lanes.half_threshold + first, half);
}

void find_cuts(const ThresholdTables& tables, const CutLanes& lanes) {
    for (std::size_t lane = lanes.n; lane % 8 != 0; ++lane) {  // some cut that there is
        lanes.column[lane] = lanes.column[0];
        lanes.lowest[lane] = lanes.lowest[0];
        lanes.highest[lane] = lanes.highest[0];
        lanes.uniform[lane] = 0;
    }
    for (std::size_t first = 0; first < lanes.n; first += 8) find_eight_cuts(tables, lanes, first);
}

#else

void find_cuts(const ThresholdTables& tables, const CutLanes& lanes) {
    for (std::size_t lane = 0; lane < lanes.n; ++lane) {
        const std::size_t column = lanes.column[lane], row = column * ThresholdTables::pitch;
        const std::uint32_t lowest = lanes.lowest[lane], highest = lanes.highest[lane];
        const double low = tables.half_lowest[row + lowest];
        const double high = tables.half_highest[row + highest];
        const double half = low + lanes.uniform[lane] * (high - low), threshold = half + half;
        double step = (half - tables.first_half[column]) * tables.steps_a_half[column];
        step = step > 0 ? step : 0;  // nor is what is not a number
        step = step < ThresholdTables::n_steps ? step : ThresholdTables::n_steps;
        const std::uint8_t* first = tables.first_of_step + column * ThresholdTables::step_pitch +
                                    static_cast<std::size_t>(step);
        const auto bounded = [&](std::uint32_t code) {
            code = code > lowest ? code : lowest;
            return code < highest ? code : highest - 1;
        };
        std::uint32_t last = bounded(first[0]);
        for (std::uint32_t n = bounded(first[1]) - last; n > 0;) {  // no branch: a coin's toss
            const std::uint32_t some = (n + 1) / 2;
            const bool is_left = tables.middle[row + last + some] <= threshold;
            last += is_left ? some : 0;
            n = is_left ? n - some : some - 1;
        }
        lanes.last_left[lane] = last;
        lanes.half_threshold[lane] = half;
    }
}

#endif
