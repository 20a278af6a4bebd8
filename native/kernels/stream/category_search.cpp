// Tests of categories: a set of them against the rest.
#include <algorithm>
#include <cmath>

#include "stream/split_search.hpp"

namespace branchline {

namespace {

constexpr double fewest_of_level = 5;  // rows, for a category to take part in a test

}  // namespace

std::vector<SplitSearch::Level> SplitSearch::levels_of(std::size_t at) const {
    std::vector<Level> levels;
    const auto counts = leaf_.categories(at);
    const auto consider = [&](std::int32_t code, std::span<const double> of_class) {
        const double weight = sum_of(of_class);
        if (weight >= fewest_of_level) levels.push_back({code, of_class, weight});
    };
    consider(-1, leaf_.missing(at));
    for (std::size_t code = 0; code < counts.size() / n_classes_; ++code) {
        consider(static_cast<std::int32_t>(code), counts.subspan(code * n_classes_, n_classes_));
    }
    return levels;
}

bool SplitSearch::has_levels(std::size_t at) const { return levels_of(at).size() > 1; }

namespace {

// By the share of a class; ties by code, so that the order is one.
template <class Levels>
void order_by_share(Levels& levels, std::size_t c) {
    std::sort(levels.begin(), levels.end(), [c](const auto& a, const auto& b) {
        const double left = a.of_class[c] * b.weight, right = b.of_class[c] * a.weight;
        return left != right ? left < right : a.code < b.code;
    });
}

}  // namespace

StreamSplit SplitSearch::best_of_categories(std::size_t at) {
    StreamSplit best;
    std::vector<Level> levels = levels_of(at);
    std::fill(all_.begin(), all_.end(), 0.0);
    for (const Level& level : levels) {
        for (std::size_t c = 0; c < n_classes_; ++c) all_[c] += level.of_class[c];
    }
    impurity_ = impurity(all_);
    std::size_t n_left = 0, best_class = 0;
    for (std::size_t c = 0; c < (n_classes_ == 2 ? 1 : n_classes_); ++c) {
        order_by_share(levels, c);
        std::fill(left_.begin(), left_.end(), 0.0);
        for (std::size_t n = 1; n < levels.size(); ++n) {
            for (std::size_t k = 0; k < n_classes_; ++k) left_[k] += levels[n - 1].of_class[k];
            const double found = gain(left_);
            if (found <= best.gain) continue;
            best.gain = found;
            best.left_of_class = left_;
            best.right_of_class = rest_;
            n_left = n;
            best_class = c;
        }
    }
    if (n_left == 0) return best;
    const double total = sum_of(all_),
                 freedom = static_cast<double>((levels.size() - 1) * (n_classes_ - 1));
    best.gain -= freedom / (2 * total * (plan_.rules->use_gini ? 1 : std::log(2.0)));
    // Rows of rare categories gain nothing.
    const double everything = sum_of(leaf_.categories(at)) + sum_of(leaf_.missing(at));
    best.gain *= total / everything;
    best.column = static_cast<std::int32_t>(at);
    order_by_share(levels, best_class);
    mark_sides(best, levels, n_left);
    return best;
}

void SplitSearch::mark_sides(StreamSplit& best, std::span<const Level> levels,
                             std::size_t n_left) const {
    const auto at = static_cast<std::size_t>(best.column);
    best.is_category = true;
    best.others_left = sum_of(best.left_of_class) >= sum_of(best.right_of_class);
    best.missing_left = best.others_left;
    best.is_left.assign(leaf_.categories(at).size() / n_classes_, StreamSplit::unseen);
    for (std::size_t n = 0; n < levels.size(); ++n) {
        if (levels[n].code < 0) {
            best.missing_left = n < n_left;
        } else {
            best.is_left[static_cast<std::size_t>(levels[n].code)] = n < n_left ? 1 : 0;
        }
    }
}

}  // namespace branchline
