// Dual coordinate descent (Hsieh, Chang, Lin, Keerthi and Sundararajan, 2008) with a free constant.
//
// 1. w = Σ β_i x_i is kept. A row's β_i goes to where D is greatest with all others held; rows come in
//    an order that is drawn anew for each pass.
// 2. Σ β = 0 is not kept by single moves. The augmented Lagrangian takes its place: the constant is
//    b = b₀ + κ Σ β, and after each pass b₀ becomes b, until the sum vanishes.
// 3. Rows that rest at an end and whose score is clear of the row's corner by more than the last
//    pass's largest violation are left out (*shrunk*). When the rest are calm, all rows come back.
// 4. When all rows are calm, P and D are added up. It ends when they agree; else rows have to be
//    calmer the next time.
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "branchline/random.hpp"
#include "svm/linear_problem.hpp"

namespace branchline {

namespace {

constexpr double first_calm = 0.1;  // violations, in the units of scores
constexpr double calmer = 0.3;
constexpr std::uint64_t order_task = 0x6c696e65;

using Vector = std::vector<double>;

class Descent {
  public:
    explicit Descent(const LinearProblem& problem)
        : problem_(problem), squared_(problem.options.squared), point_(origin(problem)),
          dual_(problem.n_rows(), 0.0), curvature_(problem.n_rows()), active_(problem.n_rows()) {
        held_bias_ = point_.bias;
        double size = 0;
        for (std::size_t row = 0; row < dual_.size(); ++row) {
            curvature_[row] = problem.rows.squared_norm(row);
            size += curvature_[row] / static_cast<double>(dual_.size());
        }
        stiffness_ = problem.options.fit_intercept ? (size > 0 ? size : 1.0) : 0.0;
        for (std::size_t row = 0; row < dual_.size(); ++row) {
            curvature_[row] += stiffness_ + ridge(row);
        }
        std::iota(active_.begin(), active_.end(), std::uint32_t{0});
    }

    LinearFit run() {
        LinearFit best = fit_now();
        if (best.gap == 0) return best;
        for (std::size_t pass = 1; pass <= problem_.options.max_iter; ++pass) {
            problem_.stop.check();
            shuffle(pass);
            const bool is_last = pass == problem_.options.max_iter;
            const bool has_all = active_.size() == dual_.size();
            const bool is_calm = go_through() <= calm_;
            release_bias();
            if (is_calm && !has_all) take_all_back();
            if (!(is_calm && has_all) && !is_last) continue;
            calm_ *= calmer;
            LinearFit now = fit_now();
            if (now.gap < best.gap) best = std::move(now);
            best.n_iter = pass;
            if (is_close(best.objective, best.gap, problem_.options.tolerance)) break;
        }
        return best;
    }

  private:
    double ridge(std::size_t row) const { return squared_ ? 1 / (2 * problem_.penalty[row]) : 0.0; }

    LinearFit fit_now() {
        LinearPoint point = point_;
        // w as the sum of all rows anew: differences would gather rounding.
        problem_.rows.weighted_sum(dual_, point.weights, problem_.pool);
        problem_.rows.scores(point.weights, point.bias, point.scores, problem_.pool);
        point_.weights = point.weights;
        if (problem_.options.fit_intercept) set_best_bias(problem_, point);
        Vector dual = dual_;
        return certified(problem_, std::move(point), std::move(dual));
    }

    void shuffle(std::size_t pass) {
        RandomBlock block{};
        for (std::size_t k = active_.size(); k > 1; --k) {
            const std::size_t lane = k % 4;
            if (lane == 3 || k == active_.size()) {
                block = philox({k / 4, pass, 0, 0}, {problem_.options.seed, order_task});
            }
            std::swap(active_[k - 1], active_[block[lane] % k]);
        }
    }

    // The best β of a row, others held: a step for either end, or 0 between them.
    double best_share(std::size_t row, double score) const {
        const double curve = curvature_[row], now = dual_[row];
        const double most = squared_ ? INFINITY : problem_.penalty[row];
        const double pulled = score + ridge(row) * now;
        const double above = now - (pulled - problem_.lower[row]) / curve;
        if (above > 0) return std::min(above, most);
        const double below = now - (pulled - problem_.upper[row]) / curve;
        return below < 0 ? std::max(below, -most) : 0.0;
    }

    // Whether a β that cannot move is so far from moving that the row may be left out for now.
    bool rests(std::size_t row, double score) const {
        const double now = dual_[row];
        const double below = score - problem_.lower[row], above = problem_.upper[row] - score;
        if (now == 0) return below > last_violation_ && above > last_violation_;
        if (squared_) return false;
        if (now == problem_.penalty[row]) return -below > last_violation_;
        return now == -problem_.penalty[row] && -above > last_violation_;
    }

    // One pass over the active rows; returns the largest violation, in the units of scores.
    double go_through() {
        double largest = 0;
        std::size_t kept = 0;
        for (std::size_t place = 0; place < active_.size(); ++place) {
            const std::uint32_t row = active_[place];
            const double score = problem_.rows.dot(row, point_.weights.data()) + bias();
            const double change = best_share(row, score) - dual_[row];
            if (change == 0) {
                if (!rests(row, score)) active_[kept++] = row;
                continue;
            }
            active_[kept++] = row;
            largest = std::max(largest, std::abs(change) * curvature_[row]);
            dual_[row] += change;
            dual_sum_ += change;
            problem_.rows.add(row, change, point_.weights.data());
        }
        active_.resize(kept);
        last_violation_ = largest > 0 ? largest : INFINITY;
        return largest;
    }

    double bias() const { return held_bias_ + stiffness_ * dual_sum_; }

    void release_bias() {
        dual_sum_ = std::accumulate(dual_.begin(), dual_.end(), 0.0);
        if (problem_.options.fit_intercept) held_bias_ = bias();
        point_.bias = held_bias_;
    }

    void take_all_back() {
        active_.resize(dual_.size());
        std::iota(active_.begin(), active_.end(), std::uint32_t{0});
        last_violation_ = INFINITY;
    }

    const LinearProblem& problem_;
    bool squared_;
    LinearPoint point_;
    Vector dual_, curvature_;
    std::vector<std::uint32_t> active_;
    double held_bias_ = 0, dual_sum_ = 0, stiffness_ = 0;
    double last_violation_ = INFINITY, calm_ = first_calm;
};

}  // namespace

LinearFit solve_by_descent(const LinearProblem& problem) { return Descent(problem).run(); }

}  // namespace branchline
