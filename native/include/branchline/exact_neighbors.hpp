// Exact distances of pairs of points, the nearest points of one query, and what neighbors vote for.
//
// A distance is √Σ (q_j − t_j)² or Σ |q_j − t_j|, summed in eight lanes: it is the same bits whatever
// else is asked for. Distances that differ by less than `tie` of the larger one are equal, and share
// the least of them.
//
// With d the distance of the k-th nearest point, those nearer than d count 1 each, the t ones at d count
// (k − c) / t each, where c are nearer. Weighted by distance, counts are multiplied by closeness: the
// distance of the nearest over that of the point; where the nearest is at 0, 1 at 0 and 0 elsewhere.
// Votes are rounded to multiples of 2⁻⁴⁰, of which sums are exact.
//
// Allocates its results; no threads, no random numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace branchline {

enum class PointMetric { euclidean, manhattan };

// Rows of n_columns coordinates each.
struct PointTable {
    const double* values = nullptr;
    std::size_t n_rows = 0, n_columns = 0;
    const double* row(std::size_t i) const { return values + i * n_columns; }
};

// The distance of query[i] and point[i] for each i.
std::vector<double> distances_of_pairs(const PointTable& queries, const PointTable& points,
                                       std::span<const std::int64_t> query,
                                       std::span<const std::int64_t> point, PointMetric metric);

// Neighbors by query, distance and, within a tie, number. first: where those of each query begin, and
// where all end; tie_first and tie_end: where the tie of an entry begins and ends.
struct Neighbors {
    std::vector<std::int64_t> first, point, tie_first, tie_end;
    std::vector<double> distance;
};
struct NeighborsView {
    std::span<const std::int64_t> first, point, tie_first, tie_end;
    std::span<const double> distance;
    std::size_t n_queries() const { return first.empty() ? 0 : first.size() - 1; }
};

// The k nearest points of one query, and all that tie with the k-th; 1 ≤ k ≤ the number of points.
Neighbors neighbors_of_one(const double* query, const PointTable& points, std::size_t k, double tie,
                           PointMetric metric);

// The votes for each class, a row of them for each query.
std::vector<double> class_votes(const NeighborsView& nearest, std::size_t k, bool by_distance,
                                std::span<const std::uint32_t> class_of_point,
                                std::size_t n_classes);

// The mean number of the neighbors of each query, weighted by their counts.
std::vector<double> number_means(const NeighborsView& nearest, std::size_t k, bool by_distance,
                                 std::span<const double> value_of_point);

}  // namespace branchline
