// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
// Products may be fused with sums (-ffp-contract=fast).
#include "neighbors/near_kernels.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <bit>
#include <cstring>

namespace branchline::neighbors::BRANCHLINE_LEVEL {

namespace {

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif
constexpr std::size_t lanes = vector_bytes / sizeof(float);
constexpr std::size_t queries_at_once = 2 * lanes;
static_assert(panel_queries % queries_at_once == 0);

typedef float Floats __attribute__((vector_size(vector_bytes)));

inline Floats load(const float* from) noexcept {
    Floats values;
    std::memcpy(&values, from, sizeof values);
    return values;
}

// Bit l is 1 where value l is below bound l.
inline std::uint32_t below(const Floats& values, const Floats& bounds) noexcept {
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask(values, bounds, _CMP_LT_OQ);
#elif defined(__AVX2__)
    return static_cast<std::uint32_t>(
        _mm256_movemask_ps(_mm256_cmp_ps(values, bounds, _CMP_LT_OQ)));
#elif defined(__x86_64__)
    return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_cmplt_ps(values, bounds)));
#else
    std::uint32_t bits = 0;
    for (std::size_t l = 0; l < lanes; ++l) bits |= std::uint32_t{values[l] < bounds[l]} << l;
    return bits;
#endif
}

// Scores of 2 · lanes queries against one tile.
inline void tile_scores(const PointTiles& points, std::size_t tile, const float* queries,
                        Floats (&score)[tile_points][2]) noexcept {
    const float* const base = points.base + tile * tile_points;
    for (std::size_t at = 0; at < tile_points; ++at) {
        score[at][0] = score[at][1] = Floats{} + base[at];
    }
    const float* product = points.products + tile * tile_points * points.n_columns;
    for (std::size_t column = 0; column < points.n_columns; ++column) {
        const float* const from = queries + column * panel_queries;
        const Floats low = load(from), high = load(from + lanes);
        for (std::size_t at = 0; at < tile_points; ++at) {
            score[at][0] += product[at] * low;
            score[at][1] += product[at] * high;
        }
        product += tile_points;
    }
}

Hit* take(const Floats& score, std::uint32_t bits, std::size_t point, std::size_t first_query,
          Hit* hits) noexcept {
    for (; bits != 0; bits &= bits - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(bits));
        *hits++ = {score[lane], static_cast<std::uint32_t>(point),
                   static_cast<std::uint32_t>(first_query) + lane};
    }
    return hits;
}

std::size_t screen(const PointTiles& points, std::size_t first, std::size_t last,
                   const float* queries, const float* bounds, Hit* hits) {
    Hit* next = hits;
    for (std::size_t query = 0; query < panel_queries; query += queries_at_once) {
        const Floats bound[2] = {load(bounds + query), load(bounds + query + lanes)};
        for (std::size_t tile = first; tile < last; ++tile) {
            Floats score[tile_points][2];
            tile_scores(points, tile, queries + query, score);
            for (std::size_t half = 0; half < 2; ++half) {
                Floats least = score[0][half];
                for (std::size_t at = 1; at < tile_points; ++at) {
                    least = score[at][half] < least ? score[at][half] : least;
                }
                if (below(least, bound[half]) == 0) continue;
                for (std::size_t at = 0; at < tile_points; ++at) {
                    next = take(score[at][half], below(score[at][half], bound[half]),
                                tile * tile_points + at, query + half * lanes, next);
                }
            }
        }
    }
    return static_cast<std::size_t>(next - hits);
}

}  // namespace

extern const NearKernels near_kernels;
const NearKernels near_kernels{screen};

}  // namespace branchline::neighbors::BRANCHLINE_LEVEL
