// One start of k-means: its centers, the bounds of its rows, one iteration at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "branchline/kmeans.hpp"
#include "cluster/row_blocks.hpp"
#include "cluster/screened_centers.hpp"

namespace branchline::cluster {

class KMeansRun {
  public:
    KMeansRun(const RowPanels& rows, const RowBlocks& blocks, std::size_t n_clusters);

    void start_at(const std::vector<std::uint32_t>& chosen);
    void start_at(std::span<const double> centers);
    void start_from(const std::vector<std::int32_t>& labels);

    // Moves the rows of a block to their nearest centers; any thread.
    void look_at(std::size_t block);
    // After all blocks: centers become means. True when nothing is left to do.
    bool update(double tolerance);

    // After the last iteration: means of the rows as they are, nearest centers, W; in this order.
    void sum_block(std::size_t block);
    void take_means();
    void place_block(std::size_t block);
    double inertia() const noexcept;

    std::size_t n_iterations() const noexcept { return n_iterations_; }
    bool has_converged() const noexcept { return has_converged_; }
    std::vector<double>& centers() noexcept { return centers_; }
    std::vector<std::int32_t>& labels() noexcept { return labels_; }

  private:
    // What the rows of a block add to the sums of clusters.
    struct Change {
        std::vector<double> sums, weights;
        std::vector<std::int64_t> n_rows;
        std::size_t n_moved = 0;
        double inertia = 0;
    };

    void add(Change& change, std::size_t row, std::size_t cluster, double sign) const;
    void move(Change& change, std::size_t row, const Nearest& nearest);
    void clear(Change& change) const;
    void add_changes();
    void means_of_sums();
    void fill_empty_clusters();
    void measure_centers();
    bool is_settled(std::size_t row);

    const RowPanels& rows_;
    const RowBlocks& blocks_;
    std::size_t k_, d_, n_weights_;  // n_weights_: per cluster 1, or d where cells are missing
    std::vector<double> centers_, last_centers_, sums_, weights_;
    std::vector<std::int64_t> n_members_;
    std::vector<std::int32_t> labels_;
    std::vector<double> upper_, lower_, drift_, half_;
    std::size_t farthest_mover_ = 0;
    double largest_drift_ = 0, second_drift_ = 0;
    std::vector<Change> changes_;
    ScreenedCenters screened_;
    std::size_t n_iterations_ = 0;
    bool has_converged_ = false;
};

}  // namespace branchline::cluster
