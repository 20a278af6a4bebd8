#include "arrays.hpp"
#include "branchline/exact_neighbors.hpp"

namespace branchline::bindings {

namespace {

using Points = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Places = In<std::int64_t>;

PointTable table_of(const Points& points) {
    return {points.data(), points.shape(0), points.shape(1)};
}

PointMetric metric_of(bool is_manhattan) {
    return is_manhattan ? PointMetric::manhattan : PointMetric::euclidean;
}

NeighborsView view_of(const nb::tuple& nearest) {
    require(nearest.size() == 5, "first, point, distance, tie_first and tie_end");
    const auto places = [&](std::size_t at) {
        return span_of(array_in<Places>(nearest[at], "places are int64 arrays"));
    };
    const auto distance = span_of(array_in<In<double>>(nearest[2], "distances are float64"));
    return {places(0), places(1), places(3), places(4), distance};
}

}  // namespace

void add_exact_neighbors(nb::module_& module) {
    module.def(
        "distances_of_pairs",
        [](const Points& queries, const Points& points, const Places& query, const Places& point,
           bool is_manhattan) {
            return give(distances_of_pairs(table_of(queries), table_of(points), span_of(query),
                                           span_of(point), metric_of(is_manhattan)));
        },
        nb::arg("queries").noconvert(), nb::arg("points").noconvert(), nb::arg("query").noconvert(),
        nb::arg("point").noconvert(), nb::arg("is_manhattan"),
        "The distance of each pair of a query and a point.");
    module.def(
        "neighbors_of_one",
        [](const Points& query, const Points& points, std::size_t k, double tie,
           bool is_manhattan) {
            require(query.shape(0) == 1 && query.shape(1) == points.shape(1),
                    "one query, with the points' coordinates");
            Neighbors found =
                neighbors_of_one(query.data(), table_of(points), k, tie, metric_of(is_manhattan));
            return nb::make_tuple(give(std::move(found.first)), give(std::move(found.point)),
                                  give(std::move(found.distance)), give(std::move(found.tie_first)),
                                  give(std::move(found.tie_end)));
        },
        nb::arg("query").noconvert(), nb::arg("points").noconvert(), nb::arg("k"), nb::arg("tie"),
        nb::arg("is_manhattan"),
        "The nearest points of one query: first, point, distance, tie_first, tie_end.");
    module.def(
        "neighbor_votes",
        [](const nb::tuple& nearest, std::size_t k, bool by_distance,
           const In<std::uint32_t>& class_of_point, std::size_t n_classes) {
            return give(
                class_votes(view_of(nearest), k, by_distance, span_of(class_of_point), n_classes));
        },
        nb::arg("nearest"), nb::arg("k"), nb::arg("by_distance"),
        nb::arg("class_of_point").noconvert(), nb::arg("n_classes"),
        "The votes of the nearest points for each class, row by row.");
    module.def(
        "neighbor_means",
        [](const nb::tuple& nearest, std::size_t k, bool by_distance,
           const In<double>& value_of_point) {
            return give(number_means(view_of(nearest), k, by_distance, span_of(value_of_point)));
        },
        nb::arg("nearest"), nb::arg("k"), nb::arg("by_distance"),
        nb::arg("value_of_point").noconvert(),
        "The mean number of the nearest points, for each query.");
}

}  // namespace branchline::bindings
