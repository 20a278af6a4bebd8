#include <nanobind/stl/optional.h>

#include "branchline/class_moments.hpp"
#include "branchline/column_facts.hpp"
#include "branchline/gaussian_scores.hpp"
#include "branchline/kernel_scores.hpp"
#include "columns.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

using InMatrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutScores = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::span<const double> numbers_of(const InMatrix& array, std::size_t n_rows,
                                   std::size_t n_columns) {
    require(array.shape(0) == n_rows && array.shape(1) == n_columns, "arrays of different shapes");
    return {array.data(), array.size()};
}

nb::dict give_moments(ClassMoments&& found) {
    nb::dict given;
    given["units"] = give(std::move(found.units));
    given["low"] = give(std::move(found.low));
    given["firsts"] = give(std::move(found.firsts));
    given["seconds"] = give(std::move(found.seconds));
    given["mean"] = give(std::move(found.mean));
    given["deviation"] = give(std::move(found.deviation));
    given["fits"] = give(std::move(found.fits));
    return given;
}

nb::dict give_facts(ColumnFacts&& found) {
    nb::dict given;
    given["n_present"] = give(std::move(found.n_present));
    given["least"] = give(std::move(found.least));
    given["most"] = give(std::move(found.most));
    given["before"] = give(std::move(found.before));
    given["middle"] = give(std::move(found.middle));
    given["mean"] = give(std::move(found.mean));
    given["deviation"] = give(std::move(found.deviation));
    given["fits"] = give(std::move(found.fits));
    return given;
}

// The curves of a group of columns, as they cross the border: classes × columns.
struct Curves {
    InMatrix mean, deviation, steepness, constant, group_constant;
    std::size_t group_width;

    GaussianCurves views(std::size_t n_classes, std::size_t n_columns) const {
        require(group_width > 0, "groups have columns");
        const std::size_t n_groups = (n_columns + group_width - 1) / group_width;
        return {numbers_of(mean, n_classes, n_columns),
                numbers_of(deviation, n_classes, n_columns),
                numbers_of(steepness, n_classes, n_columns),
                numbers_of(constant, n_classes, n_columns),
                numbers_of(group_constant, n_classes, n_groups),
                group_width};
    }
};

// The curves of kernel densities as they are kept: they are checked once, for many calls.
class Densities {
  public:
    Densities(In<std::int64_t> place, In<std::int64_t> n_points, In<double> low,
              In<std::int64_t> exponent, In<double> origin, In<double> step, InMatrix log_density)
        : place_(std::move(place)), n_points_(std::move(n_points)), exponent_(std::move(exponent)),
          origin_(std::move(origin)), step_(std::move(step)), log_density_(std::move(log_density)) {
        const std::size_t n_columns = place_.shape(0);
        for (const double one : span_of(low)) half_low_.push_back(0.5 * one);
        for (const std::size_t length : {n_points_.shape(0), half_low_.size(), exponent_.shape(0),
                                         origin_.shape(0), step_.shape(0)})
            require(length == n_columns, "an entry for each column");
        std::size_t n_rows = 0;
        for (const std::int64_t count : span_of(n_points_)) {
            require(count >= 2, "a curve has two points");
            n_rows += static_cast<std::size_t>(count);
        }
        require(n_rows == log_density_.shape(0), "a row for each point");
        for (const std::int64_t one : span_of(place_)) {
            require(one >= 0, "places are from 0 on");
            n_needed_ = std::max(n_needed_, static_cast<std::size_t>(one) + 1);
        }
    }

    std::size_t n_classes() const { return log_density_.shape(1); }
    std::size_t n_needed() const { return n_needed_; }

    KernelCurves views() const {
        return {span_of(place_),
                span_of(n_points_),
                half_low_,
                span_of(exponent_),
                span_of(origin_),
                span_of(step_),
                {log_density_.data(), log_density_.size()},
                n_classes()};
    }

  private:
    In<std::int64_t> place_, n_points_, exponent_;
    In<double> origin_, step_;
    InMatrix log_density_;
    std::vector<double> half_low_;
    std::size_t n_needed_ = 0;
};

}  // namespace

void add_bayes(nb::module_& module) {
    module.def(
        "column_facts",
        [](const FloatMatrix& matrix) {
            const std::vector<ColumnView> columns = columns_of(matrix);
            const std::size_t n_rows = matrix.shape(0);
            require_aligned(matrix);
            return give_facts(without_lock(
                [&](StopSignal& stop) { return column_facts(columns, n_rows, stop); }));
        },
        nb::arg("matrix").noconvert(),
        "The ends, middle values, mean and deviation of each column, for any order of rows.");

    module.def(
        "class_moments",
        [](const FloatMatrix& matrix, const In<std::uint32_t>& class_of_row,
           const std::optional<In<std::int64_t>>& units, std::size_t n_classes) {
            const std::vector<ColumnView> columns = columns_of(matrix);
            const std::size_t n_rows = matrix.shape(0);
            require_aligned(matrix);
            require(class_of_row.shape(0) == n_rows, "a class for each row");
            require(!units || units->shape(0) == n_rows, "units for each row");
            const ClassRows rows{span_of(class_of_row), span_of(units), n_classes};
            for (const std::uint32_t kind : rows.class_of_row)
                require(kind < n_classes, "a class is not below n_classes");
            for (const std::int64_t unit : rows.units) require(unit > 0, "units are above 0");
            return give_moments(without_lock(
                [&](StopSignal& stop) { return class_moments(columns, n_rows, rows, stop); }));
        },
        nb::arg("matrix").noconvert(), nb::arg("class_of_row").noconvert(),
        nb::arg("units").noconvert().none(), nb::arg("n_classes"),
        "Exact sums, means and deviations of each column in each class.");

    nb::class_<Curves>(module, "GaussianCurves",
                       "Gaussian curves of columns: arrays of classes × columns.")
        .def(nb::init<InMatrix, InMatrix, InMatrix, InMatrix, InMatrix, std::size_t>(),
             nb::arg("mean").noconvert(), nb::arg("deviation").noconvert(),
             nb::arg("steepness").noconvert(), nb::arg("constant").noconvert(),
             nb::arg("group_constant").noconvert(), nb::arg("group_width"));

    module.def(
        "add_gaussian_scores",
        [](const FloatMatrix& matrix, const Curves& curves, OutScores scores) {
            const std::vector<ColumnView> columns = columns_of(matrix);
            const std::size_t n_rows = matrix.shape(0);
            require_aligned(matrix);
            require(scores.shape(1) == n_rows, "scores for each row");
            const GaussianCurves views = curves.views(scores.shape(0), columns.size());
            without_lock([&](StopSignal& stop) {
                add_gaussian_scores(columns, n_rows, views, {scores.data(), scores.size()}, stop);
            });
        },
        nb::arg("matrix").noconvert(), nb::arg("curves"), nb::arg("scores").noconvert(),
        "Add the log densities of rows under Gaussian curves to scores (classes × rows).");

    nb::class_<Densities>(module, "KernelCurves",
                          "Kernel densities of columns, at points: an array of points × classes.")
        .def(nb::init<In<std::int64_t>, In<std::int64_t>, In<double>, In<std::int64_t>, In<double>,
                      In<double>, InMatrix>(),
             nb::arg("place").noconvert(), nb::arg("n_points").noconvert(),
             nb::arg("low").noconvert(), nb::arg("exponent").noconvert(),
             nb::arg("origin").noconvert(), nb::arg("step").noconvert(),
             nb::arg("log_density").noconvert());

    module.def(
        "add_kernel_scores",
        [](const FloatMatrix& matrix, const Densities& curves, OutScores scores) {
            const std::vector<ColumnView> columns = columns_of(matrix);
            const std::size_t n_rows = matrix.shape(0);
            require_aligned(matrix);
            require(curves.n_needed() <= columns.size(), "a column for each curve");
            require(scores.shape(0) == curves.n_classes() && scores.shape(1) == n_rows,
                    "scores of each class and row");
            const KernelCurves views = curves.views();
            without_lock([&](StopSignal& stop) {
                add_kernel_scores(columns, n_rows, views, {scores.data(), scores.size()}, stop);
            });
        },
        nb::arg("matrix").noconvert(), nb::arg("curves"), nb::arg("scores").noconvert(),
        "Add the log densities of rows under kernel densities to scores (classes × rows).");
}

}  // namespace branchline::bindings
