// What ends a classification: its bias, and its objective beside the bound below it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace branchline::svm {

// Labels +1 and −1 are the linear part; a ridge means squared slack.
struct HingeProblem {
    std::span<const double> label, lower, upper, ridge, cost;
};

struct HingeEnd {
    double bias, quadratic, primal, dual;
};

class HingeCertificate {
  public:
    HingeEnd of(const HingeProblem& problem, std::span<const double> beta,
                std::span<const double> score, bool has_bias) {
        HingeEnd end{};
        double linear = 0, ridges = 0;
        for (std::size_t i = 0; i < beta.size(); ++i) {
            end.quadratic += beta[i] * score[i];
            linear += problem.label[i] * beta[i];
            if (!problem.ridge.empty()) ridges += problem.ridge[i] * beta[i] * beta[i];
        }
        end.quadratic = std::max(0.0, end.quadratic);
        end.dual = linear - end.quadratic / 2 - ridges / 2;
        end.bias = has_bias ? bias(problem, beta, score) : 0.0;
        end.primal = primal(problem, score, end.quadratic, end.bias);
        const bool may_fall = has_bias && problem.ridge.empty();
        if (may_fall && end.primal - end.dual > rounding * end.primal) {
            const double best = best_bias(problem, score, end.bias);
            end.primal = primal(problem, score, end.quadratic, best);
        }
        return end;
    }

  private:
    static constexpr double rounding = 1e-12;  // of an objective: no bias makes it less
    static constexpr double room = 1e-10;      // of β: what is closer to a bound is at it

    static double bias(const HingeProblem& problem, std::span<const double> beta,
                       std::span<const double> score) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        double largest = 0, sum = 0, least = infinity, most = -infinity;
        for (const double value : beta) largest = std::max(largest, std::abs(value));
        std::size_t n_free = 0;
        for (std::size_t i = 0; i < beta.size(); ++i) {
            const double close = room * std::min(problem.upper[i] - problem.lower[i], largest);
            const bool may_rise = beta[i] < problem.upper[i] - close;
            const bool may_fall = beta[i] > problem.lower[i] + close;
            double gradient = score[i] - problem.label[i];
            if (!problem.ridge.empty()) gradient += problem.ridge[i] * beta[i];
            if (may_rise && may_fall) {
                sum += gradient;
                ++n_free;
            }
            if (may_rise) least = std::min(least, gradient);
            if (may_fall) most = std::max(most, gradient);
        }
        if (n_free > 0) return -sum / static_cast<double>(n_free);
        if (least == infinity) return most == -infinity ? 0.0 : -most;
        return most == -infinity ? -least : -(least + most) / 2;
    }

    static double primal(const HingeProblem& problem, std::span<const double> score,
                         double quadratic, double bias) {
        double loss = 0;
        for (std::size_t i = 0; i < score.size(); ++i) {
            const double slack = std::max(0.0, 1 - problem.label[i] * (score[i] + bias));
            loss += problem.cost[i] * (problem.ridge.empty() ? slack : slack * slack);
        }
        return quadratic / 2 + loss;
    }

    // The b that makes Σ cost · max(0, 1 − label (score + b)) least: `at`, where that is as good as any.
    // Hinges of label +1 fall up to their threshold, those of −1 rise from it.
    double best_bias(const HingeProblem& problem, std::span<const double> score, double at) {
        const std::size_t n = score.size();
        const auto threshold = [&](std::size_t i) { return problem.label[i] - score[i]; };
        order_.resize(n);
        std::iota(order_.begin(), order_.end(), 0U);
        std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
            return threshold(a) < threshold(b);
        });
        double slope = 0;
        for (std::size_t i = 0; i < n; ++i) slope -= problem.label[i] > 0 ? problem.cost[i] : 0.0;
        for (std::size_t k = 0; k < n; ++k) {
            slope += problem.cost[order_[k]];
            if (slope < 0) continue;
            const double low = threshold(order_[k]);
            const bool is_flat = slope == 0 && k + 1 < n;
            return std::clamp(at, low, is_flat ? threshold(order_[k + 1]) : low);
        }
        return at;
    }

    std::vector<std::uint32_t> order_;
};

}  // namespace branchline::svm
