// The innermost loops of sequential minimal optimization, compiled once for each processor level.
//
// Arrays are padded to a multiple of `smo_lanes`. A bar is 0 where a variable may move and infinite
// where it may not, so that no loop asks: `up` (+∞) where it may not rise, `down` (−∞) where it may not
// fall; padding has both.
#pragma once

#include <cstddef>

#include "branchline/cpu_level.hpp"

namespace branchline::svm {

inline constexpr std::size_t smo_lanes = 16;
inline constexpr double least_curvature = 1e-12;

inline constexpr std::size_t padded(std::size_t n) {
    return (n + smo_lanes - 1) / smo_lanes * smo_lanes;
}

// A number and where it stands; the first place on ties.
struct Pick {
    double value;
    std::size_t place;
};

// The variable that is to rise: its gradient and what K has on its diagonal.
struct Riser {
    double gradient, diagonal;
};

struct Partner {
    Pick best;       // the largest decrease (times 2) of the pair; value < 0: none
    double largest;  // gradient of a variable that may fall
};

template <class Real>
struct SmoKernels {
    // The least of gradient + up.
    Pick (*least)(const double* gradient, const double* up, std::size_t n);
    // The partner j of a riser: largest (g_j − g)² / (d_j + d − 2 row_j) of those with g_j > g.
    Partner (*partner)(const Real* row, const double* diagonal, const double* gradient,
                       const double* down, std::size_t n, const Riser& riser);
    // gradient += step · (rising − falling); the least of gradient + up after it.
    Pick (*move)(const Real* rising, const Real* falling, double step, double* gradient,
                 const double* up, std::size_t n);
    // Of single variables: the largest g² / d among those that may follow their slope, and the slope.
    Partner (*steepest)(const double* diagonal, const double* gradient, const double* up,
                        const double* down, std::size_t n);
    // gradient += step · row.
    void (*move_one)(const Real* row, double step, double* gradient, std::size_t n);
    // Σ a_i b_i, and to += factor · from; no padding is needed.
    double (*dot)(const double* a, const double* b, std::size_t n);
    void (*add_scaled)(const double* from, double factor, double* to, std::size_t n);
    // Turns the plane of a and b: a := cosine a + sine b, b := cosine b − sine a.
    void (*turn)(double* a, double* b, double cosine, double sine, std::size_t n);
    // sums += Σ_k change[k] · rows[k], n values each; no padding is needed.
    void (*add_rows)(const Real* const* rows, const double* change, std::size_t n_rows,
                     double* sums, std::size_t n);
};

template <class Real>
const SmoKernels<Real>& smo_kernels_for(CpuLevel level) noexcept;

}  // namespace branchline::svm
