// Parting the rows of a node. See record_kernels.hpp.
// Included by level_kernels.cpp alone, inside its unnamed namespace: compiled once a level.
#pragma once

#if defined(__AVX512F__) && defined(__AVX512VL__)

// Eight rows at a time: those that are chosen are brought together and written.
template <bool with_words>
struct EightRows {
    EightRows(PartedRows rows, std::size_t begin, __mmask8 valid)
        : places(_mm256_maskz_loadu_epi32(valid, rows.place + begin)) {
        if (with_words) words = _mm512_maskz_loadu_epi64(valid, rows.words + begin);
    }
    std::size_t write(__mmask8 chosen, PartedRows rows, std::size_t begin) const {
        const auto n = static_cast<unsigned>(__builtin_popcount(chosen));
        const auto first = static_cast<__mmask8>((1u << n) - 1);
        _mm256_mask_storeu_epi32(rows.place + begin, first,
                                 _mm256_maskz_compress_epi32(chosen, places));
        if (with_words) {
            _mm512_mask_storeu_epi64(rows.words + begin, first,
                                     _mm512_maskz_compress_epi64(chosen, words));
        }
        return n;
    }
    __m256i places;
    __m512i words;
};

inline __mmask8 first_of_eight(std::size_t n) {
    return static_cast<__mmask8>(n >= 8 ? 0xFF : (1u << n) - 1);
}

template <bool with_words>
std::size_t part_rows(std::size_t n, const std::uint64_t* left, std::uint32_t column,
                      PartedRows rows, PartedRows spare) {
    const __m512i bit = _mm512_set1_epi64(static_cast<long long>(1ull << column));
    std::size_t n_left = 0, n_right = 0;
    for (std::size_t i = 0; i < n; i += 8) {
        const __mmask8 valid = first_of_eight(n - i);
        const EightRows<with_words> some(rows, i, valid);
        const __mmask8 to_left =
            _mm512_test_epi64_mask(_mm512_maskz_loadu_epi64(valid, left + i), bit);
        n_left += some.write(to_left, rows, n_left);
        n_right += some.write(static_cast<__mmask8>(valid & ~to_left), spare, n_right);
    }
    for (std::size_t i = 0; i < n_right; i += 8) {
        const __mmask8 valid = first_of_eight(n_right - i);
        EightRows<with_words>(spare, i, valid).write(valid, rows, n_left + i);
    }
    return n_left;
}

#else

template <bool with_words>
std::size_t part_rows(std::size_t n, const std::uint64_t* left, std::uint32_t column,
                      PartedRows rows, PartedRows spare) {
    std::size_t n_left = 0, n_right = 0;
    for (std::size_t i = 0; i < n; ++i) {  // no branch: which way a row goes is a coin's toss
        const bool to_left = (left[i] >> column & 1) != 0;
        const std::uint32_t place = rows.place[i];
        rows.place[n_left] = spare.place[n_right] = place;
        if (with_words) {
            const std::int64_t word = rows.words[i];
            rows.words[n_left] = spare.words[n_right] = word;
        }
        n_left += to_left;
        n_right += !to_left;
    }
    for (std::size_t i = 0; i < n_right; ++i) rows.place[n_left + i] = spare.place[i];
    for (std::size_t i = 0; with_words && i < n_right; ++i) {
        rows.words[n_left + i] = spare.words[i];
    }
    return n_left;
}

#endif
