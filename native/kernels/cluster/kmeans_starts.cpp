#include "cluster/kmeans_starts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "branchline/random.hpp"

namespace branchline::cluster {

namespace {

// A number from 0 to 1, below 1.
double share_of(std::uint64_t word) noexcept { return static_cast<double>(word >> 11) * 0x1p-53; }

constexpr std::uint64_t clusters_of_rows = 1;  // what the draws of a start are for

}  // namespace

std::vector<std::int32_t> random_assignment(std::size_t n_rows, std::size_t n_clusters,
                                            std::uint64_t seed, std::uint64_t start) {
    std::vector<std::int32_t> labels(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
        const RandomBlock block = philox({row, 0, clusters_of_rows, 0}, {seed, start});
        const double place = share_of(block[0]) * static_cast<double>(n_clusters);
        labels[row] = static_cast<std::int32_t>(place);
    }
    return labels;
}

double SeedRows::Sums::total() const noexcept {
    double sum = 0;
    for (const double part : of_block) sum += part;
    return sum;
}

SeedRows::SeedRows(const RowPanels& rows, const RowBlocks& blocks)
    : rows_(rows), blocks_(blocks), kernels_(nearest_kernels_for(best_cpu_level())),
      panels_of_block_((blocks.n_of_block + panel_rows - 1) / panel_rows),
      panel_size_(rows.n_columns() * panel_rows),
      panels_(blocks.n_blocks * panels_of_block_ * panel_size_),
      known_(rows.some_missing() ? panels_.size() : 0),
      has_missing_(blocks.n_blocks * panels_of_block_, 0) {
    Panel panel(rows.n_columns());
    std::uint32_t which[panel_rows];
    for (std::size_t at = 0; at < has_missing_.size(); ++at) {
        const std::size_t block = at / panels_of_block_;
        const std::size_t first = blocks.begin(block) + at % panels_of_block_ * panel_rows;
        const std::size_t end = std::min(blocks.end(block), first + panel_rows);
        if (first >= end) continue;
        for (std::size_t row = first; row < end; ++row) {
            which[row - first] = static_cast<std::uint32_t>(row);
        }
        rows.gather(which, end - first, panel);
        std::copy(panel.rows.begin(), panel.rows.end(), &panels_[at * panel_size_]);
        has_missing_[at] = panel.has_missing;
        if (panel.has_missing) {
            std::copy(panel.known.begin(), panel.known.end(), &known_[at * panel_size_]);
        }
    }
}

std::uint32_t SeedRows::draw_by_weight(double share) const {
    double total = 0;
    for (std::size_t row = 0; row < rows_.n_rows(); ++row) total += rows_.weight(row);
    double left = share * total;
    for (std::size_t row = 0; row < rows_.n_rows(); ++row) {
        left -= rows_.weight(row);
        if (left < 0) return static_cast<std::uint32_t>(row);
    }
    return static_cast<std::uint32_t>(rows_.n_rows() - 1);
}

std::uint32_t SeedRows::draw(const std::vector<float>& nearest, const Sums& sums,
                             double share) const {
    double left = share * sums.total();
    std::size_t block = 0, last = 0;
    while (block + 1 < blocks_.n_blocks && left >= sums.of_block[block]) {
        left -= sums.of_block[block++];
    }
    for (std::size_t row = blocks_.begin(block); row < blocks_.end(block); ++row) {
        if (nearest[row] <= 0) continue;
        left -= rows_.weight(row) * nearest[row];
        last = row;
        if (left < 0) break;
    }
    return static_cast<std::uint32_t>(last);
}

void SeedRows::try_block(std::size_t block, const std::vector<std::uint32_t>& candidates,
                         const std::vector<float>& nearest, std::vector<float>& found,
                         std::vector<Sums>& sums) const {
    float squares[panel_rows];
    std::vector<double> totals(candidates.size(), 0.0);
    for (std::size_t first = blocks_.begin(block); first < blocks_.end(block);
         first += panel_rows) {
        const std::size_t end = std::min(blocks_.end(block), first + panel_rows);
        const std::size_t at =
            block * panels_of_block_ + (first - blocks_.begin(block)) / panel_rows;
        const float* const known = has_missing_[at] ? &known_[at * panel_size_] : nullptr;
        for (std::size_t which = 0; which < candidates.size(); ++which) {
            kernels_.squares(&panels_[at * panel_size_], known, rows_.narrow(candidates[which]),
                             rows_.n_columns(), squares);
            float* const to = &found[which * rows_.n_rows()];
            for (std::size_t row = first; row < end; ++row) {
                const float scale = static_cast<float>(rows_.scale_up(row));
                to[row] = std::min(nearest[row], squares[row - first] * scale);
                totals[which] += rows_.weight(row) * to[row];
            }
        }
    }
    for (std::size_t which = 0; which < candidates.size(); ++which) {
        sums[which].of_block[block] = totals[which];
    }
}

std::vector<SeedRows::Sums> SeedRows::try_all(const std::vector<std::uint32_t>& candidates,
                                              const std::vector<float>& nearest,
                                              std::vector<float>& found, ThreadPool& pool) const {
    std::vector<Sums> sums(candidates.size(), {std::vector<double>(blocks_.n_blocks)});
    pool.run(blocks_.n_blocks, [&](std::size_t block, std::size_t) {
        try_block(block, candidates, nearest, found, sums);
    });
    return sums;
}

std::vector<std::uint32_t> SeedRows::plus_plus(std::size_t n_clusters, std::uint64_t seed,
                                               std::uint64_t start, ThreadPool& pool) const {
    const std::size_t n_rows = rows_.n_rows();
    const auto n_tries = 2 + static_cast<std::size_t>(std::log(static_cast<double>(n_clusters)));
    std::vector<float> nearest(n_rows, std::numeric_limits<float>::max());
    std::vector<float> found(n_rows * n_tries);
    std::vector<std::uint32_t> chosen;
    Sums sums;
    for (std::size_t step = 0; step < n_clusters; ++step) {
        std::vector<std::uint32_t> candidates;
        for (std::size_t which = 0; which < (step == 0 ? 1 : n_tries); ++which) {
            const double share = share_of(philox({step, which, 0, 0}, {seed, start})[0]);
            candidates.push_back(step == 0 ? draw_by_weight(share) : draw(nearest, sums, share));
        }
        const std::vector<Sums> tried = try_all(candidates, nearest, found, pool);
        std::size_t best = 0;
        for (std::size_t which = 1; which < tried.size(); ++which) {
            if (tried[which].total() < tried[best].total()) best = which;
        }
        chosen.push_back(candidates[best]);
        sums = tried[best];
        const auto from = found.begin() + static_cast<std::ptrdiff_t>(best * n_rows);
        std::copy(from, from + static_cast<std::ptrdiff_t>(n_rows), nearest.begin());
    }
    return chosen;
}

}  // namespace branchline::cluster
