// The last mile of a small problem: which variables are free is searched, their equations are solved.
//
// Pairs of variables zigzag where K is nearly singular (large C, small γ); solving for all free
// variables at once does not.
//
// 1. F: the free variables. d makes their gradients equal and keeps their sum: with A = K_FF,
//    d = −A⁻¹ g_F + λ A⁻¹ 1, λ = 1ᵀA⁻¹ g_F / 1ᵀA⁻¹ 1 (without a sum, λ = 0).
// 2. β_F moves along d, fully or to the first bound; a variable that meets its bound leaves F.
// 3. After a full step, those that violate optimality most (against λ) join F; none: done.
// A is kept as a Cholesky factor that gains and loses rows. Every step lowers the objective or
// takes a variable out of F.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "branchline/stop_signal.hpp"
#include "svm/growing_cholesky.hpp"
#include "svm/row_table.hpp"
#include "svm/smo_kernels.hpp"

namespace branchline::svm {

// A variable that violates optimality, and by how much.
struct Violator {
    double size;
    std::uint32_t variable;
};
inline bool worse(const Violator& a, const Violator& b) {
    return a.size > b.size || (a.size == b.size && a.variable < b.variable);
}

// A problem as SmallSmo holds it.
template <class Real>
struct ActiveProblem {
    RowTable<Real>& rows;
    std::size_t n;
    std::vector<double>&beta, &gradient;
    const std::vector<double>&lower, &upper, &diagonal;
};

template <class Real>
class ActiveSet {
  public:
    static constexpr std::size_t most_free = 1000;

    ActiveSet(const SmoKernels<Real>& kernels, StopSignal& stop) : kernels_(kernels), stop_(stop) {}

    // To be called before another problem: nothing of the last one counts.
    void begin_problem(std::size_t n) { forget_all(n); }

    // Works on the problem until no gradient violates by more than the tolerance, or nothing moves any
    // more. Returns the number of steps; 0: too many variables are free.
    std::int64_t run(const ActiveProblem<Real>& problem, double tolerance, bool has_sum) {
        return begin(problem, has_sum) ? go_on(problem, tolerance) : 0;
    }

    // Goes on from a solution until violations are rounding. False: too many variables are free.
    bool polish(const ActiveProblem<Real>& problem, bool has_sum) {
        if (!begin(problem, has_sum)) return false;
        double last = std::numeric_limits<double>::infinity();
        for (int round = 0; round < 5; ++round) {
            go_on(problem, finest);
            double largest = 0;
            for (const std::uint32_t i : free_) {
                largest = std::max(largest, std::abs(problem.gradient[i] - level_));
            }
            if (largest <= finest || largest >= last) break;
            last = largest;
        }
        return true;
    }

    // The spans of the variables after polish().
    void spans(const ActiveProblem<Real>& problem, std::span<double> out) {
        const std::size_t n_free = free_.size();
        ones_.assign(n_free, 1.0);
        factor_.solve(ones_.data());
        double of_ones = 0;
        for (const double value : ones_) of_ones += value;
        for (std::size_t i = 0; i < problem.n; ++i) {
            out[i] = 0;
            if (problem.beta[i] == 0 || is_free_[i]) continue;
            out[i] = problem.diagonal[i] - explained(problem, i, of_ones);
        }
        for (std::size_t k = 0; k < n_free; ++k) {
            const double border = has_sum_ ? ones_[k] * ones_[k] / of_ones : 0.0;
            out[free_[k]] = 1 / (factor_.inverse_diagonal(k, products_) - border);
        }
    }

  private:
    static constexpr double finest = 1e-12;
    static constexpr std::int64_t fresh_every = 32;  // roundings of updates add up
    static constexpr double ridge = 1e-10;           // of the diagonal: keeps A from being singular

    // How much of a bounded variable's square the free ones (and the bias) stand for.
    double explained(const ActiveProblem<Real>& problem, std::size_t i, double of_ones) {
        const Real* row = problem.rows[i];
        products_.resize(free_.size());
        double along = 0;
        for (std::size_t k = 0; k < free_.size(); ++k) {
            products_[k] = double{row[free_[k]]};
            along += ones_[k] * products_[k];
        }
        const double square = factor_.squared_length(products_);
        return has_sum_ ? square - (along - 1) * (along - 1) / of_ones : square;
    }

    // Takes up the free variables; their factor is kept where they are those of the last time.
    bool begin(const ActiveProblem<Real>& problem, bool has_sum) {
        least_free_ = has_sum ? 2 : 1;
        has_sum_ = has_sum;
        std::vector<std::uint32_t> wanted;
        for (std::size_t i = 0; i < problem.n; ++i) {
            if (problem.beta[i] > problem.lower[i] && problem.beta[i] < problem.upper[i]) {
                wanted.push_back(static_cast<std::uint32_t>(i));
            }
        }
        if (wanted.size() > most_free - 64 || wanted.size() < least_free_) return false;
        if (wanted.size() == free_.size() &&
            std::all_of(wanted.begin(), wanted.end(), [&](auto i) { return is_free_[i] != 0; })) {
            return true;
        }
        forget_all(problem.n);
        for (const std::uint32_t i : wanted) join(problem, i);
        return free_.size() >= least_free_;
    }

    void forget_all(std::size_t n) {
        free_.clear();
        is_free_.assign(n, 0);
        factor_.clear();
    }

    std::int64_t go_on(const ActiveProblem<Real>& problem, double tolerance) {
        std::int64_t steps = 0;
        for (std::size_t round = 0; round < 4 * problem.n + 64; ++round) {
            if ((round & 15) == 0) stop_.check();
            steps += equalise(problem);
            if (!join_violators(problem, tolerance)) break;
        }
        return std::max<std::int64_t>(steps, 1);
    }

    bool join(const ActiveProblem<Real>& problem, std::uint32_t i) {
        if (free_.size() >= most_free) return false;
        const Real* row = problem.rows[i];
        products_.resize(free_.size());
        for (std::size_t k = 0; k < free_.size(); ++k) products_[k] = double{row[free_[k]]};
        const double own = problem.diagonal[i];
        if (!factor_.append(products_, own * (1 + ridge), own * ridge * 0.5)) return false;
        free_.push_back(i);
        is_free_[i] = 1;
        return true;
    }

    void leave(std::size_t place) {
        is_free_[free_[place]] = 0;
        free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(place));
        factor_.remove(place);
    }

    // Steps 1 and 2 until a full step is made; then all gradients follow. Returns the steps.
    std::int64_t equalise(const ActiveProblem<Real>& problem) {
        changed_.assign(problem.n, 0.0);
        g_.clear();
        for (const std::uint32_t i : free_) g_.push_back(problem.gradient[i]);
        std::int64_t steps = 0;
        for (; free_.size() >= least_free_; ++steps) {
            if (steps % fresh_every == 0) solve_afresh();
            direction();
            std::size_t blocking = free_.size();
            const double share = largest_share(problem, blocking);
            move(problem, share, blocking);
            if (blocking == free_.size()) {
                ++steps;
                break;
            }
            forget(blocking);
            leave(blocking);
        }
        follow(problem);
        return steps;
    }

    // A⁻¹ g and A⁻¹ 1.
    void solve_afresh() {
        solved_ = g_;
        factor_.solve(solved_.data());
        ones_.assign(g_.size(), 1.0);
        if (has_sum_) factor_.solve(ones_.data());
    }

    // What A⁻¹ g and A⁻¹ 1 become without a variable: with u = A⁻¹ e_p, x − u x_p / u_p.
    void forget(std::size_t place) {
        inverse_.assign(g_.size(), 0.0);
        inverse_[place] = 1;
        factor_.solve(inverse_.data(), place);
        for (auto* x : {&solved_, &ones_}) {
            if (!has_sum_ && x == &ones_) continue;
            kernels_.add_scaled(inverse_.data(), -(*x)[place] / inverse_[place], x->data(),
                                x->size());
        }
        for (auto* x : {&g_, &solved_, &ones_}) {
            x->erase(x->begin() + static_cast<std::ptrdiff_t>(place));
        }
    }

    // d_ and level_ of the free variables.
    void direction() {
        d_.resize(g_.size());
        level_ = 0;
        if (!has_sum_) {
            for (std::size_t k = 0; k < d_.size(); ++k) d_[k] = -solved_[k];
            return;
        }
        double sum = 0, of_ones = 0;
        for (std::size_t k = 0; k < d_.size(); ++k) {
            sum += solved_[k];
            of_ones += ones_[k];
        }
        level_ = sum / of_ones;
        double excess = 0;
        for (std::size_t k = 0; k < d_.size(); ++k) {
            d_[k] = level_ * ones_[k] - solved_[k];
            excess += d_[k];
        }
        // Where A is nearly singular, large parts cancel in d; what is left of its sum is taken off.
        const double each = excess / static_cast<double>(d_.size());
        for (double& step : d_) step -= each;
    }

    // How much of d can be taken; `blocking` becomes the place of the variable that meets its bound.
    double largest_share(const ActiveProblem<Real>& problem, std::size_t& blocking) const {
        double share = 1;
        for (std::size_t k = 0; k < free_.size(); ++k) {
            const std::uint32_t i = free_[k];
            const double room =
                d_[k] > 0 ? problem.upper[i] - problem.beta[i] : problem.lower[i] - problem.beta[i];
            if (d_[k] != 0 && room / d_[k] < share) {
                share = std::max(0.0, room / d_[k]);
                blocking = k;
            }
        }
        return share;
    }

    void move(const ActiveProblem<Real>& problem, double share, std::size_t blocking) {
        for (std::size_t k = 0; k < free_.size(); ++k) {
            const std::uint32_t i = free_[k];
            const double before = problem.beta[i];
            double after = std::clamp(before + share * d_[k], problem.lower[i], problem.upper[i]);
            if (k == blocking) after = d_[k] > 0 ? problem.upper[i] : problem.lower[i];
            problem.beta[i] = after;
            changed_[i] += after - before;
            g_[k] += share * (level_ - g_[k]);  // K d = λ 1 − g
            solved_[k] += share * (level_ * ones_[k] - solved_[k]);
        }
    }

    void follow(const ActiveProblem<Real>& problem) {
        rows_.clear();
        steps_.clear();
        for (std::size_t i = 0; i < problem.n; ++i) {
            if (changed_[i] == 0) continue;
            rows_.push_back(problem.rows[i]);
            steps_.push_back(changed_[i]);
        }
        kernels_.add_rows(rows_.data(), steps_.data(), rows_.size(), problem.gradient.data(),
                          problem.n);
    }

    // Lets the worst violators join F; false when there are none, or none can join.
    bool join_violators(const ActiveProblem<Real>& problem, double tolerance) {
        if (free_.size() < least_free_) return false;
        violators_.clear();
        for (std::size_t i = 0; i < problem.n; ++i) {
            if (is_free_[i]) continue;
            const double above = problem.gradient[i] - level_;
            const bool falls = above > 0 && problem.beta[i] > problem.lower[i];
            const bool rises = above < 0 && problem.beta[i] < problem.upper[i];
            if ((falls || rises) && std::abs(above) > tolerance / 2) {
                violators_.push_back({std::abs(above), static_cast<std::uint32_t>(i)});
            }
        }
        const std::size_t most = std::max<std::size_t>(1, free_.size() / 16);
        if (violators_.size() > most) {
            const auto middle = violators_.begin() + static_cast<std::ptrdiff_t>(most);
            std::nth_element(violators_.begin(), middle, violators_.end(), worse);
            violators_.resize(most);
        }
        std::sort(violators_.begin(), violators_.end(), worse);
        make_rows(problem);
        bool any = false;
        for (const Violator& one : violators_) any = join(problem, one.variable) || any;
        return any;
    }

    void make_rows(const ActiveProblem<Real>& problem) {
        missing_.clear();
        for (const Violator& one : violators_) missing_.push_back(one.variable);
        problem.rows.make(missing_);
    }

    const SmoKernels<Real>& kernels_;
    StopSignal& stop_;
    GrowingCholesky factor_;
    std::vector<std::uint32_t> free_, missing_;
    std::vector<char> is_free_;
    std::vector<double> products_, g_, d_, solved_, ones_, inverse_, changed_, steps_;
    std::vector<const Real*> rows_;
    std::vector<Violator> violators_;
    double level_ = 0;
    std::size_t least_free_ = 2;
    bool has_sum_ = true;
};

}  // namespace branchline::svm
