// Held-out errors of many linear models, each on some of the terms of the same rows: what searches for
// columns ask for.
//
// With the training rows x_i of weight w_i, b a constant and v a weight for each term of a set:
//   classes, s_i = ±1:  least Σ w_i ln(1 + exp(−s_i (b + v·x_i))) + |v|² / 2C, by Newton's method with
//                       steps that are halved while the sum rises; a held-out row is wrong when
//                       b + v·x is on the other side (0 counts as class 0). Error: the share of wrong weight.
//   numbers y_i:        least Σ w_i (y_i − b − v·x_i)², with a faint penalty (1e−10 of the diagonal) that
//                       gives copies of a term equal weights. Error: the weighted mean of squares.
// Nouns: a "term" is a column of numbers, one for each row, the values of a term side by side. A "set" is a
// list of terms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "branchline/stop_signal.hpp"

namespace branchline {

struct LinearSetRows {
    std::span<const double> terms;   // term after term, n_rows() values each
    std::span<const double> target;  // 0 and 1 for classes
    std::span<const double> weights;

    std::size_t n_rows() const noexcept { return target.size(); }
    const double* term(std::size_t place) const noexcept { return &terms[place * n_rows()]; }
};

struct LinearSetList {
    std::span<const std::int64_t>
        first;  // where each set begins among the terms, and the last ends
    std::span<const std::int64_t> terms;

    std::size_t size() const noexcept { return first.size() - 1; }
    std::span<const std::int64_t> set(std::size_t place) const noexcept {
        return terms.subspan(static_cast<std::size_t>(first[place]),
                             static_cast<std::size_t>(first[place + 1] - first[place]));
    }
};

// Returns the error of each set; NaN where Newton's method did not end. `strength` is C; 0: least squares.
// Requires: a row at least in both parts, terms that both parts have, weights above 0, classes of which
// both occur. Cost of a set of k terms: rows × k² for least squares, about six times as much for classes.
// Allocates for each thread; draws nothing; each set is solved by one thread, so threads change no bit.
std::vector<double> linear_set_errors(const LinearSetRows& learn, const LinearSetRows& test,
                                      const LinearSetList& sets, double strength, int n_threads,
                                      StopSignal& stop);

}  // namespace branchline
