// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
// Products may be fused with sums (-ffp-contract=fast).
#include "cluster/nearest_kernels.hpp"

#include <cstring>
#include <limits>

namespace branchline::cluster::BRANCHLINE_LEVEL {

namespace {

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif
constexpr std::size_t lanes = vector_bytes / sizeof(float);
constexpr std::size_t rows_at_once = 2 * lanes;
static_assert(panel_rows % rows_at_once == 0);

typedef float Floats __attribute__((vector_size(vector_bytes)));
typedef std::int32_t Whole __attribute__((vector_size(vector_bytes)));

template <class Vector, class Value>
inline Vector load(const Value* from) noexcept {
    Vector values;
    std::memcpy(&values, from, sizeof values);
    return values;
}
template <class Vector, class Value>
inline void store(Value* to, const Vector& values) noexcept {
    std::memcpy(to, &values, sizeof values);
}

// The two least scores so far of one vector of rows.
struct Least {
    Floats best, second;
    Whole center;

    Least() noexcept {
        best = Floats{} + std::numeric_limits<float>::max();
        second = best;
        center = Whole{};
    }
    void offer(const Floats& score, std::int32_t at) noexcept {
        const Whole is_less = score < best;
        const Floats loser = is_less ? best : score;
        second = loser < second ? loser : second;
        best = is_less ? score : best;
        center = is_less ? Whole{} + at : center;
    }
};

// Scores of 2 · lanes rows against one tile of centers.
template <bool SomeMissing>
void tile_scores(const CenterTiles& centers, std::size_t tile, const float* rows,
                 const float* known, Floats (&sum)[tile_centers][2]) noexcept {
    const std::size_t first = tile * tile_centers, n_columns = centers.n_columns;
    const float* const base = SomeMissing ? centers.bare_base : centers.base;
    for (std::size_t at = 0; at < tile_centers; ++at) {
        sum[at][0] = sum[at][1] = Floats{} + base[first + at];
    }
    const float* product = centers.products + first * n_columns;
    const float* square = centers.squares + first * n_columns;
    for (std::size_t column = 0; column < n_columns; ++column) {
        const float* const from = rows + column * panel_rows;
        const Floats low = load<Floats>(from), high = load<Floats>(from + lanes);
        for (std::size_t at = 0; at < tile_centers; ++at) {
            sum[at][0] += product[at] * low;
            sum[at][1] += product[at] * high;
        }
        product += tile_centers;
        if constexpr (SomeMissing) {
            const float* const mask = known + column * panel_rows;
            const Floats one = load<Floats>(mask), two = load<Floats>(mask + lanes);
            for (std::size_t at = 0; at < tile_centers; ++at) {
                sum[at][0] += square[at] * one;
                sum[at][1] += square[at] * two;
            }
            square += tile_centers;
        }
    }
}

template <bool SomeMissing>
void nearest_of(const CenterTiles& centers, const float* rows, const float* known,
                NearestTwo& out) noexcept {
    for (std::size_t row = 0; row < panel_rows; row += rows_at_once) {
        Least least[2];
        for (std::size_t tile = 0; tile < centers.n_tiles; ++tile) {
            Floats sum[tile_centers][2];
            tile_scores<SomeMissing>(centers, tile, rows + row, SomeMissing ? known + row : nullptr,
                                     sum);
            const auto first = static_cast<std::int32_t>(tile * tile_centers);
            for (std::size_t at = 0; at < tile_centers; ++at) {
                least[0].offer(sum[at][0], first + static_cast<std::int32_t>(at));
                least[1].offer(sum[at][1], first + static_cast<std::int32_t>(at));
            }
        }
        for (std::size_t half = 0; half < 2; ++half) {
            store(out.best + row + half * lanes, least[half].best);
            store(out.second + row + half * lanes, least[half].second);
            store(out.center + row + half * lanes, least[half].center);
        }
    }
}

void nearest(const CenterTiles& centers, const float* rows, const float* known, NearestTwo& out) {
    if (known == nullptr) {
        nearest_of<false>(centers, rows, known, out);
    } else {
        nearest_of<true>(centers, rows, known, out);
    }
}

}  // namespace

// In panel_squares.cpp, where products are not fused.
void panel_squares(const float* rows, const float* known, const float* point, std::size_t n_columns,
                   float* out);
void roots(double* squares, std::size_t n);
double weighted_sum(const double* values, const double* weights, std::size_t n);
void add_scaled(const double* values, double weight, std::size_t n, double* sums);

extern const NearestKernels nearest_kernels;
const NearestKernels nearest_kernels{nearest, panel_squares, roots, weighted_sum, add_scaled};

}  // namespace branchline::cluster::BRANCHLINE_LEVEL
