#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "branchline/svm.hpp"
#include "branchline/thread_pool.hpp"
#include "svm/block_smo.hpp"
#include "svm/row_source.hpp"
#include "svm/solve_tasks.hpp"
#include "svm/whole_smo.hpp"

namespace branchline {

namespace svm {

namespace {

void check(const SvmProblem& problem, const SvmOptions& options, std::size_t n_rows) {
    const std::size_t n = problem.n_variables();
    const auto fits = [n](std::size_t size) { return size == 0 || size == n; };
    if (n == 0 || problem.linear.size() != n || problem.lower.size() != n ||
        problem.upper.size() != n || !fits(problem.ridge.size()) || !fits(problem.group.size()) ||
        !fits(problem.start.size())) {
        throw std::invalid_argument("a problem needs the same number of values of each kind");
    }
    for (std::size_t i = 0; i < n; ++i) {
        if (problem.row[i] >= n_rows) throw std::invalid_argument("a variable has no row");
        const double start = problem.start.empty() ? 0.0 : problem.start[i];
        if (!(problem.lower[i] <= start && start <= problem.upper[i])) {
            throw std::invalid_argument("a variable does not start within its bounds");
        }
        if (!problem.group.empty() && problem.group[i] > 1) {
            throw std::invalid_argument("groups are 0 and 1");
        }
    }
    if (!(options.tolerance > 0) || options.working_set < 2) {
        throw std::invalid_argument("a tolerance above 0 and a working set of two or more");
    }
}

// The rows that a problem's variables name, and the problem on these alone.
struct OwnRows {
    std::vector<std::uint32_t> rows, local_row;

    explicit OwnRows(const SvmProblem& problem)
        : rows(problem.row.begin(), problem.row.end()), local_row(problem.n_variables()) {
        const auto rises = [](std::uint32_t a, std::uint32_t b) { return a >= b; };
        if (std::adjacent_find(rows.begin(), rows.end(), rises) == rows.end()) {
            std::iota(local_row.begin(), local_row.end(), 0U);
            return;
        }
        std::sort(rows.begin(), rows.end());
        rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
        for (std::size_t i = 0; i < local_row.size(); ++i) {
            const auto at = std::lower_bound(rows.begin(), rows.end(), problem.row[i]);
            local_row[i] = static_cast<std::uint32_t>(at - rows.begin());
        }
    }
    // Rows that follow each other.
    template <class Run>
    std::vector<Run> runs() const {
        std::vector<Run> found;
        for (const std::uint32_t row : rows) {
            if (found.empty() || row != found.back().first + found.back().n)
                found.push_back({row, 0});
            ++found.back().n;
        }
        return found;
    }
    SvmProblem on_them(const SvmProblem& problem) const {
        SvmProblem local = problem;
        local.row = local_row;
        return local;
    }
};

// A problem whose rows all fit at once, or one in blocks.
template <class Real>
SvmSolution solve_one(const RowSource<Real>& source, const SvmProblem& problem,
                      const SvmOptions& options, StopSignal& stop, SolverRoom<Real>& room) {
    constexpr std::size_t always = 1 << 20;
    const bool fits = VariableRows<Real>::bytes(problem) <= std::max(options.cache_bytes, always);
    if (problem.n_variables() <= options.whole_set && fits) {
        return WholeSmo<Real>(source, problem, options, stop, room).solve();
    }
    return BlockSmo<Real>(source, problem, options, stop, room).solve();
}

// Points of many problems, packed once for those that take a few runs of them.
template <class Real>
class SharedPoints {
  public:
    SharedPoints(const KernelForm& form, const PointRows<Real>& rows, std::size_t n_problems)
        : form_(form), all_(rows) {
        if (n_problems > 1) packed_.emplace(rows.values, rows.n_rows, rows.n_columns, form);
    }

    SvmSolution solve(const SvmProblem& problem, const SvmOptions& options, StopSignal& stop,
                      SolverRoom<Real>& room) const {
        const OwnRows own(problem);
        auto runs = own.template runs<typename RunsOfRows<Real>::Run>();
        if (packed_ && runs.size() <= most_runs) {
            const RunsOfRows<Real> source(*packed_, std::move(runs));
            return solve_one(source, own.on_them(problem), options, stop, room);
        }
        const std::size_t n = own.rows.size(), d = all_.n_columns;
        std::vector<Real> copy;
        const Real* values = all_.values;
        if (n < all_.n_rows) {
            copy.reserve(n * d);
            for (const std::uint32_t row : own.rows) {
                copy.insert(copy.end(), all_.values + row * d, all_.values + (row + 1) * d);
            }
            values = copy.data();
        }
        const KernelPoints<Real> points(values, n, d, form_);
        return solve_one<Real>(ComputedRows<Real>(points), own.on_them(problem), options, stop,
                               room);
    }

  private:
    static constexpr std::size_t most_runs = 64;
    const KernelForm& form_;
    PointRows<Real> all_;
    std::optional<KernelPoints<Real>> packed_;
};

template <class Real>
SvmSolution solve_own(const GivenGram<Real>& gram, const SvmProblem& problem,
                      const SvmOptions& options, StopSignal& stop, SolverRoom<Real>& room) {
    const OwnRows own(problem);
    const std::size_t n = own.rows.size();
    if (n == gram.n_rows)
        return solve_one<Real>(StoredRows<Real>(gram), problem, options, stop, room);
    std::vector<Real> part;
    part.reserve(n * n);
    for (const std::uint32_t row : own.rows) {
        const Real* from = gram.values + row * gram.n_rows;
        for (const std::uint32_t column : own.rows) part.push_back(from[column]);
    }
    const StoredRows<Real> source(GivenGram<Real>{part.data(), n});
    return solve_one(source, own.on_them(problem), options, stop, room);
}

// Calls solve(problem, options, room) for each task.
template <class Real, class Solve>
void solve_each(const SvmTasks& tasks, std::size_t n_rows, const SvmOptions& options,
                StopSignal& stop, Solve&& solve) {
    const auto solve_one = [&](std::size_t task, std::size_t worker, const SvmOptions& chosen,
                               SolverRoom<Real>& room) {
        const SvmProblem problem = tasks.make(task, worker);
        check(problem, options, n_rows);
        tasks.use(task, worker, solve(problem, chosen, room));
    };
    if (tasks.n == 1) {
        SolverRoom<Real> room;
        solve_one(0, 0, options, room);
        return;
    }
    SvmOptions alone = options;
    alone.n_threads = 1;
    ThreadPool pool(options.n_threads, stop);
    std::vector<SolverRoom<Real>> rooms(pool.n_workers());
    pool.run(tasks.n, [&](std::size_t task, std::size_t worker) {
        solve_one(task, worker, alone, rooms[worker]);
    });
}

// Tasks for problems that are there already.
SvmTasks tasks_of(const std::vector<SvmProblem>& problems, std::vector<SvmSolution>& found) {
    found.resize(problems.size());
    return {
        problems.size(), [&](std::size_t task, std::size_t) { return problems[task]; },
        [&](std::size_t task, std::size_t, SvmSolution&& one) { found[task] = std::move(one); }};
}

}  // namespace

template <class Real>
void solve_tasks(const KernelForm& form, const PointRows<Real>& rows, const SvmTasks& tasks,
                 const SvmOptions& options, StopSignal& stop) {
    const SharedPoints<Real> points(form, rows, tasks.n);
    solve_each<Real>(
        tasks, rows.n_rows, options, stop,
        [&](const SvmProblem& problem, const SvmOptions& chosen, SolverRoom<Real>& room) {
            return points.solve(problem, chosen, stop, room);
        });
}

template <class Real>
void solve_tasks(const GivenGram<Real>& gram, const SvmTasks& tasks, const SvmOptions& options,
                 StopSignal& stop) {
    solve_each<Real>(
        tasks, gram.n_rows, options, stop,
        [&](const SvmProblem& problem, const SvmOptions& chosen, SolverRoom<Real>& room) {
            return solve_own(gram, problem, chosen, stop, room);
        });
}

template void solve_tasks(const KernelForm&, const PointRows<double>&, const SvmTasks&,
                          const SvmOptions&, StopSignal&);
template void solve_tasks(const GivenGram<double>&, const SvmTasks&, const SvmOptions&,
                          StopSignal&);

}  // namespace svm

template <class Real>
SvmSolution solve_svm(const GivenGram<Real>& gram, const SvmProblem& problem,
                      const SvmOptions& options, StopSignal& stop) {
    svm::check(problem, options, gram.n_rows);
    const svm::StoredRows<Real> source(gram);
    svm::SolverRoom<Real> room;
    return svm::solve_one<Real>(source, problem, options, stop, room);
}

template <class Real>
std::vector<SvmSolution> solve_svms(const KernelForm& form, const PointRows<Real>& rows,
                                    const std::vector<SvmProblem>& problems,
                                    const SvmOptions& options, StopSignal& stop) {
    std::vector<SvmSolution> found;
    svm::solve_tasks(form, rows, svm::tasks_of(problems, found), options, stop);
    return found;
}

template <class Real>
std::vector<SvmSolution> solve_svms(const GivenGram<Real>& gram,
                                    const std::vector<SvmProblem>& problems,
                                    const SvmOptions& options, StopSignal& stop) {
    std::vector<SvmSolution> found;
    svm::solve_tasks(gram, svm::tasks_of(problems, found), options, stop);
    return found;
}

using Problems = std::vector<SvmProblem>;
using Solutions = std::vector<SvmSolution>;
template SvmSolution solve_svm(const GivenGram<float>&, const SvmProblem&, const SvmOptions&,
                               StopSignal&);
template SvmSolution solve_svm(const GivenGram<double>&, const SvmProblem&, const SvmOptions&,
                               StopSignal&);
template Solutions solve_svms(const KernelForm&, const PointRows<float>&, const Problems&,
                              const SvmOptions&, StopSignal&);
template Solutions solve_svms(const KernelForm&, const PointRows<double>&, const Problems&,
                              const SvmOptions&, StopSignal&);
template Solutions solve_svms(const GivenGram<float>&, const Problems&, const SvmOptions&,
                              StopSignal&);
template Solutions solve_svms(const GivenGram<double>&, const Problems&, const SvmOptions&,
                              StopSignal&);

}  // namespace branchline
