#include "branchline/kmeans.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "branchline/thread_pool.hpp"
#include "cluster/kmeans_run.hpp"
#include "cluster/kmeans_starts.hpp"

namespace branchline {

namespace {

using cluster::KMeansRun;
using cluster::Nearest;
using cluster::Panel;
using cluster::panel_rows;
using cluster::RowBlocks;
using cluster::RowPanels;

// A wave of starts that go on together: threads share their blocks.
class Wave {
  public:
    Wave(const RowPanels& rows, const RowBlocks& blocks, const KMeansOptions& options,
         ThreadPool& pool, StopSignal& stop)
        : rows_(rows), blocks_(blocks), options_(options), pool_(pool), stop_(stop) {}

    void begin(const cluster::SeedRows* seeds, std::size_t first, std::size_t end) {
        runs_.clear();
        for (std::size_t start = first; start < end; ++start) {
            auto run = std::make_unique<KMeansRun>(rows_, blocks_, options_.n_clusters);
            if (options_.start == KMeansStart::given) {
                run->start_at(options_.given);
            } else if (options_.start == KMeansStart::plus_plus) {
                run->start_at(seeds->plus_plus(options_.n_clusters, options_.seed, start, pool_));
            } else {
                run->start_from(cluster::random_assignment(rows_.n_rows(), options_.n_clusters,
                                                           options_.seed, start));
            }
            runs_.push_back(std::move(run));
        }
    }

    void iterate() {
        std::vector<KMeansRun*> active = all();
        for (std::size_t step = 0; step < options_.max_iterations && !active.empty(); ++step) {
            stop_.check();
            for_blocks(active, [](KMeansRun& run, std::size_t block) { run.look_at(block); });
            std::erase_if(active, [&](KMeansRun* run) { return run->update(options_.tolerance); });
        }
    }

    void end() {
        const std::vector<KMeansRun*> runs = all();
        for_blocks(runs, [](KMeansRun& run, std::size_t block) { run.sum_block(block); });
        for (KMeansRun* run : runs) run->take_means();
        for_blocks(runs, [](KMeansRun& run, std::size_t block) { run.place_block(block); });
    }

    std::vector<KMeansRun*> all() {
        std::vector<KMeansRun*> runs;
        for (const auto& run : runs_) runs.push_back(run.get());
        return runs;
    }

  private:
    template <class Work>
    void for_blocks(const std::vector<KMeansRun*>& runs, const Work& work) {
        pool_.run(runs.size() * blocks_.n_blocks, [&](std::size_t task, std::size_t) {
            work(*runs[task / blocks_.n_blocks], task % blocks_.n_blocks);
        });
    }

    const RowPanels& rows_;
    const RowBlocks& blocks_;
    const KMeansOptions& options_;
    ThreadPool& pool_;
    StopSignal& stop_;
    std::vector<std::unique_ptr<KMeansRun>> runs_;
};

void keep_better(KMeansFit& best, KMeansRun& run) {
    const double inertia = run.inertia();
    if (best.inertia_of_start.empty() || inertia < best.inertia) {
        best.centers = std::move(run.centers());
        best.labels = std::move(run.labels());
        best.inertia = inertia;
        best.n_iterations = run.n_iterations();
        best.has_converged = run.has_converged();
    }
    best.inertia_of_start.push_back(inertia);
}

// Work for the rows of each block, on all threads.
template <class Work>
void for_row_blocks(const ClusterRows& rows, int n_threads, StopSignal& stop, const Work& work) {
    const RowBlocks blocks(rows.n_rows, 1);
    ThreadPool pool(n_threads, stop);
    pool.run(blocks.n_blocks,
             [&](std::size_t block, std::size_t) { work(blocks.begin(block), blocks.end(block)); });
}

}  // namespace

KMeansFit fit_kmeans(const ClusterRows& rows, const KMeansOptions& options, StopSignal& stop) {
    if (options.n_clusters < 1 || options.n_clusters > rows.n_rows || options.n_starts < 1) {
        throw std::invalid_argument("from 1 cluster to as many as rows, and at least 1 start");
    }
    const RowPanels panels(rows);
    const RowBlocks blocks(rows.n_rows, options.n_clusters * rows.n_columns);
    ThreadPool pool(options.n_threads, stop, std::chrono::microseconds(100));
    std::unique_ptr<cluster::SeedRows> seeds;
    if (options.start == KMeansStart::plus_plus) {
        seeds = std::make_unique<cluster::SeedRows>(panels, blocks);
    }
    Wave wave(panels, blocks, options, pool, stop);
    KMeansFit best;
    for (std::size_t first = 0; first < options.n_starts; first += pool.n_workers()) {
        wave.begin(seeds.get(), first, std::min(options.n_starts, first + pool.n_workers()));
        wave.iterate();
        wave.end();
        for (KMeansRun* run : wave.all()) keep_better(best, *run);
    }
    return best;
}

std::vector<std::int32_t> nearest_centers(const ClusterRows& rows, std::span<const double> centers,
                                          int n_threads, StopSignal& stop) {
    const RowPanels panels(rows);
    cluster::ScreenedCenters screened(centers.size() / rows.n_columns, rows.n_columns);
    screened.set(centers.data());
    std::vector<std::int32_t> labels(rows.n_rows);
    for_row_blocks(rows, n_threads, stop, [&](std::size_t begin, std::size_t end) {
        Panel panel(rows.n_columns);
        std::uint32_t which[panel_rows];
        Nearest nearest[panel_rows];
        for (std::size_t first = begin; first < end; first += panel_rows) {
            const std::size_t n = std::min(panel_rows, end - first);
            for (std::size_t at = 0; at < n; ++at) {
                which[at] = static_cast<std::uint32_t>(first + at);
            }
            panels.gather(which, n, panel);
            screened.compare(panels, which, n, panel, nearest);
            for (std::size_t at = 0; at < n; ++at) labels[first + at] = nearest[at].center;
        }
    });
    return labels;
}

std::vector<double> center_distances(const ClusterRows& rows, std::span<const double> centers,
                                     int n_threads, StopSignal& stop) {
    const RowPanels panels(rows);
    const std::size_t n_centers = centers.size() / rows.n_columns;
    std::vector<double> out(rows.n_rows * n_centers);
    for_row_blocks(rows, n_threads, stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            for (std::size_t at = 0; at < n_centers; ++at) {
                out[row * n_centers + at] =
                    panels.scale_up(row) * panels.distance(row, &centers[at * rows.n_columns]);
            }
        }
    });
    return out;
}

}  // namespace branchline
