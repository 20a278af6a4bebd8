#include "branchline/near_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "branchline/thread_pool.hpp"
#include "neighbors/near_kernels.hpp"

namespace branchline {

namespace {

using neighbors::Hit;
using neighbors::panel_queries;
using neighbors::tile_points;

constexpr std::size_t panels_of_task = 8;
constexpr std::size_t tiles_at_once = 32;            // between two looks at the bounds
constexpr std::size_t cells_of_stretch = 2048 * 28;  // points that stay in the cache for all panels
constexpr std::size_t least_kept = 64;

std::size_t n_tiles_of(std::size_t n_points) { return (n_points + tile_points - 1) / tile_points; }

// The candidates so far of one query.
class Kept {
  public:
    void begin(std::size_t k, double error) {
        k_ = k;
        error_ = error;
        limit_ = 2 * k + least_kept;
        kept_.clear();
    }

    void take(const Hit& hit) { kept_.push_back({hit.score, hit.point}); }

    bool is_full() const noexcept { return kept_.size() >= limit_; }

    // Drops what cannot be near and returns the bound that further points must be below.
    float shrink() {
        if (kept_.size() < k_) return std::numeric_limits<float>::infinity();
        const auto kth = kept_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
        std::nth_element(kept_.begin(), kth, kept_.end(),
                         [](const Entry& a, const Entry& b) { return a.score < b.score; });
        const auto most = static_cast<float>(static_cast<double>(kth->score) + 2 * error_);
        const float bound = std::nextafter(most, std::numeric_limits<float>::infinity());
        std::erase_if(kept_, [bound](const Entry& entry) { return !(entry.score < bound); });
        limit_ = std::max(2 * kept_.size(), 2 * k_ + least_kept);
        return bound;
    }

    void add_to(std::int64_t query, NearCandidates& found) {
        shrink();
        std::sort(kept_.begin(), kept_.end(),
                  [](const Entry& a, const Entry& b) { return a.point < b.point; });
        for (const Entry& entry : kept_) {
            found.query.push_back(query);
            found.point.push_back(entry.point);
        }
    }

  private:
    struct Entry {
        float score;
        std::uint32_t point;
    };

    std::size_t k_ = 0, limit_ = 0;
    double error_ = 0;
    std::vector<Entry> kept_;
};

// A few panels of queries, which are searched together while a stretch of points is in the cache.
class Search {
  public:
    Search(const neighbors::PointTiles& points, std::size_t n_points)
        : points_(points), n_tiles_(n_tiles_of(n_points)),
          hits_(panel_queries * tiles_at_once * tile_points) {}

    void run(const float* queries, std::span<const double> errors, std::size_t first_query,
             std::size_t k, NearCandidates& found, StopSignal& stop) {
        begin(queries, errors, k);
        const std::size_t of_tile = tile_points * std::max<std::size_t>(1, points_.n_columns);
        const std::size_t at_once = std::max(tiles_at_once, cells_of_stretch / of_tile);
        for (std::size_t first = 0; first < n_tiles_; first += at_once) {
            if (stop.requested()) return;
            const std::size_t last = std::min(n_tiles_, first + at_once);
            for (std::size_t panel = 0; panel < n_panels_; ++panel) screen(panel, first, last);
        }
        for (std::size_t at = 0; at < errors.size(); ++at) {
            kept_[at].add_to(static_cast<std::int64_t>(first_query + at), found);
        }
    }

  private:
    void begin(const float* queries, std::span<const double> errors, std::size_t k) {
        const std::size_t n = errors.size(), width = points_.n_columns;
        n_panels_ = (n + panel_queries - 1) / panel_queries;
        panels_.assign(n_panels_ * panel_queries * width, 0.0f);
        bounds_.assign(n_panels_ * panel_queries, -std::numeric_limits<float>::infinity());
        if (kept_.size() < n) kept_.resize(n);
        for (std::size_t at = 0; at < n; ++at) {
            float* const panel = panels_.data() + at / panel_queries * panel_queries * width;
            for (std::size_t column = 0; column < width; ++column) {
                panel[column * panel_queries + at % panel_queries] = queries[at * width + column];
            }
            bounds_[at] = std::numeric_limits<float>::infinity();
            kept_[at].begin(k, errors[at]);
        }
    }

    void screen(std::size_t panel, std::size_t first, std::size_t last) {
        static const neighbors::NearKernels& kernels =
            neighbors::near_kernels_for(best_cpu_level());
        const float* const queries = panels_.data() + panel * panel_queries * points_.n_columns;
        float* const bounds = bounds_.data() + panel * panel_queries;
        Kept* const kept = kept_.data() + panel * panel_queries;
        for (std::size_t begin = first; begin < last; begin += tiles_at_once) {
            const std::size_t end = std::min(last, begin + tiles_at_once);
            const std::size_t n =
                kernels.screen(points_, begin, end, queries, bounds, hits_.data());
            for (std::size_t at = 0; at < n; ++at) {
                const Hit& hit = hits_[at];
                if (!(hit.score < bounds[hit.query])) continue;
                kept[hit.query].take(hit);
                if (kept[hit.query].is_full()) bounds[hit.query] = kept[hit.query].shrink();
            }
        }
    }

    neighbors::PointTiles points_;
    std::size_t n_tiles_, n_panels_ = 0;
    std::vector<Hit> hits_;
    std::vector<float> panels_, bounds_;
    std::vector<Kept> kept_;
};

}  // namespace

NearPoints::NearPoints(const float* points, std::size_t n_points, std::size_t n_columns)
    : n_points_(n_points), n_columns_(n_columns) {
    if (n_points > std::numeric_limits<std::uint32_t>::max()) {
        throw std::invalid_argument("more points than 32 bits can number");
    }
    const std::size_t n_filled = n_tiles_of(n_points) * tile_points;
    products_.assign(n_filled * n_columns, 0.0f);
    base_.assign(n_filled, std::numeric_limits<float>::infinity());
    for (std::size_t point = 0; point < n_points; ++point) {
        const float* const from = points + point * n_columns;
        float* const tile = products_.data() + point / tile_points * tile_points * n_columns;
        double squares = 0;
        for (std::size_t column = 0; column < n_columns; ++column) {
            tile[column * tile_points + point % tile_points] = -2.0f * from[column];
            squares += static_cast<double>(from[column]) * static_cast<double>(from[column]);
        }
        base_[point] = static_cast<float>(squares);
    }
}

NearCandidates NearPoints::candidates(const float* queries, std::span<const double> errors,
                                      std::size_t k, int n_threads, StopSignal& stop) const {
    if (k < 1 || k > n_points_) throw std::invalid_argument("as many points as neighbors");
    constexpr std::size_t queries_of_task = panels_of_task * panel_queries;
    const std::size_t n_queries = errors.size();
    const std::size_t n_tasks = (n_queries + queries_of_task - 1) / queries_of_task;
    std::vector<NearCandidates> parts(n_tasks);
    ThreadPool pool(n_threads, stop);
    const neighbors::PointTiles tiles{products_.data(), base_.data(), n_columns_};
    std::vector<Search> searches(pool.n_workers(), Search(tiles, n_points_));
    pool.run(n_tasks, [&](std::size_t task, std::size_t worker) {
        const std::size_t first = task * queries_of_task;
        const std::size_t n = std::min(queries_of_task, n_queries - first);
        searches[worker].run(queries + first * n_columns_, errors.subspan(first, n), first, k,
                             parts[task], stop);
        stop.poll();
    });
    stop.check();
    NearCandidates found;
    for (const NearCandidates& part : parts) {
        found.query.insert(found.query.end(), part.query.begin(), part.query.end());
        found.point.insert(found.point.end(), part.point.begin(), part.point.end());
    }
    return found;
}

}  // namespace branchline
