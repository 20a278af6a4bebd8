#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "branchline/boosting_losses.hpp"
#include "branchline/leaf_quantiles.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

using Numbers = In<double>;
using Classes = In<std::uint32_t>;
using Units = In<std::int64_t>;
// The one kind of array that is written to: boosting keeps its gradients from round to round.
using Written = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<float> written_span(const Written& array, std::size_t n_scores) {
    require_aligned(array);
    require(array.shape(0) == n_scores, "a gradient and a hessian for each score");
    return {array.data(), n_scores};
}

// What is predicted: numbers, or a class of each row.
class BorrowedLossTarget {
  public:
    BorrowedLossTarget(std::optional<Numbers> numbers, std::optional<Classes> class_of_row)
        : numbers_(std::move(numbers)), class_of_row_(std::move(class_of_row)) {
        require(numbers_.has_value() != class_of_row_.has_value(),
                "numbers, or a class of each row");
    }

    LossTarget view() const { return {span_of(numbers_), span_of(class_of_row_)}; }

  private:
    std::optional<Numbers> numbers_;
    std::optional<Classes> class_of_row_;
};

std::span<const std::int64_t> units_of(const std::optional<Units>& units, std::size_t n_rows) {
    require(!units || units->shape(0) == n_rows, "units for each row");
    return span_of(units);
}

void add_gradients(nb::module_& module) {
    module.def(
        "loss_gradients",
        [](const LossRule& loss, const BorrowedLossTarget& target, const Numbers& scores,
           const Written& gradients, const std::optional<Written>& hessians, int n_threads) {
            const LossTarget truth = target.view();
            const auto from = span_of(scores);
            LossGradients out{written_span(gradients, from.size()), {}};
            if (hessians) out.hessian = written_span(*hessians, from.size());
            without_lock(
                [&](StopSignal& stop) { loss_gradients(loss, truth, from, out, n_threads, stop); });
        },
        nb::arg("loss"), nb::arg("target"), nb::arg("scores").noconvert(),
        nb::arg("gradients").noconvert(), nb::arg("hessians").noconvert().none(),
        nb::arg("n_threads"), "Write the gradient and hessian of every score.");
}

void add_values(nb::module_& module) {
    module.def(
        "mean_loss",
        [](const LossRule& loss, const BorrowedLossTarget& target,
           const std::optional<Units>& units, const Numbers& scores, int n_threads) {
            const LossTarget truth = target.view();
            const auto weight = units_of(units, truth.n_rows());
            const auto from = span_of(scores);
            return without_lock([&](StopSignal& stop) {
                return mean_loss(loss, truth, weight, from, n_threads, stop);
            });
        },
        nb::arg("loss"), nb::arg("target"), nb::arg("units").noconvert().none(),
        nb::arg("scores").noconvert(), nb::arg("n_threads"), "The weighted mean loss of the rows.");

    module.def(
        "predictions_of_scores",
        [](ScoreLink link, const Numbers& scores, std::size_t n_outputs, int n_threads) {
            const auto from = span_of(scores);
            return give(without_lock([&](StopSignal& stop) {
                return predictions_of_scores(static_cast<int>(link), from, n_outputs, n_threads,
                                             stop);
            }));
        },
        nb::arg("link"), nb::arg("scores").noconvert(), nb::arg("n_outputs"), nb::arg("n_threads"),
        "Means or class probabilities, row after row.");
}

// Both functions take the rows of leaves and one number.
template <class Kernel>
void add_leaf_values(nb::module_& module, const char* name, const char* parameter, Kernel kernel,
                     const char* words) {
    module.def(
        name,
        [kernel](const Numbers& values, const Classes& leaf_of_row, std::size_t n_leaves,
                 const std::optional<Units>& units, double number, int n_threads) {
            const LeafRows rows{span_of(values), span_of(leaf_of_row),
                                units_of(units, values.shape(0)), n_leaves};
            return give(without_lock(
                [&](StopSignal& stop) { return kernel(rows, number, n_threads, stop); }));
        },
        nb::arg("values").noconvert(), nb::arg("leaf_of_row").noconvert(), nb::arg("n_leaves"),
        nb::arg("units").noconvert().none(), nb::arg(parameter), nb::arg("n_threads"), words);
}

}  // namespace

void add_losses(nb::module_& module) {
    nb::enum_<LossKind>(module, "LossKind", "Losses of boosting.")
        .value("squared", LossKind::squared)
        .value("absolute", LossKind::absolute)
        .value("huber", LossKind::huber)
        .value("quantile", LossKind::quantile)
        .value("poisson", LossKind::poisson)
        .value("gamma", LossKind::gamma)
        .value("tweedie", LossKind::tweedie)
        .value("logistic", LossKind::logistic)
        .value("exponential", LossKind::exponential)
        .value("softmax", LossKind::softmax);
    nb::enum_<ScoreLink>(module, "ScoreLink", "What scores are turned into.")
        .value("exponential", ScoreLink::exponential)
        .value("sigmoid", ScoreLink::sigmoid)
        .value("softmax", ScoreLink::softmax);
    nb::class_<LossRule>(module, "LossRule", "A loss of boosting with its parameters.")
        .def(
            "__init__",
            [](LossRule* self, LossKind kind, const Numbers& parameters, std::size_t n_outputs) {
                new (self) LossRule(static_cast<int>(kind), span_of(parameters), n_outputs);
            },
            nb::arg("kind"), nb::arg("parameters").noconvert(), nb::arg("n_outputs"));
    nb::class_<BorrowedLossTarget>(module, "LossTarget", "Numbers, or a class of each row.")
        .def(nb::init<std::optional<Numbers>, std::optional<Classes>>(),
             nb::arg("numbers").noconvert().none(), nb::arg("class_of_row").noconvert().none());
    add_gradients(module);
    add_values(module);
    add_leaf_values(module, "leaf_quantiles", "quantile", leaf_quantiles,
                    "The weighted quantile of the rows in each leaf.");
    add_leaf_values(module, "leaf_huber_values", "delta", leaf_huber_values,
                    "The median and the mean clipped deviation from it, for each leaf.");
}

}  // namespace branchline::bindings
