// A primal-dual interior point method with Mehrotra's predictor and corrector, for P without squares.
//
// Each finite end t of a row is an *item* with its sign s (+1 for u, −1 for v), its share a of β
// (0 < a < C), g = C − a, the excess ξ > 0 and the slack z > 0:
//
//     w = Σ a s x,   Σ a s = 0,   z = s (f − t) + ξ,   a z = μ,   g ξ = μ.
//
// A Newton step on these equations leaves, with θ = z/a + ξ/g and ρ = s (t − f) + μ₁/a − μ₂/g,
//
//     (I (0 for b) + Σ z zᵀ / θ) Δ(w, b) = Σ (a + ρ/θ) s (x, 1) − (w, 0),   Δa = (ρ − s Δf) / θ,
//
// one system as wide as the unknowns, factored once for both steps. Some 20 steps find ten digits,
// however ill matched C and the columns are.
#include <cmath>
#include <utility>

#include "svm/linear_cholesky.hpp"
#include "svm/linear_problem.hpp"

namespace branchline {

namespace {

constexpr double finish = 1e-4;      // the last steps are cheap: this share of the tolerance
constexpr double step_back = 0.995;  // of the way to where something would become 0
constexpr int patience = 20;         // steps without a smaller gap
constexpr double first_share = 0.1;  // of C: the ends' shares at the start

using Vector = std::vector<double>;

struct Item {
    std::size_t row;
    double sign, end, penalty;
    double share = 0, excess = 0, slack = 0;           // a, ξ, z
    double per_share = 0, per_left = 0, response = 0;  // 1/a, 1/g, 1/θ
    double target_slack = 0, target_excess = 0;        // μ₁, μ₂
    double d_share = 0, d_excess = 0, d_slack = 0;

    double left() const noexcept { return penalty - share; }  // g
    double rho(double score) const noexcept {
        return sign * (end - score) + target_slack * per_share - target_excess * per_left;
    }
    void prepare() noexcept {
        per_share = 1 / share;
        per_left = 1 / left();
        response = 1 / (slack * per_share + excess * per_left);
        target_slack = target_excess = d_share = d_slack = d_excess = 0;
    }
};

// How far a step can go, at most 1, with everything above 0; and the sum of all a z and g ξ on the
// way, a parabola in the step's length.
struct Outlook {
    double room = 1;
    double products[3] = {0, 0, 0};

    double sum_at(double length) const noexcept {
        return products[0] + length * (products[1] + length * products[2]);
    }
    void add(double value, double change, double other, double its_change) noexcept {
        if (change < 0) room = std::min(room, -value / change);
        if (its_change < 0) room = std::min(room, -other / its_change);
        products[0] += value * other;
        products[1] += value * its_change + other * change;
        products[2] += change * its_change;
    }
};

class InteriorPoint {
  public:
    explicit InteriorPoint(const LinearProblem& problem)
        : problem_(problem), width_(problem.width()), point_(origin(problem)),
          along_(problem.n_rows()) {
        const std::size_t n_rows = problem.n_rows();
        for (std::size_t row = 0; row < n_rows; ++row) {
            if (std::isfinite(problem.lower[row])) add_item(row, 1, problem.lower[row]);
            if (std::isfinite(problem.upper[row])) add_item(row, -1, problem.upper[row]);
        }
        double size = 0;
        for (const Item& item : items_) size += std::abs(item.end - point_.scores[item.row]);
        size = size > 0 ? size / static_cast<double>(items_.size()) : 1.0;
        for (Item& item : items_) {
            const double miss = item.sign * (item.end - point_.scores[item.row]);
            item.excess = std::max(miss, 0.0) + size;
            item.slack = item.excess - miss;
        }
    }

    LinearFit run() {
        LinearFit best = fit_now();
        if (best.gap == 0) return best;
        int waited = 0;
        double least = INFINITY;
        const std::size_t most = problem_.options.max_iter;
        for (std::size_t n_iter = 1; n_iter <= most && waited < patience; ++n_iter) {
            problem_.stop.check();
            const double products = step();
            waited = products < least ? 0 : waited + 1;
            least = std::min(least, products);
            best.n_iter = n_iter;
            if (n_iter < most && waited < patience && !may_be_close(products)) continue;
            LinearFit now = fit_now();
            now.n_iter = n_iter;
            if (now.gap < best.gap) best = std::move(now);
            if (is_close(best.objective, best.gap, finish * problem_.options.tolerance)) break;
        }
        return with_best_bias(std::move(best));
    }

  private:
    void add_item(std::size_t row, double sign, double end) {
        const double penalty = problem_.penalty[row];
        items_.push_back({row, sign, end, penalty, first_share * penalty});
    }

    LinearFit fit_now() const {
        Vector dual(problem_.n_rows(), 0.0);
        for (const Item& item : items_) dual[item.row] += item.sign * item.share;
        LinearPoint point = point_;
        return certified(problem_, std::move(point), std::move(dual));
    }

    LinearFit with_best_bias(LinearFit&& fit) const {
        if (!problem_.options.fit_intercept) return std::move(fit);
        LinearPoint point{std::move(fit.weights), fit.bias, Vector(problem_.n_rows())};
        problem_.rows.scores(point.weights, point.bias, point.scores, problem_.pool);
        set_best_bias(problem_, point);
        LinearFit better = certified(problem_, std::move(point), std::move(fit.dual));
        better.n_iter = fit.n_iter;
        return better;
    }

    // Whether the sum of products, which the gap comes to, is worth adding P and D up.
    bool may_be_close(double products) const {
        return products <= 3 * problem_.options.tolerance * primal_value(problem_, point_);
    }

    void factor() {
        Vector of_rows(problem_.n_rows(), 0.0);
        for (Item& item : items_) {
            item.prepare();
            of_rows[item.row] += item.response;
        }
        Vector matrix = cholesky_.release();
        matrix.resize(width_ * width_);
        problem_.rows.gram(of_rows, width_, matrix, problem_.pool);
        for (std::size_t k = 0; k < problem_.rows.n_columns(); ++k) matrix[k * width_ + k] += 1;
        cholesky_.factor(std::move(matrix), width_);
    }

    // Solves for Δ(w, b) with the targets that the items hold, then for each item's changes.
    Outlook solve() {
        Vector of_rows(problem_.n_rows(), 0.0);
        for (const Item& item : items_) {
            const double rho = item.rho(point_.scores[item.row]);
            of_rows[item.row] += item.sign * (item.share + rho * item.response);
        }
        change_.resize(width_);
        problem_.rows.weighted_sum(of_rows, change_, problem_.pool);
        for (std::size_t k = 0; k < point_.weights.size(); ++k) change_[k] -= point_.weights[k];
        cholesky_.solve(change_);
        const double bias = width_ > point_.weights.size() ? change_.back() : 0.0;
        problem_.rows.scores(change_, bias, along_, problem_.pool);
        Outlook outlook;
        for (Item& item : items_) {
            const double rho = item.rho(point_.scores[item.row]);
            item.d_share = (rho - item.sign * along_[item.row]) * item.response;
            item.d_slack =
                (item.target_slack - item.slack * item.d_share) * item.per_share - item.slack;
            item.d_excess =
                (item.target_excess + item.excess * item.d_share) * item.per_left - item.excess;
            outlook.add(item.share, item.d_share, item.slack, item.d_slack);
            outlook.add(item.left(), -item.d_share, item.excess, item.d_excess);
        }
        return outlook;
    }

    // One predictor and corrector; returns the sum of all products after it.
    double step() {
        factor();
        const Outlook predicted = solve();
        const double before = predicted.sum_at(0);
        const double ratio = predicted.sum_at(predicted.room) / before;
        const double target =
            ratio * ratio * ratio * before / (2 * static_cast<double>(items_.size()));
        for (Item& item : items_) {
            item.target_slack = target - item.d_share * item.d_slack;
            item.target_excess = target + item.d_share * item.d_excess;
        }
        const Outlook corrected = solve();
        const double length = std::min(1.0, step_back * corrected.room);
        take(length);
        return corrected.sum_at(length);
    }

    void take(double length) {
        for (Item& item : items_) {
            item.share += length * item.d_share;
            item.slack += length * item.d_slack;
            item.excess += length * item.d_excess;
            // Rounding may take the last digits of a share that is nearly 0 or nearly C.
            item.share = std::clamp(item.share, 1e-15 * item.penalty, (1 - 1e-15) * item.penalty);
        }
        for (std::size_t k = 0; k < point_.weights.size(); ++k) {
            point_.weights[k] += length * change_[k];
        }
        if (width_ > point_.weights.size()) point_.bias += length * change_.back();
        for (std::size_t row = 0; row < along_.size(); ++row) {
            point_.scores[row] += length * along_[row];
        }
    }

    const LinearProblem& problem_;
    std::size_t width_;
    LinearPoint point_;
    Vector along_, change_;
    std::vector<Item> items_;
    LinearCholesky cholesky_;
};

}  // namespace

LinearFit solve_by_interior_point(const LinearProblem& problem) {
    return InteriorPoint(problem).run();
}

}  // namespace branchline
