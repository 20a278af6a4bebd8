#include "branchline/sigmoid.hpp"
#include "branchline/svm_resampling.hpp"
#include "interrupt.hpp"
#include "svm_inputs.hpp"

namespace branchline::bindings {

namespace {

template <class Real>
using Stack = nb::ndarray<const Real, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// A problem of a path that owns its numbers.
struct OwnedPath {
    std::vector<std::uint32_t> rows, held_out;
    std::vector<double> labels, costs;
    std::size_t matrix;
};

template <class Real>
GramStack<Real> stack_of(const Stack<Real>& grams) {
    require(grams.shape(1) == grams.shape(2), "kernel matrices are square");
    require_aligned(grams);
    return {grams.data(), grams.shape(1), grams.shape(0)};
}

template <class Real>
void add_paths(nb::module_& module, const char* name) {
    module.def(
        name,
        [](const Stack<Real>& grams, const nb::list& problems, const Numbers& strengths,
           const SvmOptions& options) {
            const GramStack<Real> given = stack_of<Real>(grams);
            std::vector<PathProblem> views;
            for (const nb::handle item : problems) {
                const auto& path = nb::cast<const OwnedPath&>(item);
                views.push_back({path.rows, path.labels, path.costs, path.held_out, path.matrix});
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
        nb::arg("grams").noconvert(), nb::arg("problems"), nb::arg("strengths").noconvert(),
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

void add_inputs(nb::module_& module) {
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
               const Rows& held_out, std::size_t matrix) {
                new (self) OwnedPath{copied(rows), copied(held_out), copied(labels), copied(costs),
                                     matrix};
            },
            nb::arg("rows").noconvert(), nb::arg("labels").noconvert(),
            nb::arg("costs").noconvert(), nb::arg("held_out").noconvert(), nb::arg("matrix") = 0);
}

}  // namespace

void add_svm_resampling(nb::module_& module) {
    add_inputs(module);
    add_paths<float>(module, "svm_paths_single");
    add_paths<double>(module, "svm_paths_double");
    add_leave_one_out<float>(module, "svm_leave_one_out_single");
    add_leave_one_out<double>(module, "svm_leave_one_out_double");
    module.def(
        "fit_sigmoid",
        [](const Numbers& scores, const In<std::uint8_t>& is_positive, const Numbers& weights) {
            const SigmoidSlopes found =
                fit_sigmoid(span_of(scores), span_of(is_positive), span_of(weights));
            return nb::make_tuple(found.below, found.above);
        },
        nb::arg("scores").noconvert(), nb::arg("is_positive").noconvert(),
        nb::arg("weights").noconvert(),
        "Slopes of probabilities below and above a score of 0; NaN: nothing to learn from.");
}

}  // namespace branchline::bindings
