#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "branchline/sigmoid.hpp"
#include "check.hpp"

namespace {

using namespace branchline;
using Vector = std::vector<double>;
using Classes = std::vector<std::uint8_t>;

struct Scored {
    Vector scores, weights;
    Classes is_positive;
};

Scored drawn(std::size_t n, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    Scored made;
    for (std::size_t i = 0; i < n; ++i) {
        made.scores.push_back(2 * normal(generator));
        const double chance = 1 / (1 + std::exp(-1.5 * made.scores.back()));
        made.is_positive.push_back(uniform(generator) < chance);
        made.weights.push_back(1 + uniform(generator));
    }
    return made;
}

// The log loss of one side with Platt's targets.
double loss(const Scored& data, double slope, double sign) {
    double n_positive = 0, n_negative = 0, sum = 0;
    for (std::size_t i = 0; i < data.scores.size(); ++i) {
        (data.is_positive[i] ? n_positive : n_negative) += data.weights[i];
    }
    for (std::size_t i = 0; i < data.scores.size(); ++i) {
        if (!(sign * data.scores[i] > 0)) continue;
        const double target =
            data.is_positive[i] ? (n_positive + 1) / (n_positive + 2) : 1 / (n_negative + 2);
        const double p = 1 / (1 + std::exp(-slope * data.scores[i]));
        sum -= data.weights[i] * (target * std::log(p) + (1 - target) * std::log(1 - p));
    }
    return sum;
}

const check::Test least_loss{"sigmoid: slopes have the least loss", [] {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Scored data = drawn(200, seed);
        const auto [below, above] = fit_sigmoid(data.scores, data.is_positive, data.weights);
        for (const double factor : {0.99, 1.01}) {
            check::that(loss(data, below, -1) < loss(data, below * factor, -1),
                        "the slope below is the best");
            check::that(loss(data, above, 1) < loss(data, above * factor, 1),
                        "the slope above is the best");
        }
    }
}};

const check::Test empty_sides{"sigmoid: a side without rows has no slope", [] {
    const Classes classes{1, 0};
    const auto [below, above] = fit_sigmoid(Vector{1, 2}, classes, Vector{1, 1});
    check::that(std::isnan(below), "no slope below");
    check::that(above > 0, "a slope above");
    const auto none = fit_sigmoid(Vector{0, 0}, classes, Vector{1, 1});
    check::that(std::isnan(none.below) && std::isnan(none.above), "no slopes of zeros");
    const double infinity = std::numeric_limits<double>::infinity();
    check::that(std::isnan(fit_sigmoid(Vector{infinity, 1}, classes, Vector{1, 1}).above),
                "no slope of infinite scores");
    check::that(std::isnan(fit_sigmoid(Vector{1, 1}, classes, Vector{0, 0}).above),
                "no slope without weight");
}};

const check::Test within_bounds{"sigmoid: slopes stay within bounds", [] {
    // All positive above 0 and all negative below: as steep as targets allow, and finite.
    const auto [below, above] =
        fit_sigmoid(Vector{-1, -2, 1, 2}, Classes{0, 0, 1, 1}, Vector(4, 1));
    check::that(below > 0 && below < 1e4 && above > 0 && above < 1e4, "finite slopes");
    // The wrong way round: hardly more than a half.
    const auto wrong = fit_sigmoid(Vector{-1, -2, 1, 2}, Classes{1, 1, 0, 0}, Vector(4, 1));
    check::that(wrong.below < 0.01 && wrong.above < 0.01, "slopes near zero");
}};

const check::Test sizes{"sigmoid: sizes that differ are refused", [] {
    check::throws<std::invalid_argument>([] { fit_sigmoid(Vector{1}, Classes{}, Vector{1}); });
}};

}  // namespace
