#include "svm/linear_problem.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace branchline {

namespace {

double squared_norm(std::span<const double> vector) {
    return std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0);
}

struct Corner {
    double bias;   // where a row begins or ceases to be content
    double price;  // by which the slope rises there
};

// Without squares P is a chain of straight pieces in b: its least corner is where the slope, which
// begins at −Σ C of the rows with a lower end, becomes 0 or more.
double straight_best_shift(const LinearProblem& problem, std::span<const double> scores) {
    std::vector<Corner> corners;
    double slope = 0;
    for (std::size_t row = 0; row < scores.size(); ++row) {
        const double price = problem.penalty[row];
        if (std::isfinite(problem.lower[row])) {
            corners.push_back({problem.lower[row] - scores[row], price});
            slope -= price;
        }
        if (std::isfinite(problem.upper[row])) {
            corners.push_back({problem.upper[row] - scores[row], price});
        }
    }
    std::sort(corners.begin(), corners.end(), [](const Corner& one, const Corner& other) {
        return one.bias < other.bias || (one.bias == other.bias && one.price < other.price);
    });
    for (const Corner& corner : corners) {
        slope += corner.price;
        if (slope >= 0) return corner.bias;
    }
    return corners.empty() ? 0.0 : corners.back().bias;
}

// With squares the slope itself is a chain of straight pieces, and Newton's method in b, kept between
// the signs seen, ends on the right piece.
double squared_best_shift(const LinearProblem& problem, std::span<const double> scores) {
    double shift = 0, low = -INFINITY, high = INFINITY;
    for (int step = 0; step < 100; ++step) {
        double slope = 0, curvature = 0;
        for (std::size_t row = 0; row < scores.size(); ++row) {
            const double miss = problem.missed(row, scores[row] + shift);
            if (miss == 0) continue;
            slope -= problem.penalty[row] * miss;
            curvature += problem.penalty[row];
        }
        if (slope == 0) break;
        (slope < 0 ? low : high) = shift;
        double next = shift - slope / curvature;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (next == shift || !std::isfinite(next)) break;
        shift = next;
    }
    return shift;
}

// How much larger β may become before one of its entries reaches C.
double room(const LinearProblem& problem, std::span<const double> dual) {
    double most = 1;
    bool first = true;
    for (std::size_t row = 0; row < dual.size(); ++row) {
        const double size = std::abs(dual[row]);
        if (size == 0) continue;
        const double factor = problem.penalty[row] / size;
        most = first ? factor : std::min(most, factor);
        first = false;
    }
    return most;
}

void balance(std::span<double> dual) {
    double above = 0, below = 0;
    for (const double value : dual) (value > 0 ? above : below) += std::abs(value);
    if (above == below) return;
    const double factor = std::min(above, below) / std::max(above, below);
    for (double& value : dual) {
        if ((value > 0) == (above > below)) value *= factor;
    }
}

}  // namespace

LinearPoint origin(const LinearProblem& problem) {
    LinearPoint point{std::vector<double>(problem.rows.n_columns(), 0.0), 0.0,
                      std::vector<double>(problem.n_rows(), 0.0)};
    if (problem.options.fit_intercept) set_best_bias(problem, point);
    return point;
}

double primal_value(const LinearProblem& problem, const LinearPoint& point) {
    double losses = 0;
    for (std::size_t row = 0; row < problem.n_rows(); ++row) {
        losses += problem.penalty[row] * problem.loss(problem.missed(row, point.scores[row]));
    }
    return 0.5 * squared_norm(point.weights) + losses;
}

void set_best_bias(const LinearProblem& problem, LinearPoint& point) {
    const double shift = problem.options.squared ? squared_best_shift(problem, point.scores)
                                                 : straight_best_shift(problem, point.scores);
    point.bias += shift;
    for (double& score : point.scores) score += shift;
}

double make_feasible(const LinearProblem& problem, std::span<double> dual) {
    const bool squared = problem.options.squared;
    for (std::size_t row = 0; row < dual.size(); ++row) {
        const double most = squared ? INFINITY : problem.penalty[row];
        const double high = std::isfinite(problem.lower[row]) ? most : 0.0;
        const double low = std::isfinite(problem.upper[row]) ? -most : 0.0;
        dual[row] = std::clamp(dual[row], low, high);
    }
    if (problem.options.fit_intercept) balance(dual);
    std::vector<double> weights(problem.rows.n_columns());
    problem.rows.weighted_sum(dual, weights, problem.pool);
    double gain = 0, price = squared_norm(weights);
    for (std::size_t row = 0; row < dual.size(); ++row) {
        if (dual[row] == 0) continue;
        gain += dual[row] * (dual[row] > 0 ? problem.lower[row] : problem.upper[row]);
        if (squared) price += dual[row] * dual[row] / (2 * problem.penalty[row]);
    }
    const double most = squared ? INFINITY : room(problem, dual);
    const double factor = price > 0 ? std::clamp(gain / price, 0.0, most) : 1.0;
    for (double& value : dual) value *= factor;
    return factor * gain - 0.5 * factor * factor * price;
}

LinearFit certified(const LinearProblem& problem, LinearPoint&& point, std::vector<double>&& dual) {
    problem.rows.scores(point.weights, point.bias, point.scores, problem.pool);
    LinearFit fit;
    fit.objective = primal_value(problem, point);
    fit.gap = std::max(fit.objective - make_feasible(problem, dual), 0.0);
    fit.weights = std::move(point.weights);
    fit.bias = point.bias;
    fit.dual = std::move(dual);
    return fit;
}

}  // namespace branchline
