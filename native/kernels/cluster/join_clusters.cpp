#include <cmath>
#include <limits>
#include <stdexcept>

#include "branchline/cpu_level.hpp"
#include "cluster/merge_list.hpp"
#include "distances/distance_kernels.hpp"

namespace branchline {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t fewest = 256;  // clusters below which dead ones are not removed

struct Average {
    static double joined(double x, double y, double, double n_x, double n_y, double) noexcept {
        return (n_x * x + n_y * y) / (n_x + n_y);
    }
};
struct Complete {
    static double joined(double x, double y, double, double, double, double) noexcept {
        return x > y ? x : y;
    }
};
struct Ward {  // of squared distances
    static double joined(double x, double y, double xy, double n_x, double n_y,
                         double n_k) noexcept {
        return ((n_x + n_k) * x + (n_y + n_k) * y - n_k * xy) / (n_x + n_y + n_k);
    }
};

// Clusters that are left, in a matrix that shrinks when half of them are gone.
class Chain {
  public:
    Chain(std::span<double> distances, std::span<const double> sizes)
        : d_(distances), n_(sizes.size()), stride_(n_), size_(sizes.begin(), sizes.end()), row_(n_),
          height_(n_, 0.0), penalty_(n_, 0.0), kernels_(distance_kernels_for(best_cpu_level())) {
        std::iota(row_.begin(), row_.end(), 0U);
    }

    template <class Rule>
    std::vector<RowMerge> run(StopSignal& stop) {
        std::vector<RowMerge> merges;
        const std::size_t n_merges = n_ - 1;
        for (std::size_t left = n_; merges.size() < n_merges; --left) {
            stop.check();
            if (left * 2 < n_ && n_ > fewest) compact(left);
            const auto [x, y] = next_pair();
            const double height = std::max({at(x, y), height_[x], height_[y]});
            merges.push_back({row_[x], row_[y], height});
            join<Rule>(x, y);
            height_[x] = height;
        }
        return merges;
    }

  private:
    double& at(std::size_t row, std::size_t column) { return d_[row * stride_ + column]; }

    // The nearest living cluster; of equally near ones the wanted one, else the first.
    std::size_t nearest(std::size_t x, std::size_t wanted) {
        penalty_[x] = infinity;
        const double* row = &at(x, 0);
        const std::size_t whole = n_ / panel_points * panel_points;
        double least = kernels_.least_sum(row, penalty_.data(), whole);
        for (std::size_t k = whole; k < n_; ++k) least = std::min(least, row[k] + penalty_[k]);
        std::size_t found = wanted;
        if (wanted == n_ || row[wanted] > least) {
            for (found = 0; row[found] + penalty_[found] != least;) ++found;
        }
        penalty_[x] = 0;
        return found;
    }

    std::pair<std::size_t, std::size_t> next_pair() {
        if (chain_.empty()) {
            std::size_t first = 0;
            while (penalty_[first] != 0) ++first;
            chain_.push_back(first);
        }
        for (;;) {
            const std::size_t x = chain_.back();
            const std::size_t before = chain_.size() > 1 ? chain_[chain_.size() - 2] : n_;
            const std::size_t y = nearest(x, before);
            if (y == before) {
                chain_.resize(chain_.size() - 2);
                return {std::min(x, y), std::max(x, y)};
            }
            chain_.push_back(y);
        }
    }

    template <class Rule>
    void join(std::size_t x, std::size_t y) {
        const double xy = at(x, y), n_x = size_[x], n_y = size_[y];
        double *to = &at(x, 0), *from = &at(y, 0);
        for (std::size_t k = 0; k < n_; ++k)
            to[k] = Rule::joined(to[k], from[k], xy, n_x, n_y, size_[k]);
        for (std::size_t k = 0; k < n_; ++k) {
            if (penalty_[k] == 0) at(k, x) = to[k];
        }
        size_[x] += n_y;
        penalty_[y] = infinity;
    }

    // Clusters that live move together, in their order.
    void compact(std::size_t left) {
        std::vector<std::size_t> kept, place(n_, 0);
        for (std::size_t k = 0; k < n_; ++k) {
            if (penalty_[k] != 0) continue;
            place[k] = kept.size();
            kept.push_back(k);
        }
        for (std::size_t i = 0; i < left; ++i) {
            const double* from = &at(kept[i], 0);
            for (std::size_t j = 0; j < left; ++j) d_[i * left + j] = from[kept[j]];
            size_[i] = size_[kept[i]];
            row_[i] = row_[kept[i]];
            height_[i] = height_[kept[i]];
            penalty_[i] = 0;
        }
        for (std::size_t& k : chain_) k = place[k];
        n_ = stride_ = left;
    }

    std::span<double> d_;
    std::size_t n_, stride_;
    std::vector<double> size_;
    std::vector<std::uint32_t> row_;
    std::vector<double> height_,
        penalty_;  // a penalty is 0, or infinite for clusters that are gone
    std::vector<std::size_t> chain_;
    const DistanceKernels& kernels_;
};

std::vector<RowMerge> spanning_tree(std::span<const double> distances, std::size_t n,
                                    StopSignal& stop) {
    std::vector<double> nearest(n, infinity);
    std::vector<std::uint32_t> neighbor(n, 0);
    std::vector<char> inside(n, 0);
    std::vector<RowMerge> edges;
    std::size_t last = 0;
    while (edges.size() + 1 < n) {
        stop.check();
        inside[last] = 1;
        const double* row = distances.data() + last * n;
        std::size_t next = n;
        for (std::size_t k = 0; k < n; ++k) {
            if (inside[k]) continue;
            if (row[k] < nearest[k]) {
                nearest[k] = row[k];
                neighbor[k] = static_cast<std::uint32_t>(last);
            }
            if (next == n || nearest[k] < nearest[next]) next = k;
        }
        edges.push_back({neighbor[next], static_cast<std::uint32_t>(next), nearest[next]});
        last = next;
    }
    return edges;
}

void to_ward(std::span<double> distances, std::span<const double> sizes) {
    const std::size_t n = sizes.size();
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            double& d = distances[i * n + j];
            d = 2 * sizes[i] * sizes[j] / (sizes[i] + sizes[j]) * (d * d);
        }
    }
}

}  // namespace

ClusterTree join_clusters(Linkage linkage, std::span<double> distances,
                          std::span<const double> sizes, StopSignal& stop) {
    const std::size_t n = sizes.size();
    if (n == 0 || distances.size() != n * n) throw std::invalid_argument("n × n distances");
    if (n == 1) return {};
    if (linkage == Linkage::single) return numbered(spanning_tree(distances, n, stop));
    if (linkage == Linkage::ward) to_ward(distances, sizes);
    Chain chain(distances, sizes);
    if (linkage == Linkage::average) return numbered(chain.run<Average>(stop));
    if (linkage == Linkage::complete) return numbered(chain.run<Complete>(stop));
    ClusterTree tree = numbered(chain.run<Ward>(stop));
    for (double& height : tree.height) height = std::sqrt(std::max(height, 0.0));
    return tree;
}

}  // namespace branchline
