#include "stream/split_search.hpp"

#include <algorithm>
#include <cmath>

#include "branchline/random.hpp"

namespace branchline {

namespace {

constexpr double least_branch = 0.01;  // share of the rows that a side must have
constexpr int n_gaussian_thresholds = 10;

double xlog2x(double x) { return x > 0 ? x * std::log2(x) : 0; }

}  // namespace

SplitSearch::SplitSearch(const LeafPlan& plan, const LeafStatistics& leaf)
    : plan_(plan), leaf_(leaf), n_classes_(plan.rules->n_classes) {
    all_.resize(n_classes_);
    left_.resize(n_classes_);
    rest_.resize(n_classes_);
}

// Impurity times the weight.
double SplitSearch::impurity(std::span<const double> of_class) const {
    double total = 0, sum = 0;
    if (plan_.rules->use_gini) {
        for (const double n : of_class) {
            total += n;
            sum += n * n;
        }
        return total > 0 ? total - sum / total : 0;
    }
    for (const double n : of_class) {
        total += n;
        sum += xlog2x(n);
    }
    return xlog2x(total) - sum;
}

// Of a split of all_ into `left` and the rest; −1 when a side is too small.
double SplitSearch::gain(std::span<const double> left) {
    double left_weight = 0, total = 0;
    for (std::size_t c = 0; c < n_classes_; ++c) {
        rest_[c] = std::max(0.0, all_[c] - left[c]);
        left_weight += left[c];
        total += all_[c];
    }
    if (std::min(left_weight, total - left_weight) < std::max(1.0, least_branch * total)) return -1;
    return (impurity_ - impurity(left) - impurity(rest_)) / total;
}

// Each column has a place in a drawn order of its own; the first ones are looked at.
void SplitSearch::draw_columns(const LeafDraw& draw) {
    const double wanted = plan_.rules->max_features, n = static_cast<double>(columns_.size());
    if (wanted == 0) return;
    double n_drawn = wanted < 0 ? std::ceil(std::sqrt(n)) : wanted;
    if (wanted > 0 && wanted < 1) n_drawn = std::ceil(wanted * n);
    if (n_drawn >= n) return;
    const auto place = [&](std::uint32_t column) {
        const std::uint64_t key = (*plan_.column_keys)[column];
        return philox({draw.leaf, key, 2, 0}, {plan_.rules->seed, draw.tree})[0];
    };
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
    for (const std::uint32_t column : columns_) order.emplace_back(place(column), column);
    std::sort(order.begin(), order.end());
    order.resize(static_cast<std::size_t>(n_drawn));
    columns_.clear();
    for (const auto& [_, column] : order) columns_.push_back(column);
    std::sort(columns_.begin(), columns_.end());
}

StreamSplit SplitSearch::best(const LeafDraw& draw) {
    for (std::uint32_t at = 0; at < plan_.n_columns(); ++at) {
        if (leaf_.is_category(at) ? has_levels(at) : leaf_.low(at) < leaf_.high(at)) {
            columns_.push_back(at);
        }
    }
    draw_columns(draw);
    StreamSplit best;
    for (const std::uint32_t at : columns_) {
        StreamSplit found = leaf_.is_category(at) ? best_of_categories(at) : best_of_numbers(at);
        if (found.column < 0 || found.gain <= best.gain) {
            second_ = std::max(second_, found.column < 0 ? 0 : found.gain);
            continue;
        }
        second_ = std::max(second_, best.gain);
        best = std::move(found);
    }
    return best;
}

// left_ holds the known rows at most the threshold; missing ones go where they gain more.
void SplitSearch::offer(StreamSplit& best, std::size_t at, double threshold) {
    const auto missing = leaf_.missing(at);
    const double n_missing = sum_of(missing);
    const bool heavier_left = 2 * sum_of(left_) >= sum_of(all_) - n_missing;
    for (int side = 0; side < 2; ++side) {
        const bool missing_left = side == 1;
        if (n_missing == 0 && missing_left != heavier_left) continue;
        if (missing_left) {
            for (std::size_t c = 0; c < n_classes_; ++c) left_[c] += missing[c];
        }
        const double found = gain(left_);
        if (found > best.gain) {
            best.column = static_cast<std::int32_t>(at);
            best.gain = found;
            best.threshold = threshold;
            best.missing_left = missing_left;
            best.left_of_class = left_;
            best.right_of_class = rest_;
        }
        if (missing_left) {
            for (std::size_t c = 0; c < n_classes_; ++c) left_[c] -= missing[c];
        }
    }
}

StreamSplit SplitSearch::best_of_numbers(std::size_t at) {
    const auto missing = leaf_.missing(at);
    const auto moments = leaf_.moments(at);
    for (std::size_t c = 0; c < n_classes_; ++c) all_[c] = missing[c] + moments[c].n;
    impurity_ = impurity(all_);
    return plan_.rules->use_gaussians ? best_of_gaussians(at) : best_of_bins(at);
}

StreamSplit SplitSearch::best_of_bins(std::size_t at) {
    StreamSplit best;
    const NumberBins& bins = leaf_.bins(at);
    std::fill(left_.begin(), left_.end(), 0.0);
    for (std::size_t bin = 0; bin + 1 < bins.highest.size(); ++bin) {
        for (std::size_t c = 0; c < n_classes_; ++c) {
            left_[c] += bins.of_class[bin * n_classes_ + c];
        }
        offer(best, at, bins.highest[bin]);
    }
    return best;
}

StreamSplit SplitSearch::best_of_gaussians(std::size_t at) {
    StreamSplit best;
    const auto moments = leaf_.moments(at);
    for (int step = 1; step <= n_gaussian_thresholds; ++step) {
        const double share = static_cast<double>(step) / (n_gaussian_thresholds + 1);
        const double threshold = leaf_.low(at) * (1 - share) + leaf_.high(at) * share;
        for (std::size_t c = 0; c < n_classes_; ++c) {
            const Moments& known = moments[c];
            const double x = std::clamp(threshold, -1e100, 1e100) - known.mean;
            left_[c] = known.n * 0.5 * std::erfc(-x * std::sqrt(known.half_inverse));
        }
        offer(best, at, threshold);
    }
    return best;
}

}  // namespace branchline
