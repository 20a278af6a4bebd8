// One problem in blocks: a working set is solved, then the scores of all rows follow (svm.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "branchline/thread_pool.hpp"
#include "svm/row_cache.hpp"
#include "svm/row_source.hpp"
#include "svm/small_smo.hpp"
#include "svm/smo_kernels.hpp"
#include "svm/svm_state.hpp"
#include "svm/working_set.hpp"

namespace branchline::svm {

template <class Real>
class BlockSmo {
  public:
    BlockSmo(const RowSource<Real>& source, const SvmProblem& problem, const SvmOptions& options,
             StopSignal& stop, SolverRoom<Real>& room)
        : state_(problem, options, source.n_rows()), stop_(stop),
          pool_(options.n_threads, stop, std::chrono::microseconds{100}),
          kernels_(smo_kernels_for<Real>(best_cpu_level())), small_(kernels_, stop),
          set_size_(set_size(problem, options)),
          cache_(source, bytes_to_keep(source, options.cache_bytes), set_size_, pool_, room),
          set_(state_, set_size_), gram_(room.gram) {}

    SvmSolution solve() {
        sum_scores();
        double violation = state_.violation();
        // Scores that were summed afresh may show what many roundings hid; then there is more to do.
        for (int round = 0; round < most_rounds; ++round) {
            while (violation > state_.options.tolerance && !state_.is_over()) {
                if (!improve(violation)) break;
                violation = state_.violation();
            }
            if (!has_moved_ || small_.is_endless()) break;
            sum_scores();
            violation = state_.violation();
            if (violation <= state_.options.tolerance || state_.is_over()) break;
        }
        if (violation <= state_.options.tolerance && state_.options.polishes) {
            violation = polished(violation);
        }
        return solution(violation);
    }

  private:
    static constexpr int most_rounds = 20;
    static constexpr double finest = 1e-10;
    static constexpr std::size_t rows_a_task = 2048;

    static std::size_t set_size(const SvmProblem& problem, const SvmOptions& options) {
        const std::size_t n = problem.n_variables();
        return std::min(options.working_set, std::max<std::size_t>(64, n / 8));
    }

    // score = Σ β_i K(r_i, ·), rows in their order.
    void sum_scores() {
        std::fill(state_.score.begin(), state_.score.end(), 0.0);
        std::vector<double> of_row(state_.score.size(), 0.0);
        for (std::size_t i = 0; i < state_.beta.size(); ++i) {
            of_row[state_.problem.row[i]] += state_.beta[i];
        }
        std::vector<std::uint32_t> rows;
        std::vector<double> change;
        for (std::size_t row = 0; row < of_row.size(); ++row) {
            if (of_row[row] == 0) continue;
            rows.push_back(static_cast<std::uint32_t>(row));
            change.push_back(of_row[row]);
            if (rows.size() == set_size_) add_to_scores(rows, change);
        }
        add_to_scores(rows, change);
        has_moved_ = false;
    }

    void add_to_scores(std::vector<std::uint32_t>& rows, std::vector<double>& change) {
        stop_.check();
        cache_.take(rows, pointers_);
        add_pointers(change);
        rows.clear();
        change.clear();
    }

    void add_pointers(const std::vector<double>& change) {
        const std::size_t n = state_.score.size();
        pool_.run((n + rows_a_task - 1) / rows_a_task, [&](std::size_t task, std::size_t) {
            const std::size_t first = task * rows_a_task, last = std::min(n, first + rows_a_task);
            std::vector<const Real*> here(pointers_.size());
            for (std::size_t k = 0; k < here.size(); ++k) here[k] = pointers_[k] + first;
            kernels_.add_rows(here.data(), change.data(), here.size(), state_.score.data() + first,
                              last - first);
        });
    }

    // The last digits: the equations of the variables that are not 0 are solved, and of those that
    // violate optimality then, until none do. Returns the violation after it.
    double polished(double violation) {
        constexpr int most_tries = 6;
        for (int tries = 0; tries < most_tries; ++tries) {
            const std::vector<double> before = state_.beta;
            std::vector<double> spans;
            if (!polish_support(spans)) return violation;
            const double now = state_.violation();
            if (now <= finest || (now <= violation && tries + 1 == most_tries)) {
                keep_spans(spans);
                return now;
            }
            if (now > violation && tries + 1 == most_tries) {  // no more digits to give
                state_.beta = before;
                sum_scores();
                return violation;
            }
        }
        return state_.violation();
    }

    bool polish_support(std::vector<double>& spans) {
        choose_support();
        if (support_.size() < 2 || support_.size() > cache_.n_places() ||
            support_.size() > state_.options.whole_rows) {
            return false;
        }
        take_rows(support_);
        fill_small(support_);
        small_.prepare();
        if (!small_.polish(state_.options.has_sum, state_.options.wants_spans ? &spans : nullptr)) {
            return false;
        }
        take_back(support_);
        sum_scores();
        return true;
    }

    // Variables that are not 0, and those that could still gain with one of them.
    void choose_support() {
        double least = std::numeric_limits<double>::infinity(), largest = -least;
        for (std::size_t i = 0; i < state_.beta.size(); ++i) {
            const double g = state_.gradient(i);
            if (state_.may_rise(i)) least = std::min(least, g);
            if (state_.may_fall(i)) largest = std::max(largest, g);
        }
        if (!state_.options.has_sum) least = largest = 0;
        support_.clear();
        for (std::size_t i = 0; i < state_.beta.size(); ++i) {
            const double g = state_.gradient(i);
            const bool gains = (state_.may_rise(i) && g < largest - finest) ||
                               (state_.may_fall(i) && g > least + finest);
            if (state_.beta[i] != 0 || gains) support_.push_back(static_cast<std::uint32_t>(i));
        }
    }

    void keep_spans(const std::vector<double>& spans) {
        span_.assign(spans.empty() ? 0 : state_.beta.size(), 0.0);
        for (std::size_t a = 0; a < spans.size(); ++a) {
            const std::uint32_t i = support_[a];
            span_[i] = state_.beta[i] == 0 ? 0.0 : spans[a] - state_.ridge(i);
        }
    }

    // Solves a working set; false when nothing moved.
    bool improve(double violation) {
        stop_.check();
        const std::vector<std::uint32_t>& chosen = set_.choose();
        take_rows(chosen);
        fill_small(chosen);
        const double wanted = state_.options.tolerance;
        const auto most = static_cast<std::int64_t>(40 * chosen.size());
        const SmoLimits limits{std::max(0.5 * wanted, 0.1 * violation),
                               std::min(state_.steps_left(), most)};
        small_.run(limits, state_.options.has_sum);
        state_.n_steps += small_.n_steps;
        return take_back(chosen) && !small_.is_endless();
    }

    void take_rows(const std::vector<std::uint32_t>& chosen) {
        rows_.clear();
        for (const std::uint32_t i : chosen) rows_.push_back(state_.problem.row[i]);
        std::sort(rows_.begin(), rows_.end());
        rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
        cache_.take(rows_, pointers_);
        place_of_row_.resize(state_.score.size());
        for (std::size_t k = 0; k < rows_.size(); ++k) {
            place_of_row_[rows_[k]] = static_cast<std::uint32_t>(k);
        }
    }

    void fill_small(const std::vector<std::uint32_t>& chosen) {
        const SvmProblem& problem = state_.problem;
        // Not a power of two: rows below each other would meet in the same places of a cache.
        const std::size_t n = chosen.size(), stride = padded(n) + smo_lanes;
        std::size_t n_first = 0;
        for (const std::uint32_t i : chosen) n_first += state_.group(i) == 0 ? 1 : 0;
        small_.resize(n, n_first);
        if (gram_.size() < n * stride) gram_.resize(n * stride);
        gather(chosen, stride);
        for (std::size_t a = 0; a < n; ++a) {
            const std::uint32_t i = chosen[a];
            small_.beta[a] = state_.beta[i];
            small_.gradient[a] = state_.gradient(i);
            small_.lower[a] = problem.lower[i];
            small_.upper[a] = problem.upper[i];
            small_.diagonal[a] = double{gram_[a * stride + a]};
        }
        small_.set_gram(gram_.data(), stride);
    }

    // The values of K among the chosen. Each pair is looked up once, far away, and mirrored nearby.
    void gather(const std::vector<std::uint32_t>& chosen, std::size_t stride) {
        constexpr std::size_t block = 64;
        const std::size_t n = chosen.size(), n_blocks = (n + block - 1) / block;
        columns_.resize(n);
        for (std::size_t a = 0; a < n; ++a) columns_[a] = state_.problem.row[chosen[a]];
        pool_.run(n_blocks, [&](std::size_t task, std::size_t) {
            const std::size_t begin = task * block, end = std::min(n, begin + block);
            for (std::size_t a = begin; a < end; ++a) {
                const Real* from = pointers_[place_of_row_[columns_[a]]];
                Real* to = gram_.data() + a * stride;
                for (std::size_t b = begin; b < n; ++b) to[b] = from[columns_[b]];
                std::fill(to + n, to + stride, Real{0});
                to[a] += static_cast<Real>(state_.ridge(chosen[a]));
            }
        });
        pool_.run(n_blocks, [&](std::size_t task, std::size_t) {
            const std::size_t begin = task * block, end = std::min(n, begin + block);
            for (std::size_t b = 0; b < begin; ++b) {
                const Real* from = gram_.data() + b * stride;
                for (std::size_t a = begin; a < end; ++a) gram_[a * stride + b] = from[a];
            }
        });
    }

    bool take_back(const std::vector<std::uint32_t>& chosen) {
        std::vector<double> change(rows_.size(), 0.0);
        bool any = false;
        for (std::size_t a = 0; a < chosen.size(); ++a) {
            const double step = small_.beta[a] - state_.beta[chosen[a]];
            any = any || step != 0;
            change[place_of_row_[state_.problem.row[chosen[a]]]] += step;
            state_.beta[chosen[a]] = small_.beta[a];
        }
        if (any) add_changed(change);
        has_moved_ = has_moved_ || any;
        return any;
    }

    // Uses up the pointers that take_rows() made.
    void add_changed(const std::vector<double>& change) {
        std::vector<double> moved;
        std::size_t n_moved = 0;
        for (std::size_t k = 0; k < change.size(); ++k) {
            if (change[k] == 0) continue;
            pointers_[n_moved++] = pointers_[k];
            moved.push_back(change[k]);
        }
        pointers_.resize(n_moved);
        add_pointers(moved);
    }

    SvmSolution solution(double violation) {
        SvmSolution out;
        out.score.reserve(state_.beta.size());
        for (const std::uint32_t row : state_.problem.row) out.score.push_back(state_.score[row]);
        out.beta = std::move(state_.beta);
        out.span = std::move(span_);
        state_.tell(out, violation);
        return out;
    }

    SvmState state_;
    StopSignal& stop_;
    ThreadPool pool_;
    const SmoKernels<Real>& kernels_;
    SmallSmo<Real> small_;
    std::size_t set_size_;
    RowCache<Real> cache_;
    WorkingSet set_;
    bool has_moved_ = false;
    std::vector<std::uint32_t> rows_, place_of_row_, columns_;
    std::vector<const Real*> pointers_;
    std::vector<Real>& gram_;
    std::vector<double> span_;
    std::vector<std::uint32_t> support_;
};

}  // namespace branchline::svm
