#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "branchline/svm_resampling.hpp"
#include "branchline/thread_pool.hpp"

namespace branchline {

namespace svm {

namespace {

// Hands `amount` to the other variables, steepest first; false when they cannot take all of it.
bool hand_out(const SvmProblem& problem, std::span<const double> gradient, std::size_t without,
              double amount, std::vector<double>& beta) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < beta.size(); ++i) {
        const double room = amount > 0 ? problem.upper[i] - beta[i] : beta[i] - problem.lower[i];
        if (i != without && room > 0) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return amount > 0 ? gradient[a] < gradient[b] : gradient[a] > gradient[b];
    });
    for (const std::uint32_t i : order) {
        const double wanted = beta[i] + amount;
        const double next = std::clamp(wanted, problem.lower[i], problem.upper[i]);
        amount -= next - beta[i];
        beta[i] = next;
        if (next == wanted) return true;
    }
    return false;
}

// What stays the same while rows are left out.
template <class Real>
struct LeftOut {
    const GivenGram<Real>& gram;
    const SvmProblem& problem;
    const SvmOptions& options;
    std::vector<double> gradient;

    // The score of variable i with new bounds, and a new ridge unless it is negative.
    double score_without(std::size_t i, double lower, double upper, double ridge,
                         StopSignal& stop) const {
        std::vector<double> beta(problem.start.begin(), problem.start.end());
        std::vector<double> low(problem.lower.begin(), problem.lower.end());
        std::vector<double> high(problem.upper.begin(), problem.upper.end());
        const double kept = std::clamp(beta[i], lower, upper), given_up = beta[i] - kept;
        beta[i] = kept;
        if (given_up != 0 && !hand_out(problem, gradient, i, given_up, beta)) {
            return std::numeric_limits<double>::quiet_NaN();
        }
        low[i] = lower;
        high[i] = upper;
        std::vector<double> ridges(problem.ridge.begin(), problem.ridge.end());
        if (!ridges.empty() && ridge >= 0) ridges[i] = ridge;
        SvmProblem without = problem;
        without.ridge = ridges;
        without.lower = low;
        without.upper = high;
        without.start = beta;
        SvmOptions alone = options;
        alone.n_threads = 1;
        const SvmSolution found = solve_svm(gram, without, alone, stop);
        return found.score[i] + bias_of(found, without);
    }

    double bias_of(const SvmSolution& found, const SvmProblem& without) const {
        std::vector<double> slope(found.score.size());
        for (std::size_t k = 0; k < slope.size(); ++k) {
            slope[k] = found.score[k] - without.linear[k];
            if (!without.ridge.empty()) slope[k] += without.ridge[k] * found.beta[k];
        }
        return options.has_sum ? svm_bias(slope, found.beta, without.lower, without.upper) : 0.0;
    }
};

template <class Real>
std::vector<double> gradient_of(const GivenGram<Real>& gram, const SvmProblem& problem) {
    std::vector<double> gradient(problem.n_variables());
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        const Real* row = gram.values + problem.row[i] * gram.n_rows;
        double sum = -problem.linear[i];
        for (std::size_t j = 0; j < gradient.size(); ++j) {
            sum += problem.start[j] * double{row[problem.row[j]]};
        }
        if (!problem.ridge.empty()) sum += problem.ridge[i] * problem.start[i];
        gradient[i] = sum;
    }
    return gradient;
}

}  // namespace

}  // namespace svm

template <class Real>
std::vector<double> svm_leave_one_out(const GivenGram<Real>& gram, const SvmProblem& problem,
                                      std::span<const std::uint32_t> variables,
                                      const LeftOutBounds& bounds, const SvmOptions& options,
                                      StopSignal& stop) {
    const std::size_t n = problem.n_variables();
    const auto is_one = [n](std::uint32_t i) { return i < n; };
    const auto is_row = [&](std::uint32_t row) { return row < gram.n_rows; };
    if (problem.start.size() != n || bounds.lower.size() != variables.size() ||
        bounds.upper.size() != variables.size() ||
        !(bounds.ridge.empty() || bounds.ridge.size() == variables.size()) ||
        problem.linear.size() != n || problem.lower.size() != n || problem.upper.size() != n ||
        !(problem.ridge.empty() || problem.ridge.size() == n) ||
        !std::all_of(problem.row.begin(), problem.row.end(), is_row) ||
        !std::all_of(variables.begin(), variables.end(), is_one)) {
        throw std::invalid_argument("a solved problem, and bounds for each variable left out");
    }
    const svm::LeftOut<Real> left{gram, problem, options, svm::gradient_of(gram, problem)};
    std::vector<double> scores(variables.size());
    ThreadPool pool(options.n_threads, stop);
    pool.run(variables.size(), [&](std::size_t task, std::size_t) {
        const double ridge = bounds.ridge.empty() ? -1.0 : bounds.ridge[task];
        scores[task] = left.score_without(variables[task], bounds.lower[task], bounds.upper[task],
                                          ridge, stop);
    });
    return scores;
}

template std::vector<double> svm_leave_one_out(const GivenGram<float>&, const SvmProblem&,
                                               std::span<const std::uint32_t>, const LeftOutBounds&,
                                               const SvmOptions&, StopSignal&);
template std::vector<double> svm_leave_one_out(const GivenGram<double>&, const SvmProblem&,
                                               std::span<const std::uint32_t>, const LeftOutBounds&,
                                               const SvmOptions&, StopSignal&);

}  // namespace branchline
