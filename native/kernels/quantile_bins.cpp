#include "quantile_bins.hpp"

#include <numeric>

namespace branchline {

namespace {

// The weight and the bins that are left for the light values.
struct Rest {
    double weight;
    double bins;
};

Rest set_heavy_aside(std::span<const std::int64_t> weights, std::size_t max_bins,
                     std::vector<std::uint8_t>& heavy) {
    Rest rest{static_cast<double>(std::accumulate(weights.begin(), weights.end(), std::int64_t{0})),
              static_cast<double>(max_bins)};
    for (bool changed = true; changed;) {
        changed = false;
        const Rest before = rest;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            const auto weight = static_cast<double>(weights[i]);
            if (heavy[i] || weight * before.bins < before.weight) continue;
            heavy[i] = 1;
            rest.weight -= weight;
            rest.bins -= 1;
            changed = true;
        }
    }
    return rest;
}

// Hands out bin numbers from left to right.
class Walk {
  public:
    explicit Walk(Rest rest) : rest_(rest) {}

    std::uint32_t place_heavy() {
        is_open_ = false;
        return next_++;
    }

    std::uint32_t place_light(double weight) {
        if (is_open_ && (2 * filled_ + weight) * at_open_.bins > 2 * at_open_.weight &&
            rest_.bins > 0) {
            is_open_ = false;
        }
        if (!is_open_ && rest_.bins > 0) open();
        filled_ += weight;
        rest_.weight -= weight;
        return next_ - 1;
    }

  private:
    void open() {
        at_open_ = rest_;
        rest_.bins -= 1;
        filled_ = 0;
        is_open_ = true;
        ++next_;
    }

    Rest rest_;
    Rest at_open_{};
    double filled_ = 0;
    bool is_open_ = false;
    std::uint32_t next_ = 0;
};

}  // namespace

std::vector<std::uint32_t> quantile_bins(std::span<const std::int64_t> weights,
                                         std::size_t max_bins) {
    std::vector<std::uint8_t> heavy(weights.size(), 0);
    Walk walk(set_heavy_aside(weights, max_bins, heavy));
    std::vector<std::uint32_t> bins(weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
        bins[i] = heavy[i] ? walk.place_heavy() : walk.place_light(static_cast<double>(weights[i]));
    }
    return bins;
}

}  // namespace branchline
