// Distances of rows with missing values: all pairs, or the nearest of a few points.
//
// With C the columns that are known in both rows, c their number and p the number of all columns:
//   euclidean    √(p/c · Σ_C (x − z)²)          manhattan    p/c · Σ_C |x − z|
//   gower        1/c · Σ_C d, d = |x − z| for numbers (divided by their range before), and 0 or 1
//                for equal and different categories
//   correlation  1 − r, r the correlation of the two rows over C
// Pairs for which this is not defined (nothing is known in both; a row that does not vary) have the
// distance `unknown`. A row has the distance 0 from itself.
//
// Rules. Columns are added in their order, so a distance depends on its two rows alone: neither
// threads nor the other rows change a bit, and d(x, z) = d(z, x). Missing cells are NaN. Requires that
// squares of numbers are finite. Nouns: a "panel" is 16 points, column after column, so that a row
// meets 16 points at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "branchline/cpu_level.hpp"
#include "branchline/stop_signal.hpp"

namespace branchline {

enum class DistanceKind : int { euclidean, manhattan, correlation, gower };

struct DistanceForm {
    DistanceKind kind = DistanceKind::euclidean;
    std::size_t n_numbers = 0;  // the columns before this one are numbers, the others categories
    double unknown = 0;
};

// A borrowed row-major matrix.
struct DistanceRows {
    const double* values = nullptr;
    std::size_t n_rows = 0, n_columns = 0;
};

// Points that are packed once. Takes a copy; may be used by several threads at once.
class DistancePoints {
  public:
    DistancePoints(const DistanceForm& form, const DistanceRows& points,
                   CpuLevel level = best_cpu_level());
    ~DistancePoints();
    DistancePoints(const DistancePoints&) = delete;
    DistancePoints& operator=(const DistancePoints&) = delete;

    std::size_t n_points() const noexcept;

    // A row in the form that it is compared in; room is used again.
    struct Probe {
        std::vector<double> values, known;
    };
    void probe(const double* row, Probe& out) const;

    // out[j] = the distance of the probe from point j, for first ≤ j < last; `first` is a multiple of 16,
    // and out has room for whole panels.
    void distances(const Probe& probe, std::size_t first, std::size_t last, double* out) const;

  private:
    struct Packed;
    std::unique_ptr<const Packed> packed_;
};

// out[i * n + j] = d(row i, row j); the upper half is computed and mirrored. Cost: n² p / 2.
void pairwise_distances(const DistanceForm& form, const DistanceRows& rows, double* out,
                        int n_threads, StopSignal& stop);

// The same, without what follows from symmetry: d(0,1), d(0,2), …, d(n−2,n−1).
void condensed_distances(const DistanceForm& form, const DistanceRows& rows, double* out,
                         int n_threads, StopSignal& stop);

// out[i * b.n_rows + j] = d(a_i, b_j).
void cross_distances(const DistanceForm& form, const DistanceRows& a, const DistanceRows& b,
                     double* out, int n_threads, StopSignal& stop);

// What a matrix that was given as distances holds. Cost: one pass over the matrix in tiles. One thread.
struct GivenDistances {
    bool usable = false;                              // all are finite and at least 0
    double largest = 0, asymmetry = 0, diagonal = 0;  // the largest |d − dᵀ| and |d(x, x)|
};
GivenDistances look_at_distances(std::span<const double> square, std::size_t n, StopSignal& stop);

// Of each row the nearest point, the second nearest (the nearest, if there is one point), and the
// distance of the nearest. Ties go to the point that stands first.
struct NearestPoints {
    std::vector<std::uint32_t> first, second;
    std::vector<double> distance;
};
NearestPoints nearest_points(const DistanceForm& form, const DistanceRows& rows,
                             const DistanceRows& points, int n_threads, StopSignal& stop);

}  // namespace branchline
