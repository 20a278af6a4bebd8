#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "branchline/linear_svm.hpp"
#include "check.hpp"
#include "svm/linear_cholesky.hpp"

namespace {

using namespace branchline;
using Vector = std::vector<double>;

constexpr double infinite = std::numeric_limits<double>::infinity();

// Rows with their ends and penalties, dense and compressed.
struct Table {
    std::size_t n_rows, n_columns;
    Vector cells, lower, upper, penalty;
    Vector stored;
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> columns;

    LinearMatrix dense() const { return {n_rows, n_columns, cells, false, {}, {}}; }
    LinearMatrix compressed() const { return {n_rows, n_columns, stored, true, starts, columns}; }
    LinearTask task() const { return {lower, upper, penalty}; }

    void compress() {
        for (std::size_t row = 0; row < n_rows; ++row) {
            for (std::size_t column = 0; column < n_columns; ++column) {
                const double value = cells[row * n_columns + column];
                if (value == 0) continue;
                stored.push_back(value);
                columns.push_back(static_cast<std::int32_t>(column));
            }
            starts.push_back(static_cast<std::int64_t>(stored.size()));
        }
    }
};

Table classes(std::size_t n_rows, std::size_t n_columns, double share, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    Table table{n_rows, n_columns, {}, {}, {}, Vector(n_rows, 1.0), {}, {0}, {}};
    for (std::size_t row = 0; row < n_rows; ++row) {
        double score = normal(generator);
        for (std::size_t column = 0; column < n_columns; ++column) {
            const double cell = uniform(generator) < share ? normal(generator) : 0.0;
            table.cells.push_back(cell);
            score += cell * (column % 2 == 0 ? 1 : -1);
        }
        table.lower.push_back(score > 0 ? 1 : -infinite);
        table.upper.push_back(score > 0 ? infinite : -1);
    }
    table.compress();
    return table;
}

LinearOptions options(bool squared, LinearSolver solver, double tolerance = 1e-6) {
    LinearOptions made;
    made.squared = squared;
    made.solver = solver;
    made.tolerance = tolerance;
    made.max_iter = 100'000;
    return made;
}

LinearFit fit(const Table& table, const LinearOptions& how, bool sparse = false, int threads = 1) {
    StopSignal stop;
    const LinearMatrix matrix = sparse ? table.compressed() : table.dense();
    return fit_linear_svm(matrix, table.task(), how, threads, stop).front();
}

double primal(const Table& table, const LinearFit& fit, bool squared) {
    double value = 0;
    for (const double weight : fit.weights) value += 0.5 * weight * weight;
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        double score = fit.bias;
        for (std::size_t k = 0; k < table.n_columns; ++k) {
            score += table.cells[row * table.n_columns + k] * fit.weights[k];
        }
        const double miss = std::max({table.lower[row] - score, score - table.upper[row], 0.0});
        value += table.penalty[row] * (squared ? miss * miss : miss);
    }
    return value;
}

const check::Test solvers_agree{"all solvers find the same objective, within their gaps", [] {
    const Table table = classes(300, 7, 0.8, 1);
    const LinearFit newton = fit(table, options(true, LinearSolver::newton));
    for (const auto solver : {LinearSolver::gradients, LinearSolver::descent}) {
        const LinearFit other = fit(table, options(true, solver));
        check::near(other.objective, newton.objective, 2e-6 * newton.objective);
        check::that(other.objective - other.gap <= newton.objective, "the gap is a bound");
    }
    const LinearFit interior = fit(table, options(false, LinearSolver::interior));
    const LinearFit descent = fit(table, options(false, LinearSolver::descent));
    check::near(descent.objective, interior.objective, 2e-6 * interior.objective);
    check::near(interior.objective, primal(table, interior, false), 1e-9 * interior.objective);
    check::near(newton.objective, primal(table, newton, true), 1e-9 * newton.objective);
}};

const check::Test feasible{"duals are feasible and give the weights", [] {
    const Table table = classes(200, 5, 1.0, 2);
    for (const bool squared : {true, false}) {
        const LinearFit found = fit(table, options(squared, LinearSolver::automatic, 1e-9));
        double sum = 0;
        Vector weights(table.n_columns);
        for (std::size_t row = 0; row < table.n_rows; ++row) {
            const double beta = found.dual[row];
            sum += beta;
            check::that(squared || std::abs(beta) <= 1 + 1e-12, "within C");
            check::that(std::isfinite(table.lower[row]) ? beta >= 0 : beta <= 0, "of its sign");
            for (std::size_t k = 0; k < table.n_columns; ++k) {
                weights[k] += beta * table.cells[row * table.n_columns + k];
            }
        }
        check::near(sum, 0, 1e-9);
        for (std::size_t k = 0; k < table.n_columns; ++k) {
            check::near(weights[k], found.weights[k], 1e-4);
        }
    }
}};

const check::Test sparse_is_dense{"compressed rows give the weights of dense ones", [] {
    Table table = classes(400, 9, 0.2, 3);
    for (std::size_t row = 0; row < table.n_rows; ++row) table.cells[row * 9 + 4] = 0;
    table.stored.clear();
    table.columns.clear();
    table.starts = {0};
    table.compress();  // a column that no row uses
    for (const bool squared : {true, false}) {
        const LinearOptions how = options(squared, LinearSolver::automatic);
        check::equal(fit(table, how, true).weights, fit(table, how, false).weights);
        check::equal(fit(table, how, true).weights[4], 0.0);
    }
}};

const check::Test threads{"any number of threads gives the same bits", [] {
    const Table table = classes(20'000, 6, 1.0, 4);
    for (const bool squared : {true, false}) {
        const LinearOptions how = options(squared, LinearSolver::automatic, 1e-4);
        const LinearFit one = fit(table, how, false, 1), three = fit(table, how, false, 3);
        check::equal(one.weights, three.weights);
        check::equal(one.gap, three.gap);
    }
}};

const check::Test outputs{"outputs are solved each for itself", [] {
    Table table = classes(500, 4, 1.0, 5);
    Table twice = table;
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        twice.lower.push_back(-table.upper[row]);
        twice.upper.push_back(-table.lower[row]);
        twice.penalty.push_back(table.penalty[row]);
    }
    StopSignal stop;
    const LinearOptions how = options(false, LinearSolver::automatic);
    const auto fits = fit_linear_svm(twice.dense(), twice.task(), how, 2, stop);
    check::equal(fits.size(), std::size_t{2});
    check::equal(fits[0].weights, fit(table, how).weights);
    check::near(fits[1].objective, fits[0].objective, 1e-6 * fits[0].objective);
}};

const check::Test tube{"numbers: one column, the line through two of three points", [] {
    // |y − w x − b| with a free b and a high price: a line through rows that leave least behind.
    const Table table{3, 1, {0, 1, 2}, {0, 1, 5}, {0, 1, 5}, Vector(3, 100.0), {}, {0}, {}};
    const LinearFit found = fit(table, options(false, LinearSolver::interior, 1e-9));
    check::near(found.weights[0], 2.5, 1e-3);
    check::near(found.bias, 0, 1e-3);
}};

const check::Test refused{"malformed input is refused", [] {
    Table table = classes(10, 2, 1.0, 6);
    const LinearOptions how = options(true, LinearSolver::automatic);
    const auto refuses = [&](auto change) {
        Table broken = table;
        change(broken);
        check::throws<std::invalid_argument>([&] { fit(broken, how, true); });
    };
    refuses([](Table& t) { t.penalty[0] = 0; });
    refuses([](Table& t) { t.penalty.pop_back(); });
    refuses([](Table& t) { t.lower[0] = infinite; });
    refuses([](Table& t) { t.upper[0] = t.lower[0] = -infinite; });
    refuses([](Table& t) { t.columns[1] = t.columns[0]; });
    refuses([](Table& t) { t.columns.back() = 7; });
    refuses([](Table& t) { t.starts[1] = 1000; });
    refuses([](Table& t) { t.starts.pop_back(); });
    check::throws<std::invalid_argument>([&] { fit(table, options(false, LinearSolver::newton)); });
    check::throws<std::invalid_argument>(
        [&] { fit(table, options(true, LinearSolver::interior)); });
}};

const check::Test interrupted{"a request to stop is heard", [] {
    const Table table = classes(100, 3, 1.0, 7);
    StopSignal stop;
    stop.request();
    check::throws<Interrupted>([&] {
        fit_linear_svm(table.dense(), table.task(), options(true, LinearSolver::descent), 1, stop);
    });
}};

const check::Test factors{"Cholesky factors solve systems wider than a panel", [] {
    constexpr std::size_t n = 75;
    std::mt19937_64 generator(8);
    std::normal_distribution<double> normal;
    Vector root(n * n), matrix(n * n), side(n, 0.0), truth(n);
    for (double& value : root) value = normal(generator);
    for (double& value : truth) value = normal(generator);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t k = 0; k < n; ++k)
                matrix[i * n + j] += root[i * n + k] * root[j * n + k];
            matrix[i * n + j] += i == j ? 1 : 0;
        }
        for (std::size_t j = 0; j < n; ++j) side[i] += matrix[i * n + j] * truth[j];
    }
    LinearCholesky cholesky;
    cholesky.factor(std::move(matrix), n);
    cholesky.solve(side);
    for (std::size_t k = 0; k < n; ++k) check::near(side[k], truth[k], 1e-8);
}};

}  // namespace
