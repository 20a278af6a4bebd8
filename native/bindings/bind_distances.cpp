#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "branchline/distances.hpp"
#include "branchline/linkage.hpp"
#include "branchline/medoids.hpp"
#include "branchline/nearest_rows.hpp"
#include "branchline/self_organizing_map.hpp"
#include "interrupt.hpp"
#include "large_array.hpp"

namespace branchline::bindings {

namespace {

using InRows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using InOutRows = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutRows = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

DistanceRows rows_of(const InRows& matrix) {
    return {matrix.data(), matrix.shape(0), matrix.shape(1)};
}

std::span<const double> square_of(const InRows& matrix, std::size_t n) {
    require(matrix.shape(0) == n && matrix.shape(1) == n, "a square matrix of distances");
    return {matrix.data(), n * n};
}

nb::capsule owner_of(LargeArray values) {
    return nb::capsule(values.release(),
                       [](void* p) noexcept { FreeArray()(static_cast<double*>(p)); });
}

OutRows owned(LargeArray values, std::size_t n_rows, std::size_t n_columns) {
    double* const data = values.get();
    return OutRows(data, {n_rows, n_columns}, owner_of(std::move(values)));
}

DistanceForm form_of(int kind, std::size_t n_numbers, double unknown) {
    require(kind >= 0 && kind <= 3, "a kind of distance");
    return {static_cast<DistanceKind>(kind), n_numbers, unknown};
}

nb::tuple tree_of(ClusterTree&& tree) {
    return nb::make_tuple(give(std::move(tree.first)), give(std::move(tree.second)),
                          give(std::move(tree.height)));
}

void add_row_distances(nb::module_& module) {
    nb::class_<DistanceForm>(module, "DistanceForm", "How rows are compared.")
        .def(
            "__init__",
            [](DistanceForm* self, int kind, std::size_t n_numbers, double unknown) {
                new (self) DistanceForm(form_of(kind, n_numbers, unknown));
            },
            nb::arg("kind"), nb::arg("n_numbers"), nb::arg("unknown"));
    module.def(
        "row_distances",
        [](const DistanceForm& form, const InRows& a, const std::optional<InRows>& b,
           int n_threads) {
            const DistanceRows rows = rows_of(a), points = b ? rows_of(*b) : rows;
            auto out = large_array(rows.n_rows * points.n_rows);
            without_lock([&](StopSignal& stop) {
                b ? cross_distances(form, rows, points, out.get(), n_threads, stop)
                  : pairwise_distances(form, rows, out.get(), n_threads, stop);
            });
            return owned(std::move(out), rows.n_rows, points.n_rows);
        },
        nb::arg("form"), nb::arg("a").noconvert(), nb::arg("b").noconvert().none(),
        nb::arg("n_threads"), "The distance of each row of a from each row of b, or of a.");
    module.def(
        "condensed_distances",
        [](const DistanceForm& form, const InRows& a, int n_threads) {
            const DistanceRows rows = rows_of(a);
            const std::size_t n_pairs = rows.n_rows * (rows.n_rows - (rows.n_rows > 0)) / 2;
            LargeArray out = large_array(n_pairs);
            without_lock([&](StopSignal& stop) {
                condensed_distances(form, rows, out.get(), n_threads, stop);
            });
            double* const data = out.get();
            return Out<double>(data, {n_pairs}, owner_of(std::move(out)));
        },
        nb::arg("form"), nb::arg("a").noconvert(), nb::arg("n_threads"),
        "The distances of pairs of rows: 0 and 1, 0 and 2, and so on.");
    module.def(
        "nearest_points",
        [](const DistanceForm& form, const InRows& rows, const InRows& points, int n_threads) {
            NearestPoints found = without_lock([&](StopSignal& stop) {
                return nearest_points(form, rows_of(rows), rows_of(points), n_threads, stop);
            });
            return nb::make_tuple(give(std::move(found.first)), give(std::move(found.second)),
                                  give(std::move(found.distance)));
        },
        nb::arg("form"), nb::arg("rows").noconvert(), nb::arg("points").noconvert(),
        nb::arg("n_threads"), "Of each row the nearest point, the second nearest, the distance.");
    module.def(
        "nearest_rows",
        [](const DistanceForm& form, const InRows& rows, const std::optional<InRows>& points,
           std::size_t k, int n_threads) {
            NearestRows found = without_lock([&](StopSignal& stop) {
                return nearest_rows(form, rows_of(rows), points ? rows_of(*points) : rows_of(rows),
                                    k, !points, n_threads, stop);
            });
            return nb::make_tuple(give(std::move(found.place)), give(std::move(found.distance)));
        },
        nb::arg("form"), nb::arg("rows").noconvert(), nb::arg("points").noconvert().none(),
        nb::arg("k"), nb::arg("n_threads"),
        "Of each row the k nearest points, or other rows: their places and distances, k by k.");
}

void add_map(nb::module_& module) {
    module.def(
        "train_map",
        [](const InRows& values, const In<double>& weights, const InRows& apart,
           const InOutRows& codes, const nb::tuple& training) {
            require(training.size() == 6, "steps, two rates, two radii, seed");
            require(values.shape(1) == codes.shape(1) && apart.shape(0) == apart.shape(1) &&
                        values.shape(0) == weights.shape(0) && apart.shape(0) == codes.shape(0),
                    "codes have the columns of the rows");
            const MapTraining how{
                nb::cast<std::int64_t>(training[0]), nb::cast<double>(training[1]),
                nb::cast<double>(training[2]),       nb::cast<double>(training[3]),
                nb::cast<double>(training[4]),       nb::cast<std::uint64_t>(training[5])};
            const MapRows rows{{values.data(), values.size()}, span_of(weights), values.shape(1)};
            without_lock([&](StopSignal& stop) {
                train_map(rows, {apart.data(), apart.size()}, {codes.data(), codes.size()}, how,
                          stop);
            });
        },
        nb::arg("values").noconvert(), nb::arg("weights").noconvert(), nb::arg("apart").noconvert(),
        nb::arg("codes").noconvert(), nb::arg("training"),
        "Train the codes of a self-organizing map row by row, in place.");
}

}  // namespace

void add_distances(nb::module_& module) {
    add_row_distances(module);
    add_map(module);
    module.def(
        "look_at_distances",
        [](const InRows& distances) {
            const std::size_t n = distances.shape(0);
            const GivenDistances seen = without_lock([&](StopSignal& stop) {
                return look_at_distances(square_of(distances, n), n, stop);
            });
            return nb::make_tuple(seen.usable, seen.largest, seen.asymmetry, seen.diagonal);
        },
        nb::arg("distances").noconvert(),
        "Whether all are usable, the largest, the largest asymmetry, the largest of the diagonal.");
    module.def(
        "join_clusters",
        [](int linkage, const InOutRows& distances, const In<double>& sizes) {
            const std::size_t n = sizes.shape(0);
            require(linkage >= 0 && linkage <= 3, "a linkage");
            require(distances.shape(0) == n && distances.shape(1) == n,
                    "a square matrix of distances");
            return tree_of(without_lock([&](StopSignal& stop) {
                return join_clusters(static_cast<Linkage>(linkage), {distances.data(), n * n},
                                     span_of(sizes), stop);
            }));
        },
        nb::arg("linkage"), nb::arg("distances").noconvert(), nb::arg("sizes").noconvert(),
        "A tree of clusters, the nearest joined first; overwrites the distances.");
    module.def(
        "divide_clusters",
        [](const InRows& distances, const In<double>& sizes) {
            return tree_of(without_lock([&](StopSignal& stop) {
                return divide_clusters(square_of(distances, sizes.shape(0)), span_of(sizes), stop);
            }));
        },
        nb::arg("distances").noconvert(), nb::arg("sizes").noconvert(),
        "A tree of clusters, divided from the top.");
    module.def(
        "find_medoids",
        [](const InRows& distances, const In<double>& weights, std::size_t k,
           const In<std::uint32_t>& start) {
            Medoids found = without_lock([&](StopSignal& stop) {
                return find_medoids(square_of(distances, weights.shape(0)), span_of(weights), k,
                                    span_of(start), stop);
            });
            return nb::make_tuple(give(std::move(found.rows)), found.loss, found.n_swaps);
        },
        nb::arg("distances").noconvert(), nb::arg("weights").noconvert(), nb::arg("k"),
        nb::arg("start").noconvert(), "Medoids, the loss and the number of swaps.");
}

}  // namespace branchline::bindings
