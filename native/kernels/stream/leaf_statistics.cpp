#include "stream/leaf_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace branchline {

namespace {

constexpr double largest = 1e100;    // beyond it squares have no room
constexpr double smallest = 1e-290;  // the least variance

double bounded(double value) { return std::clamp(value, -largest, largest); }

}  // namespace

LeafStatistics::LeafStatistics(const LeafPlan& plan, std::span<const double> of_class)
    : plan_(plan), n_classes_(plan.rules->n_classes), has_bins_(!plan.rules->use_gaussians),
      of_class_(of_class.begin(), of_class.end()) {
    for (const double n : of_class_) log_of_class_.push_back(std::log(n + 0.5));
    const std::size_t n = plan.n_columns();
    missing_.assign(n * n_classes_, 0);
    known_.assign(n * n_classes_, 0);
    moments_.assign(n * n_classes_, {});
    low_.assign(n, std::numeric_limits<double>::infinity());
    high_.assign(n, -std::numeric_limits<double>::infinity());
    bins_.resize(n);
    categories_.resize(n);
    n_bytes_ = bytes_of(plan);
}

double LeafStatistics::bytes_of_bins(const LeafPlan& plan) {
    const auto n_classes = static_cast<double>(plan.rules->n_classes);
    return static_cast<double>(plan.rules->max_bins) * 8 * (1 + n_classes);
}

double LeafStatistics::bytes_of(const LeafPlan& plan) {
    const auto n_classes = static_cast<double>(plan.rules->n_classes);
    const double of_class = sizeof(Moments) + 2 * sizeof(double);
    const double bins = plan.rules->use_gaussians ? 0 : bytes_of_bins(plan);
    const double of_column = 100 + n_classes * of_class + bins;
    return sizeof(LeafStatistics) + static_cast<double>(plan.n_columns()) * of_column;
}

double LeafStatistics::add(StreamRow row, std::uint32_t class_of_row, double weight) {
    double grown = 0;
    of_class_[class_of_row] += weight;
    log_of_class_[class_of_row] = std::log(of_class_[class_of_row] + 0.5);
    for (std::size_t at = 0; at < low_.size(); ++at) {
        const double value = row[at];
        const bool category = is_category(at);
        if (category ? value < 0 : std::isnan(value)) {
            missing_[at * n_classes_ + class_of_row] += weight;
        } else if (category) {
            grown += add_category(at, value, class_of_row, weight);
        } else {
            add_number(at, value, class_of_row, weight);
        }
    }
    n_bytes_ += grown;
    return grown;
}

double LeafStatistics::add_category(std::size_t at, double value, std::uint32_t class_of_row,
                                    double weight) {
    const auto code = static_cast<std::size_t>(value);
    std::vector<double>& counts = categories_[at];
    const std::size_t before = counts.size();
    if ((code + 1) * n_classes_ > before) counts.resize((code + 1) * n_classes_, 0);
    counts[code * n_classes_ + class_of_row] += weight;
    known_[at * n_classes_ + class_of_row] += weight;
    return static_cast<double>(counts.size() - before) * sizeof(double);
}

// The variance holds one row more that is a quarter of the range from the mean, so that few rows say little.
void LeafStatistics::add_number(std::size_t at, double value, std::uint32_t class_of_row,
                                double weight) {
    low_[at] = std::min(low_[at], value);
    high_[at] = std::max(high_[at], value);
    Moments& known = moments_[at * n_classes_ + class_of_row];
    const double x = bounded(value), apart = x - known.mean;
    known.n += weight;
    known.mean += weight * apart / known.n;
    // Rounding of the mean can put it on the other side of x: squares never shrink.
    known.squares += std::max(0.0, weight * apart * (x - known.mean));
    const double quarter = (bounded(high_[at]) - bounded(low_[at])) / 4;
    const double variance = std::max(smallest, (known.squares + quarter * quarter) / known.n);
    known.half_inverse = 0.5 / variance;
    known.log_norm = -0.5 * std::log(variance * 6.283185307179586);
    if (has_bins_) add_to_bin(bins_[at], value, class_of_row, weight);
}

void LeafStatistics::add_to_bin(NumberBins& bins, double value, std::uint32_t class_of_row,
                                double weight) {
    std::size_t below = 0, n = bins.highest.size();
    const double* first = bins.highest.data();
    while (n > 0) {  // the first bin whose highest value is at least this one
        const std::size_t half = n / 2;
        const bool is_above = first[below + half] < value;
        below = is_above ? below + half + 1 : below;
        n = is_above ? n - half - 1 : half;
    }
    const std::size_t n_bins = bins.highest.size();
    if (n_bins < plan_.rules->max_bins && (below == n_bins || first[below] != value)) {
        const auto place = static_cast<std::ptrdiff_t>(below);
        bins.highest.insert(bins.highest.begin() + place, value);
        bins.of_class.insert(
            bins.of_class.begin() + place * static_cast<std::ptrdiff_t>(n_classes_), n_classes_,
            0.0);
    } else if (below == n_bins) {
        --below;
    }
    bins.of_class[below * n_classes_ + class_of_row] += weight;
}

// A class without a value so far is taken for spread evenly over the range.
double LeafStatistics::log_density(std::size_t at, std::size_t c, double value) const {
    const Moments& known = moments_[at * n_classes_ + c];
    if (known.n <= 0) return -std::log(bounded(high_[at]) - bounded(low_[at]));
    const double apart = value - known.mean;
    return known.log_norm - known.half_inverse * apart * apart;
}

void LeafStatistics::forget_bins() {
    if (!has_bins_) return;
    has_bins_ = false;
    n_bytes_ -= bytes_of_bins(plan_) * static_cast<double>(bins_.size());
    for (NumberBins& bins : bins_) bins = {};
}

void LeafStatistics::log_joint(StreamRow row, std::span<double> scores) const {
    std::copy(log_of_class_.begin(), log_of_class_.end(), scores.begin());
    for (std::size_t at = 0; at < low_.size(); ++at) {
        const double value = row[at];
        if (!is_category(at)) {
            if (std::isnan(value) || !(bounded(low_[at]) < bounded(high_[at]))) continue;
            const double x = bounded(value);
            for (std::size_t c = 0; c < n_classes_; ++c) scores[c] += log_density(at, c, x);
            continue;
        }
        const auto code = static_cast<std::size_t>(std::max(0.0, value));
        const std::vector<double>& counts = categories_[at];
        if (value < 0 || (code + 1) * n_classes_ > counts.size()) continue;
        const double n_categories =
            static_cast<double>(counts.size()) / static_cast<double>(n_classes_);
        for (std::size_t c = 0; c < n_classes_; ++c) {
            scores[c] += std::log((counts[code * n_classes_ + c] + 1) /
                                  (known_[at * n_classes_ + c] + n_categories));
        }
    }
}

}  // namespace branchline
