#include "branchline/linear_sets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "branchline/thread_pool.hpp"
#include "svm/linear_cholesky.hpp"

namespace branchline {

namespace {

constexpr int most_steps = 100;
constexpr int most_halvings = 40;
constexpr double vanished = 1e-10;  // the gradient, for each unit of weight
constexpr double faint = 1e-10;
constexpr std::size_t sets_of_task = 16;

// Σ a_i b_i in eight sums, which fit vectors.
double dot(const double* a, const double* b, std::size_t n) noexcept {
    double sum[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        for (std::size_t lane = 0; lane < 8; ++lane) sum[lane] += a[i + lane] * b[i + lane];
    }
    for (; i < n; ++i) sum[0] += a[i] * b[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

// One model after another on the same rows; the storage is kept between them.
class Solver {
  public:
    Solver(const LinearSetRows& learn, const LinearSetRows& test, double strength)
        : learn_(learn), test_(test), strength_(strength), ones_(learn.n_rows(), 1.0) {
        for (const double weight : learn.weights) total_ += weight;
    }

    double error(std::span<const std::int64_t> set) {
        set_ = set;
        solution_.assign(set.size() + 1, 0.0);
        const bool is_solved = strength_ > 0 ? solve_classes() : solve_numbers();
        return is_solved ? held_out() : std::numeric_limits<double>::quiet_NaN();
    }

  private:
    // The values of an unknown's term: those of the set, then the constant.
    const double* term(std::size_t unknown) const noexcept {
        return unknown < set_.size() ? learn_.term(static_cast<std::size_t>(set_[unknown]))
                                     : ones_.data();
    }

    // scores = b + v·x for all rows.
    void scores(const LinearSetRows& rows, const std::vector<double>& unknowns,
                std::vector<double>& out) const {
        out.assign(rows.n_rows(), unknowns.back());
        for (std::size_t k = 0; k < set_.size(); ++k) {
            const double* values = rows.term(static_cast<std::size_t>(set_[k]));
            const double weight = unknowns[k];
            for (std::size_t i = 0; i < out.size(); ++i) out[i] += weight * values[i];
        }
    }

    double loss(const std::vector<double>& unknowns) {
        scores(learn_, unknowns, scores_);
        double sum = 0, squares = 0;
        for (std::size_t i = 0; i < scores_.size(); ++i) {
            // ln(1 + e^z) − y z, without overflow
            const double z = scores_[i], tail = std::log1p(std::exp(-std::abs(z)));
            sum += learn_.weights[i] * (std::max(z, 0.0) + tail - learn_.target[i] * z);
        }
        for (std::size_t k = 0; k < set_.size(); ++k) squares += unknowns[k] * unknowns[k];
        return sum + squares / (2 * strength_);
    }

    // Slopes and curvatures of the rows at `scores_`; returns the largest entry of the gradient.
    double differentiate() {
        const std::size_t n = scores_.size();
        slope_.resize(n);
        curvature_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const double e = std::exp(-std::abs(scores_[i])), near = 1 / (1 + e);
            const double share = scores_[i] >= 0 ? near : e * near;
            slope_[i] = learn_.weights[i] * (share - learn_.target[i]);
            curvature_[i] = learn_.weights[i] * e * near * near;
        }
        step_.resize(solution_.size());
        double largest = 0;
        for (std::size_t k = 0; k < step_.size(); ++k) {
            step_[k] = dot(slope_.data(), term(k), n);
            if (k < set_.size()) step_[k] += solution_[k] / strength_;
            largest = std::max(largest, std::abs(step_[k]));
        }
        return largest;
    }

    // Solves (Σ factor_i z_i z_iᵀ + penalty) step = step, z_i the terms of a row and 1.
    void solve_step(const std::vector<double>& factor, double penalty, double share) {
        const std::size_t width = step_.size(), n = factor.size();
        std::vector<double> upper = cholesky_.release();
        upper.resize(width * width);
        scaled_.resize(n);
        for (std::size_t a = 0; a < width; ++a) {
            const double* values = term(a);
            for (std::size_t i = 0; i < n; ++i) scaled_[i] = factor[i] * values[i];
            for (std::size_t b = a; b < width; ++b) {
                upper[a * width + b] = dot(scaled_.data(), term(b), n);
            }
            double& diagonal = upper[a * width + a];
            if (a < set_.size()) diagonal = diagonal * (1 + share) + penalty;
        }
        cholesky_.factor(std::move(upper), width);
        cholesky_.solve(step_);
    }

    bool solve_classes() {
        double now = loss(solution_);
        for (int count = 0; count < most_steps; ++count) {
            if (differentiate() <= vanished * total_) return true;
            solve_step(curvature_, 1 / strength_, 0);
            double length = 1, next = 0;
            std::vector<double>& tried = tried_;
            int halvings = 0;
            for (; halvings < most_halvings; ++halvings, length /= 2) {
                tried = solution_;
                for (std::size_t k = 0; k < tried.size(); ++k) tried[k] -= length * step_[k];
                next = loss(tried);
                if (next <= now + 1e-12 * std::abs(now)) break;
            }
            if (halvings == most_halvings) return false;
            solution_ = tried;
            now = next;
        }
        return false;
    }

    bool solve_numbers() {
        const std::size_t n = learn_.n_rows();
        // The mean comes off first, so that large targets keep their digits.
        const double mean = dot(learn_.weights.data(), learn_.target.data(), n) / total_;
        slope_.resize(n);
        for (std::size_t i = 0; i < n; ++i)
            slope_[i] = learn_.weights[i] * (learn_.target[i] - mean);
        step_.resize(solution_.size());
        for (std::size_t k = 0; k < step_.size(); ++k) step_[k] = dot(slope_.data(), term(k), n);
        curvature_.assign(learn_.weights.begin(), learn_.weights.end());
        solve_step(curvature_, 0, faint);
        solution_ = step_;
        solution_.back() += mean;
        return std::all_of(solution_.begin(), solution_.end(),
                           [](double value) { return std::isfinite(value); });
    }

    double held_out() {
        scores(test_, solution_, scores_);
        double wrong = 0, total = 0;
        for (std::size_t i = 0; i < scores_.size(); ++i) {
            const double apart = scores_[i] - test_.target[i];
            const double error =
                strength_ > 0 ? double((scores_[i] > 0) != (test_.target[i] > 0)) : apart * apart;
            wrong += test_.weights[i] * error;
            total += test_.weights[i];
        }
        return wrong / total;
    }

    const LinearSetRows& learn_;
    const LinearSetRows& test_;
    double strength_, total_ = 0;
    std::vector<double> ones_;
    std::span<const std::int64_t> set_;
    std::vector<double> solution_, tried_, step_, scores_, slope_, curvature_, scaled_;
    LinearCholesky cholesky_;
};

}  // namespace

std::vector<double> linear_set_errors(const LinearSetRows& learn, const LinearSetRows& test,
                                      const LinearSetList& sets, double strength, int n_threads,
                                      StopSignal& stop) {
    std::vector<double> errors(sets.size());
    const std::size_t n_tasks = (sets.size() + sets_of_task - 1) / sets_of_task;
    ThreadPool pool(n_threads, stop);
    pool.run(n_tasks, [&](std::size_t task, std::size_t) {
        Solver solver(learn, test, strength);
        const std::size_t end = std::min(sets.size(), (task + 1) * sets_of_task);
        for (std::size_t place = task * sets_of_task; place < end; ++place) {
            stop.check();
            errors[place] = solver.error(sets.set(place));
        }
    });
    return errors;
}

}  // namespace branchline
