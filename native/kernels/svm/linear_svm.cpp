#include "branchline/linear_svm.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "branchline/thread_pool.hpp"
#include "svm/linear_problem.hpp"
#include "svm/linear_rows.hpp"

namespace branchline {

namespace {

constexpr std::size_t most_factored = 1000;  // columns of a Cholesky factor
constexpr std::size_t most_first_passes = 100;

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

void check_sparse(const LinearMatrix& matrix) {
    require(matrix.starts.size() == matrix.n_rows + 1, "a start for each row, and the end");
    require(matrix.columns.size() == matrix.values.size(), "a column for each stored cell");
    require(matrix.starts.front() == 0, "the first row starts at 0");
    require(matrix.starts.back() == static_cast<std::int64_t>(matrix.values.size()),
            "the last row ends with the cells");
    for (std::size_t row = 0; row < matrix.n_rows; ++row) {
        const std::int64_t first = matrix.starts[row], last = matrix.starts[row + 1];
        require(
            first >= 0 && first <= last && last <= static_cast<std::int64_t>(matrix.values.size()),
            "rows end after they start");
        std::int64_t before = -1;
        for (std::int64_t k = first; k < last; ++k) {
            const std::int32_t column = matrix.columns[static_cast<std::size_t>(k)];
            require(column > before, "columns ascend within a row");
            before = column;
        }
        require(before < static_cast<std::int64_t>(matrix.n_columns), "columns are there");
    }
}

void check(const LinearMatrix& matrix, const LinearTask& task, const LinearOptions& options) {
    require(matrix.n_rows > 0, "at least one row");
    require(matrix.n_columns < (std::size_t{1} << 31), "fewer than 2^31 columns");
    if (matrix.is_sparse) {
        check_sparse(matrix);
    } else {
        require(matrix.values.size() == matrix.n_rows * matrix.n_columns,
                "a cell a row and column");
    }
    const std::size_t n = task.penalty.size();
    require(n > 0 && n % matrix.n_rows == 0, "penalties for each row of each output");
    require(task.lower.size() == n && task.upper.size() == n, "two ends for each penalty");
    for (std::size_t k = 0; k < n; ++k) {
        require(task.penalty[k] > 0 && std::isfinite(task.penalty[k]), "penalties above 0");
        require(task.lower[k] <= task.upper[k], "lower ends below upper ends");
        require(task.lower[k] < INFINITY && task.upper[k] > -INFINITY, "ends in reach");
        require(std::isfinite(task.lower[k]) || std::isfinite(task.upper[k]), "one end is finite");
    }
    require(options.max_iter > 0 && options.tolerance > 0, "at least one step, some tolerance");
    const bool is_newton =
        options.solver == LinearSolver::newton || options.solver == LinearSolver::gradients;
    require(!is_newton || options.squared, "Newton's method needs squares");
    require(options.solver != LinearSolver::interior || !options.squared,
            "the interior point method is for losses without squares");
}

// What suits the sizes; automatic stands for descent, then gradients.
LinearSolver chosen(const LinearRows& rows, const LinearOptions& options) {
    if (options.solver != LinearSolver::automatic) return options.solver;
    const std::size_t n_columns = rows.n_columns();
    const bool factors = n_columns <= most_factored && n_columns <= 4 * rows.n_rows();
    if (factors) return options.squared ? LinearSolver::newton : LinearSolver::interior;
    return options.squared ? LinearSolver::automatic : LinearSolver::descent;
}

LinearFit solve(const LinearProblem& problem, LinearSolver solver) {
    LinearFit fit;
    if (solver == LinearSolver::interior) {
        fit = solve_by_interior_point(problem);
    } else if (solver == LinearSolver::descent) {
        fit = solve_by_descent(problem);
    } else {
        fit = solve_by_newton(problem, solver == LinearSolver::newton, origin(problem));
    }
    fit.solver = solver;
    return fit;
}

// Many columns, squares: descent is done after a few passes, or else would take very many; Newton's
// steps by conjugate gradients then go on from where it came to.
LinearFit solve_in_turns(const LinearProblem& problem) {
    LinearOptions brief = problem.options;
    brief.max_iter = std::min(brief.max_iter, most_first_passes);
    const LinearProblem first{problem.rows, problem.lower, problem.upper, problem.penalty,
                              brief,        problem.pool,  problem.stop};
    LinearFit fit = solve(first, LinearSolver::descent);
    const bool is_done = is_close(fit.objective, fit.gap, brief.tolerance);
    if (is_done || problem.options.max_iter <= most_first_passes) return fit;
    LinearPoint start{std::move(fit.weights), fit.bias, std::vector<double>(problem.n_rows())};
    problem.rows.scores(start.weights, start.bias, start.scores, problem.pool);
    LinearFit better = solve_by_newton(problem, false, std::move(start));
    better.n_iter += fit.n_iter;
    better.solver = LinearSolver::gradients;
    return better;
}

}  // namespace

std::vector<LinearFit> fit_linear_svm(const LinearMatrix& matrix, const LinearTask& task,
                                      const LinearOptions& options, int n_threads,
                                      StopSignal& stop) {
    check(matrix, task, options);
    const LinearRows rows(matrix);
    const LinearSolver solver = chosen(rows, options);
    const std::size_t n_outputs = task.penalty.size() / matrix.n_rows;
    std::vector<LinearFit> fits(n_outputs);
    const auto fit_output = [&](std::size_t output, ThreadPool& pool) {
        const std::size_t first = output * matrix.n_rows;
        const LinearProblem problem{rows,
                                    task.lower.subspan(first, matrix.n_rows),
                                    task.upper.subspan(first, matrix.n_rows),
                                    task.penalty.subspan(first, matrix.n_rows),
                                    options,
                                    pool,
                                    stop};
        fits[output] =
            solver == LinearSolver::automatic ? solve_in_turns(problem) : solve(problem, solver);
        fits[output].weights = rows.all_columns(fits[output].weights);
    };
    ThreadPool pool(n_threads, stop);
    if (n_outputs == 1) {
        fit_output(0, pool);
    } else {
        pool.run(n_outputs, [&](std::size_t output, std::size_t) {
            ThreadPool alone(1, stop);
            fit_output(output, alone);
        });
    }
    return fits;
}

}  // namespace branchline
