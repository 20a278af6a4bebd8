// One output's problem, and what every solver asks of it: losses, the best constant, the certificate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "branchline/linear_svm.hpp"
#include "branchline/thread_pool.hpp"
#include "svm/linear_rows.hpp"

namespace branchline {

struct LinearProblem {
    const LinearRows& rows;
    std::span<const double> lower, upper, penalty;
    const LinearOptions& options;
    ThreadPool& pool;
    StopSignal& stop;

    std::size_t n_rows() const noexcept { return rows.n_rows(); }
    // Unknowns: a weight a column, and the constant.
    std::size_t width() const noexcept {
        return rows.n_columns() + static_cast<std::size_t>(options.fit_intercept);
    }

    // How far below u (positive) or above v (negative) a score is; 0 where the row is content.
    double missed(std::size_t row, double score) const noexcept {
        return std::max(lower[row] - score, 0.0) - std::max(score - upper[row], 0.0);
    }
    // The loss without its price.
    double loss(double miss) const noexcept {
        return options.squared ? miss * miss : (miss < 0 ? -miss : miss);
    }
};

// w and b with the scores of all rows.
struct LinearPoint {
    std::vector<double> weights;
    double bias = 0;
    std::vector<double> scores;
};

LinearPoint origin(const LinearProblem& problem);

// P, given weights and scores.
double primal_value(const LinearProblem& problem, const LinearPoint& point);

// Moves b, and all scores with it, to where P is least for these weights.
void set_best_bias(const LinearProblem& problem, LinearPoint& point);

// Makes β feasible (Σ β = 0: the heavier side is scaled down), scales it so that D is greatest, and
// returns D.
double make_feasible(const LinearProblem& problem, std::span<double> dual);

// The fit of a point and a β, with scores, P and D added up anew.
LinearFit certified(const LinearProblem& problem, LinearPoint&& point, std::vector<double>&& dual);

inline bool is_close(double objective, double gap, double tolerance) noexcept {
    return gap <= tolerance * objective;
}

// The solvers; each returns a certified fit with the steps it took. Newton's begins at `start`.
LinearFit solve_by_newton(const LinearProblem& problem, bool factors, LinearPoint&& start);
LinearFit solve_by_interior_point(const LinearProblem& problem);
LinearFit solve_by_descent(const LinearProblem& problem);

}  // namespace branchline
