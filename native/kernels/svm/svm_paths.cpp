#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "branchline/svm_resampling.hpp"
#include "branchline/thread_pool.hpp"
#include "svm/small_smo.hpp"
#include "svm/solver_room.hpp"

namespace branchline {

namespace svm {

namespace {

// Copies the values of some columns: of folds, runs of columns that follow each other are short.
template <class Real>
void copy_columns(const Real* from, std::span<const std::uint32_t> columns, Real* to) {
    for (std::size_t j = 0; j < columns.size(); ++j) to[j] = from[columns[j]];
}

// Memory that one path after another is followed in.
template <class Real>
struct PathRoom {
    SolverRoom<Real> part, out_part;
};

// One problem along the path.
template <class Real>
class Path {
  public:
    Path(const GramStack<Real>& grams, const PathProblem& problem, const SvmOptions& options,
         StopSignal& stop, PathRoom<Real>& room)
        : problem_(problem), options_(options), kernels_(smo_kernels_for<Real>(best_cpu_level())),
          small_(kernels_, stop), n_(problem.rows.size()), n_out_(problem.held_out.size()),
          stride_(padded(n_)) {
        Real* const part = room.part.rows(n_ * stride_);
        Real* const out_part = room.out_part.rows(n_ * n_out_);
        out_part_ = out_part;
        small_.resize(n_, n_);
        small_.set_gram(part, stride_);
        for (std::size_t a = 0; a < n_; ++a) {
            const Real* const from = grams.row(problem.matrix, problem.rows[a]);
            Real* const row = part + a * stride_;
            copy_columns(from, problem.rows, row);
            std::fill(row + n_, row + stride_, Real{0});
            copy_columns(from, problem.held_out, out_part + a * n_out_);
            small_.diagonal[a] = double{row[a]};
            small_.gradient[a] = -problem.labels[a];
        }
    }

    PathAnswer follow(std::span<const double> strengths) {
        PathAnswer answer;
        double last = 0;
        for (const double strength : strengths) {
            const bool has_moved = start(strength, last);
            solve(answer);
            decide(answer.decision, has_moved || small_.n_steps > 0);
            last = strength;
        }
        return answer;
    }

  private:
    // Bounds of a new C, and β times the best scale; false when β stays.
    bool start(double strength, double last) {
        const double scale = last == 0 ? 1.0 : best_scale(strength / last);
        for (std::size_t a = 0; a < n_; ++a) {
            const double label = problem_.labels[a], bound = strength * problem_.costs[a] * label;
            small_.lower[a] = std::min(0.0, bound);
            small_.upper[a] = std::max(0.0, bound);
            // A bounded variable times the ratio of bounds may miss its bound by a rounding.
            const double scaled = small_.beta[a] * scale;
            const bool is_at_bound = std::abs(scaled - bound) <= 1e-13 * std::abs(bound);
            small_.beta[a] = is_at_bound ? bound : scaled;
            small_.gradient[a] = scale * (small_.gradient[a] + label) - label;
        }
        return scale != 1.0 || last == 0;
    }

    // The minimum of ½ s² βᵀKβ − s yᵀβ, within what keeps the bounds.
    double best_scale(double most) const {
        double quadratic = 0, linear = 0;
        for (std::size_t a = 0; a < n_; ++a) {
            quadratic += small_.beta[a] * (small_.gradient[a] + problem_.labels[a]);
            linear += small_.beta[a] * problem_.labels[a];
        }
        return quadratic > 0 ? std::clamp(linear / quadratic, 1.0, most) : most;
    }

    void solve(PathAnswer& answer) {
        const std::int64_t most =
            options_.max_steps >= 0 ? options_.max_steps : 1000 * static_cast<std::int64_t>(n_);
        small_.run({options_.tolerance, most}, true);
        answer.n_steps += small_.n_steps;
        answer.worst_violation = std::max(answer.worst_violation, small_.violation);
    }

    void decide(std::vector<double>& decision, bool has_moved) {
        const std::size_t begin = decision.size();
        if (!has_moved) {  // as for the C before
            decision.resize(begin + n_out_);
            std::copy_n(decision.begin() + static_cast<std::ptrdiff_t>(begin - n_out_), n_out_,
                        decision.begin() + static_cast<std::ptrdiff_t>(begin));
            return;
        }
        const auto part = [&](const std::vector<double>& values) {
            return std::span(values).first(n_);
        };
        const double bias = svm_bias(part(small_.gradient), part(small_.beta), part(small_.lower),
                                     part(small_.upper));
        decision.resize(begin + n_out_, bias);
        std::vector<const Real*> rows;
        std::vector<double> change;
        for (std::size_t a = 0; a < n_; ++a) {
            if (small_.beta[a] == 0) continue;
            rows.push_back(out_part_ + a * n_out_);
            change.push_back(small_.beta[a]);
        }
        kernels_.add_rows(rows.data(), change.data(), rows.size(), decision.data() + begin, n_out_);
    }

    const PathProblem& problem_;
    const SvmOptions& options_;
    const SmoKernels<Real>& kernels_;
    SmallSmo<Real> small_;
    std::size_t n_, n_out_, stride_;
    const Real* out_part_ = nullptr;
};

void check(const PathProblem& problem, std::size_t n_rows, std::size_t n_matrices) {
    const auto is_row = [n_rows](std::uint32_t row) { return row < n_rows; };
    const std::size_t n = problem.rows.size();
    if (problem.matrix >= n_matrices) throw std::invalid_argument("a problem has no matrix");
    if (n == 0 || problem.labels.size() != n || problem.costs.size() != n ||
        !std::all_of(problem.rows.begin(), problem.rows.end(), is_row) ||
        !std::all_of(problem.held_out.begin(), problem.held_out.end(), is_row)) {
        throw std::invalid_argument("a problem needs rows of the matrix, labels and costs");
    }
}

}  // namespace

}  // namespace svm

template <class Real>
std::vector<PathAnswer> svm_paths(const GramStack<Real>& grams,
                                  const std::vector<PathProblem>& problems,
                                  std::span<const double> strengths, const SvmOptions& options,
                                  StopSignal& stop) {
    for (const PathProblem& problem : problems) {
        svm::check(problem, grams.n_rows, grams.n_matrices);
    }
    if (!std::is_sorted(strengths.begin(), strengths.end()) ||
        (!strengths.empty() && !(strengths[0] > 0))) {
        throw std::invalid_argument("strengths above 0, in rising order");
    }
    std::vector<PathAnswer> answers(problems.size());
    ThreadPool pool(options.n_threads, stop);
    std::vector<svm::PathRoom<Real>> rooms(pool.n_workers());
    pool.run(problems.size(), [&](std::size_t task, std::size_t worker) {
        svm::Path<Real> path(grams, problems[task], options, stop, rooms[worker]);
        answers[task] = path.follow(strengths);
    });
    return answers;
}

template std::vector<PathAnswer> svm_paths(const GramStack<float>&, const std::vector<PathProblem>&,
                                           std::span<const double>, const SvmOptions&, StopSignal&);
template std::vector<PathAnswer> svm_paths(const GramStack<double>&,
                                           const std::vector<PathProblem>&, std::span<const double>,
                                           const SvmOptions&, StopSignal&);

}  // namespace branchline
