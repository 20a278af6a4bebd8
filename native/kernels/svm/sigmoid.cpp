#include "branchline/sigmoid.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace branchline {

namespace svm {

namespace {

constexpr double least_slope = 1e-3, most_slope = 1e3, close = 1e-10;
constexpr int most_steps = 100;

// The rows on one side of 0; scores in units of their mean size.
struct Side {
    std::vector<double> score, pull;  // pull: weight times score
    double size = 0, wanted = 0;      // wanted: Σ pull · target

    // The derivative of the log loss by the slope, and its own derivative.
    void slopes_at(double slope, double& gradient, double& curvature) const {
        gradient = -wanted;
        curvature = 0;
        for (std::size_t i = 0; i < score.size(); ++i) {
            const double seen = 1 / (1 + std::exp(-slope * score[i]));
            gradient += pull[i] * seen;
            curvature += pull[i] * score[i] * (seen * (1 - seen));
        }
    }
};

Side side_of(std::span<const double> scores, std::span<const double> targets,
             std::span<const double> weights, double sign) {
    Side side;
    double total = 0, sum = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (!(sign * scores[i] > 0)) continue;
        total += weights[i];
        sum += weights[i] * std::abs(scores[i]);
    }
    side.size = total > 0 ? sum / total : 0;
    for (std::size_t i = 0; i < scores.size() && side.size > 0; ++i) {
        if (!(sign * scores[i] > 0)) continue;
        const double unit = scores[i] / side.size;
        side.score.push_back(unit);
        side.pull.push_back(weights[i] * unit);
        side.wanted += side.pull.back() * targets[i];
    }
    return side;
}

double slope_of(const Side& side) {
    if (!(side.size > 0) || !std::isfinite(side.size)) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    double low = least_slope, high = most_slope, slope = 1;
    for (int step = 0; step < most_steps; ++step) {
        double gradient, curvature;
        side.slopes_at(slope, gradient, curvature);
        (gradient < 0 ? low : high) = slope;
        double next = slope - gradient / curvature;
        if (!(low < next && next < high)) next = std::sqrt(low * high);
        if (std::abs(next - slope) <= close * slope) break;
        slope = next;
    }
    return slope / side.size;
}

}  // namespace

}  // namespace svm

SigmoidSlopes fit_sigmoid(std::span<const double> scores, std::span<const std::uint8_t> is_positive,
                          std::span<const double> weights) {
    if (is_positive.size() != scores.size() || weights.size() != scores.size()) {
        throw std::invalid_argument("a class and a weight for each score");
    }
    double n_positive = 0, n_negative = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        (is_positive[i] ? n_positive : n_negative) += weights[i];
    }
    std::vector<double> targets(scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
        targets[i] = is_positive[i] ? (n_positive + 1) / (n_positive + 2) : 1 / (n_negative + 2);
    }
    return {svm::slope_of(svm::side_of(scores, targets, weights, -1)),
            svm::slope_of(svm::side_of(scores, targets, weights, 1))};
}

}  // namespace branchline
