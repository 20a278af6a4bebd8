// Many related classifications on one kernel matrix: folds and pairs of classes along a path of C, and
// every row left out once.
//
// svm_paths: for each problem, the C given in rising order are solved one after the other, each from
// the last: s β with the s in [1, C_new / C_old] that is best, which keeps all bounds and the sum. The
// answer is the score f(x) = Σ_j β_j K(x_j, x) + b of the rows that the problem holds out.
// b is the mean of y_i − score_i over free variables, or the middle of what optimality allows.
//
// svm_leave_one_out: variable v gets new bounds (0 and 0: it is left out); what it gives up is handed to
// the variables with the steepest slope, and the problem is solved from there. The answer is the score
// of its row with b; NaN where the others cannot take it (no other row of its class).
//
// Threads over problems (or rows); same bits for any number of them. Allocates a copy of each problem's
// part of the matrix, one per thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "branchline/svm.hpp"

namespace branchline {

struct PathProblem {
    std::span<const std::uint32_t> rows;  // to learn from
    std::span<const double> labels;       // +1 or −1 of each
    std::span<const double> costs;        // what C is multiplied by
    std::span<const std::uint32_t> held_out;
    std::size_t matrix = 0;  // of a stack of them
};

// Kernel matrices of the same rows, one behind the other: several γ share the threads.
template <class Real>
struct GramStack {
    const Real* values;
    std::size_t n_rows, n_matrices;

    GramStack(const GivenGram<Real>& one) : GramStack(one.values, one.n_rows, 1) {}
    GramStack(const Real* all, std::size_t n, std::size_t how_many)
        : values(all), n_rows(n), n_matrices(how_many) {}
    const Real* row(std::size_t matrix, std::size_t i) const {
        return values + (matrix * n_rows + i) * n_rows;
    }
};

struct PathAnswer {
    std::vector<double> decision;  // a row for each C, a column for each row held out
    double worst_violation = 0;
    std::int64_t n_steps = 0;
};

template <class Real>
std::vector<PathAnswer> svm_paths(const GramStack<Real>& grams,
                                  const std::vector<PathProblem>& problems,
                                  std::span<const double> strengths, const SvmOptions& options,
                                  StopSignal& stop);

// What becomes of a variable that is left out; ridge empty: as it is.
struct LeftOutBounds {
    std::span<const double> lower, upper, ridge;
};

// `variables` of a solved classification are left out one by one; problem.start is its solution. The
// bounds have an entry for each of `variables`. One row a variable: problem.row has each row once.
template <class Real>
std::vector<double> svm_leave_one_out(const GivenGram<Real>& gram, const SvmProblem& problem,
                                      std::span<const std::uint32_t> variables,
                                      const LeftOutBounds& bounds, const SvmOptions& options,
                                      StopSignal& stop);

// The bias of a solved problem: −mean gradient of free variables, or the middle of its bounds.
double svm_bias(std::span<const double> gradient, std::span<const double> beta,
                std::span<const double> lower, std::span<const double> upper);

}  // namespace branchline
