#include "branchline/distance_sums.hpp"

#include <algorithm>
#include <cmath>

#include "branchline/kernel_matrix.hpp"
#include "branchline/thread_pool.hpp"
#include "cluster/nearest_kernels.hpp"

namespace branchline {

namespace {

constexpr std::size_t rows_of_task = 240, rows_of_block = 1024;

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

    std::vector<double> run(int n_threads, StopSignal& stop) {
        ThreadPool pool(n_threads, stop);
        const std::size_t n_tasks = (rows_.n_rows + rows_of_task - 1) / rows_of_task;
        pool.run(n_tasks, [&](std::size_t task, std::size_t) { look(task, stop); });
        return std::move(out_);
    }

  private:
    PointRows<double> part(std::size_t begin, std::size_t end) const noexcept {
        return {rows_.values.data() + begin * rows_.n_columns, end - begin, rows_.n_columns};
    }

    void look(std::size_t task, StopSignal& stop) {
        const std::size_t begin = task * rows_of_task;
        const std::size_t end = std::min(rows_.n_rows, begin + rows_of_task);
        std::vector<double> squares((end - begin) * rows_of_block);
        for (std::size_t first = 0; first < rows_.n_rows; first += rows_of_block) {
            stop.check();
            const std::size_t last = std::min(rows_.n_rows, first + rows_of_block);
            fill(begin, end, first, last, squares.data(), stop);
            for (std::size_t row = begin; row < end; ++row) {
                add(row, first, last, squares.data() + (row - begin) * (last - first));
            }
        }
    }

    void fill(std::size_t begin, std::size_t end, std::size_t first, std::size_t last, double* out,
              StopSignal& stop) const {
        if (!some_missing_) {
            squared_distances<double>(part(begin, end), part(first, last), out, {1, stop});
            return;
        }
        const double* const values = rows_.values.data();
        const std::size_t n = rows_.n_columns;
        for (std::size_t row = begin; row < end; ++row) {
            for (std::size_t other = first; other < last; ++other) {
                *out++ = squared_over_known(values + row * n, values + other * n, n);
            }
        }
    }

    void add(std::size_t row, std::size_t first, std::size_t last, double* squares) {
        kernels_.roots(squares, last - first);
        if (row >= first && row < last) squares[row - first] = 0;  // not the rounding of its square
        for (std::size_t cluster = 0; cluster < n_clusters_; ++cluster) {
            const std::size_t from = std::max(first, static_cast<std::size_t>(starts_[cluster]));
            const std::size_t to = std::min(last, static_cast<std::size_t>(starts_[cluster + 1]));
            if (from < to) {
                const double* const weights =
                    rows_.weights.empty() ? nullptr : rows_.weights.data() + from;
                out_[row * n_clusters_ + cluster] +=
                    kernels_.weighted_sum(squares + (from - first), weights, to - from);
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
