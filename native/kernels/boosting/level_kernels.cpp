#include "boosting/level_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

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

using Widths = std::make_index_sequence<most_tile_columns + 1>;
constexpr auto row_counters = counters_of_rows(Widths{});
constexpr auto all_counters = counters_of_all(Widths{});

void count_rows(const TileCodes& tile, const std::uint16_t* rows, std::size_t n,
                const std::uint64_t* words, std::uint64_t* cells) {
    row_counters[tile.n_columns](tile, rows, n, words, cells);
}

void count_all(const TileCodes& tile, std::size_t n, const std::uint64_t* words,
               std::uint64_t* cells) {
    all_counters[tile.n_columns](tile, n, words, cells);
}

// -- histograms -------------------------------------------------------------------------------------

template <bool Add>
void take_cells_to(std::uint64_t* cells, Bins bins) {
    constexpr std::uint64_t h_mask = (std::uint64_t{1} << (word_g_shift - word_h_shift)) - 1;
    constexpr std::uint64_t n_mask = (std::uint64_t{1} << word_h_shift) - 1;
    for (std::size_t i = 0; i < bins.n; ++i) {
        const std::uint64_t word = cells[i];
        cells[i] = 0;
        const std::int64_t g = static_cast<std::int64_t>(word) >> word_g_shift;
        const std::uint64_t hn = ((word >> word_h_shift) & h_mask) << sum_h_shift | (word & n_mask);
        bins.g[i] = Add ? bins.g[i] + g : g;
        bins.hn[i] = Add ? bins.hn[i] + hn : hn;
    }
}

void take_cells(std::uint64_t* cells, Bins bins, bool add) {
    if (add) {
        take_cells_to<true>(cells, bins);
    } else {
        take_cells_to<false>(cells, bins);
    }
}

void add(Bins bins, Bins other) {
    for (std::size_t i = 0; i < bins.n; ++i) bins.g[i] += other.g[i];
    for (std::size_t i = 0; i < bins.n; ++i) bins.hn[i] += other.hn[i];
}

void subtract(Bins bins, Bins other) {
    for (std::size_t i = 0; i < bins.n; ++i) bins.g[i] -= other.g[i];
    for (std::size_t i = 0; i < bins.n; ++i) bins.hn[i] -= other.hn[i];
}

// -- scores -----------------------------------------------------------------------------------------

constexpr std::size_t strip = 64;  // cuts that are scored at a time

void score_strip(const std::int64_t* left_g, const std::uint64_t* left_hn, std::size_t n,
                 const CutNode& node, double* score) {
    constexpr std::uint64_t n_mask = (std::uint64_t{1} << sum_h_shift) - 1;
    for (std::size_t i = 0; i < n; ++i) {
        const double g = static_cast<double>(left_g[i]) * node.g_unit;
        const double h =
            static_cast<double>(static_cast<std::int64_t>(left_hn[i] >> sum_h_shift)) * node.h_unit;
        const double rows = static_cast<double>(static_cast<std::int64_t>(left_hn[i] & n_mask));
        const double other_g = node.g - g, other_h = node.h - h, other_rows = node.n - rows;
        const double below = h + node.l2, other_below = other_h + node.l2;
        const double value =
            (g * g * other_below + other_g * other_g * below) / (below * other_below);
        const bool holds = (rows >= node.least_n) & (other_rows >= node.least_n) &
                           (h >= node.least_h) & (other_h >= node.least_h) & (below > 0) &
                           (other_below > 0);
        score[i] = holds ? value : -std::numeric_limits<double>::infinity();
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

// -- parting ----------------------------------------------------------------------------------------

std::size_t part(std::uint16_t* rows, std::size_t n, const std::uint8_t* codes, std::size_t n_codes,
                 std::uint8_t shift, std::uint8_t limit, std::uint16_t* right) {
    std::size_t i = 0, n_left = 0, n_right = 0;
#if defined(__AVX512BW__)
    // A gather reads four bytes a row, so the last three rows are left to the loop below.
    const __m512i shifts = _mm512_set1_epi32(shift), limits = _mm512_set1_epi32(limit);
    const __m512i low_byte = _mm512_set1_epi32(0xFF);
    for (; i + 16 <= n && rows[i + 15] + 3u < n_codes; i += 16) {
        const __m512i row =
            _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows + i)));
        const __m512i code = _mm512_i32gather_epi32(row, codes, 1);
        const __m512i moved = _mm512_and_epi32(_mm512_sub_epi32(code, shifts), low_byte);
        const __mmask16 goes = _mm512_cmpgt_epu32_mask(moved, limits);
        const auto store = [](std::uint16_t* to, __m512i packed) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi32_epi16(packed));
        };
        store(right + n_right, _mm512_maskz_compress_epi32(goes, row));
        store(rows + n_left, _mm512_maskz_compress_epi32(static_cast<__mmask16>(~goes), row));
        const auto count = static_cast<std::size_t>(__builtin_popcount(goes));
        n_right += count;
        n_left += 16 - count;
    }
#else
    static_cast<void>(n_codes);
#endif
    for (; i < n; ++i) {
        const std::uint16_t row = rows[i];
        const bool goes = static_cast<std::uint8_t>(codes[row] - shift) > limit;
        rows[n_left] = row;
        right[n_right] = row;
        n_left += !goes;
        n_right += goes;
    }
    return n_left;
}

// -- rounding and sums ------------------------------------------------------------------------------

void round(const float* g, const float* h, const std::uint64_t* keys, std::size_t n,
           const Rounding& rounding, std::int32_t* to_g, std::int32_t* to_h) {
    constexpr float grain = 0x1p-24f;
    const auto draw = [](std::uint64_t bits) {
        return static_cast<float>(static_cast<std::int32_t>(bits & 0xFF'FFFF)) * grain;
    };
    // Rows that are not looked at may be beyond what the others are scaled by.
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
    constexpr std::size_t n_lanes = 16;
    std::array<float, n_lanes> lane{};
    const std::size_t n_even = n - n % n_lanes;
    for (std::size_t i = 0; i < n_even; i += n_lanes) {
        for (std::size_t k = 0; k < n_lanes; ++k) {
            const float value = std::fabs(values[i + k]);
            lane[k] = value > lane[k] ? value : lane[k];
        }
    }
    for (std::size_t i = n_even; i < n; ++i) lane[0] = std::max(lane[0], std::fabs(values[i]));
    return *std::max_element(lane.begin(), lane.end());
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

}  // namespace

extern const BoostingKernels kernels;
const BoostingKernels kernels{spread_words, count_rows, count_all, take_cells, add,   subtract,
                              score_cuts,   best_cut,   part,      largest,    round, sum_rows};

}  // namespace BRANCHLINE_LEVEL

}  // namespace branchline::boosting
