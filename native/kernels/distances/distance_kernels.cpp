// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
#include "distances/distance_kernels.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

namespace branchline::BRANCHLINE_LEVEL {

namespace {

constexpr std::size_t lanes = panel_points;

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif
constexpr std::size_t at_once = vector_bytes / sizeof(double), n_vectors = lanes / at_once;

typedef double Doubles __attribute__((vector_size(vector_bytes)));
typedef std::int64_t Bits __attribute__((vector_size(vector_bytes)));

inline Doubles load(const double* from) noexcept {
    Doubles values;
    std::memcpy(&values, from, sizeof values);
    return values;
}
inline Doubles repeat(double value) noexcept { return Doubles{} + value; }
inline Bits bits(const Doubles& values) noexcept { return reinterpret_cast<const Bits&>(values); }
inline Doubles doubles(const Bits& values) noexcept {
    return reinterpret_cast<const Doubles&>(values);
}

struct Square {
    static Doubles of(const Doubles& one, const Doubles& other) noexcept {
        return (one - other) * (one - other);
    }
};
struct Absolute {
    static Doubles of(const Doubles& one, const Doubles& other) noexcept {
        return doubles(bits(one - other) & std::numeric_limits<std::int64_t>::max());
    }
};
struct Unequal {
    static Doubles of(const Doubles& one, const Doubles& other) noexcept {
        return doubles((one != other) & bits(repeat(1.0)));
    }
};
struct Product {
    static Doubles of(const Doubles& one, const Doubles& other) noexcept { return one * other; }
};

template <class Term>
void add(const PanelPair& pair, std::size_t begin, std::size_t end, double* sums) noexcept {
    Doubles total[n_vectors];
    std::memcpy(total, sums, sizeof total);
    for (std::size_t column = begin; column < end; ++column) {
        const Doubles value = repeat(pair.row[column]);
        const double* points = pair.panel + column * lanes;
        for (std::size_t v = 0; v < n_vectors; ++v)
            total[v] += Term::of(value, load(points + v * at_once));
    }
    std::memcpy(sums, total, sizeof total);
}

template <class Term>
void add_known(const PanelPair& pair, std::size_t begin, std::size_t end, double* sums,
               double* counts) noexcept {
    Doubles total[n_vectors], n_known[n_vectors];
    std::memcpy(total, sums, sizeof total);
    std::memcpy(n_known, counts, sizeof n_known);
    double n_whole = 0;
    for (std::size_t column = begin; column < end; ++column) {
        if (pair.known[column] == 0) continue;
        const Doubles value = repeat(pair.row[column]);
        const double* points = pair.panel + column * lanes;
        if (pair.panel_whole[column]) {
            for (std::size_t v = 0; v < n_vectors; ++v)
                total[v] += Term::of(value, load(points + v * at_once));
            ++n_whole;
            continue;
        }
        const double* known = pair.panel_known + column * lanes;
        for (std::size_t v = 0; v < n_vectors; ++v) {
            const Doubles is_known = load(known + v * at_once);
            total[v] += is_known * Term::of(value, load(points + v * at_once));
            n_known[v] += is_known;
        }
    }
    for (std::size_t v = 0; v < n_vectors; ++v) n_known[v] += n_whole;
    std::memcpy(sums, total, sizeof total);
    std::memcpy(counts, n_known, sizeof n_known);
}

template <class Term>
void sum_columns(const PanelPair& pair, std::size_t begin, std::size_t end, double* sums,
                 double* counts) noexcept {
    if (pair.known == nullptr) {
        add<Term>(pair, begin, end, sums);
    } else {
        add_known<Term>(pair, begin, end, sums, counts);
    }
}

void squares(const PanelPair& pair, double* sums, double* counts) {
    std::fill_n(sums, lanes, 0.0);
    std::fill_n(counts, lanes, 0.0);
    sum_columns<Square>(pair, 0, pair.n_columns, sums, counts);
}

void differences(const PanelPair& pair, double* sums, double* counts) {
    std::fill_n(sums, lanes, 0.0);
    std::fill_n(counts, lanes, 0.0);
    sum_columns<Absolute>(pair, 0, pair.n_numbers, sums, counts);
    sum_columns<Unequal>(pair, pair.n_numbers, pair.n_columns, sums, counts);
}

void products(const PanelPair& pair, double* sums) {
    std::fill_n(sums, lanes, 0.0);
    add<Product>(pair, 0, pair.n_columns, sums);
}

void moments(const PanelPair& pair, double* sums, double* out) {
    std::fill_n(sums, lanes, 0.0);
    std::fill_n(out, 5 * lanes, 0.0);
    add<Product>(pair, 0, pair.n_columns, sums);  // values of missing cells are 0
    for (std::size_t column = 0; column < pair.n_columns; ++column) {
        const double value = pair.row[column], known = pair.known[column];
        const double* points = pair.panel + column * lanes;
        const double* points_known = pair.panel_known + column * lanes;
        for (std::size_t l = 0; l < lanes; ++l) {
            out[l] += value * points_known[l];
            out[lanes + l] += known * points[l];
            out[2 * lanes + l] += value * value * points_known[l];
            out[3 * lanes + l] += known * (points[l] * points[l]);
            out[4 * lanes + l] += known * points_known[l];
        }
    }
}

double least_sum(const double* values, const double* penalty, std::size_t n) {
    double least[lanes];
    std::fill_n(least, lanes, std::numeric_limits<double>::infinity());
    for (std::size_t at = 0; at < n; at += lanes) {
        for (std::size_t l = 0; l < lanes; ++l) {
            const double sum = values[at + l] + penalty[at + l];
            least[l] = sum < least[l] ? sum : least[l];
        }
    }
    return *std::min_element(least, least + lanes);
}

}  // namespace

extern const DistanceKernels distance_kernels;
const DistanceKernels distance_kernels{squares, differences, products, moments, least_sum};

}  // namespace branchline::BRANCHLINE_LEVEL
