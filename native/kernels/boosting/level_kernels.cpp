#include "boosting/level_kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

#include "boosting/cut_kernels.hpp"
#include "boosting/rows.hpp"
#include "mix.hpp"

namespace branchline::boosting {

namespace BRANCHLINE_LEVEL {

namespace {

constexpr std::size_t ahead = 16;  // rows to ask memory for before they are needed

// -- counting ---------------------------------------------------------------------------------------

inline std::uint64_t spread(std::uint32_t word) {
    const std::int64_t g = static_cast<std::int32_t>(word) >> short_g_shift;
    const std::uint64_t h = (word >> short_h_shift) & 0xFF, n = word & 1;
    return (static_cast<std::uint64_t>(g) << word_g_shift) + (h << word_h_shift) + n;
}

void spread_words(const std::uint32_t* short_words, const std::uint16_t* rows, std::size_t n,
                  std::uint64_t* words) {
    if (rows == nullptr) {
        for (std::size_t i = 0; i < n; ++i) words[i] = spread(short_words[i]);
    } else {
        for (std::size_t i = 0; i < n; ++i) words[i] = spread(short_words[rows[i]]);
    }
}

template <std::size_t N>
inline void add_row(const std::uint8_t* codes, std::uint64_t word, std::uint64_t* cells) {
    for (std::size_t k = 0; k < N; ++k) cells[k * narrow_codes + codes[k]] += word;
}

template <std::size_t N>
void count_rows_of(const TileCodes& tile, const std::uint16_t* rows, std::size_t n,
                   const std::uint64_t* words, std::uint64_t* cells) {
    const std::uint8_t* const codes = tile.codes;
    const std::size_t stride = tile.stride, safe = n > ahead ? n - ahead : 0;
    std::size_t i = 0;
    for (; i < safe; ++i) {
        __builtin_prefetch(codes + rows[i + ahead] * stride);
        add_row<N>(codes + rows[i] * stride, words[i], cells);
    }
    for (; i < n; ++i) add_row<N>(codes + rows[i] * stride, words[i], cells);
}

template <std::size_t N>
void count_all_of(const TileCodes& tile, std::size_t n, const std::uint64_t* words,
                  std::uint64_t* cells) {
    for (std::size_t i = 0; i < n; ++i) add_row<N>(tile.codes + i * tile.stride, words[i], cells);
}

using CountRows = void (*)(const TileCodes&, const std::uint16_t*, std::size_t,
                           const std::uint64_t*, std::uint64_t*);
using CountAll = void (*)(const TileCodes&, std::size_t, const std::uint64_t*, std::uint64_t*);

template <std::size_t... N>
constexpr auto counters_of_rows(std::index_sequence<N...>) {
    return std::array<CountRows, sizeof...(N)>{&count_rows_of<N>...};
}
template <std::size_t... N>
constexpr auto counters_of_all(std::index_sequence<N...>) {
    return std::array<CountAll, sizeof...(N)>{&count_all_of<N>...};
}

using Widths = std::make_index_sequence<most_tile_bundles + 1>;
constexpr auto row_counters = counters_of_rows(Widths{});
constexpr auto all_counters = counters_of_all(Widths{});

void count_rows(const TileCodes& tile, const std::uint16_t* rows, std::size_t n,
                const std::uint64_t* words, std::uint64_t* cells) {
    row_counters[tile.n_bundles](tile, rows, n, words, cells);
}

void count_all(const TileCodes& tile, std::size_t n, const std::uint64_t* words,
               std::uint64_t* cells) {
    all_counters[tile.n_bundles](tile, n, words, cells);
}

// -- histograms -------------------------------------------------------------------------------------

inline std::int64_t g_of(std::uint64_t word) {
    return static_cast<std::int64_t>(word) >> word_g_shift;
}
inline std::uint64_t hn_of(std::uint64_t word) {
    return ((word >> word_h_shift) & word_h_mask) << sum_h_shift | (word & word_n_mask);
}

template <bool Add>
void take_cells_to(std::uint64_t* cells, Bins bins) {
    for (std::size_t i = 0; i < bins.n; ++i) {
        const std::uint64_t word = cells[i];
        cells[i] = 0;
        bins.g[i] = Add ? bins.g[i] + g_of(word) : g_of(word);
        bins.hn[i] = Add ? bins.hn[i] + hn_of(word) : hn_of(word);
    }
}

void take_cells(std::uint64_t* cells, Bins bins, bool add) {
    if (add) {
        take_cells_to<true>(cells, bins);
    } else {
        take_cells_to<false>(cells, bins);
    }
}

void take_words(std::uint64_t* cells, std::uint64_t* words, std::size_t n, bool add) {
    for (std::size_t i = 0; i < n; ++i) {
        words[i] = add ? words[i] + cells[i] : cells[i];
        cells[i] = 0;
    }
}

void take_words_from(std::uint64_t* __restrict cells, std::uint64_t* __restrict words,
                     std::uint64_t* __restrict rest, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t word = cells[i];
        cells[i] = 0;
        words[i] = word;
        rest[i] -= word;
    }
}

void subtract_words(std::uint64_t* words, const std::uint64_t* other, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) words[i] -= other[i];
}

void unpack(const std::uint64_t* words, Bins bins) {
    for (std::size_t i = 0; i < bins.n; ++i) bins.g[i] = g_of(words[i]);
    for (std::size_t i = 0; i < bins.n; ++i) bins.hn[i] = hn_of(words[i]);
}

void add(Bins bins, Bins other) {
    for (std::size_t i = 0; i < bins.n; ++i) bins.g[i] += other.g[i];
    for (std::size_t i = 0; i < bins.n; ++i) bins.hn[i] += other.hn[i];
}

void subtract(Bins bins, Bins other) {
    for (std::size_t i = 0; i < bins.n; ++i) bins.g[i] -= other.g[i];
    for (std::size_t i = 0; i < bins.n; ++i) bins.hn[i] -= other.hn[i];
}

// -- parting ----------------------------------------------------------------------------------------

#if defined(__AVX512BW__)
// Parts the 16 rows from rows[0] on, whose codes are given.
inline std::size_t part_sixteen(const std::uint16_t* rows, const std::uint8_t* codes,
                                const CodeSet& goes, std::uint16_t* left, std::uint16_t* right) {
    const __m512i words = _mm512_loadu_si512(goes.words), one = _mm512_set1_epi32(1);
    const __m512i row =
        _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows)));
    const __m512i code =
        _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes)));
    const __m512i word = _mm512_permutexvar_epi32(_mm512_srli_epi32(code, 5), words);
    const __m512i bit = _mm512_sllv_epi32(one, _mm512_and_epi32(code, _mm512_set1_epi32(31)));
    const __mmask16 mask = _mm512_test_epi32_mask(word, bit);
    const auto store = [](std::uint16_t* to, __m512i packed) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi32_epi16(packed));
    };
    store(right, _mm512_maskz_compress_epi32(mask, row));
    store(left, _mm512_maskz_compress_epi32(static_cast<__mmask16>(~mask), row));
    return static_cast<std::size_t>(__builtin_popcount(mask));
}
#endif

// Codes are fetched one by one: on many processors a gather takes longer than as many loads.
std::size_t part(std::uint16_t* rows, std::size_t n, const std::uint8_t* codes, const CodeSet& goes,
                 std::uint16_t* right) {
    std::size_t i = 0, n_right = 0;
#if defined(__AVX512BW__)
    constexpr std::size_t at_once = 256;
    std::uint8_t fetched[at_once];
    while (i + lanes <= n) {
        const std::size_t size = std::min(at_once, (n - i) / lanes * lanes);
        const bool is_run =
            rows[i + size - 1] - rows[i] + std::size_t{1} == size;  // as in the root
        if (!is_run) {
            for (std::size_t k = 0; k < size; ++k) fetched[k] = codes[rows[i + k]];
        }
        const std::uint8_t* of_rows = is_run ? codes + rows[i] : fetched;
        for (const std::size_t end = i + size; i < end; i += lanes, of_rows += lanes) {
            n_right += part_sixteen(rows + i, of_rows, goes, rows + i - n_right, right + n_right);
        }
    }
#endif
    for (; i < n; ++i) {
        const std::uint16_t row = rows[i];
        rows[i - n_right] = row;
        right[n_right] = row;
        n_right += goes.bytes[codes[row]];
    }
    return n - n_right;
}

// -- rounding and sums ------------------------------------------------------------------------------

void round(const float* g, const float* h, const std::uint64_t* keys, std::size_t n,
           const Rounding& rounding, std::int32_t* to_g, std::int32_t* to_h) {
    constexpr float grain = 0x1p-24f;
    const auto draw = [](std::uint64_t bits) {
        return static_cast<float>(static_cast<std::int32_t>(bits & 0xFF'FFFF)) * grain;
    };
    // Rows that are ignored may be beyond what the others are scaled by.
    constexpr float most_g = most_word_g, most_h = most_word_h;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t drawn = mix(keys[i] ^ rounding.key);
        const float scaled = g[i] * rounding.g_factor;
        const float value = scaled > most_g ? most_g : scaled < -most_g ? -most_g : scaled;
        to_g[i] = static_cast<std::int32_t>(std::floor(value + draw(drawn)));
        if (rounding.h_factor == 0) {
            to_h[i] = 1;
            continue;
        }
        const float height = h[i] * rounding.h_factor;
        to_h[i] =
            static_cast<std::int32_t>((height < most_h ? height : most_h) + draw(drawn >> 32));
    }
}

float largest(const float* values, std::size_t n) {
    std::size_t i = 0;
    float most = 0;
#if defined(__AVX512BW__)  // compilers keep lanes of an array in scalars
    __m512 of_lane = _mm512_setzero_ps();
    for (; i + 16 <= n; i += 16) {
        of_lane = _mm512_max_ps(of_lane, _mm512_abs_ps(_mm512_loadu_ps(values + i)));
    }
    most = _mm512_reduce_max_ps(of_lane);
#endif
    for (; i < n; ++i) most = std::max(most, std::fabs(values[i]));
    return most;
}

// To the nearest integer; halves away from 0.
inline std::int64_t nearest(double value) {
    return static_cast<std::int64_t>(value + (value < 0 ? -0.5 : 0.5));
}

LeafSums sum_rows(const std::uint16_t* rows, std::size_t n, const float* g, const float* h,
                  const std::int64_t* units, const LeafFactors& factors) {
    LeafSums sums;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t row = rows[i];
        const std::int64_t u = units == nullptr ? 1 : units[row];
        sums.units += u;
        sums.g += u * nearest(static_cast<double>(g[row]) * factors.g);
        if (h != nullptr) sums.h += u * nearest(static_cast<double>(h[row]) * factors.h);
    }
    return sums;
}

bool add_values(const std::uint32_t* __restrict leaves, std::size_t n,
                const double* __restrict values, std::size_t n_values, double* __restrict scores) {
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < n; ++i) last = leaves[i] > last ? leaves[i] : last;
    if (n > 0 && last >= n_values) return false;
    for (std::size_t i = 0; i < n; ++i) scores[i] += values[leaves[i]];
    return true;
}

}  // namespace

extern const BoostingKernels kernels;
const BoostingKernels kernels{
    spread_words,      count_rows, count_all, take_cells, take_words, take_words_from,
    subtract_words,    unpack,     add,       subtract,   score_cuts, best_cut,
    best_cut_of_words, part,       largest,   round,      sum_rows,   add_values};

}  // namespace BRANCHLINE_LEVEL

}  // namespace branchline::boosting
