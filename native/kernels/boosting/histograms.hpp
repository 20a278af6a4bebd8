// Histograms: for each code of each column the sums of gradients, hessians and units.
#pragma once

#include <memory>
#include <vector>

#include "boosting/level_kernels.hpp"
#include "boosting/rows.hpp"

namespace branchline::boosting {

struct Histogram {
    std::vector<std::int64_t> g;
    std::vector<std::uint64_t> hn;

    Bins bins_of(const BlockedRows& rows, std::size_t column) {
        const std::size_t first = rows.first_bin[column];
        return {g.data() + first, hn.data() + first, rows.bins_of(column)};
    }
};

// Histograms that are used again and again: there are as many as were ever needed at once.
class HistogramPool {
  public:
    explicit HistogramPool(std::size_t n_bins) : n_bins_(n_bins) {}

    void limit(std::size_t most_bytes) {
        most_ = std::max<std::size_t>(4, most_bytes / (16 * n_bins_));
    }

    std::unique_ptr<Histogram> take() {
        ++n_out_;
        if (free_.empty()) {
            auto histogram = std::make_unique<Histogram>();
            histogram->g.resize(n_bins_);
            histogram->hn.resize(n_bins_);
            return histogram;
        }
        auto histogram = std::move(free_.back());
        free_.pop_back();
        return histogram;
    }
    void give_back(std::unique_ptr<Histogram>& histogram) {
        if (!histogram) return;
        --n_out_;
        free_.push_back(std::move(histogram));
    }
    // Whether another one would be more than memory allows.
    bool is_full() const { return n_out_ >= most_; }

  private:
    std::size_t n_bins_, most_ = 4, n_out_ = 0;
    std::vector<std::unique_ptr<Histogram>> free_;
};

}  // namespace branchline::boosting
