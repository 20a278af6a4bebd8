#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "branchline/svm.hpp"
#include "branchline/svm_resampling.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

using Numbers = In<double>;
using Rows = In<std::uint32_t>;
template <class Real>
using Matrix = nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Value>
std::vector<Value> copied(const In<Value>& array) {
    const auto values = span_of(array);
    return {values.begin(), values.end()};
}

template <class Value>
std::vector<Value> copied(const std::optional<In<Value>>& array) {
    return array ? copied(*array) : std::vector<Value>{};
}

// A problem that owns its numbers.
struct OwnedProblem {
    std::vector<std::uint32_t> row;
    std::vector<double> linear, lower, upper, ridge, start;
    std::vector<std::uint8_t> group;

    SvmProblem view() const { return {row, linear, lower, upper, ridge, group, start}; }
};

template <class Real>
GivenGram<Real> gram_of(const Matrix<Real>& matrix) {
    require(matrix.shape(0) == matrix.shape(1), "a kernel matrix is square");
    require(reinterpret_cast<std::uintptr_t>(matrix.data()) % alignof(Real) == 0,
            "an array is not aligned");
    return {matrix.data(), matrix.shape(0)};
}

nb::list give_solutions(std::vector<SvmSolution>&& found) {
    nb::list out;
    for (SvmSolution& one : found) {
        out.append(nb::make_tuple(give(std::move(one.beta)), give(std::move(one.score)),
                                  one.violation, one.n_steps, one.is_done,
                                  give(std::move(one.span))));
    }
    return out;
}

std::vector<SvmProblem> views_of(const nb::list& problems) {
    std::vector<SvmProblem> views;
    for (const nb::handle item : problems) {
        views.push_back(nb::cast<const OwnedProblem&>(item).view());
    }
    return views;
}

template <class Real>
void add_solvers(nb::module_& module, const char* on_points, const char* on_gram) {
    module.def(
        on_points,
        [](const KernelForm& form, const Matrix<Real>& matrix, const nb::list& problems,
           const SvmOptions& options) {
            const PointRows<Real> rows{matrix.data(), matrix.shape(0), matrix.shape(1)};
            const auto views = views_of(problems);
            return give_solutions(without_lock(
                [&](StopSignal& stop) { return solve_svms(form, rows, views, options, stop); }));
        },
        nb::arg("form"), nb::arg("matrix").noconvert(), nb::arg("problems"), nb::arg("options"),
        "Solve problems on points: a list of (beta, score, violation, steps, is_done, span).");
    module.def(
        on_gram,
        [](const Matrix<Real>& gram, const nb::list& problems, const SvmOptions& options) {
            const GivenGram<Real> given = gram_of(gram);
            const auto views = views_of(problems);
            return give_solutions(without_lock(
                [&](StopSignal& stop) { return solve_svms(given, views, options, stop); }));
        },
        nb::arg("gram").noconvert(), nb::arg("problems"), nb::arg("options"),
        "Solve problems on a given kernel matrix, as on points.");
}

// A problem of a path that owns its numbers.
struct OwnedPath {
    std::vector<std::uint32_t> rows, held_out;
    std::vector<double> labels, costs;
};

template <class Real>
void add_paths(nb::module_& module, const char* name) {
    module.def(
        name,
        [](const Matrix<Real>& gram, const nb::list& problems, const Numbers& strengths,
           const SvmOptions& options) {
            const GivenGram<Real> given = gram_of(gram);
            std::vector<PathProblem> views;
            for (const nb::handle item : problems) {
                const auto& path = nb::cast<const OwnedPath&>(item);
                views.push_back({path.rows, path.labels, path.costs, path.held_out});
            }
            const auto at = span_of(strengths);
            std::vector<PathAnswer> answers = without_lock(
                [&](StopSignal& stop) { return svm_paths(given, views, at, options, stop); });
            nb::list out;
            for (PathAnswer& answer : answers) {
                out.append(nb::make_tuple(give(std::move(answer.decision)), answer.worst_violation,
                                          answer.n_steps));
            }
            return out;
        },
        nb::arg("gram").noconvert(), nb::arg("problems"), nb::arg("strengths").noconvert(),
        nb::arg("options"),
        "Scores of held-out rows for each C: a list of (decision, violation, steps).");
}

// New bounds (and ridges, or none) of the variables that are left out.
struct OwnedBounds {
    std::vector<double> lower, upper, ridge;
};

template <class Real>
void add_leave_one_out(nb::module_& module, const char* name) {
    module.def(
        name,
        [](const Matrix<Real>& gram, const OwnedProblem& problem, const Rows& variables,
           const OwnedBounds& bounds, const SvmOptions& options) {
            const GivenGram<Real> given = gram_of(gram);
            const auto left = span_of(variables);
            return give(without_lock([&](StopSignal& stop) {
                return svm_leave_one_out(given, problem.view(), left,
                                         {bounds.lower, bounds.upper, bounds.ridge}, options, stop);
            }));
        },
        nb::arg("gram").noconvert(), nb::arg("problem"), nb::arg("variables").noconvert(),
        nb::arg("bounds"), nb::arg("options"),
        "The score of each variable's row when its bounds are replaced and all is solved again.");
}

void add_options(nb::module_& module) {
    nb::class_<SvmOptions>(module, "SvmOptions", "How a support vector machine is solved.")
        .def(
            "__init__",
            [](SvmOptions* self, double tolerance, bool has_sum, std::int64_t max_steps,
               double time_budget, std::size_t cache_bytes, int n_threads) {
                new (self) SvmOptions{};
                self->tolerance = tolerance;
                self->has_sum = has_sum;
                self->max_steps = max_steps;
                self->time_budget = time_budget;
                self->cache_bytes = cache_bytes;
                self->n_threads = n_threads;
            },
            nb::arg("tolerance"), nb::arg("has_sum"), nb::arg("max_steps"), nb::arg("time_budget"),
            nb::arg("cache_bytes"), nb::arg("n_threads"))
        .def_rw("polishes", &SvmOptions::polishes)
        .def_rw("wants_spans", &SvmOptions::wants_spans)
        .def_rw("whole_set", &SvmOptions::whole_set)
        .def_rw("whole_rows", &SvmOptions::whole_rows)
        .def_rw("working_set", &SvmOptions::working_set);
}

void add_problems(nb::module_& module) {
    nb::class_<OwnedProblem>(module, "SvmProblem", "Linear part, bounds and start of a problem.")
        .def(
            "__init__",
            [](OwnedProblem* self, const Rows& row, const Numbers& linear, const Numbers& lower,
               const Numbers& upper, const std::optional<Numbers>& ridge,
               const std::optional<In<std::uint8_t>>& group, const std::optional<Numbers>& start) {
                new (self) OwnedProblem{copied(row),   copied(linear), copied(lower), copied(upper),
                                        copied(ridge), copied(start),  copied(group)};
            },
            nb::arg("row").noconvert(), nb::arg("linear").noconvert(), nb::arg("lower").noconvert(),
            nb::arg("upper").noconvert(), nb::arg("ridge").noconvert().none() = nb::none(),
            nb::arg("group").noconvert().none() = nb::none(),
            nb::arg("start").noconvert().none() = nb::none());
    nb::class_<OwnedBounds>(module, "SvmBounds", "New bounds and ridges of some variables.")
        .def(
            "__init__",
            [](OwnedBounds* self, const Numbers& lower, const Numbers& upper,
               const std::optional<Numbers>& ridge) {
                new (self) OwnedBounds{copied(lower), copied(upper), copied(ridge)};
            },
            nb::arg("lower").noconvert(), nb::arg("upper").noconvert(),
            nb::arg("ridge").noconvert().none() = nb::none());
    nb::class_<OwnedPath>(module, "SvmPath", "Rows, labels and costs of a classification.")
        .def(
            "__init__",
            [](OwnedPath* self, const Rows& rows, const Numbers& labels, const Numbers& costs,
               const Rows& held_out) {
                new (self) OwnedPath{copied(rows), copied(held_out), copied(labels), copied(costs)};
            },
            nb::arg("rows").noconvert(), nb::arg("labels").noconvert(),
            nb::arg("costs").noconvert(), nb::arg("held_out").noconvert());
}

}  // namespace

void add_svm(nb::module_& module) {
    add_options(module);
    add_problems(module);
    add_solvers<float>(module, "solve_svm_points_single", "solve_svm_gram_single");
    add_solvers<double>(module, "solve_svm_points_double", "solve_svm_gram_double");
    add_paths<float>(module, "svm_paths_single");
    add_paths<double>(module, "svm_paths_double");
    add_leave_one_out<float>(module, "svm_leave_one_out_single");
    add_leave_one_out<double>(module, "svm_leave_one_out_double");
}

}  // namespace branchline::bindings
