// Points ready to be searched by products in single precision: which of them can be among the nearest.
//
// Of a query q and a point t, score = ‖t‖² − 2 q·t: the squared distance less ‖q‖². With `error` a bound
// of the rounding error of a query's scores and A its k-th smallest score, the candidates are the points
// with score ≤ A + 2 error: none of the k nearest can be missing, nor any that ties with the k-th. A few
// more may be among them; callers compute exact distances.
//
// Requires: finite coordinates whose sums of squares are far from overflow; 1 ≤ k ≤ the number of points.
// Cost: queries × points × columns; memory: the points, and the candidates. The candidates do not depend
// on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "branchline/stop_signal.hpp"

namespace branchline {

// The candidates of all queries one after the other, those of a query in order of their numbers.
struct NearCandidates {
    std::vector<std::int64_t> query;
    std::vector<std::int64_t> point;
};

class NearPoints {
  public:
    // `points` are n_points rows of n_columns numbers.
    NearPoints(const float* points, std::size_t n_points, std::size_t n_columns);

    std::size_t n_points() const noexcept { return n_points_; }
    std::size_t n_columns() const noexcept { return n_columns_; }

    // `queries` are rows of n_columns numbers, as many as errors.
    NearCandidates candidates(const float* queries, std::span<const double> errors, std::size_t k,
                              int n_threads, StopSignal& stop) const;

  private:
    std::size_t n_points_, n_columns_;
    std::vector<float> products_, base_;  // in tiles; see near_kernels.hpp
};

}  // namespace branchline
