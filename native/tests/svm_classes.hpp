// Classifications on a kernel matrix that are always the same, and what makes a solution right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "branchline/svm.hpp"
#include "check.hpp"

namespace svm_classes {

using namespace branchline;
using Vector = std::vector<double>;

constexpr double infinite = std::numeric_limits<double>::infinity();

// A classification with everything that a problem refers to.
template <class Real>
struct Classes {
    std::size_t n;
    std::vector<Real> points, gram;
    std::vector<std::uint32_t> rows;
    Vector labels, lower, upper;
    KernelForm form{KernelKind::rbf, 0.5, 0, 1};

    SvmProblem problem() const { return {rows, labels, lower, upper, {}, {}, {}}; }
    GivenGram<Real> given() const { return {gram.data(), n}; }
    PointRows<Real> rows_of_points() const { return {points.data(), n, 3}; }

    void bound(double cost) {
        lower.assign(n, 0);
        upper.assign(n, 0);
        for (std::size_t i = 0; i < n; ++i) (labels[i] > 0 ? upper : lower)[i] = cost * labels[i];
    }
};

template <class Real>
Classes<Real> classes(std::size_t n, double cost, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    Classes<Real> made{n, {}, std::vector<Real>(n * n), std::vector<std::uint32_t>(n), {}, {}, {}};
    std::iota(made.rows.begin(), made.rows.end(), std::uint32_t{0});
    for (std::size_t i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k) made.points.push_back(static_cast<Real>(normal(generator)));
        const double score = double{made.points[3 * i]} + 0.5 * normal(generator);
        made.labels.push_back(score > 0 ? 1 : -1);
    }
    StopSignal stop;
    kernel_matrix(made.form, made.rows_of_points(), made.rows_of_points(), made.gram.data(),
                  {1, stop, best_cpu_level()});
    made.bound(cost);
    return made;
}

template <class Real>
SvmSolution solve(const Classes<Real>& made, const SvmProblem& problem, SvmOptions options = {}) {
    StopSignal stop;
    return solve_svm(made.given(), problem, options, stop);
}

// Σ_j β_j K(r_j, r_i), afresh.
template <class Real>
Vector scores(const Classes<Real>& made, const SvmProblem& problem, const Vector& beta) {
    Vector sums(problem.n_variables());
    for (std::size_t i = 0; i < sums.size(); ++i) {
        for (std::size_t j = 0; j < sums.size(); ++j) {
            sums[i] += beta[j] * double{made.gram[problem.row[i] * made.n + problem.row[j]]};
        }
    }
    return sums;
}

// The largest violation of optimality with one sum, afresh.
template <class Real>
double violation(const Classes<Real>& made, const SvmProblem& problem, const Vector& beta) {
    const Vector score = scores(made, problem, beta);
    double least = infinite, most = -infinite;
    for (std::size_t i = 0; i < beta.size(); ++i) {
        double gradient = score[i] - problem.linear[i];
        if (!problem.ridge.empty()) gradient += problem.ridge[i] * beta[i];
        if (beta[i] < problem.upper[i]) least = std::min(least, gradient);
        if (beta[i] > problem.lower[i]) most = std::max(most, gradient);
    }
    return std::max(0.0, most - least);
}

template <class Real>
double objective(const Classes<Real>& made, const SvmProblem& problem, const Vector& beta) {
    const Vector score = scores(made, problem, beta);
    double sum = 0;
    for (std::size_t i = 0; i < beta.size(); ++i) {
        sum += beta[i] * (score[i] / 2 - problem.linear[i]);
        if (!problem.ridge.empty()) sum += problem.ridge[i] * beta[i] * beta[i] / 2;
    }
    return sum;
}

template <class Real>
void is_optimal(const Classes<Real>& made, const SvmProblem& problem, const SvmSolution& found,
                double tolerance) {
    check::that(found.is_done, "is done");
    double sum = 0;
    for (std::size_t i = 0; i < made.n; ++i) {
        check::that(problem.lower[i] <= found.beta[i] && found.beta[i] <= problem.upper[i],
                    "bound");
        sum += found.beta[i];
    }
    const double total = std::accumulate(problem.start.begin(), problem.start.end(), 0.0);
    check::near(sum, total, 1e-9);
    check::that(violation(made, problem, found.beta) <= tolerance * 1.01, "violation");
    check::that(found.violation <= tolerance, "violation that is said");
    const Vector score = scores(made, problem, found.beta);
    for (std::size_t i = 0; i < made.n; ++i) check::near(found.score[i], score[i], 1e-4);
}

}  // namespace svm_classes
