// k-means: rows are put into k clusters so that W = Σ_row weight · ‖x − center of its cluster‖² is small.
//
// Lloyd's iteration: each row goes to its nearest center, each center becomes the mean of its rows, until no
// row moves. Each step lowers W. Missing cells (NaN) are left out of distances and of means; an assignment
// does not change when the distance is scaled up to all columns, so W counts the cells that are known.
//
// Starts: k-means++ (Arthur and Vassilvitskii 2007): a next center is drawn with probability weight · D²,
// D the (scaled-up) distance to the nearest center so far; of 2 + ⌊ln k⌋ draws the one with the least sum
// of D² is kept. Or, as printed in textbooks, a random cluster for each row.
//
// Bounds (Hamerly 2010): a row keeps an upper bound of the distance to its center and a lower bound of the
// distance to all others; centers that move by p change them by p. A row whose bounds do not cross is
// passed over. The others are compared with all centers 32 at a time in float, with a bound
// of the rounding; what this leaves open is decided in double. So the result is that of comparing all
// distances in double (ties go to the lower cluster), whatever the processor.
//
// Nouns: a "start" is one run from its own draws; a "block" is a fixed range of rows whose sums are added
// in order, so that threads do not change a bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "branchline/stop_signal.hpp"

namespace branchline {

// Rows of numbers, one after the other; NaN where a cell is missing.
struct ClusterRows {
    std::span<const double> values;
    std::size_t n_rows = 0, n_columns = 0;
    std::span<const double> weights;  // empty: every row weighs 1
};

enum class KMeansStart : int { plus_plus, random_assignment, given };

struct KMeansOptions {
    std::size_t n_clusters = 2, n_starts = 1, max_iterations = 300;
    double tolerance = 0;  // stops when centers move by less (summed squares)
    KMeansStart start = KMeansStart::plus_plus;
    std::span<const double> given;  // centers to start from, for KMeansStart::given
    std::uint64_t seed = 0;
    int n_threads = 1;
};

struct KMeansFit {
    std::vector<double> centers;       // n_clusters × n_columns
    std::vector<std::int32_t> labels;  // the nearest center of each row
    double inertia = 0;                // W
    std::size_t n_iterations = 0;
    bool has_converged = false;
    std::vector<double> inertia_of_start;
};

// The start with the least W (the first of several). A cluster that loses all rows gets the row that is
// farthest from its center; it stays empty where there are fewer distinct rows than clusters.
// Requires: 1 ≤ n_clusters ≤ n_rows, weights above 0, finite known cells, squares of them finite.
// Cost: about rows × clusters × columns / 30 ns for rows that are looked at. Allocates a copy of the rows
// in float, and 20 bytes for each row and start. Draws from (seed, start).
KMeansFit fit_kmeans(const ClusterRows& rows, const KMeansOptions& options, StopSignal& stop);

// The nearest center of each row, decided in double; the first of several. n_centers × n_columns numbers.
std::vector<std::int32_t> nearest_centers(const ClusterRows& rows, std::span<const double> centers,
                                          int n_threads, StopSignal& stop);

// out[row · n_centers + center] = squared distance over the known cells, scaled up to all columns; 0 for a
// row without known cells.
std::vector<double> center_distances(const ClusterRows& rows, std::span<const double> centers,
                                     int n_threads, StopSignal& stop);

}  // namespace branchline
