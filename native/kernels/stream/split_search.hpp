// The best test of each column of a leaf.
#pragma once

#include <numeric>
#include <span>
#include <vector>

#include "stream/leaf_statistics.hpp"

namespace branchline {

struct StreamSplit {
    std::int32_t column = -1;
    bool is_category = false, missing_left = false, others_left = false;
    double threshold = 0;
    std::vector<std::uint8_t> is_left;  // of categories
    double gain = 0;
    std::vector<double> left_of_class, right_of_class;

    bool goes_left(StreamRow row) const {
        const double value = row[column];
        if (!is_category) return value != value ? missing_left : value <= threshold;
        if (value < 0) return missing_left;
        const auto code = static_cast<std::size_t>(value);
        if (code >= is_left.size() || is_left[code] == unseen) return others_left;
        return is_left[code] == 1;
    }
    static constexpr std::uint8_t unseen = 2;  // too few rows when the test was made
};

inline double sum_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

// What draws of columns depend on.
struct LeafDraw {
    std::uint64_t tree = 0, leaf = 0;
};

class SplitSearch {
  public:
    SplitSearch(const LeafPlan& plan, const LeafStatistics& leaf);

    // The best test of the columns that the leaf looks at. Without any test: column −1.
    StreamSplit best(const LeafDraw& draw);
    // The gain of the best test of another column, at least 0.
    double second_gain() const { return second_; }
    std::size_t n_columns() const { return columns_.size(); }

  private:
    struct Level {
        std::int32_t code;
        std::span<const double> of_class;
        double weight;
    };

    void draw_columns(const LeafDraw& draw);
    StreamSplit best_of_numbers(std::size_t at);
    StreamSplit best_of_bins(std::size_t at);
    StreamSplit best_of_gaussians(std::size_t at);
    bool has_levels(std::size_t at) const;
    std::vector<Level> levels_of(std::size_t at) const;
    StreamSplit best_of_categories(std::size_t at);
    void mark_sides(StreamSplit& best, std::span<const Level> levels, std::size_t n_left) const;
    void offer(StreamSplit& best, std::size_t at, double threshold);
    double impurity(std::span<const double> of_class) const;
    double gain(std::span<const double> left);

    LeafPlan plan_;
    const LeafStatistics& leaf_;
    std::size_t n_classes_;
    std::vector<std::uint32_t> columns_;
    std::vector<double> all_, left_, rest_;
    double impurity_ = 0;
    double second_ = 0;
};

}  // namespace branchline
