// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
// Products may be fused with sums (-ffp-contract=fast).
#include "svm/kernel_tiles.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

namespace branchline::svm::BRANCHLINE_LEVEL {

namespace {

// Registers hold the sums of `rows_at_once` rows and two vectors of points, and their parts.
#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64, rows_at_once = 12;
#elif defined(__AVX2__)
constexpr std::size_t vector_bytes = 32, rows_at_once = 6;
#else
constexpr std::size_t vector_bytes = 16, rows_at_once = 4;
#endif
static_assert(tile_rows % rows_at_once == 0);

template <class Real>
struct Lanes {
    using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
    typedef Real Vector __attribute__((vector_size(vector_bytes)));
    typedef Bits Mask __attribute__((vector_size(vector_bytes)));
    static constexpr std::size_t n = vector_bytes / sizeof(Real);
};
template <class Real>
using Vector = typename Lanes<Real>::Vector;

template <class Real>
inline Vector<Real> load(const Real* from) {
    Vector<Real> values;
    std::memcpy(&values, from, sizeof values);
    return values;
}
template <class Real>
inline void store(Real* to, const Vector<Real>& values) {
    std::memcpy(to, &values, sizeof values);
}

#include "svm/kernel_endings.hpp"
#include "svm/kernel_sums.hpp"

// -- sums over columns ---------------------------------------------------------------------------

template <class Real>
struct Product {
    static Vector<Real> add(const Vector<Real>& sum, Real x, const Vector<Real>& z) {
        return sum + x * z;
    }
};

template <class Real>
struct Absolute {
    static Vector<Real> add(const Vector<Real>& sum, Real x, const Vector<Real>& z) {
        return sum + absolute<Real>(z - x);
    }
};

// Rows × two vectors of points.
template <class Real, class Step, std::size_t Rows>
void sum_part(const Real* rows, const Real* panel, const Strip& strip, Real* tile) {
    constexpr std::size_t n = Lanes<Real>::n, width = panel_width<Real>;
    Vector<Real> sum[Rows][2] = {};
    for (std::size_t k = 0; k < strip.n_steps; ++k) {
        const Vector<Real> low = load(panel + k * width), high = load(panel + k * width + n);
        for (std::size_t row = 0; row < Rows; ++row) {
            const Real x = rows[k * tile_rows + row];
            sum[row][0] = Step::add(sum[row][0], x, low);
            sum[row][1] = Step::add(sum[row][1], x, high);
        }
    }
    for (std::size_t row = 0; row < Rows; ++row) {
        for (std::size_t half = 0; half < 2; ++half) {
            Real* const to = tile + row * width + half * n;
            store(to, strip.is_first ? sum[row][half] : load(to) + sum[row][half]);
        }
    }
}

template <class Real, class Step, std::size_t... Rows>
constexpr auto parts_of(std::index_sequence<Rows...>) {
    return std::array{&sum_part<Real, Step, Rows + 1>...};
}

template <class Real, class Step>
void sum_tile(const Real* rows, const Real* panel, Strip strip, Real* tile) {
    constexpr std::size_t width = panel_width<Real>;
    static constexpr auto parts = parts_of<Real, Step>(std::make_index_sequence<rows_at_once>{});
    for (std::size_t row = 0; row < strip.n_rows; row += rows_at_once) {
        const auto part = parts[std::min(rows_at_once, strip.n_rows - row) - 1];
        for (std::size_t j = 0; j < width; j += 2 * Lanes<Real>::n) {
            part(rows + row, panel + j, strip, tile + row * width + j);
        }
    }
}

// Rounded as products are: x·x of a row is then its ‖x‖².
template <class Real>
void squares(const Real* panel, std::size_t n_columns, Real* out) {
    constexpr std::size_t n = Lanes<Real>::n, width = panel_width<Real>;
    for (std::size_t j = 0; j < width; j += n) {
        Vector<Real> total{};
        for (std::size_t k = 0; k < n_columns;) {
            const std::size_t end = std::min(n_columns, k + strip_steps);
            Vector<Real> sum{};
            for (; k < end; ++k) {
                const Vector<Real> z = load(panel + k * width + j);
                sum = sum + z * z;
            }
            total = total + sum;
        }
        store(out + j, total);
    }
}

// -- bits ----------------------------------------------------------------------------------------

template <class Real>
void count_bits(const std::uint64_t* rows, const std::uint64_t* panel, const Strip& strip,
                Real* tile) {
    constexpr std::size_t width = panel_width<Real>;
    for (std::size_t row = 0; row < strip.n_rows; ++row) {
        std::array<int, width> count{};
        for (std::size_t w = 0; w < strip.n_steps; ++w) {
            const std::uint64_t word = rows[w * tile_rows + row];
            const std::uint64_t* const others = panel + w * width;
            for (std::size_t j = 0; j < width; ++j) count[j] += std::popcount(word & others[j]);
        }
        for (std::size_t j = 0; j < width; ++j) {
            Real& to = tile[row * width + j];
            to = static_cast<Real>(count[j]) + (strip.is_first ? 0 : to);
        }
    }
}

#if defined(__AVX512BW__)

inline void write_counts(float* to, __m512i counts, bool is_first) {
    const __m256 sum = _mm512_cvtepi64_ps(counts);
    _mm256_storeu_ps(to, is_first ? sum : sum + _mm256_loadu_ps(to));
}
inline void write_counts(double* to, __m512i counts, bool is_first) {
    const __m512d sum = _mm512_cvtepi64_pd(counts);
    _mm512_storeu_pd(to, is_first ? sum : sum + _mm512_loadu_pd(to));
}

// Processors of this level need not have the instruction; most do.
template <class Real>
__attribute__((target("avx512vpopcntdq"))) void count_bits_at_once(const std::uint64_t* rows,
                                                                   const std::uint64_t* panel,
                                                                   const Strip& strip, Real* tile) {
    constexpr std::size_t width = panel_width<Real>, n_vectors = width / 8;
    for (std::size_t row = 0; row < strip.n_rows; ++row) {
        __m512i count[n_vectors];
        for (__m512i& each : count) each = _mm512_setzero_si512();
        for (std::size_t w = 0; w < strip.n_steps; ++w) {
            const auto word = static_cast<long long>(rows[w * tile_rows + row]);
            for (std::size_t v = 0; v < n_vectors; ++v) {
                const __m512i others = _mm512_loadu_si512(panel + w * width + v * 8);
                const __m512i common = _mm512_and_si512(_mm512_set1_epi64(word), others);
                count[v] = _mm512_add_epi64(count[v], _mm512_popcnt_epi64(common));
            }
        }
        for (std::size_t v = 0; v < n_vectors; ++v) {
            write_counts(tile + row * width + v * 8, count[v], strip.is_first);
        }
    }
}

#endif

template <class Real>
void common_bits(const std::uint64_t* rows, const std::uint64_t* panel, Strip strip, Real* tile) {
#if defined(__AVX512BW__)
    if (__builtin_cpu_supports("avx512vpopcntdq")) {
        return count_bits_at_once(rows, panel, strip, tile);
    }
#endif
    count_bits(rows, panel, strip, tile);
}

template <class Real>
void exponentials(const Real* squares, Real factor, Real* out, std::size_t n) {
    constexpr std::size_t width = sizeof(Vector<Real>) / sizeof(Real);
    for (std::size_t at = 0; at < n; at += width) {
        const std::size_t here = std::min(width, n - at) * sizeof(Real);
        Vector<Real> values{};
        __builtin_memcpy(&values, squares + at, here);
        values = exp_down<Real>(factor * values);
        __builtin_memcpy(out + at, &values, here);
    }
}

template <class Real>
constexpr KernelTiles<Real> tiles_of() {
    return {sum_tile<Real, Product<Real>>,
            sum_tile<Real, Absolute<Real>>,
            common_bits<Real>,
            squares<Real>,
            finish<Real>,
            exponentials<Real>,
            add_few<Real>,
            add_many<Real>};
}

}  // namespace

extern const KernelTiles<float> single_tiles;
extern const KernelTiles<double> double_tiles;
const KernelTiles<float> single_tiles = tiles_of<float>();
const KernelTiles<double> double_tiles = tiles_of<double>();

}  // namespace branchline::svm::BRANCHLINE_LEVEL
