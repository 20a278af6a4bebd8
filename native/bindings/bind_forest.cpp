#include <nanobind/stl/function.h>

#include <atomic>

#include "bag_inputs.hpp"
#include "branchline/forest.hpp"
#include "give_narrow.hpp"
#include "grow_inputs.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

// Columns with what their codes cover and in which direction means may follow them, borrowed from Python.
class BorrowedForestColumns {
  public:
    BorrowedForestColumns(const BorrowedGrowColumns& columns, const nb::list& lowest,
                          const nb::list& highest, std::optional<In<std::int8_t>> monotone)
        : columns_(columns), values_(lowest, highest), monotone_(std::move(monotone)) {
        const std::size_t n = columns_.view().size();
        require(columns_.n_rows() > 0 && n > 0, "at least one row and one column");
        require(values_.known().size() == n, "values of the codes of each column");
        for (std::size_t c = 0; c < n; ++c) {
            require(values_.known()[c].lowest.size() == columns_.view()[c].n_codes,
                    "a value or rank for each code");
        }
        require(!monotone_ || monotone_->shape(0) == n, "a direction for each column");
    }

    std::size_t n_rows() const { return columns_.n_rows(); }
    ForestInput input(const BorrowedGrowTarget& target, const BorrowedBag& bag) const {
        target.require_rows(n_rows());
        require(bag.n_rows() == n_rows(), "a bag of as many rows");
        return {columns_.view(), values_.known(), span_of(monotone_), target.view(), bag.rows()};
    }

  private:
    const BorrowedGrowColumns& columns_;  // kept alive by Python
    BorrowedCodes values_;
    std::optional<In<std::int8_t>> monotone_;
};

nb::dict give_forest(GrownForest&& forest) {
    nb::dict out;
    out["n_nodes"] = give(std::move(forest.n_nodes));
    out["kind"] = give(std::move(forest.kind));
    out["feature"] = give_narrow(std::move(forest.feature));
    out["left_code"] = give_narrow(std::move(forest.left_code));
    out["right_code"] = give_narrow(std::move(forest.right_code));
    out["fraction"] = give(std::move(forest.fraction));
    out["missing_left"] = give(std::move(forest.missing_left));
    out["pool"] = give(std::move(forest.pool));
    out["content"] = give(std::move(forest.content));
    out["importance"] = give(std::move(forest.importance));
    return out;
}

void add_options(nb::module_& module) {
    nb::class_<ForestOptions>(module, "ForestOptions")
        .def(nb::init<>())
        .def_rw("tree", &ForestOptions::tree)
        .def_rw("max_columns", &ForestOptions::max_columns)
        .def_rw("random_thresholds", &ForestOptions::random_thresholds)
        .def_rw("score_threshold", &ForestOptions::score_threshold)
        .def_rw("first_tree", &ForestOptions::first_tree)
        .def_rw("n_trees", &ForestOptions::n_trees)
        .def_rw("time_budget", &ForestOptions::time_budget)
        .def_rw("importance_by_tree", &ForestOptions::importance_by_tree);
}

void require_options(const ForestOptions& options, const ForestInput& input) {
    const bool of_numbers = is_of_numbers(options.tree.criterion);
    require(of_numbers != input.target.is_classification(), "a criterion that fits the target");
    require(!options.tree.multiway && options.tree.missing == MissingPolicy::learned,
            "binary tests, missing values by learned direction");
    require(options.n_trees > 0 && options.max_columns > 0 && options.tree.n_threads > 0,
            "at least one tree, one column and one thread");
    require(options.bag.rate > 0 && options.bag.rate <= 16 &&
                (options.bag.kind != BagKind::subsample || options.bag.rate <= 1),
            "a rate of the bag in range");
}

using Words = In<std::uint32_t>;

// Where thresholds stand between the codes of their columns; +inf without a right code.
std::vector<double> place_thresholds(std::span<const std::uint32_t> feature,
                                     std::span<const std::uint32_t> left,
                                     std::span<const std::uint32_t> right,
                                     std::span<const std::uint8_t> fraction,
                                     std::span<const KnownCodes> values) {
    std::vector<double> threshold(fraction.size(), std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < fraction.size(); ++i) {
        if (right[i] == 0) continue;
        require(feature[i] < values.size(), "a column that there is");
        const KnownCodes& known = values[feature[i]];
        require(left[i] > 0 && left[i] <= known.highest.size() && right[i] <= known.lowest.size(),
                "codes that the column has");
        const double low = known.highest[left[i] - 1u], high = known.lowest[right[i] - 1u];
        const double part = static_cast<double>(fraction[i]) / 256;
        const double cut = low * (1 - part) + high * part;  // no sum that could overflow
        threshold[i] = low <= cut && cut < high ? cut : low;
    }
    return threshold;
}

// Work that calls `on_progress(trees done)` on the calling thread about every tenth of a second.
template <class Work>
GrownForest with_progress(const std::optional<nb::callable>& on_progress, Work&& work) {
    std::atomic<std::size_t> n_done{0};
    const auto count = [&] { ++n_done; };
    const auto report = [&] {
        if (!on_progress) return false;
        PyObject* said =
            PyObject_CallFunction(on_progress->ptr(), "n", static_cast<Py_ssize_t>(n_done.load()));
        Py_XDECREF(said);
        return said == nullptr;  // its exception is set, as Ctrl-C's would be
    };
    return without_lock([&](StopSignal& stop) { return work(stop, count); }, report);
}

}  // namespace

void add_forest(nb::module_& module) {
    add_options(module);
    nb::class_<BorrowedForestColumns>(module, "ForestColumns",
                                      "Coded columns, what codes cover, and directions.")
        .def(nb::init<const BorrowedGrowColumns&, const nb::list&, const nb::list&,
                      std::optional<In<std::int8_t>>>(),
             nb::arg("columns"), nb::arg("lowest"), nb::arg("highest"),
             nb::arg("monotone").noconvert().none(), nb::keep_alive<1, 2>());
    module.def(
        "grow_forest",
        [](const BorrowedForestColumns& columns, const BorrowedGrowTarget& target,
           const BorrowedBag& bag, const ForestOptions& given,
           const std::optional<nb::callable>& on_progress) {
            const ForestInput input = columns.input(target, bag);
            ForestOptions options = given;
            options.bag = bag.rule();
            require_options(options, input);
            return give_forest(with_progress(
                on_progress, [&](StopSignal& stop, const std::function<void()>& count) {
                    return grow_forest(input, options, stop, count);
                }));
        },
        nb::arg("columns"), nb::arg("target"), nb::arg("bag"), nb::arg("options"),
        nb::arg("on_progress").none() = nb::none(),
        "Grow trees of a forest; their arrays by name, trees one after another.");
    module.def(
        "forest_thresholds",
        [](const Words& feature, const Words& left_code, const Words& right_code,
           const In<std::uint8_t>& fraction, const nb::list& lowest, const nb::list& highest) {
            const BorrowedCodes values(lowest, highest);
            const std::size_t n = fraction.shape(0);
            require(feature.shape(0) == n && left_code.shape(0) == n && right_code.shape(0) == n,
                    "arrays of one length");
            return give(place_thresholds(span_of(feature), span_of(left_code), span_of(right_code),
                                         span_of(fraction), values.known()));
        },
        nb::arg("feature").noconvert(), nb::arg("left_code").noconvert(),
        nb::arg("right_code").noconvert(), nb::arg("fraction").noconvert(), nb::arg("lowest"),
        nb::arg("highest"), "The thresholds of inner nodes; +inf without a right code.");
}

}  // namespace branchline::bindings
