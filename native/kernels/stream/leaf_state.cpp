// Statistics of leaves as numbers, and back.
#include <cmath>
#include <limits>

#include "stream/leaf_statistics.hpp"
#include "stream/state_io.hpp"

namespace branchline {

namespace {

void write_all(StateWriter& out, std::span<const double> values) {
    out.whole(static_cast<std::int64_t>(values.size()));
    out.all(values);
}

std::vector<double> read_weights(StateReader& in, std::size_t most) {
    std::vector<double> values(in.count());
    StateReader::require(values.size() <= most, "too many weights");
    in.weights(values);
    return values;
}

constexpr std::size_t most_cells = std::size_t{1} << 40;

}  // namespace

void LeafStatistics::write(StateWriter& out) const {
    out.whole(has_bins_ ? 1 : 0);
    out.all(of_class_);
    out.all(log_of_class_);
    out.all(missing_);
    out.all(known_);
    out.real(n_bytes_);
    for (const Moments& one : moments_) {
        out.real(one.n);
        if (one.n <= 0) continue;
        out.all(std::vector<double>{one.mean, one.squares, one.log_norm, one.half_inverse});
    }
    for (std::size_t at = 0; at < low_.size(); ++at) {
        const bool has_values = low_[at] <= high_[at];
        out.whole(has_values ? 1 : 0);
        if (has_values) {
            out.real(low_[at]);
            out.real(high_[at]);
        }
        write_all(out, bins_[at].highest);
        out.all(bins_[at].of_class);
        write_all(out, categories_[at]);
    }
}

LeafStatistics LeafStatistics::read(const LeafPlan& plan, StateReader& in) {
    const std::vector<double> nothing(plan.rules->n_classes, 0);
    LeafStatistics leaf(plan, nothing);
    if (!in.flag()) leaf.has_bins_ = false;
    in.weights(leaf.of_class_);
    for (double& value : leaf.log_of_class_) value = in.real(-1e4, 1e4);
    in.weights(leaf.missing_);
    in.weights(leaf.known_);
    leaf.n_bytes_ = in.real(0);
    for (Moments& one : leaf.moments_) {
        one.n = in.real(0, 1e300);
        if (one.n <= 0) continue;
        one.mean = in.real(-1e101, 1e101);
        one.squares = in.real(0);
        one.log_norm = in.real(-1e4, 1e4);
        one.half_inverse = in.real(0);
    }
    for (std::size_t at = 0; at < leaf.low_.size(); ++at) {
        if (in.flag()) {
            leaf.low_[at] = in.real(-std::numeric_limits<double>::max());
            leaf.high_[at] = in.real(leaf.low_[at], std::numeric_limits<double>::max());
        }
        NumberBins& bins = leaf.bins_[at];
        bins.highest.resize(in.count());
        StateReader::require(bins.highest.size() <= plan.rules->max_bins, "too many bins");
        for (std::size_t b = 0; b < bins.highest.size(); ++b) {
            bins.highest[b] =
                in.real(-std::numeric_limits<double>::max(), std::numeric_limits<double>::max());
            StateReader::require(b == 0 || bins.highest[b - 1] < bins.highest[b],
                                 "bins are not in order");
        }
        bins.of_class.resize(bins.highest.size() * leaf.n_classes_);
        in.weights(bins.of_class);
        leaf.categories_[at] = read_weights(in, most_cells);
        StateReader::require(leaf.categories_[at].size() % leaf.n_classes_ == 0,
                             "counts of categories for each class");
    }
    return leaf;
}

}  // namespace branchline
