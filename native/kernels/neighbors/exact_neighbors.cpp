#include "branchline/exact_neighbors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace branchline {

namespace neighbors {

namespace {

constexpr std::size_t lanes = 8;

template <class Term>
double sum_of(const double* a, const double* b, std::size_t n, Term&& term) {
    std::array<double, lanes> sums{};
    std::size_t at = 0;
    for (; at + lanes <= n; at += lanes) {
        for (std::size_t k = 0; k < lanes; ++k) sums[k] += term(a[at + k] - b[at + k]);
    }
    for (std::size_t k = 0; at + k < n; ++k) sums[k] += term(a[at + k] - b[at + k]);
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
           ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

double distance_of(const double* a, const double* b, std::size_t n, PointMetric metric) {
    if (metric == PointMetric::manhattan) {
        return sum_of(a, b, n, [](double apart) { return std::abs(apart); });
    }
    return std::sqrt(sum_of(a, b, n, [](double apart) { return apart * apart; }));
}

// Points by distance; those of a tie by number, and with the distance of its first.
Neighbors with_ties(std::vector<double>&& distance, std::vector<std::int64_t>&& point,
                    std::size_t k, double tie) {
    Neighbors found;
    std::vector<std::size_t> order(point.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return distance[a] < distance[b]; });
    for (std::size_t begin = 0; begin < order.size() && found.point.size() < k;) {
        const double shared = distance[order[begin]];
        std::size_t end = begin + 1;
        for (double last = shared; end < order.size(); ++end) {
            const double next = distance[order[end]];
            if (next - last > tie * next) break;
            last = next;
        }
        for (std::size_t at = begin; at < end; ++at) {
            found.point.push_back(point[order[at]]);
            found.distance.push_back(shared);
            found.tie_first.push_back(static_cast<std::int64_t>(begin));
            found.tie_end.push_back(static_cast<std::int64_t>(end));
        }
        const auto first = found.point.begin() + static_cast<std::ptrdiff_t>(begin);
        std::sort(first, found.point.end());
        begin = end;
    }
    found.first = {0, static_cast<std::int64_t>(found.point.size())};
    return found;
}

void check(const NeighborsView& nearest, std::size_t k, std::size_t n_points) {
    const std::size_t n = nearest.point.size();
    bool fits = !nearest.first.empty() && nearest.first[0] == 0 && nearest.distance.size() == n &&
                nearest.tie_first.size() == n && nearest.tie_end.size() == n && k > 0 &&
                nearest.first.back() == static_cast<std::int64_t>(n);
    for (std::size_t q = 0; q + 1 < nearest.first.size(); ++q) {
        fits = fits && nearest.first[q + 1] - nearest.first[q] >= static_cast<std::int64_t>(k);
    }
    for (std::size_t i = 0; fits && i < n; ++i) {
        fits = nearest.point[i] >= 0 && nearest.point[i] < static_cast<std::int64_t>(n_points) &&
               nearest.tie_first[i] >= 0 && nearest.tie_end[i] <= static_cast<std::int64_t>(n) &&
               nearest.tie_first[i] < nearest.tie_end[i];
    }
    if (!fits) throw std::invalid_argument("k neighbors of each query, and the ties they are in");
}

// The neighbors of one query that count.
struct Counting {
    std::size_t begin, tie_first, tie_end;
    double share;  // of each that ties with the k-th
    double nearest;
    bool by_distance;

    Counting(const NeighborsView& view, std::size_t query, std::size_t k, bool weighted)
        : begin(static_cast<std::size_t>(view.first[query])), by_distance(weighted) {
        const std::size_t last = begin + k - 1;
        tie_first = static_cast<std::size_t>(view.tie_first[last]);
        tie_end = static_cast<std::size_t>(view.tie_end[last]);
        share =
            static_cast<double>(begin + k - tie_first) / static_cast<double>(tie_end - tie_first);
        nearest = view.distance[begin];
    }
    double closeness(double distance) const {
        if (!by_distance) return 1;
        return nearest > 0 ? nearest / distance : distance == 0 ? 1 : 0;
    }
};

double rounded(double vote) {
    constexpr double unit = 0x1p-40;
    return std::nearbyint(vote / unit) * unit;
}

}  // namespace

}  // namespace neighbors

std::vector<double> distances_of_pairs(const PointTable& queries, const PointTable& points,
                                       std::span<const std::int64_t> query,
                                       std::span<const std::int64_t> point, PointMetric metric) {
    if (query.size() != point.size() || queries.n_columns != points.n_columns) {
        throw std::invalid_argument("a point for each query, with the same coordinates");
    }
    std::vector<double> found(query.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto q = static_cast<std::size_t>(query[i]), p = static_cast<std::size_t>(point[i]);
        if (q >= queries.n_rows || p >= points.n_rows) {
            throw std::invalid_argument("a query or a point is not there");
        }
        found[i] = neighbors::distance_of(queries.row(q), points.row(p), points.n_columns, metric);
    }
    return found;
}

Neighbors neighbors_of_one(const double* query, const PointTable& points, std::size_t k, double tie,
                           PointMetric metric) {
    if (k == 0 || k > points.n_rows) throw std::invalid_argument("k of the points");
    std::vector<double> all(points.n_rows);
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = neighbors::distance_of(query, points.row(i), points.n_columns, metric);
    }
    std::vector<double> ranked = all;
    const auto last = ranked.begin() + static_cast<std::ptrdiff_t>(k - 1);
    std::nth_element(ranked.begin(), last, ranked.end());
    const double bound = *last * (1 + 4 * tie);
    std::vector<double> distance;
    std::vector<std::int64_t> point;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!(all[i] <= bound)) continue;
        distance.push_back(all[i]);
        point.push_back(static_cast<std::int64_t>(i));
    }
    return neighbors::with_ties(std::move(distance), std::move(point), k, tie);
}

std::vector<double> class_votes(const NeighborsView& nearest, std::size_t k, bool by_distance,
                                std::span<const std::uint32_t> class_of_point,
                                std::size_t n_classes) {
    neighbors::check(nearest, k, class_of_point.size());
    std::vector<double> votes(nearest.n_queries() * n_classes), at_last(n_classes);
    for (std::size_t query = 0; query < nearest.n_queries(); ++query) {
        const neighbors::Counting counting(nearest, query, k, by_distance);
        double* const own = votes.data() + query * n_classes;
        std::fill(at_last.begin(), at_last.end(), 0.0);
        for (std::size_t i = counting.begin; i < counting.tie_end; ++i) {
            const std::uint32_t label = class_of_point[static_cast<std::size_t>(nearest.point[i])];
            if (label >= n_classes) throw std::invalid_argument("a class is not there");
            const double vote = neighbors::rounded(counting.closeness(nearest.distance[i]));
            (i < counting.tie_first ? own[label] : at_last[label]) += vote;
        }
        for (std::size_t c = 0; c < n_classes; ++c) own[c] += counting.share * at_last[c];
    }
    return votes;
}

std::vector<double> number_means(const NeighborsView& nearest, std::size_t k, bool by_distance,
                                 std::span<const double> value_of_point) {
    neighbors::check(nearest, k, value_of_point.size());
    std::vector<double> means(nearest.n_queries());
    for (std::size_t query = 0; query < means.size(); ++query) {
        const neighbors::Counting counting(nearest, query, k, by_distance);
        std::array<double, 2> total{}, sum{};  // nearer than the k-th, and at its distance
        for (std::size_t i = counting.begin; i < counting.tie_end; ++i) {
            const std::size_t which = i < counting.tie_first ? 0 : 1;
            const double count = counting.closeness(nearest.distance[i]);
            total[which] += count;
            sum[which] += value_of_point[static_cast<std::size_t>(nearest.point[i])] * count;
        }
        means[query] = (sum[0] + counting.share * sum[1]) / (total[0] + counting.share * total[1]);
    }
    return means;
}

}  // namespace branchline
