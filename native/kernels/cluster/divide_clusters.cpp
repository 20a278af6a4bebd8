#include <stdexcept>

#include "cluster/merge_list.hpp"

namespace branchline {

namespace {

using Rows = std::vector<std::uint32_t>;

class Division {
  public:
    Division(std::span<const double> distances, std::span<const double> sizes)
        : d_(distances), w_(sizes), n_(sizes.size()), rest_(n_, 0), left_(n_, 0) {}

    double diameter(const Rows& rows, StopSignal& stop) const {
        double most = 0;
        for (const std::uint32_t one : rows) {
            stop.check();
            const double* d = d_.data() + one * n_;
            for (const std::uint32_t other : rows) most = std::max(most, d[other]);
        }
        return most;
    }

    // Those that leave; `rows` keeps the others. Both keep their order.
    Rows divide(Rows& rows, StopSignal& stop) {
        double rest_weight = 0, left_weight = 0;
        for (const std::uint32_t one : rows) {
            stop.check();
            rest_weight += w_[one];
            rest_[one] = left_[one] = 0;
            for (const std::uint32_t other : rows) rest_[one] += w_[other] * d_[one * n_ + other];
        }
        Rows gone;
        for (;;) {
            std::size_t best = rows.size();
            double most = 0;
            for (std::size_t at = 0; rows.size() > 1 && at < rows.size(); ++at) {
                const std::uint32_t one = rows[at];
                const double here = rest_[one] / (rest_weight - w_[one]);
                const double there = left_weight > 0 ? left_[one] / left_weight : 0;
                if (here - there > most) {
                    most = here - there;
                    best = at;
                }
            }
            if (best == rows.size()) break;
            const std::uint32_t one = rows[best];
            rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(best));
            gone.push_back(one);
            rest_weight -= w_[one];
            left_weight += w_[one];
            for (const std::uint32_t other : rows) {
                const double amount = w_[one] * d_[one * n_ + other];
                rest_[other] -= amount;
                left_[other] += amount;
            }
        }
        std::sort(gone.begin(), gone.end());
        return gone;
    }

  private:
    std::span<const double> d_, w_;
    std::size_t n_;
    std::vector<double> rest_, left_;
};

}  // namespace

ClusterTree divide_clusters(std::span<const double> distances, std::span<const double> sizes,
                            StopSignal& stop) {
    const std::size_t n = sizes.size();
    if (n == 0 || distances.size() != n * n) throw std::invalid_argument("n × n distances");
    Division division(distances, sizes);
    Rows all(n);
    std::iota(all.begin(), all.end(), 0U);
    std::vector<Rows> waiting{all};
    std::vector<RowMerge> merges;
    while (!waiting.empty()) {
        Rows rows = std::move(waiting.back());
        waiting.pop_back();
        if (rows.size() < 2) continue;
        const double height = division.diameter(rows, stop);
        if (height <= 0) {  // rows without distance are joined in their order
            for (std::size_t at = 1; at < rows.size(); ++at)
                merges.push_back({rows[0], rows[at], 0.0});
            continue;
        }
        Rows gone = division.divide(rows, stop);
        merges.push_back({std::min(rows[0], gone[0]), std::max(rows[0], gone[0]), height});
        waiting.push_back(std::move(rows));
        waiting.push_back(std::move(gone));
    }
    std::reverse(merges.begin(), merges.end());  // children before their parents
    return numbered(std::move(merges));
}

}  // namespace branchline
