// What the directions of a node are to separate, and how well a direction does.
#pragma once

#include "node_tests/rounded_numbers.hpp"

namespace branchline::node_tests {

// The targets of a sample, and the score of cutting it in two. Classes: Σ n_k² / n over both sides (the
// decrease of Gini impurity, up to a constant); numbers: Σ s² / n, the decrease of variance.
class Responses {
  public:
    static constexpr std::size_t n_bins = 64;

    Responses(const GrowTarget& target, std::int64_t min_leaf_units)
        : target_(target), min_leaf_units_(min_leaf_units), width_(target.width()),
          cells_(n_bins * width_), left_(width_), all_(width_) {}

    void begin(const NodeSample& sample) {
        sample_ = &sample;
        std::fill(all_.begin(), all_.end(), 0);
        classes_.clear();
        for (std::size_t i = 0; i < sample.rows.size(); ++i) {
            if (target_.is_classification()) {
                classes_.push_back(target_.class_of_row[sample.rows[i]]);
            }
            add(all_.data(), i);
        }
    }

    // The response vectors that least squares are fitted to, at most `n_most`.
    std::vector<std::vector<std::int64_t>> vectors(std::size_t n_most) const {
        std::vector<std::vector<std::int64_t>> found;
        if (!target_.is_classification()) {
            for (std::size_t o = 0; o < std::min(n_most, target_.n_outputs); ++o) {
                auto& vector = found.emplace_back();
                for (const RowIndex row : sample_->rows) {
                    vector.push_back(target_.sums_of_row[row * target_.n_outputs + o]);
                }
            }
            return found;
        }
        for (const std::size_t k : heaviest(target_.n_classes == 2 ? 1 : n_most)) {
            auto& vector = found.emplace_back();
            for (std::size_t i = 0; i < classes_.size(); ++i) {
                vector.push_back(classes_[i] == k ? units(i) : 0);
            }
        }
        return found;
    }

    // The score of the best cut of projected values.
    double score(std::span<const std::int32_t> values) {
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        if (*low == *high) return 0;
        const double scale = n_bins / (static_cast<double>(*high) - *low + 1);
        std::fill(cells_.begin(), cells_.end(), 0);
        const std::int32_t least = *low;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto bin =
                static_cast<std::size_t>((static_cast<double>(values[i]) - least) * scale);
            add(cells_.data() + std::min(bin, n_bins - 1) * width_, i);
        }
        return best_cut();
    }

    double score_of_none() const { return part(all_.data(), nullptr); }

  private:
    std::int64_t units(std::size_t i) const {
        return sample_->units.empty() ? 1 : sample_->units[i];
    }

    void add(std::int64_t* cell, std::size_t i) const {
        if (target_.is_classification()) {
            cell[classes_[i]] += units(i);
            return;
        }
        cell[0] += units(i);
        const std::size_t first = sample_->rows[i] * target_.n_outputs;
        for (std::size_t o = 0; o < target_.n_outputs; ++o) {
            cell[o + 1] += target_.sums_of_row[first + o];
        }
    }

    std::vector<std::size_t> heaviest(std::size_t n_most) const {
        std::vector<std::size_t> order;
        for (std::size_t k = 0; k < width_; ++k) {
            if (all_[k] > 0) order.push_back(k);
        }
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return all_[a] > all_[b]; });
        order.resize(std::min(order.size(), n_most));
        return order;
    }

    double best_cut() {
        std::fill(left_.begin(), left_.end(), 0);
        double best = 0;
        for (std::size_t bin = 0; bin + 1 < n_bins; ++bin) {
            for (std::size_t k = 0; k < width_; ++k) left_[k] += cells_[bin * width_ + k];
            const std::int64_t weight = weight_of(left_.data());
            if (weight < min_leaf_units_ || sample_->weight - weight < min_leaf_units_) continue;
            best = std::max(best, part(left_.data(), nullptr) + part(all_.data(), left_.data()));
        }
        return best;
    }

    std::int64_t weight_of(const std::int64_t* cell) const {
        if (!target_.is_classification()) return cell[0];
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < width_; ++k) sum += cell[k];
        return sum;
    }

    // Σ squares over weight of `cell` less `taken` (nullptr: nothing taken).
    double part(const std::int64_t* cell, const std::int64_t* taken) const {
        double squares = 0, weight = 0;
        const bool is_class = target_.is_classification();
        for (std::size_t k = 0; k < width_; ++k) {
            const auto here = static_cast<double>(cell[k] - (taken == nullptr ? 0 : taken[k]));
            if (is_class || k == 0) weight += here;
            if (is_class || k > 0) squares += here * here;
        }
        return weight > 0 ? squares / weight : 0;
    }

    const GrowTarget& target_;
    std::int64_t min_leaf_units_;
    std::size_t width_;
    const NodeSample* sample_ = nullptr;
    std::vector<std::uint32_t> classes_;
    std::vector<std::int64_t> cells_, left_, all_;
};

}  // namespace branchline::node_tests
