#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

#include "arrays.hpp"
#include "branchline/linear_svm.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

using Numbers = In<double>;
using Starts = In<std::int64_t>;
using Columns = In<std::int32_t>;

// The arrays of a matrix, borrowed for as long as the object lives.
struct BorrowedMatrix {
    std::size_t n_rows, n_columns;
    Numbers values;
    std::optional<Starts> starts;
    std::optional<Columns> columns;

    LinearMatrix view() const {
        return {n_rows,          n_columns,       span_of(values), starts.has_value(),
                span_of(starts), span_of(columns)};
    }
};

void make_matrix(BorrowedMatrix* self, std::size_t n_rows, std::size_t n_columns,
                 const Numbers& values, const std::optional<Starts>& starts,
                 const std::optional<Columns>& columns) {
    require(starts.has_value() == columns.has_value(), "starts and columns, or neither");
    new (self) BorrowedMatrix{n_rows, n_columns, values, starts, columns};
}

void make_options(LinearOptions* self, bool squared, bool fit_intercept, int solver,
                  double tolerance, std::size_t max_iter, std::uint64_t seed) {
    require(solver >= 0 && solver <= static_cast<int>(LinearSolver::descent), "a known solver");
    new (self) LinearOptions{squared,   fit_intercept, static_cast<LinearSolver>(solver),
                             tolerance, max_iter,      seed};
}

// Weights and duals, output after output; constants; objective, gap, steps and solver of each output.
auto give_fits(const std::vector<LinearFit>& fits) {
    std::vector<double> weights, bias, dual, report;
    for (const LinearFit& fit : fits) {
        weights.insert(weights.end(), fit.weights.begin(), fit.weights.end());
        bias.push_back(fit.bias);
        dual.insert(dual.end(), fit.dual.begin(), fit.dual.end());
        report.insert(report.end(), {fit.objective, fit.gap, static_cast<double>(fit.n_iter),
                                     static_cast<double>(static_cast<int>(fit.solver))});
    }
    return std::tuple{give(std::move(weights)), give(std::move(bias)), give(std::move(dual)),
                      give(std::move(report))};
}

}  // namespace

void add_linear_svm(nb::module_& module) {
    nb::class_<BorrowedMatrix>(module, "LinearMatrix", "Rows of numbers, dense or compressed.")
        .def("__init__", make_matrix, nb::arg("n_rows"), nb::arg("n_columns"),
             nb::arg("values").noconvert(), nb::arg("starts").noconvert().none(),
             nb::arg("columns").noconvert().none());
    nb::class_<LinearOptions>(module, "LinearOptions", "How a linear margin is found.")
        .def("__init__", make_options, nb::arg("squared"), nb::arg("fit_intercept"),
             nb::arg("solver"), nb::arg("tolerance"), nb::arg("max_iter"), nb::arg("seed"));
    module.def(
        "fit_linear_svm",
        [](const BorrowedMatrix& matrix, const Numbers& lower, const Numbers& upper,
           const Numbers& penalty, const LinearOptions& options, int n_threads) {
            const LinearMatrix rows = matrix.view();
            const LinearTask task{span_of(lower), span_of(upper), span_of(penalty)};
            return give_fits(without_lock([&](StopSignal& stop) {
                return fit_linear_svm(rows, task, options, n_threads, stop);
            }));
        },
        nb::arg("matrix"), nb::arg("lower").noconvert(), nb::arg("upper").noconvert(),
        nb::arg("penalty").noconvert(), nb::arg("options"), nb::arg("n_threads"),
        "Weights, constants, duals and a report of every output.");
}

}  // namespace branchline::bindings
