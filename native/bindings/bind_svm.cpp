#include "interrupt.hpp"
#include "svm_inputs.hpp"

namespace branchline::bindings {

namespace {

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
}

}  // namespace

void add_svm(nb::module_& module) {
    add_options(module);
    add_problems(module);
    add_solvers<float>(module, "solve_svm_points_single", "solve_svm_gram_single");
    add_solvers<double>(module, "solve_svm_points_double", "solve_svm_gram_double");
}

}  // namespace branchline::bindings
