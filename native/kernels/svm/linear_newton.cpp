// Newton's method on P with squares (Keerthi and DeCoste, 2005).
//
// P is made of quadratic pieces: rows that are not content make up the piece. A step goes to the
// least point of the present piece, H s = −∇P with H = I (0 for b) + 2 Σ C_i z_i z_iᵀ over these rows,
// and an exact line search ends on the right piece after finitely many steps.
#include <cmath>
#include <numeric>
#include <utility>

#include "svm/linear_cholesky.hpp"
#include "svm/linear_problem.hpp"

namespace branchline {

namespace {

constexpr double finish = 1e-4;  // steps are cheap near the end: this share of the tolerance
constexpr std::size_t most_gradients = 200;

using Vector = std::vector<double>;

double dot(const Vector& one, const Vector& other) {
    return std::inner_product(one.begin(), one.end(), other.begin(), 0.0);
}

class Newton {
  public:
    Newton(const LinearProblem& problem, bool factors)
        : problem_(problem), factors_(factors), width_(problem.width()), dual_(problem.n_rows()),
          curvature_(problem.n_rows()), products_(problem.n_rows()) {}

    LinearFit run(LinearPoint&& point) {
        std::size_t n_iter = 0;
        while (true) {
            problem_.stop.check();
            const Vector gradient = gradient_at(point);
            if (is_finished(point, n_iter)) break;
            const Vector step = factors_ ? factored_step(gradient) : conjugate_step(gradient);
            const bool moved = move(point, gradient, step);
            ++n_iter;
            if (!moved) break;
        }
        gradient_at(point);  // and with it, β
        LinearFit fit = certified(problem_, std::move(point), std::move(dual_));
        fit.n_iter = n_iter;
        return fit;
    }

  private:
    // ∇P; writes β = 2 C × missed and H's factors of rows.
    Vector gradient_at(const LinearPoint& point) {
        for (std::size_t row = 0; row < dual_.size(); ++row) {
            const double miss = problem_.missed(row, point.scores[row]);
            dual_[row] = 2 * problem_.penalty[row] * miss;
            curvature_[row] = miss == 0 ? 0.0 : 2 * problem_.penalty[row];
        }
        Vector gradient(width_);
        problem_.rows.weighted_sum(dual_, gradient, problem_.pool);
        for (double& entry : gradient) entry = -entry;
        for (std::size_t k = 0; k < point.weights.size(); ++k) gradient[k] += point.weights[k];
        return gradient;
    }

    bool is_finished(const LinearPoint& point, std::size_t n_iter) {
        if (n_iter >= problem_.options.max_iter) return true;
        const double objective = primal_value(problem_, point);
        Vector feasible = dual_;
        const double gap = objective - make_feasible(problem_, feasible);
        return is_close(objective, gap, finish * problem_.options.tolerance);
    }

    Vector factored_step(const Vector& gradient) {
        Vector hessian = cholesky_.release();
        hessian.resize(width_ * width_);
        problem_.rows.gram(curvature_, width_, hessian, problem_.pool);
        for (std::size_t k = 0; k < problem_.rows.n_columns(); ++k) hessian[k * width_ + k] += 1;
        cholesky_.factor(std::move(hessian), width_);
        Vector step(width_);
        for (std::size_t k = 0; k < width_; ++k) step[k] = -gradient[k];
        cholesky_.solve(step);
        return step;
    }

    // H times a direction.
    Vector curved(const Vector& direction) {
        const std::size_t n_columns = problem_.rows.n_columns();
        const double bias = width_ > n_columns ? direction.back() : 0.0;
        problem_.rows.scores(direction, bias, products_, problem_.pool);
        for (std::size_t row = 0; row < products_.size(); ++row) products_[row] *= curvature_[row];
        Vector result(width_);
        problem_.rows.weighted_sum(products_, result, problem_.pool);
        for (std::size_t k = 0; k < n_columns; ++k) result[k] += direction[k];
        return result;
    }

    // Conjugate gradients, b put in units in which its curvature is like that of one weight.
    Vector conjugate_step(const Vector& gradient) {
        Vector step(width_, 0.0), residual(width_), shaped(width_);
        for (std::size_t k = 0; k < width_; ++k) residual[k] = -gradient[k];
        const double total = std::accumulate(curvature_.begin(), curvature_.end(), 0.0);
        const double of_bias = width_ > problem_.rows.n_columns() && total > 0 ? 1 / total : 1.0;
        const auto shape = [&] {
            shaped = residual;
            if (width_ > problem_.rows.n_columns()) shaped.back() *= of_bias;
        };
        shape();
        Vector direction = shaped;
        double size = dot(residual, shaped);
        const double wanted = 1e-4 * size;  // squared: a hundredth
        for (std::size_t k = 0; k < most_gradients && size > wanted; ++k) {
            problem_.stop.check();
            const Vector product = curved(direction);
            const double length = size / dot(direction, product);
            if (!std::isfinite(length)) break;
            for (std::size_t j = 0; j < width_; ++j) {
                step[j] += length * direction[j];
                residual[j] -= length * product[j];
            }
            shape();
            const double next = dot(residual, shaped);
            for (std::size_t j = 0; j < width_; ++j) {
                direction[j] = shaped[j] + next / size * direction[j];
            }
            size = next;
        }
        return step;
    }

    // Goes along a step to where P is least on it; false when it no longer falls.
    bool move(LinearPoint& point, const Vector& gradient, const Vector& step) {
        const std::size_t n_columns = problem_.rows.n_columns();
        const double bias = width_ > n_columns ? step.back() : 0.0;
        problem_.rows.scores(step, bias, products_, problem_.pool);
        const double before = primal_value(problem_, point);
        const double length = best_length(point, step, dot(gradient, step));
        LinearPoint next = point;
        for (std::size_t k = 0; k < n_columns; ++k) next.weights[k] += length * step[k];
        next.bias += length * bias;
        for (std::size_t row = 0; row < products_.size(); ++row) {
            next.scores[row] += length * products_[row];
        }
        if (!(primal_value(problem_, next) < before)) return false;
        point = std::move(next);
        return true;
    }

    // The slope along the step rises in straight pieces: Newton's method in one number, kept between
    // the signs seen.
    double best_length(const LinearPoint& point, const Vector& step, double slope_at_0) const {
        double flat = 0, straight = 0;  // ‖s‖² and w·s of the weights
        for (std::size_t k = 0; k < problem_.rows.n_columns(); ++k) {
            flat += step[k] * step[k];
            straight += point.weights[k] * step[k];
        }
        double length = 1, low = 0, high = INFINITY;
        for (int look = 0; look < 50; ++look) {
            double slope = straight + length * flat, curvature = flat;
            for (std::size_t row = 0; row < products_.size(); ++row) {
                const double along = products_[row];
                const double miss = problem_.missed(row, point.scores[row] + length * along);
                if (miss == 0) continue;
                slope -= 2 * problem_.penalty[row] * miss * along;
                curvature += 2 * problem_.penalty[row] * along * along;
            }
            if (std::abs(slope) <= 1e-9 * std::abs(slope_at_0)) break;
            (slope < 0 ? low : high) = length;
            double next = length - slope / curvature;
            if (!(next > low && next < high)) {
                next = std::isfinite(high) ? 0.5 * (low + high) : 2 * low;
            }
            if (!std::isfinite(next) || next == length) break;
            length = next;
        }
        return length;
    }

    const LinearProblem& problem_;
    bool factors_;
    std::size_t width_;
    Vector dual_, curvature_, products_;
    LinearCholesky cholesky_;
};

}  // namespace

LinearFit solve_by_newton(const LinearProblem& problem, bool factors, LinearPoint&& start) {
    return Newton(problem, factors).run(std::move(start));
}

}  // namespace branchline
