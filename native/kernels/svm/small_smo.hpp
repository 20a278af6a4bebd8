// Sequential minimal optimization on variables whose kernel values are all at hand.
//
// 1. i: of the variables that may rise, the one with the least gradient (in each group).
// 2. j: of those that may fall, the one with which the pair gains most by the second-order rule.
// 3. β_i rises and β_j falls by the best step within the bounds; all gradients follow.
// 4. When that takes long, the equations of free variables are solved (active_set.hpp).
// Without a sum constraint, single variables take their best step.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "branchline/stop_signal.hpp"
#include "svm/active_set.hpp"
#include "svm/smo_kernels.hpp"

namespace branchline::svm {

// When to stop: at a violation, after a number of steps, or when the clock says so.
struct SmoLimits {
    double tolerance;
    std::int64_t max_steps;
};

template <class Real>
class SmallSmo {
  public:
    SmallSmo(const SmoKernels<Real>& kernels, StopSignal& stop)
        : kernels_(kernels), stop_(stop), active_(kernels, stop) {}

    // Room for n variables; those of group 0 come first, n_first of them.
    void resize(std::size_t n, std::size_t n_first) {
        n_ = n;
        n_first_ = n_first;
        for (auto* array : {&beta, &gradient, &lower, &upper, &diagonal})
            array->assign(padded(n), 0);
        up_.assign(padded(n), infinity);
        down_.assign(padded(n), -infinity);
        active_.begin_problem(n);
    }
    std::size_t size() const { return n_; }

    // Row i of the kernel matrix (with ridges) is gram + i · stride, padded.
    void set_gram(const Real* gram, std::size_t stride) { rows_.set_all(gram, stride, n_); }
    // Rows are made when they are needed.
    void set_maker(RowMaker<Real>& maker) { rows_.set_none(n_, maker); }
    RowTable<Real>& rows() { return rows_; }

    // Solves from the values that are in the arrays.
    void run(const SmoLimits& limits, bool has_sum) {
        prepare();
        n_steps = 0;
        is_stuck_ = false;
        if (has_sum) {
            n_first_ < n_&& n_first_ > 0 ? run_groups(limits) : run_pairs(limits);
        } else {
            run_singles(limits);
        }
    }

    // What is told once the arrays are filled.
    void prepare() {
        for (std::size_t i = 0; i < n_; ++i) set_bars(i);
    }

    // Solves to the last digits from a solution, with spans if `spans` is given; false: it cannot.
    bool polish(bool has_sum, std::vector<double>* spans) {
        if (!std::is_same_v<Real, double> || n_first_ < n_) return false;
        const ActiveProblem<Real> problem{rows_, n_, beta, gradient, lower, upper, diagonal};
        if (!active_.polish(problem, has_sum)) return false;
        if (spans != nullptr) {
            spans->resize(n_);
            active_.spans(problem, *spans);
        }
        return true;
    }

    // The largest violation of optimality by what is in the arrays.
    double violation_now(bool has_sum) const {
        if (!has_sum) return steepest_slope();
        double largest = 0;
        for (const auto& [begin, end] : {std::pair{std::size_t{0}, n_first_}, {n_first_, n_}}) {
            double low = infinity, high = -infinity;
            for (std::size_t i = begin; i < end; ++i) {
                if (beta[i] < upper[i]) low = std::min(low, gradient[i]);
                if (beta[i] > lower[i]) high = std::max(high, gradient[i]);
            }
            largest = std::max(largest, high - low);
        }
        return largest;
    }

    // Whether a step had no end: the objective has no least value.
    bool is_endless() const { return is_endless_; }

    std::vector<double> beta, gradient, lower, upper, diagonal;
    double violation = 0;
    std::int64_t n_steps = 0;

  private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    static constexpr double most_step = 1e150, endless = 1e200;

    // The row of a variable. Where it has to be made, so are those of the worst violators, which are
    // likely to be next.
    const Real* row(std::size_t i) {
        if (!rows_.has(i)) {
            list_violators(i);
            rows_.make(wanted_);
        }
        return rows_[i];
    }

    // i, and the worst violators that have no row yet.
    void list_violators(std::size_t i) {
        double least = infinity, largest = -infinity;
        for (std::size_t k = 0; k < n_; ++k) {
            least = std::min(least, gradient[k] + up_[k]);
            largest = std::max(largest, gradient[k] + down_[k]);
        }
        const double level = (least + largest) / 2;
        std::array<Violator, most_rows_at_once> worst;
        const std::size_t n_most = rows_.rows_at_once() - 1;
        std::size_t n_worst = 0;
        double threshold = n_most > 0 ? 0 : infinity;
        for (std::uint32_t k = 0; k < n_; ++k) {
            const double size =
                std::max(level - gradient[k] - up_[k], gradient[k] + down_[k] - level);
            if (!(size > threshold) || k == i || rows_.has(k)) continue;
            if (n_worst < n_most) ++n_worst;
            std::size_t at = n_worst - 1;
            for (; at > 0 && worst[at - 1].size < size; --at) worst[at] = worst[at - 1];
            worst[at] = {size, k};
            if (n_worst == n_most) threshold = worst[n_most - 1].size;
        }
        wanted_.assign(1, static_cast<std::uint32_t>(i));
        for (std::size_t at = 0; at < n_worst; ++at) wanted_.push_back(worst[at].variable);
    }

    double steepest_slope() const {
        double slope = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            if (beta[i] < upper[i]) slope = std::max(slope, -gradient[i]);
            if (beta[i] > lower[i]) slope = std::max(slope, gradient[i]);
        }
        return slope;
    }

    void set_bars(std::size_t i) {
        up_[i] = beta[i] < upper[i] ? 0.0 : infinity;
        down_[i] = beta[i] > lower[i] ? 0.0 : -infinity;
    }

    bool may_go_on(const SmoLimits& limits) {
        if (violation <= limits.tolerance || n_steps >= limits.max_steps || is_stuck_) return false;
        if ((n_steps & 1023) == 0) {
            stop_.poll();
            if (stop_.requested()) throw Interrupted();
        }
        return true;
    }

    void run_pairs(const SmoLimits& limits) {
        const std::size_t n = padded(n_);
        Pick riser = kernels_.least(gradient.data(), up_.data(), n);
        std::int64_t patience = pairs_first();
        while (true) {
            const Partner found = partner_of(riser, n);
            violation = violation_of(riser, found);
            if (!may_go_on(limits) || found.best.value <= 0) return;
            if (n_steps >= patience) patience = wait_for_equations();
            if (n_steps < patience) {
                riser = take_step(riser.place, found.best.place);
            } else {
                riser = solve_free(limits.tolerance);
                patience = n_steps + 4 * pairs_first();
            }
        }
    }

    // Only double values are exact enough for equations of many variables.
    std::int64_t pairs_first() const {
        if (!std::is_same_v<Real, double>) return std::numeric_limits<std::int64_t>::max() / 8;
        return static_cast<std::int64_t>(std::max<std::size_t>(200, n_ / 8));
    }

    // After how many steps of pairs the equations, F³ / 6 products, cost no more than was spent.
    std::int64_t wait_for_equations() const {
        double n_free = 0;
        for (std::size_t i = 0; i < n_; ++i) n_free += up_[i] == 0 && down_[i] == 0 ? 1 : 0;
        const double steps = n_free * n_free * n_free / (48.0 * static_cast<double>(n_));
        return std::max(pairs_first(), static_cast<std::int64_t>(steps));
    }

    Pick solve_free(double tolerance, bool has_sum = true) {
        n_steps +=
            active_.run({rows_, n_, beta, gradient, lower, upper, diagonal}, tolerance, has_sum);
        for (std::size_t i = 0; i < n_; ++i) set_bars(i);
        return kernels_.least(gradient.data(), up_.data(), padded(n_));
    }

    // Two groups: a pair within each is looked for, and the one that gains more moves.
    void run_groups(const SmoLimits& limits) {
        while (true) {
            std::array<Pick, 2> riser;
            std::array<Partner, 2> found;
            violation = 0;
            for (std::size_t g = 0; g < 2; ++g) {
                mask_group(g);
                riser[g] = kernels_.least(gradient.data(), group_up_.data(), padded(n_));
                found[g] = kernels_.partner(row(std::min(riser[g].place, n_ - 1)), diagonal.data(),
                                            gradient.data(), group_down_.data(), padded(n_),
                                            {riser[g].value, diagonal[riser[g].place]});
                violation = std::max(violation, violation_of(riser[g], found[g]));
            }
            const std::size_t g = found[1].best.value > found[0].best.value ? 1 : 0;
            if (!may_go_on(limits) || found[g].best.value <= 0) return;
            take_step(riser[g].place, found[g].best.place);
        }
    }

    // Bars of one group: nothing of the other may move.
    void mask_group(std::size_t g) {
        group_up_.assign(padded(n_), infinity);
        group_down_.assign(padded(n_), -infinity);
        const std::size_t begin = g == 0 ? 0 : n_first_, end = g == 0 ? n_first_ : n_;
        std::copy(up_.begin() + to_offset(begin), up_.begin() + to_offset(end),
                  group_up_.begin() + to_offset(begin));
        std::copy(down_.begin() + to_offset(begin), down_.begin() + to_offset(end),
                  group_down_.begin() + to_offset(begin));
    }

    void run_singles(const SmoLimits& limits) {
        const std::size_t n = padded(n_);
        std::int64_t patience = pairs_first();
        while (true) {
            const Partner found =
                kernels_.steepest(diagonal.data(), gradient.data(), up_.data(), down_.data(), n);
            violation = found.largest;
            if (!may_go_on(limits) || found.best.value <= 0) return;
            if (n_steps >= patience) patience = wait_for_equations();
            if (n_steps >= patience) {
                solve_free(limits.tolerance, false);
                patience = n_steps + 4 * pairs_first();
                continue;
            }
            const std::size_t i = found.best.place;
            const double wanted = beta[i] - gradient[i] / std::max(diagonal[i], least_curvature);
            const double next = std::clamp(wanted, lower[i], upper[i]);
            const double step = next - beta[i];
            is_endless_ = is_endless_ || !(std::abs(step) < most_step);
            is_stuck_ = step == 0 || is_endless_;
            beta[i] = next;
            set_bars(i);
            kernels_.move_one(row(i), step, gradient.data(), n);
            ++n_steps;
        }
    }

    Partner partner_of(const Pick& riser, std::size_t n) {
        if (riser.value == infinity) return {{-1, 0}, -infinity};
        return kernels_.partner(row(riser.place), diagonal.data(), gradient.data(), down_.data(), n,
                                {riser.value, diagonal[riser.place]});
    }

    static double violation_of(const Pick& riser, const Partner& found) {
        if (riser.value == infinity || found.largest == -infinity) return 0;
        return std::max(0.0, found.largest - riser.value);
    }

    // Moves a pair; returns the next riser. Where numbers have no digits left for the step, or no
    // bound for the objective, nothing can be gained any more: is_stuck.
    Pick take_step(std::size_t i, std::size_t j) {
        const double before_i = beta[i], before_j = beta[j];
        const double curvature = diagonal[i] + diagonal[j] - 2 * double{row(i)[j]};
        double wanted = (gradient[j] - gradient[i]) / std::max(curvature, least_curvature);
        if (curvature < -least_curvature) wanted = endless;  // bends down: to the bounds
        const double room_up = upper[i] - beta[i], room_down = beta[j] - lower[j];
        const double step = std::min({wanted, room_up, room_down});
        beta[i] = step == room_up ? upper[i] : beta[i] + step;
        beta[j] = step == room_down ? lower[j] : beta[j] - step;
        is_endless_ = is_endless_ || !(std::abs(step) < most_step);
        is_stuck_ = (beta[i] == before_i && beta[j] == before_j) || is_endless_;
        set_bars(i);
        set_bars(j);
        ++n_steps;
        return kernels_.move(row(i), row(j), step, gradient.data(), up_.data(), padded(n_));
    }

    static std::ptrdiff_t to_offset(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }

    const SmoKernels<Real>& kernels_;
    StopSignal& stop_;
    ActiveSet<Real> active_;
    std::size_t n_ = 0, n_first_ = 0;
    bool is_stuck_ = false, is_endless_ = false;
    RowTable<Real> rows_;
    std::vector<std::uint32_t> wanted_;
    std::vector<double> up_, down_, group_up_, group_down_;
};

}  // namespace branchline::svm
