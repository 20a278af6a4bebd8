#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "branchline/distance_sums.hpp"
#include "branchline/kmeans.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Weights = std::optional<In<double>>;

ClusterRows rows_of(const Matrix& values, const Weights& weights) {
    require(values.shape(1) > 0, "at least one column");
    require(!weights || weights->shape(0) == values.shape(0), "a weight for each row");
    return {{values.data(), values.size()}, values.shape(0), values.shape(1), span_of(weights)};
}

std::span<const double> centers_of(const Matrix& centers, const Matrix& values) {
    require(centers.shape(1) == values.shape(1) && centers.shape(0) > 0,
            "centers have the columns of the rows");
    return {centers.data(), centers.size()};
}

}  // namespace

void add_clusters(nb::module_& module) {
    module.def(
        "fit_kmeans",
        [](const Matrix& values, const Weights& weights, const nb::tuple& sizes,
           const nb::object& start, std::uint64_t seed, int n_threads) {
            require(sizes.size() == 4, "clusters, starts, iterations, tolerance");
            KMeansOptions options;
            options.n_clusters = nb::cast<std::size_t>(sizes[0]);
            options.n_starts = nb::cast<std::size_t>(sizes[1]);
            options.max_iterations = nb::cast<std::size_t>(sizes[2]);
            options.tolerance = nb::cast<double>(sizes[3]);
            options.seed = seed;
            options.n_threads = n_threads;
            Matrix given;
            if (nb::try_cast(start, given, false)) {
                options.start = KMeansStart::given;
                options.given = centers_of(given, values);
                require(given.shape(0) == options.n_clusters, "a center for each cluster");
            } else {
                options.start =
                    nb::cast<bool>(start) ? KMeansStart::plus_plus : KMeansStart::random_assignment;
            }
            const ClusterRows rows = rows_of(values, weights);
            KMeansFit fit =
                without_lock([&](StopSignal& stop) { return fit_kmeans(rows, options, stop); });
            return nb::make_tuple(give(std::move(fit.centers)), give(std::move(fit.labels)),
                                  fit.inertia, fit.n_iterations, fit.has_converged,
                                  give(std::move(fit.inertia_of_start)));
        },
        nb::arg("values").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("sizes"),
        nb::arg("start"), nb::arg("seed"), nb::arg("n_threads"),
        "The best of several starts of k-means; start: k-means++ (true), random assignment "
        "(false), or centers.");
    module.def(
        "nearest_centers",
        [](const Matrix& values, const Matrix& centers, int n_threads) {
            const ClusterRows rows = rows_of(values, {});
            const auto wanted = centers_of(centers, values);
            return give(without_lock(
                [&](StopSignal& stop) { return nearest_centers(rows, wanted, n_threads, stop); }));
        },
        nb::arg("values").noconvert(), nb::arg("centers").noconvert(), nb::arg("n_threads"),
        "The nearest center of each row.");
    module.def(
        "center_distances",
        [](const Matrix& values, const Matrix& centers, int n_threads) {
            const ClusterRows rows = rows_of(values, {});
            const auto wanted = centers_of(centers, values);
            return give(without_lock(
                [&](StopSignal& stop) { return center_distances(rows, wanted, n_threads, stop); }));
        },
        nb::arg("values").noconvert(), nb::arg("centers").noconvert(), nb::arg("n_threads"),
        "Squared distances of rows to centers, row after row.");
    module.def(
        "distance_sums",
        [](const Matrix& values, const Weights& weights, const In<std::int64_t>& starts,
           int n_threads) {
            const ClusterRows rows = rows_of(values, weights);
            const auto from = span_of(starts);
            require(from.size() >= 2 && from.front() == 0 &&
                        from.back() == static_cast<std::int64_t>(rows.n_rows),
                    "starts from 0 to the number of rows");
            for (std::size_t at = 1; at < from.size(); ++at) {
                require(from[at - 1] <= from[at], "starts that increase");
            }
            return give(without_lock(
                [&](StopSignal& stop) { return distance_sums(rows, from, n_threads, stop); }));
        },
        nb::arg("values").noconvert(), nb::arg("weights").noconvert().none(),
        nb::arg("starts").noconvert(), nb::arg("n_threads"),
        "Sums of distances from each row to the rows of each cluster.");
}

}  // namespace branchline::bindings
