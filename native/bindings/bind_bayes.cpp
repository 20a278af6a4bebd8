#include <nanobind/stl/optional.h>

#include "branchline/class_moments.hpp"
#include "branchline/gaussian_scores.hpp"
#include "columns.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

using InMatrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutScores = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void require_aligned(const FloatMatrix& matrix) {
    require(reinterpret_cast<std::uintptr_t>(matrix.data()) % matrix.itemsize() == 0,
            "an array is not aligned");
}

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

}  // namespace

void add_bayes(nb::module_& module) {
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
}

}  // namespace branchline::bindings
