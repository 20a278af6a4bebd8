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
    constexpr std::uint64_t h_mask = (std::uint64_t{1} << (word_g_shift - word_h_shift)) - 1;
    constexpr std::uint64_t n_mask = (std::uint64_t{1} << word_h_shift) - 1;
    return ((word >> word_h_shift) & h_mask) << sum_h_shift | (word & n_mask);
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

// -- scores -----------------------------------------------------------------------------------------

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
        return static_cast<std::int32_t>(g_of(word));
    }
    static std::int32_t h_of_word(std::uint64_t word) {
        constexpr std::uint64_t mask = (std::uint64_t{1} << (word_g_shift - word_h_shift)) - 1;
        return static_cast<std::int32_t>((word >> word_h_shift) & mask);
    }
    static std::int32_t n_of_word(std::uint64_t word) {
        constexpr std::uint64_t mask = (std::uint64_t{1} << word_h_shift) - 1;
        return static_cast<std::int32_t>(word & mask);
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

// -- parting ----------------------------------------------------------------------------------------

std::size_t part(std::uint16_t* rows, std::size_t n, const std::uint8_t* codes, std::size_t n_codes,
                 const CodeBits& goes, std::uint16_t* right) {
    std::size_t i = 0, n_left = 0, n_right = 0;
#if defined(__AVX512BW__)
    // A gather reads four bytes a row, so the last three rows are left to the loop below.
    const __m512i words = _mm512_loadu_si512(goes.words), one = _mm512_set1_epi32(1);
    const __m512i low_byte = _mm512_set1_epi32(0xFF);
    for (; i + 16 <= n && rows[i + 15] + 3u < n_codes; i += 16) {
        const __m512i row =
            _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows + i)));
        const __m512i code = _mm512_and_epi32(_mm512_i32gather_epi32(row, codes, 1), low_byte);
        const __m512i word = _mm512_permutexvar_epi32(_mm512_srli_epi32(code, 5), words);
        const __m512i bit = _mm512_sllv_epi32(one, _mm512_and_epi32(code, _mm512_set1_epi32(31)));
        const __mmask16 mask = _mm512_test_epi32_mask(word, bit);
        const auto store = [](std::uint16_t* to, __m512i packed) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi32_epi16(packed));
        };
        store(right + n_right, _mm512_maskz_compress_epi32(mask, row));
        store(rows + n_left, _mm512_maskz_compress_epi32(static_cast<__mmask16>(~mask), row));
        const auto count = static_cast<std::size_t>(__builtin_popcount(mask));
        n_right += count;
        n_left += 16 - count;
    }
#else
    static_cast<void>(n_codes);
#endif
    for (; i < n; ++i) {
        const std::uint16_t row = rows[i];
        const bool is_gone = goes.has(codes[row]);
        rows[n_left] = row;
        right[n_right] = row;
        n_left += !is_gone;
        n_right += is_gone;
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
