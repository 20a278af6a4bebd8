// The state of a problem while it is solved: β, the scores of rows, and what violates optimality.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include "branchline/svm.hpp"

namespace branchline::svm {

struct SvmState {
    const SvmProblem& problem;
    const SvmOptions& options;
    std::vector<double> beta;
    std::vector<double> score;  // of each row of K
    std::int64_t n_steps = 0;
    std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();

    SvmState(const SvmProblem& given, const SvmOptions& wanted, std::size_t n_rows)
        : problem(given), options(wanted), beta(given.n_variables(), 0.0), score(n_rows, 0.0) {
        std::copy(given.start.begin(), given.start.end(), beta.begin());
    }

    double ridge(std::size_t i) const { return problem.ridge_of(i); }
    std::size_t group(std::size_t i) const { return problem.group_of(i); }
    double gradient(std::size_t i) const {
        return score[problem.row[i]] + ridge(i) * beta[i] - problem.linear[i];
    }
    bool may_rise(std::size_t i) const { return beta[i] < problem.upper[i]; }
    bool may_fall(std::size_t i) const { return beta[i] > problem.lower[i]; }

    // No caller waits forever: a problem that takes more than this does not end by itself.
    std::int64_t most_steps() const {
        if (options.max_steps >= 0) return options.max_steps;
        return std::max<std::int64_t>(10'000'000, 1000 * static_cast<std::int64_t>(beta.size()));
    }
    bool is_over() const {
        if (n_steps >= most_steps()) return true;
        if (options.time_budget < 0) return false;
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began;
        return spent.count() >= options.time_budget;
    }
    std::int64_t steps_left() const { return most_steps() - n_steps; }

    // What is told of a solution besides its numbers.
    void tell(SvmSolution& out, double violation) const {
        out.violation = violation;
        out.n_steps = n_steps;
        out.is_done = violation <= options.tolerance;
    }

    double violation() const {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        double least[2] = {infinity, infinity}, largest[2] = {-infinity, -infinity}, slope = 0;
        for (std::size_t i = 0; i < beta.size(); ++i) {
            const double g = gradient(i);
            const std::size_t at = group(i);
            if (may_rise(i)) {
                least[at] = std::min(least[at], g);
                slope = std::max(slope, -g);
            }
            if (may_fall(i)) {
                largest[at] = std::max(largest[at], g);
                slope = std::max(slope, g);
            }
        }
        if (!options.has_sum) return slope;
        return std::max({0.0, largest[0] - least[0], largest[1] - least[1]});
    }
};

}  // namespace branchline::svm
