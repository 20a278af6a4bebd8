// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
#include "distances/distance_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace branchline::BRANCHLINE_LEVEL {

namespace {

constexpr std::size_t lanes = panel_points;

struct Square {
    static double of(double one, double other) noexcept { return (one - other) * (one - other); }
};
struct Absolute {
    static double of(double one, double other) noexcept { return std::fabs(one - other); }
};
struct Unequal {
    static double of(double one, double other) noexcept { return one == other ? 0.0 : 1.0; }
};
struct Product {
    static double of(double one, double other) noexcept { return one * other; }
};

template <class Term>
void add(const PanelPair& pair, std::size_t begin, std::size_t end, double* sums) noexcept {
    double total[lanes];
    std::copy_n(sums, lanes, total);
    for (std::size_t column = begin; column < end; ++column) {
        const double value = pair.row[column];
        const double* points = pair.panel + column * lanes;
        for (std::size_t l = 0; l < lanes; ++l) total[l] += Term::of(value, points[l]);
    }
    std::copy_n(total, lanes, sums);
}

template <class Term>
void add_known(const PanelPair& pair, std::size_t begin, std::size_t end, double* sums,
               double* counts) noexcept {
    double total[lanes], n_known[lanes];
    std::copy_n(sums, lanes, total);
    std::copy_n(counts, lanes, n_known);
    for (std::size_t column = begin; column < end; ++column) {
        if (pair.known[column] == 0) continue;
        const double value = pair.row[column];
        const double* points = pair.panel + column * lanes;
        const double* known = pair.panel_known + column * lanes;
        for (std::size_t l = 0; l < lanes; ++l) {
            total[l] += known[l] * Term::of(value, points[l]);
            n_known[l] += known[l];
        }
    }
    std::copy_n(total, lanes, sums);
    std::copy_n(n_known, lanes, counts);
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
