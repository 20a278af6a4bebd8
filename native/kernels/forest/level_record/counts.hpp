// What lies on the left of cuts of several columns. See record_kernels.hpp.
// Included by level_kernels.cpp alone, inside its unnamed namespace: compiled once a level.
#pragma once

#include "forest/level_record/level_record.hpp"

// Compares records with the cuts of a node, and counts those on the left of each.
template <std::size_t stride>
class CutCounter {
    using Vector = RecordVector<stride>;

  public:
    explicit CutCounter(const NodeCuts& cuts) { __builtin_memcpy(&last_, cuts.last_left, stride); }

    // Counts a record; returns a bit for each column. At most 255 records in a row.
    std::uint64_t add(const std::uint8_t* record) {
        Vector bytes;
        __builtin_memcpy(&bytes, record, stride);
#if defined(__AVX512BW__) && defined(__AVX512VL__)
        const Vector more = counts_ + 1;
        if constexpr (stride == 16) {
            const __mmask16 left = _mm_cmplt_epu8_mask(__m128i(bytes), __m128i(last_));
            counts_ = Vector(_mm_mask_mov_epi8(__m128i(counts_), left, __m128i(more)));
            return left;
        } else if constexpr (stride == 32) {
            const __mmask32 left = _mm256_cmplt_epu8_mask(__m256i(bytes), __m256i(last_));
            counts_ = Vector(_mm256_mask_mov_epi8(__m256i(counts_), left, __m256i(more)));
            return left;
        } else {
            const __mmask64 left = _mm512_cmplt_epu8_mask(__m512i(bytes), __m512i(last_));
            counts_ = Vector(_mm512_mask_mov_epi8(__m512i(counts_), left, __m512i(more)));
            return left;
        }
#else
        const Vector left = Vector(bytes < last_);
        counts_ -= left;
        return bits_of(left);
#endif
    }
    // Writes the counts of the cuts, or adds them to what is there, and begins anew.
    template <bool adds>
    void take(const NodeCuts& cuts, std::uint32_t* counts) {
        std::uint8_t bytes[stride];
        __builtin_memcpy(bytes, &counts_, stride);
        counts_ = Vector{};
        for (std::size_t lane = 0; lane < cuts.n; ++lane) {
            counts[lane] = (adds ? counts[lane] : 0) + bytes[cuts.column[lane]];
        }
    }

  private:
    // The highest bit of each byte.
    [[maybe_unused]] static std::uint64_t bits_of(const Vector& bytes) {
        std::uint64_t bits = 0;
#if defined(__SSE2__)
        for (std::size_t part = 0; part < stride / 16; ++part) {
            __m128i some;
            __builtin_memcpy(&some, reinterpret_cast<const std::uint8_t*>(&bytes) + 16 * part, 16);
            bits |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(some))}
                    << (16 * part);
        }
#else
        for (std::size_t i = 0; i < stride; ++i) bits |= std::uint64_t{vector[i] & 1u} << i;
#endif
        return bits;
    }

    Vector last_, counts_{};
};

// Calls add(row, bits) for rows from begin to end, and counts them.
template <std::size_t stride, class Add>
inline void visit_left(const RecordRows& rows, std::size_t begin, std::size_t end,
                       const NodeCuts& cuts, CutCounter<stride>& counter, std::uint32_t* counts,
                       const Add& add) {
    const auto visit = [&](std::size_t last) {
#pragma GCC unroll 4
        for (; begin < last; ++begin) add(begin, counter.add(rows.records + rows.place[begin]));
    };
    constexpr std::size_t most = 255;
    visit(end - begin < most ? end : begin + most);
    counter.template take<false>(cuts, counts);
    while (begin < end) {
        visit(end - begin < most ? end : begin + most);
        counter.template take<true>(cuts, counts);
    }
}

void count_left(const RecordRows& rows, const ClassLengths& classes, const NodeCuts& cuts,
                std::uint64_t* left, std::uint32_t* counts) {
    with_stride(rows.stride, [&]<std::size_t stride>() {
        CutCounter<stride> counter(cuts);
        std::size_t begin = 0;
        for (std::size_t c = 0; c < classes.n_classes; ++c, counts += node_lanes) {
            const std::size_t end = begin + static_cast<std::size_t>(classes.n_rows[c]);
            if (begin == end) {
                for (std::size_t lane = 0; lane < cuts.n; ++lane) counts[lane] = 0;
                continue;
            }
            visit_left(rows, begin, end, cuts, counter, counts,
                       [&](std::size_t i, std::uint64_t bits) { left[i] = bits; });
            begin = end;
        }
    });
}

#if defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__BMI2__)

// Sums of words, eight cuts in a vector. The cuts' columns are brought together.
template <std::size_t n_vectors>
class LaneSums {
  public:
    explicit LaneSums(const NodeCuts& cuts) {
        for (std::size_t lane = 0; lane < cuts.n; ++lane) columns_ |= 1ull << cuts.column[lane];
    }
    void add(std::uint64_t left, std::int64_t word) {
        const std::uint64_t lanes = _pext_u64(left, columns_);
        const __m512i words = _mm512_set1_epi64(word);
        for (std::size_t v = 0; v < n_vectors; ++v) {
            const auto some = static_cast<__mmask8>(lanes >> (8 * v));
            sums_[v] = _mm512_mask_add_epi64(sums_[v], some, sums_[v], words);
        }
    }
    void write(const NodeCuts& cuts, const std::uint32_t* counts, NumberCell* sums) const {
        alignas(64) std::int64_t sum[8 * n_vectors];
        for (std::size_t v = 0; v < n_vectors; ++v) _mm512_store_si512(sum + 8 * v, sums_[v]);
        for (std::size_t lane = 0; lane < cuts.n; ++lane) {
            const std::uint64_t before = columns_ & ((1ull << cuts.column[lane]) - 1);
            sums[lane] = {counts[lane], sum[__builtin_popcountll(before)]};
        }
    }

  private:
    std::uint64_t columns_ = 0;
    __m512i sums_[n_vectors] = {};
};

template <std::size_t n_vectors>
void sum_left_of(const RecordRows& rows, const std::int64_t* words, const NodeCuts& cuts,
                 std::uint64_t* left, NumberCell* sums) {
    std::uint32_t counts[node_lanes];
    with_stride(rows.stride, [&]<std::size_t stride>() {
        LaneSums<n_vectors> lanes(cuts);
        const auto add = [&](std::size_t i, std::uint64_t bits) {
            left[i] = bits;
            lanes.add(bits, words[i]);
        };
        CutCounter<stride> counter(cuts);
        visit_left(rows, 0, rows.n, cuts, counter, counts, add);
        lanes.write(cuts, counts, sums);
    });
}

void sum_left(const RecordRows& rows, const std::int64_t* words, const NodeCuts& cuts,
              std::uint64_t* left, NumberCell* sums) {
    if (cuts.n <= 8) return sum_left_of<1>(rows, words, cuts, left, sums);
    if (cuts.n <= 16) return sum_left_of<2>(rows, words, cuts, left, sums);
    if (cuts.n <= 32) return sum_left_of<4>(rows, words, cuts, left, sums);
    sum_left_of<8>(rows, words, cuts, left, sums);
}

#else

void sum_left(const RecordRows& rows, const std::int64_t* words, const NodeCuts& cuts,
              std::uint64_t* left, NumberCell* sums) {
    std::uint32_t counts[node_lanes];
    const auto n = static_cast<std::int64_t>(rows.n);
    count_left(rows, {&n, 1}, cuts, left, counts);
    for (std::size_t lane = 0; lane < cuts.n; ++lane) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < rows.n; ++i) {
            sum += static_cast<std::uint64_t>(words[i]) & (0 - (left[i] >> cuts.column[lane] & 1));
        }
        sums[lane] = {counts[lane], static_cast<std::int64_t>(sum)};
    }
}

#endif
