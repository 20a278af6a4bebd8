// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
#include "strings/lane_kernels.hpp"

#include <algorithm>

namespace branchline::strings::BRANCHLINE_LEVEL {

namespace {

#include "strings/lanes.hpp"

constexpr std::size_t cells_between_looks = std::size_t{1} << 20;

// How many rows of this many cells pass before the next look at the stop signal.
std::size_t rows_between_looks(std::size_t n_cells) {
    return 1 + cells_between_looks / (n_cells + 1);
}

void clear(double* from, std::size_t n) {
    for (std::size_t at = 0; at < n; ++at) Lanes::all(0).store(from + at * n_lanes);
}

// w(i, j) = Σ over the common substrings that end at i and j of decay^l
//         = [s_i = t_j] · decay · (1 + w(i − 1, j − 1));  the kernel is the sum of all w.
// `above` holds w(i − 1, ·) and becomes w(i, ·): from the last place on, so that none is lost.
void common_substrings(const LanePairs& pairs, const StringForm& form, double* above, double* out,
                       StopSignal& stop) {
    const Lanes decay = Lanes::all(form.decay), one = Lanes::all(1);
    const std::size_t between = rows_between_looks(pairs.n_second);
    clear(above, pairs.n_second + 1);
    Lanes sum = Lanes::all(0);
    for (std::size_t i = 0; i < pairs.n_first; ++i) {
        if (i % between == between - 1) stop.check();
        const Lanes symbol = Lanes::load(pairs.first + i * n_lanes);
        Lanes row = Lanes::all(0);
        for (std::size_t j = pairs.n_second; j-- > 0;) {
            const Lanes longer = decay * (one + Lanes::load(above + j * n_lanes));
            const Lanes ending =
                longer.where_equal(symbol, Lanes::load(pairs.second + j * n_lanes));
            ending.store(above + (j + 1) * n_lanes);
            row = row + ending;
        }
        sum = sum + row;
    }
    sum.store(out);
}

// Subsequences. With S_q(i, j) the sum over those of q symbols that end at i and j, gaps weighted
// by decay, the sums up to a place are
//   D_q(i, j) = Σ_{i′ ≤ i, j′ ≤ j} decay^(i − i′ + j − j′) S_q(i′, j′), and
//   S_{q+1}(i, j) = [s_i = t_j] D_q(i − 1, j − 1).
// Short strings: D is a plain sum, S_1 has decay^−(i + j) and S_p gets decay^(i + j) instead.

// D_0: the weight of a subsequence's first symbol.
struct FirstWeights {
    const double* of_second;
    double of_first;
    Lanes before(std::size_t j) const { return Lanes::all(of_first * of_second[j]); }
};

// D_q, q ≥ 1, of the row above; the place before the first comes first, with 0.
struct Sums {
    const double* sums;
    Lanes before(std::size_t j) const { return Lanes::load(sums + j * n_lanes); }
};

template <bool is_short>
struct SubsequenceRow {
    Lanes symbol;
    const double* second;
    std::size_t n_second;
    Lanes decay;

    // Makes D_q(i − 1, ·) to D_q(i, ·), from D_{q−1}(i − 1, ·).
    template <class Shorter>
    void lengthen(const Shorter& shorter, double* sums) const {
        Lanes in_row = Lanes::all(0);
        for (std::size_t j = 0; j < n_second; ++j) {
            const Lanes here = ending_at(j, shorter);
            double* below = sums + (j + 1) * n_lanes;
            if constexpr (is_short) {
                in_row = in_row + here;
                (Lanes::load(below) + in_row).store(below);
            } else {
                in_row = in_row * decay + here;
                (Lanes::load(below) * decay + in_row).store(below);
            }
        }
    }

    // Σ_j S_p(i, j), by the weights of the last symbol.
    template <class Shorter>
    Lanes total(const Shorter& shorter, const double* weight) const {
        Lanes sum = Lanes::all(0);
        for (std::size_t j = 0; j < n_second; ++j) {
            sum = sum + ending_at(j, shorter) * Lanes::all(weight[j]);
        }
        return sum;
    }

    template <class Shorter>
    Lanes ending_at(std::size_t j, const Shorter& shorter) const {
        return shorter.before(j).where_equal(symbol, Lanes::load(second + j * n_lanes));
    }
};

// decay^(place + 1), by products: the same bits on every machine.
void fill_weights(double rate, std::size_t n, double* last, double* first) {
    double power = 1;
    for (std::size_t place = 0; place < n; ++place) {
        power *= rate;
        last[place] = power;
        first[place] = 1 / power;
    }
}

// Scratch: D_1 … D_{p−1}, then the weights of last and of first symbols by place.
template <bool is_short>
void subsequence(const LanePairs& pairs, const StringForm& form, double* scratch, double* out,
                 StopSignal& stop) {
    const std::size_t width = (pairs.n_second + 1) * n_lanes, order = form.order;
    const std::size_t n_places = std::max(pairs.n_first, pairs.n_second);
    const std::size_t between = rows_between_looks(order * pairs.n_second);
    const auto sums_of = [&](std::size_t q) { return scratch + (q - 1) * width; };
    double *last = sums_of(order), *first = last + n_places;
    clear(scratch, (order - 1) * (pairs.n_second + 1));
    fill_weights(is_short ? form.decay : 1, n_places, last, first);
    Lanes sum = Lanes::all(0);
    for (std::size_t i = 0; i < pairs.n_first; ++i) {
        if (i % between == between - 1) stop.check();
        const SubsequenceRow<is_short> row{Lanes::load(pairs.first + i * n_lanes), pairs.second,
                                           pairs.n_second, Lanes::all(form.decay)};
        const FirstWeights none{first, first[i]};
        const Lanes total =
            order == 1 ? row.total(none, last) : row.total(Sums{sums_of(order - 1)}, last);
        sum = sum + total * Lanes::all(last[i]);
        for (std::size_t q = order; q-- > 2;) row.lengthen(Sums{sums_of(q - 1)}, sums_of(q));
        if (order > 1) row.lengthen(none, sums_of(1));
    }
    // What the weights leave out: a first and a last symbol, or all of them.
    for (std::size_t q = 0; q < (is_short ? 1 : order); ++q) {
        sum = sum * Lanes::all(form.decay) * Lanes::all(form.decay);
    }
    sum.store(out);
}

void any_subsequence(const LanePairs& pairs, const StringForm& form, double* scratch, double* out,
                     StopSignal& stop) {
    (pairs.are_short ? subsequence<true> : subsequence<false>)(pairs, form, scratch, out, stop);
}

// The run e of equal symbols that ends at a place of the diagonal holds a substring of every length
// to e, so it adds Σ_{l ≤ min(e, d)} b_l = x(2d + 1 − x) / (d(d + 1)), x = min(e, d).
Lanes diagonal_sum(const double* first, const double* second, std::size_t n, double degree) {
    const Lanes one = Lanes::all(1), most = Lanes::all(degree), slope = Lanes::all(2 * degree + 1);
    Lanes run = Lanes::all(0), sum = Lanes::all(0);
    for (std::size_t i = 0; i < n; ++i) {
        run = (run + one).where_equal(Lanes::load(first + i * n_lanes),
                                      Lanes::load(second + i * n_lanes));
        const Lanes lengths = run.at_most(most);
        sum = sum + lengths * (slope - lengths);
    }
    return sum;
}

void weighted_degree(const LanePairs& pairs, const StringForm& form, double*, double* out,
                     StopSignal& stop) {
    const double degree = static_cast<double>(form.order);
    const std::size_t between = rows_between_looks(pairs.n_first);
    const std::size_t furthest = std::min(form.shift, std::max(pairs.n_first, pairs.n_second));
    Lanes sum = Lanes::all(0);
    for (std::size_t shift = 0; shift <= furthest; ++shift) {
        if (shift % between == between - 1) stop.check();
        const double share = 0.5 / static_cast<double>(shift + 1);
        // Both ways; at the same place they are one diagonal twice, which makes its share 1.
        const auto away = [&](const double* a, std::size_t n_a, const double* b, std::size_t n_b) {
            if (n_b <= shift) return;
            const std::size_t n = std::min(n_a, n_b - shift);
            sum = sum + diagonal_sum(a, b + shift * n_lanes, n, degree) * Lanes::all(share);
        };
        away(pairs.first, pairs.n_first, pairs.second, pairs.n_second);
        away(pairs.second, pairs.n_second, pairs.first, pairs.n_first);
    }
    (sum * Lanes::all(1 / (degree * (degree + 1)))).store(out);
}

}  // namespace

LaneKernels lane_kernels() { return {common_substrings, any_subsequence, weighted_degree}; }

}  // namespace branchline::strings::BRANCHLINE_LEVEL
