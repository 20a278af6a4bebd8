// One problem at once: pairs among all its variables, with rows of K made when they are needed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "svm/row_cache.hpp"
#include "svm/row_source.hpp"
#include "svm/small_smo.hpp"
#include "svm/smo_kernels.hpp"
#include "svm/svm_state.hpp"

namespace branchline::svm {

// Rows of a problem's variables, in the order they are solved in: group 0 first.
template <class Real>
class VariableRows final : public RowMaker<Real> {
  public:
    VariableRows(const RowSource<Real>& source, const SvmProblem& problem, SolverRoom<Real>& room)
        : source_(source), problem_(problem), room_(room), stride_(padded(problem.n_variables())) {
        order_.reserve(problem.n_variables());
        for (std::size_t group = 0; group < 2; ++group) {
            for (std::uint32_t i = 0; i < problem.n_variables(); ++i) {
                if (problem.group_of(i) == group) order_.push_back(i);
            }
            if (group == 0) n_first_ = order_.size();
        }
        for (std::size_t a = 0; a < order_.size(); ++a) {
            is_plain_ = is_plain_ && order_[a] == a && problem.row[a] == a;
        }
        is_plain_ = is_plain_ && order_.size() == source.n_rows();
    }

    std::size_t rows_at_once() const override { return svm::rows_at_once(source_); }
    const std::vector<std::uint32_t>& order() const { return order_; }
    std::size_t n_first() const { return n_first_; }
    static std::size_t bytes(const SvmProblem& problem) {
        return problem.n_variables() * padded(problem.n_variables()) * sizeof(Real);
    }

    void make(std::span<const std::uint32_t> variables, std::span<const Real*> pointers) override {
        const std::size_t n = order_.size();
        Real* const to = room_.rows(n * stride_) + n_made_ * stride_;
        rows_.clear();
        for (const std::uint32_t a : variables) rows_.push_back(problem_.row[order_[a]]);
        if (is_plain_) {
            source_.fill(rows_, 0, n, to, stride_);
        } else {
            spread(to);
        }
        for (std::size_t k = 0; k < variables.size(); ++k) {
            Real* const row = to + k * stride_;
            std::fill(row + n, row + stride_, Real{0});
            row[variables[k]] += static_cast<Real>(problem_.ridge_of(order_[variables[k]]));
            pointers[variables[k]] = row;
        }
        n_made_ += variables.size();
    }

  private:
    // Values of the rows of K go to all variables that stand for them.
    void spread(Real* to) {
        const std::size_t n = order_.size(), n_rows = source_.n_rows();
        scratch_.resize(rows_.size() * n_rows);
        source_.fill(rows_, 0, n_rows, scratch_.data(), n_rows);
        for (std::size_t k = 0; k < rows_.size(); ++k) {
            const Real* const from = scratch_.data() + k * n_rows;
            for (std::size_t a = 0; a < n; ++a) to[k * stride_ + a] = from[problem_.row[order_[a]]];
        }
    }

    const RowSource<Real>& source_;
    const SvmProblem& problem_;
    SolverRoom<Real>& room_;
    std::size_t stride_, n_first_ = 0, n_made_ = 0;
    bool is_plain_ = true;
    std::vector<std::uint32_t> order_, rows_;
    std::vector<Real> scratch_;
};

template <class Real>
class WholeSmo {
  public:
    WholeSmo(const RowSource<Real>& source, const SvmProblem& problem, const SvmOptions& options,
             StopSignal& stop, SolverRoom<Real>& room)
        : state_(problem, options, 0), stop_(stop),
          kernels_(smo_kernels_for<Real>(best_cpu_level())), small_(kernels_, stop),
          rows_(source, problem, room) {
        fill(source);
    }

    SvmSolution solve() {
        refresh();
        double violation = small_.violation_now(has_sum());
        // Gradients that were summed afresh may show what many roundings hid; then there is more to do.
        for (int round = 0; round < most_rounds; ++round) {
            if (violation <= state_.options.tolerance || state_.is_over()) break;
            const std::int64_t most = steps_at_once();
            small_.run({0.9 * state_.options.tolerance, std::min(state_.steps_left(), most)},
                       has_sum());
            state_.n_steps += small_.n_steps;
            if (small_.n_steps == 0) break;
            refresh();
            violation = small_.violation_now(has_sum());
            if (small_.is_endless()) break;
            if (violation > state_.options.tolerance && small_.n_steps == most) --round;
        }
        if (violation <= state_.options.tolerance && state_.options.polishes) {
            violation = polished(violation);
        }
        return solution(violation);
    }

  private:
    static constexpr int most_rounds = 20;

    bool has_sum() const { return state_.options.has_sum; }
    // Solving is left now and then to sum gradients afresh; with a time budget, to look at the clock.
    std::int64_t steps_at_once() const {
        const auto n = static_cast<std::int64_t>(small_.size());
        if (state_.options.time_budget >= 0) return 1 + 20'000'000 / n;
        return std::max<std::int64_t>(100'000, 100 * n);
    }

    void fill(const RowSource<Real>& source) {
        const SvmProblem& problem = state_.problem;
        const std::vector<std::uint32_t>& order = rows_.order();
        small_.resize(order.size(), rows_.n_first());
        small_.set_maker(rows_);
        std::vector<double> diagonal(source.n_rows());
        source.diagonal(diagonal);
        for (std::size_t a = 0; a < order.size(); ++a) {
            const std::uint32_t i = order[a];
            small_.beta[a] = state_.beta[i];
            small_.lower[a] = problem.lower[i];
            small_.upper[a] = problem.upper[i];
            // As in the row: a sum in its precision.
            small_.diagonal[a] = double{static_cast<Real>(diagonal[problem.row[i]]) +
                                        static_cast<Real>(state_.ridge(i))};
        }
        small_.prepare();
    }

    // Gradients from β, rows in their order.
    void refresh() {
        stop_.check();
        const std::vector<std::uint32_t>& order = rows_.order();
        for (std::size_t a = 0; a < order.size(); ++a) {
            small_.gradient[a] = -state_.problem.linear[order[a]];
        }
        moved_.clear();
        std::vector<double> change;
        for (std::uint32_t a = 0; a < order.size(); ++a) {
            if (small_.beta[a] == 0) continue;
            moved_.push_back(a);
            change.push_back(small_.beta[a]);
        }
        std::vector<std::uint32_t> missing = moved_;
        small_.rows().make(missing);
        std::vector<const Real*> pointers;
        for (const std::uint32_t a : moved_) pointers.push_back(small_.rows()[a]);
        kernels_.add_rows(pointers.data(), change.data(), change.size(), small_.gradient.data(),
                          order.size());
    }

    // The last digits, and spans. Returns the violation after it.
    double polished(double violation) {
        const std::vector<double> before = small_.beta;
        std::vector<double> spans;
        small_.prepare();
        if (!small_.polish(has_sum(), state_.options.wants_spans ? &spans : nullptr))
            return violation;
        refresh();
        const double now = small_.violation_now(has_sum());
        if (now > violation) {  // no more digits to give
            small_.beta = before;
            refresh();
            return violation;
        }
        keep_spans(spans);
        return now;
    }

    void keep_spans(const std::vector<double>& spans) {
        span_.assign(spans.size(), 0.0);
        for (std::size_t a = 0; a < spans.size(); ++a) {
            const std::uint32_t i = rows_.order()[a];
            span_[i] = small_.beta[a] == 0 ? 0.0 : spans[a] - state_.ridge(i);
        }
    }

    SvmSolution solution(double violation) {
        SvmSolution out;
        out.beta.resize(state_.beta.size());
        out.score.resize(state_.beta.size());
        for (std::size_t a = 0; a < out.beta.size(); ++a) {
            const std::uint32_t i = rows_.order()[a];
            out.beta[i] = small_.beta[a];
            out.score[i] =
                small_.gradient[a] - state_.ridge(i) * small_.beta[a] + state_.problem.linear[i];
        }
        out.span = std::move(span_);
        state_.tell(out, violation);
        return out;
    }

    SvmState state_;
    StopSignal& stop_;
    const SmoKernels<Real>& kernels_;
    SmallSmo<Real> small_;
    VariableRows<Real> rows_;
    std::vector<std::uint32_t> moved_;
    std::vector<double> span_;
};

}  // namespace branchline::svm
