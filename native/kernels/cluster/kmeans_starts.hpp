// Where k-means starts: k-means++, or a random cluster for each row.
#pragma once

#include <cstdint>
#include <vector>

#include "branchline/kmeans.hpp"
#include "branchline/thread_pool.hpp"
#include "cluster/row_blocks.hpp"
#include "cluster/row_panels.hpp"

namespace branchline::cluster {

// All rows in panels, made once for all starts.
class SeedRows {
  public:
    SeedRows(const RowPanels& rows, const RowBlocks& blocks);

    // k-means++: the rows that are the first centers.
    std::vector<std::uint32_t> plus_plus(std::size_t n_clusters, std::uint64_t seed,
                                         std::uint64_t start, ThreadPool& pool) const;

  private:
    struct Sums {
        std::vector<double> of_block;  // Σ weight · D² of each block
        double total() const noexcept;
    };

    std::uint32_t draw(const std::vector<float>& nearest, const Sums& sums, double share) const;
    std::uint32_t draw_by_weight(double share) const;
    // D² of all rows when `candidates` are added one at a time; columns of `found`, one a candidate.
    std::vector<Sums> try_all(const std::vector<std::uint32_t>& candidates,
                              const std::vector<float>& nearest, std::vector<float>& found,
                              ThreadPool& pool) const;
    void try_block(std::size_t block, const std::vector<std::uint32_t>& candidates,
                   const std::vector<float>& nearest, std::vector<float>& found,
                   std::vector<Sums>& sums) const;

    const RowPanels& rows_;
    const RowBlocks& blocks_;
    const NearestKernels& kernels_;
    std::size_t panels_of_block_, panel_size_;
    std::vector<float> panels_, known_;
    std::vector<char> has_missing_;  // of each panel
};

// A random cluster for each row, as textbooks print it.
std::vector<std::int32_t> random_assignment(std::size_t n_rows, std::size_t n_clusters,
                                            std::uint64_t seed, std::uint64_t start);

}  // namespace branchline::cluster
