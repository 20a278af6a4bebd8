// What a leaf that learns knows of its rows: by class and column, moments, bins, counts of categories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "branchline/hoeffding.hpp"

namespace branchline {

class StateReader;
class StateWriter;

// A row as learners see it: numbers (NaN: missing) and categories as whole numbers (negative: missing).
using StreamRow = const double*;

// Numbers of one class in one column, with what their normal density needs.
struct Moments {
    double n = 0, mean = 0, squares = 0;
    double log_norm = 0, half_inverse = 0;  // ln density = log_norm − half_inverse · (x − mean)²
};

// Class counts of a column of numbers between thresholds, which are the first values that came.
struct NumberBins {
    std::vector<double>
        highest;  // of each bin, in order; values above the last one are in the last bin
    std::vector<double> of_class;  // bin · n_classes + class
};

// What all leaves of a model share.
struct LeafPlan {
    const HoeffdingRules* rules = nullptr;
    const std::vector<std::uint8_t>* is_category = nullptr;
    const std::vector<std::uint64_t>* column_keys = nullptr;
    std::size_t n_columns() const { return is_category->size(); }
};

class LeafStatistics {
  public:
    // `of_class` is what is known of classes before.
    LeafStatistics(const LeafPlan& plan, std::span<const double> of_class);

    // Adds a row; returns how many bytes more it takes.
    double add(StreamRow row, std::uint32_t class_of_row, double weight);

    // Writes the logarithm of each class's joint density with the row (naive Bayes).
    void log_joint(StreamRow row, std::span<double> scores) const;
    // Gives up what only tests need: from now on the statistics serve naive Bayes alone.
    void forget_bins();

    bool is_category(std::size_t at) const { return (*plan_.is_category)[at] != 0; }
    std::span<const double> missing(std::size_t at) const { return part(missing_, at); }
    std::span<const double> categories(std::size_t at) const { return categories_[at]; }
    const NumberBins& bins(std::size_t at) const { return bins_[at]; }
    std::span<const Moments> moments(std::size_t at) const {
        return std::span(moments_).subspan(at * n_classes_, n_classes_);
    }
    double low(std::size_t at) const { return low_[at]; }
    double high(std::size_t at) const { return high_[at]; }

    double n_bytes() const { return n_bytes_; }
    // What a leaf without categories takes at most.
    static double bytes_of(const LeafPlan& plan);
    static double bytes_of_bins(const LeafPlan& plan);  // of one column

    void write(StateWriter& out) const;
    static LeafStatistics read(const LeafPlan& plan, StateReader& in);

  private:
    std::span<const double> part(std::span<const double> all, std::size_t at) const {
        return all.subspan(at * n_classes_, n_classes_);
    }
    void add_number(std::size_t at, double value, std::uint32_t class_of_row, double weight);
    double add_category(std::size_t at, double value, std::uint32_t class_of_row, double weight);
    void add_to_bin(NumberBins& bins, double value, std::uint32_t class_of_row, double weight);
    double log_density(std::size_t at, std::size_t c, double value) const;

    LeafPlan plan_;
    std::size_t n_classes_;
    bool has_bins_;
    std::vector<double> of_class_, log_of_class_;
    std::vector<double> missing_;     // column · n_classes + class
    std::vector<double> known_;       // of categories, likewise
    std::vector<Moments> moments_;    // likewise
    std::vector<double> low_, high_;  // of each column
    std::vector<NumberBins> bins_;
    std::vector<std::vector<double>> categories_;  // of each column: code · n_classes + class
    double n_bytes_ = 0;
};

}  // namespace branchline
