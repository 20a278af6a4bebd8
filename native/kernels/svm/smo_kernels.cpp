#include "svm/smo_kernels.hpp"

// Vectors never leave this file, so what a call passes them in does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace branchline::svm {

namespace BRANCHLINE_LEVEL {

namespace {

// Eight doubles: one register of the highest level, several of the others.
constexpr std::size_t lanes = 8;
using Doubles [[gnu::vector_size(64)]] = double;
using Places [[gnu::vector_size(64)]] = std::int64_t;
using Floats [[gnu::vector_size(32)]] = float;
static_assert(smo_lanes % lanes == 0);

constexpr double infinity = std::numeric_limits<double>::infinity();

inline Doubles load(const double* from) {
    Doubles values;
    __builtin_memcpy(&values, from, sizeof values);
    return values;
}
inline Doubles load(const float* from) {
    Floats values;
    __builtin_memcpy(&values, from, sizeof values);
    return __builtin_convertvector(values, Doubles);
}
inline void store(double* to, const Doubles& values) {
    __builtin_memcpy(to, &values, sizeof values);
}
inline Places first_places() { return Places{0, 1, 2, 3, 4, 5, 6, 7}; }

// The best value of each lane and where it was first seen.
struct BestOfLanes {
    Doubles value;
    Places place = first_places();

    explicit BestOfLanes(double worst) : value(Doubles{} + worst) {}
    void keep_larger(const Doubles& seen, const Places& here) {
        const Places better = seen > value;
        value = better ? seen : value;
        place = better ? here : place;
    }
    void keep_smaller(const Doubles& seen, const Places& here) {
        const Places better = seen < value;
        value = better ? seen : value;
        place = better ? here : place;
    }
    template <class Better>
    Pick first_best(Better better) const {
        std::size_t best = 0;
        for (std::size_t lane = 1; lane < lanes; ++lane) {
            const bool is_tie = value[lane] == value[best] && place[lane] < place[best];
            if (better(value[lane], value[best]) || is_tie) best = lane;
        }
        return {value[best], static_cast<std::size_t>(place[best])};
    }
    Pick largest() const {
        return first_best([](double a, double b) { return a > b; });
    }
    Pick smallest() const {
        return first_best([](double a, double b) { return a < b; });
    }
};

Pick least(const double* gradient, const double* up, std::size_t n) {
    BestOfLanes best(infinity);
    Places here = first_places();
    for (std::size_t at = 0; at < n; at += lanes) {
        best.keep_smaller(load(gradient + at) + load(up + at), here);
        here += static_cast<std::int64_t>(lanes);
    }
    return best.smallest();
}

template <class Real>
Partner partner(const Real* row, const double* diagonal, const double* gradient, const double* down,
                std::size_t n, const Riser& riser) {
    BestOfLanes best(-1.0);
    Doubles largest = Doubles{} - infinity;
    Places here = first_places();
    for (std::size_t at = 0; at < n; at += lanes) {
        const Doubles g = load(gradient + at) + load(down + at);
        largest = g > largest ? g : largest;
        const Doubles slope = g - riser.gradient;
        Doubles curvature = load(diagonal + at) + riser.diagonal - 2.0 * load(row + at);
        curvature = curvature > least_curvature ? curvature : Doubles{} + least_curvature;
        const Doubles gain = slope * slope / curvature;
        best.keep_larger(slope > 0.0 ? gain : Doubles{} - 1.0, here);
        here += static_cast<std::int64_t>(lanes);
    }
    double most = -infinity;
    for (std::size_t lane = 0; lane < lanes; ++lane) most = std::max(most, largest[lane]);
    return {best.largest(), most};
}

template <class Real>
Pick move(const Real* rising, const Real* falling, double step, double* gradient, const double* up,
          std::size_t n) {
    BestOfLanes best(infinity);
    Places here = first_places();
    for (std::size_t at = 0; at < n; at += lanes) {
        const Doubles g = load(gradient + at) + step * (load(rising + at) - load(falling + at));
        store(gradient + at, g);
        best.keep_smaller(g + load(up + at), here);
        here += static_cast<std::int64_t>(lanes);
    }
    return best.smallest();
}

Partner steepest(const double* diagonal, const double* gradient, const double* up,
                 const double* down, std::size_t n) {
    BestOfLanes best(-1.0);
    Places here = first_places();
    double most = 0.0;
    Doubles largest{};
    for (std::size_t at = 0; at < n; at += lanes) {
        const Doubles g = load(gradient + at);
        // What may be followed: a negative slope where β may rise, a positive one where it may fall.
        const Doubles rise = -(g + load(up + at)), fall = g + load(down + at);
        Doubles slope = rise > fall ? rise : fall;
        slope = slope > 0.0 ? slope : Doubles{};
        largest = slope > largest ? slope : largest;
        Doubles curvature = load(diagonal + at);
        curvature = curvature > least_curvature ? curvature : Doubles{} + least_curvature;
        const Doubles gain = slope * slope / curvature;
        best.keep_larger(slope > 0.0 ? gain : Doubles{} - 1.0, here);
        here += static_cast<std::int64_t>(lanes);
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) most = std::max(most, largest[lane]);
    return {best.largest(), most};
}

template <class Real>
void move_one(const Real* row, double step, double* gradient, std::size_t n) {
    for (std::size_t at = 0; at < n; at += lanes) {
        store(gradient + at, load(gradient + at) + step * load(row + at));
    }
}

double dot(const double* a, const double* b, std::size_t n) {
    Doubles sums[2] = {};
    std::size_t at = 0;
    for (; at + 2 * lanes <= n; at += 2 * lanes) {
        sums[0] += load(a + at) * load(b + at);
        sums[1] += load(a + at + lanes) * load(b + at + lanes);
    }
    const Doubles both = sums[0] + sums[1];
    double sum = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) sum += both[lane];
    for (; at < n; ++at) sum += a[at] * b[at];
    return sum;
}

void add_scaled(const double* from, double factor, double* to, std::size_t n) {
    std::size_t at = 0;
    for (; at + lanes <= n; at += lanes) {
        store(to + at, load(to + at) + factor * load(from + at));
    }
    for (; at < n; ++at) to[at] += factor * from[at];
}

void turn(double* a, double* b, double cosine, double sine, std::size_t n) {
    std::size_t at = 0;
    for (; at + lanes <= n; at += lanes) {
        const Doubles left = load(a + at), right = load(b + at);
        store(a + at, cosine * left + sine * right);
        store(b + at, cosine * right - sine * left);
    }
    for (; at < n; ++at) {
        const double left = a[at], right = b[at];
        a[at] = cosine * left + sine * right;
        b[at] = cosine * right - sine * left;
    }
}

template <std::size_t N, class Real>
void add_some(const Real* const* rows, const double* change, double* sums, std::size_t n) {
    std::size_t at = 0;
    for (; at + lanes <= n; at += lanes) {
        Doubles sum = load(sums + at);
        for (std::size_t k = 0; k < N; ++k) sum += change[k] * load(rows[k] + at);
        store(sums + at, sum);
    }
    for (; at < n; ++at) {
        for (std::size_t k = 0; k < N; ++k) sums[at] += change[k] * double{rows[k][at]};
    }
}

template <class Real>
void add_rows(const Real* const* rows, const double* change, std::size_t n_rows, double* sums,
              std::size_t n) {
    std::size_t k = 0;
    for (; k + 8 <= n_rows; k += 8) add_some<8>(rows + k, change + k, sums, n);
    for (; k < n_rows; ++k) add_some<1>(rows + k, change + k, sums, n);
}

}  // namespace

extern const SmoKernels<float> single_kernels;
extern const SmoKernels<double> double_kernels;
const SmoKernels<float> single_kernels{
    least, partner<float>, move<float>, steepest,       move_one<float>,
    dot,   add_scaled,     turn,        add_rows<float>};
const SmoKernels<double> double_kernels{
    least, partner<double>, move<double>, steepest,        move_one<double>,
    dot,   add_scaled,      turn,         add_rows<double>};

}  // namespace BRANCHLINE_LEVEL

}  // namespace branchline::svm
