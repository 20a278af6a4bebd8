#include "arrays.hpp"
#include "branchline/near_points.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

using InFloats = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

}  // namespace

void add_near_points(nb::module_& module) {
    nb::class_<NearPoints>(module, "NearPoints", "Points whose nearest ones can be looked for.")
        .def(
            "__init__",
            [](NearPoints* self, const InFloats& points) {
                new (self) NearPoints(points.data(), points.shape(0), points.shape(1));
            },
            nb::arg("points").noconvert())
        .def(
            "candidates",
            [](const NearPoints& points, const InFloats& queries, const In<double>& errors,
               std::size_t k, int n_threads) {
                require(queries.shape(1) == points.n_columns(), "queries of the points' columns");
                require(queries.shape(0) == errors.shape(0), "an error for each query");
                NearCandidates found = without_lock([&](StopSignal& stop) {
                    return points.candidates(queries.data(), span_of(errors), k, n_threads, stop);
                });
                return nb::make_tuple(give(std::move(found.query)), give(std::move(found.point)));
            },
            nb::arg("queries").noconvert(), nb::arg("errors").noconvert(), nb::arg("k"),
            nb::arg("n_threads"),
            "Query and point of each pair that can be among the k nearest, or tie with them.");
}

}  // namespace branchline::bindings
