#include "branchline/distance_sums.hpp"

#include <algorithm>
#include <cmath>

#include "branchline/kernel_matrix.hpp"
#include "branchline/thread_pool.hpp"
#include "cluster/nearest_kernels.hpp"

namespace branchline {

namespace {

constexpr std::size_t rows_of_block = 256;

bool has_missing(std::span<const double> values) {
    return std::any_of(values.begin(), values.end(),
                       [](double value) { return std::isnan(value); });
}

double squared_over_known(const double* one, const double* other, std::size_t n) noexcept {
    double sum = 0;
    std::size_t n_known = 0;
    for (std::size_t at = 0; at < n; ++at) {
        const double apart = one[at] - other[at];
        if (std::isnan(apart)) continue;
        sum += apart * apart;
        ++n_known;
    }
    return n_known == 0 ? 0 : sum * static_cast<double>(n) / static_cast<double>(n_known);
}

class Sums {
  public:
    Sums(const ClusterRows& rows, std::span<const std::int64_t> starts)
        : rows_(rows), starts_(starts), n_clusters_(starts.size() - 1),
          some_missing_(has_missing(rows.values)), out_(rows.n_rows * n_clusters_, 0.0) {}

    // Block I meets block J in round (I + J) mod n: in a round, no block has two tasks, so threads
    // write to rows of their own, and the order of sums does not depend on them.
    std::vector<double> run(int n_threads, StopSignal& stop) {
        ThreadPool pool(n_threads, stop);
        std::vector<Room> rooms(pool.n_workers());
        const std::size_t n = (rows_.n_rows + rows_of_block - 1) / rows_of_block;
        for (std::size_t round = 0; round < n; ++round) {
            pool.run(n, [&](std::size_t one, std::size_t worker) {
                const std::size_t other = (round + n - one) % n;
                if (one <= other) look(block(one), block(other), rooms[worker], stop);
            });
        }
        return std::move(out_);
    }

  private:
    struct Range {
        std::size_t begin, end;
        std::size_t size() const noexcept { return end - begin; }
    };
    struct Room {
        std::vector<double> distances, sums;
    };

    Range block(std::size_t at) const noexcept {
        return {at * rows_of_block, std::min(rows_.n_rows, (at + 1) * rows_of_block)};
    }

    PointRows<double> part(const Range& range) const noexcept {
        return {rows_.values.data() + range.begin * rows_.n_columns, range.size(), rows_.n_columns};
    }

    void look(const Range& rows, const Range& others, Room& room, StopSignal& stop) {
        stop.check();
        const std::size_t n = others.size();
        room.distances.resize(rows.size() * n);
        double* const distances = room.distances.data();
        fill(rows, others, distances, stop);
        const bool is_same = rows.begin == others.begin;
        each_cluster(rows, [&](std::size_t cluster, const Range& some) {
            room.sums.assign(n, 0.0);
            for (std::size_t row = some.begin; row < some.end;
                 ++row) {  // each row while it is in the cache
                double* const of_row = distances + (row - rows.begin) * n;
                kernels_.roots(of_row, n);
                if (is_same) of_row[row - rows.begin] = 0;  // not the rounding of its square
                add_to_row(row, others, of_row);
                if (!is_same) kernels_.add_scaled(of_row, weight_of(row), n, room.sums.data());
            }
            if (!is_same) add_to_others(cluster, others, room.sums);
        });
    }

    double weight_of(std::size_t row) const noexcept {
        return rows_.weights.empty() ? 1.0 : rows_.weights[row];
    }

    const double* weights_from(std::size_t row) const noexcept {
        return rows_.weights.empty() ? nullptr : rows_.weights.data() + row;
    }

    // Calls use(cluster, rows of the range that are in it), for the clusters that a range meets.
    template <class Use>
    void each_cluster(const Range& range, Use&& use) const {
        const auto after = std::upper_bound(starts_.begin(), starts_.end(),
                                            static_cast<std::int64_t>(range.begin));
        std::size_t cluster = static_cast<std::size_t>(after - starts_.begin()) - 1;
        for (; cluster < n_clusters_; ++cluster) {
            const auto from = static_cast<std::size_t>(starts_[cluster]);
            const auto to = static_cast<std::size_t>(starts_[cluster + 1]);
            if (from >= range.end) return;
            const Range both{std::max(range.begin, from), std::min(range.end, to)};
            if (both.begin < both.end) use(cluster, both);
        }
    }

    void add_to_row(std::size_t row, const Range& others, const double* distances) {
        each_cluster(others, [&](std::size_t cluster, const Range& some) {
            out_[row * n_clusters_ + cluster] += kernels_.weighted_sum(
                distances + (some.begin - others.begin), weights_from(some.begin), some.size());
        });
    }

    void add_to_others(std::size_t cluster, const Range& others, const std::vector<double>& sums) {
        for (std::size_t at = 0; at < others.size(); ++at)
            out_[(others.begin + at) * n_clusters_ + cluster] += sums[at];
    }

    void fill(const Range& rows, const Range& others, double* out, StopSignal& stop) const {
        if (!some_missing_) {
            squared_distances<double>(part(rows), part(others), out, {1, stop});
            return;
        }
        const double* const values = rows_.values.data();
        const std::size_t n = rows_.n_columns;
        for (std::size_t row = rows.begin; row < rows.end; ++row) {
            for (std::size_t other = others.begin; other < others.end; ++other) {
                *out++ = squared_over_known(values + row * n, values + other * n, n);
            }
        }
    }

    const ClusterRows& rows_;
    std::span<const std::int64_t> starts_;
    std::size_t n_clusters_;
    const cluster::NearestKernels& kernels_ = cluster::nearest_kernels_for(best_cpu_level());
    bool some_missing_;
    std::vector<double> out_;
};

}  // namespace

std::vector<double> distance_sums(const ClusterRows& rows, std::span<const std::int64_t> starts,
                                  int n_threads, StopSignal& stop) {
    return Sums(rows, starts).run(n_threads, stop);
}

}  // namespace branchline
