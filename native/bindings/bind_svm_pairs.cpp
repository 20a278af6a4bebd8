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

    PairRows view() const {
        return {ends, costs, weights, copies, rank, most_ranked, is_squared};
    }
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

PairSums sums_of(const nb::list& sums, const Numbers& bias) {
    PairSums made;
    made.bias = span_of(bias);
    for (const nb::handle item : sums) {
        const auto one = array_in<Matrix<double>>(item, "sums are float64 matrices");
        require(made.of_class.empty() || one.shape(0) == made.n_rows, "sums of the same rows");
        made.n_rows = one.shape(0);
        made.of_class.emplace_back(one.data(), one.size());
    }
    require(!made.of_class.empty(), "sums of two classes or more");
    return made;
}

void add_rows(nb::module_& module) {
    nb::class_<OwnedPairRows>(module, "SvmPairRows", "Rows of several classes, class by class.")
        .def(
            "__init__",
            [](OwnedPairRows* self, const Rows& ends, const Rows& rank, const Numbers& costs,
               const Numbers& weights, const Numbers& copies) {
                new (self) OwnedPairRows{copied(ends), copied(rank), copied(costs),
                                         copied(weights), copied(copies)};
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
            return give_machines(without_lock([&](StopSignal& stop) {
                return solve_pairs(given, pairs.view(), options, stop);
            }));
        },
        nb::arg("gram").noconvert(), nb::arg("pairs"), nb::arg("options"),
        "The same on a given kernel matrix.");
}

}  // namespace

void add_svm_pairs(nb::module_& module) {
    add_rows(module);
    add_solvers(module);
    module.def(
        "svm_pair_scores",
        [](const nb::list& sums, const Numbers& bias) {
            return give(pair_scores(sums_of(sums, bias)));
        },
        nb::arg("sums"), nb::arg("bias").noconvert(),
        "The score of each row by the machine of each pair, from sums over each class.");
    module.def(
        "svm_class_scores_of_sums",
        [](const nb::list& sums, const Numbers& bias) {
            return give(class_scores_of_pairs(sums_of(sums, bias)));
        },
        nb::arg("sums"), nb::arg("bias").noconvert(),
        "A score of each class from the same sums, row by row.");
    module.def(
        "svm_class_scores",
        [](const Matrix<double>& scores, std::size_t n_classes) {
            return give(class_scores_of_pairs({scores.data(), scores.size()}, n_classes));
        },
        nb::arg("scores").noconvert(), nb::arg("n_classes"),
        "A score of each class from those of all pairs, row by row.");
}

}  // namespace branchline::bindings
