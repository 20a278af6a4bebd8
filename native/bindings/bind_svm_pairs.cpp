#include "branchline/svm_pairs.hpp"
#include "interrupt.hpp"
#include "svm_inputs.hpp"

namespace branchline::bindings {

namespace {

// Rows of pairs that own their numbers.
struct OwnedPairRows {
    std::vector<std::uint32_t> ends, rank;
    std::vector<double> costs, weights, copies;
    std::size_t most_ranked = 0;
    bool is_squared = false;

    PairRows view() const { return {ends, costs, weights, copies, rank, most_ranked, is_squared}; }
};

struct OwnedPairModel {
    std::vector<std::uint32_t> ends;
    std::vector<double> coefficients, bias;

    PairModel view() const { return {ends, coefficients, bias}; }
};

nb::dict give_machines(PairMachines&& made) {
    nb::dict out;
    out["bias"] = give(std::move(made.bias));
    out["quadratic"] = give(std::move(made.quadratic));
    out["primal"] = give(std::move(made.primal));
    out["dual"] = give(std::move(made.dual));
    out["violation"] = give(std::move(made.violation));
    out["slope_below"] = give(std::move(made.slope_below));
    out["slope_above"] = give(std::move(made.slope_above));
    out["n_steps"] = give(std::move(made.n_steps));
    out["is_done"] = give(std::move(made.is_done));
    out["lacks_spans"] = give(std::move(made.lacks_spans));
    out["beta"] = give(std::move(made.beta));
    out["score"] = give(std::move(made.score));
    out["support_row"] = give(std::move(made.support_row));
    out["support_beta"] = give(std::move(made.support_beta));
    out["support_end"] = give(std::move(made.support_end));
    out["is_wrong"] = give(std::move(made.is_wrong));
    return out;
}

void add_rows(nb::module_& module) {
    nb::class_<OwnedPairRows>(module, "SvmPairRows", "Rows of several classes, class by class.")
        .def(
            "__init__",
            [](OwnedPairRows* self, const Rows& ends, const Rows& rank, const Numbers& costs,
               const Numbers& weights, const Numbers& copies) {
                new (self) OwnedPairRows{copied(ends), copied(rank), copied(costs), copied(weights),
                                         copied(copies)};
            },
            nb::arg("ends").noconvert(), nb::arg("rank").noconvert(), nb::arg("costs").noconvert(),
            nb::arg("weights").noconvert(), nb::arg("copies").noconvert())
        .def_rw("most_ranked", &OwnedPairRows::most_ranked)
        .def_rw("is_squared", &OwnedPairRows::is_squared);
}

void add_solvers(nb::module_& module) {
    module.def(
        "solve_svm_pairs_of_points",
        [](const KernelForm& form, const Matrix<double>& matrix, const OwnedPairRows& pairs,
           const SvmOptions& options) {
            const PointRows<double> rows{matrix.data(), matrix.shape(0), matrix.shape(1)};
            return give_machines(without_lock([&](StopSignal& stop) {
                return solve_pairs(form, rows, pairs.view(), options, stop);
            }));
        },
        nb::arg("form"), nb::arg("matrix").noconvert(), nb::arg("pairs"), nb::arg("options"),
        "Solve and finish a machine for each pair of classes, on points class by class.");
    module.def(
        "solve_svm_pairs_of_gram",
        [](const Matrix<double>& gram, const OwnedPairRows& pairs, const SvmOptions& options) {
            const GivenGram<double> given = gram_of(gram);
            return give_machines(without_lock(
                [&](StopSignal& stop) { return solve_pairs(given, pairs.view(), options, stop); }));
        },
        nb::arg("gram").noconvert(), nb::arg("pairs"), nb::arg("options"),
        "The same on a given kernel matrix.");
}

}  // namespace

void add_svm_pairs(nb::module_& module) {
    add_rows(module);
    add_solvers(module);
    nb::class_<OwnedPairModel>(module, "SvmPairModel", "Machines of all pairs as they predict.")
        .def(
            "__init__",
            [](OwnedPairModel* self, const Rows& ends, const Matrix<double>& coefficients,
               const Numbers& bias) {
                new (self)
                    OwnedPairModel{copied(ends),
                                   {coefficients.data(), coefficients.data() + coefficients.size()},
                                   copied(bias)};
            },
            nb::arg("ends").noconvert(), nb::arg("coefficients").noconvert(),
            nb::arg("bias").noconvert());
    module.def(
        "svm_pair_scores",
        [](const OwnedPairModel& model, const Matrix<double>& kernel, int n_threads) {
            return give(without_lock([&](StopSignal& stop) {
                return pair_scores(model.view(), {kernel.data(), kernel.size()}, n_threads, stop);
            }));
        },
        nb::arg("model"), nb::arg("kernel").noconvert(), nb::arg("n_threads"),
        "The score of each row by the machine of each pair, from kernel values.");
    module.def(
        "svm_class_scores_of_kernel",
        [](const OwnedPairModel& model, const Matrix<double>& kernel, int n_threads) {
            return give(without_lock([&](StopSignal& stop) {
                return class_scores_of_pairs(model.view(), {kernel.data(), kernel.size()},
                                             n_threads, stop);
            }));
        },
        nb::arg("model"), nb::arg("kernel").noconvert(), nb::arg("n_threads"),
        "A score of each class from kernel values, row by row.");
    module.def(
        "svm_class_scores",
        [](const Matrix<double>& scores, std::size_t n_classes) {
            return give(class_scores_of_pairs({scores.data(), scores.size()}, n_classes));
        },
        nb::arg("scores").noconvert(), nb::arg("n_classes"),
        "A score of each class from those of all pairs, row by row.");
}

}  // namespace branchline::bindings
