// The two sides of a cut while entries move from right to left: the split statistic.
//
// Badness is computed from the integers whenever it is asked for, never kept as a running float, so
// it does not depend on the order in which entries came. With many classes Σ n_c² is a running integer
// (Gini, no factors, up to 2^26 units): a cut costs the same for 3 classes and for 3 000, and the bits
// are those of the sum of doubles, which is exact there, too.
//   classes    see impurity.hpp
//   numbers    −Σ_outputs (S − N·c)² / N, with c the node's mean rounded to an integer: the sum of
//              squares is the same for every test and left out, and no digits are lost to a large mean
//   counts     −Σ_outputs S log((S / N) / m), with m the node's mean: half the Poisson deviance less what
//              is the same for every test; infinite where a side has no target above 0 at all, so that
//              no leaf predicts 0
//   medians    see median_sides.hpp
#pragma once

#include <array>
#include <numeric>
#include <type_traits>

#include "tree/entries.hpp"
#include "tree/impurity.hpp"

namespace branchline::tree {

// Counts of two classes have a fixed size, which the compiler unrolls; others a vector.
using TwoCounts = std::array<std::int64_t, 2>;
using ManyCounts = std::vector<std::int64_t>;

template <class Counts>
Counts zero_counts(std::size_t width) {
    if constexpr (std::is_same_v<Counts, ManyCounts>) {
        return ManyCounts(width, 0);
    } else {
        return Counts{};
    }
}

template <class ImpurityType, class Counts>
class ClassSides {
  public:
    using Entry = ClassEntry;
    using Impurity = ImpurityType;

    ClassSides(const GrowTarget& target, const LogTable& logs)
        : left_(zero_counts<Counts>(target.n_classes)),
          right_(zero_counts<Counts>(target.n_classes)), factor_(target.class_factor),
          scaled_(factor_.size()), logs_(&logs) {}

    // What the integers of a node stand for is on the right, nothing on the left.
    void start(std::span<const std::int64_t> content) {
        std::fill(left_.begin(), left_.end(), 0);
        std::copy(content.begin(), content.end(), right_.begin());
        left_weight_ = 0;
        right_weight_ = std::accumulate(content.begin(), content.end(), std::int64_t{0});
        if constexpr (keeps_squares) {
            left_squares_ = right_squares_ = 0;
            for (const std::int64_t count : content) right_squares_ += square(count);
        }
    }
    void start_empty() {
        std::fill(left_.begin(), left_.end(), 0);
        std::fill(right_.begin(), right_.end(), 0);
        left_weight_ = right_weight_ = 0;
        left_squares_ = right_squares_ = 0;
    }
    void add_right(const Entry& entry) { change_right(entry, 1); }
    void drop_right(const Entry& entry) { change_right(entry, -1); }
    void to_left(const Entry& entry) { move(entry, 1); }
    void to_right(const Entry& entry) { move(entry, -1); }

    std::int64_t left_weight() const { return left_weight_; }
    std::int64_t right_weight() const { return right_weight_; }
    double left_badness() { return badness_of(left_, left_weight_, left_squares_); }
    double right_badness() { return badness_of(right_, right_weight_, right_squares_); }
    double badness() { return left_badness() + right_badness(); }

    // The weight by which badness is divided: units, each counted as often as its class says.
    double impurity_weight() const {
        if (factor_.empty()) return static_cast<double>(left_weight_ + right_weight_);
        double sum = 0;
        for (std::size_t c = 0; c < factor_.size(); ++c) {
            sum += factor_[c] * static_cast<double>(left_[c] + right_[c]);
        }
        return sum;
    }

  private:
    static constexpr bool keeps_squares =
        std::is_same_v<Impurity, GiniImpurity> && std::is_same_v<Counts, ManyCounts>;
    // Up to here Σ n_c² is below 2^53.
    static constexpr std::int64_t most_of_squares = std::int64_t{1} << 26;

    // Of heavier nodes it wraps around, and is not used.
    static std::uint64_t square(std::int64_t count) {
        return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(count);
    }
    static void add(std::int64_t& count, std::int64_t units, std::uint64_t& squares) {
        if constexpr (keeps_squares) squares -= square(count);
        count += units;
        if constexpr (keeps_squares) squares += square(count);
    }
    void move(const Entry& entry, std::int64_t sign) {
        const std::int64_t units = sign * entry.units;
        add(left_[entry.class_index], units, left_squares_);
        add(right_[entry.class_index], -units, right_squares_);
        left_weight_ += units;
        right_weight_ -= units;
    }
    void change_right(const Entry& entry, std::int64_t sign) {
        add(right_[entry.class_index], sign * entry.units, right_squares_);
        right_weight_ += sign * entry.units;
    }
    double badness_of(const Counts& counts, std::int64_t weight, std::uint64_t squares) {
        if (weight == 0) return 0;
        if constexpr (keeps_squares) {
            if (factor_.empty() && weight <= most_of_squares) {
                const auto total = static_cast<double>(weight);
                return total - static_cast<double>(squares) / total;
            }
        }
        if (factor_.empty()) return Impurity::badness(counts, weight, *logs_);
        double total = 0;
        for (std::size_t c = 0; c < factor_.size(); ++c) {
            scaled_[c] = factor_[c] * static_cast<double>(counts[c]);
            total += scaled_[c];
        }
        return Impurity::badness(scaled_, total, *logs_);
    }

    Counts left_, right_;
    std::span<const double> factor_;
    std::vector<double> scaled_;
    const LogTable* logs_;
    std::int64_t left_weight_ = 0, right_weight_ = 0;
    std::uint64_t left_squares_ = 0, right_squares_ = 0;
};

// What badness is counted from: the mean of the node that was started, whole and exact.
struct SumsOfNode {
    std::vector<std::int64_t> center;
    std::vector<double> mean;
};

struct SquaredImpurity {
    static constexpr std::size_t table_size(std::size_t) { return 0; }
    static double badness(const std::vector<std::int64_t>& sums, std::int64_t weight,
                          const SumsOfNode& node) {
        double squares = 0;
        for (std::size_t o = 0; o < sums.size(); ++o) {
            const auto centered = static_cast<double>(sums[o] - weight * node.center[o]);
            squares += centered * centered;
        }
        return -squares / static_cast<double>(weight);
    }
};

struct PoissonImpurity {
    static constexpr std::size_t table_size(std::size_t) { return 0; }
    static double badness(const std::vector<std::int64_t>& sums, std::int64_t weight,
                          const SumsOfNode& node) {
        double sum = 0;
        for (std::size_t o = 0; o < sums.size(); ++o) {
            if (sums[o] <= 0) return std::numeric_limits<double>::infinity();
            const auto total = static_cast<double>(sums[o]);
            sum -= total * std::log(total / static_cast<double>(weight) / node.mean[o]);
        }
        return sum;
    }
};

template <class ImpurityType>
class SumSides {
  public:
    using Entry = SumEntry;
    using Impurity = ImpurityType;

    SumSides(const GrowTarget& target, const LogTable&)
        : left_(target.n_outputs, 0), right_(target.n_outputs, 0),
          node_{left_, std::vector<double>(target.n_outputs, 0)} {}

    void start(std::span<const std::int64_t> content) {
        std::fill(left_.begin(), left_.end(), 0);
        std::copy(content.begin() + 1, content.end(), right_.begin());
        left_weight_ = 0;
        right_weight_ = content[0];
        for (std::size_t o = 0; o < right_.size(); ++o) {
            node_.center[o] = right_[o] / content[0];
            node_.mean[o] = static_cast<double>(right_[o]) / static_cast<double>(content[0]);
        }
    }
    // Keeps the center of the node that was started last.
    void start_empty() {
        std::fill(left_.begin(), left_.end(), 0);
        std::fill(right_.begin(), right_.end(), 0);
        left_weight_ = right_weight_ = 0;
    }
    void add_right(const Entry& entry) { change_right(entry, 1); }
    void drop_right(const Entry& entry) { change_right(entry, -1); }
    void to_left(const Entry& entry) { move(entry, 1); }
    void to_right(const Entry& entry) { move(entry, -1); }

    std::int64_t left_weight() const { return left_weight_; }
    std::int64_t right_weight() const { return right_weight_; }
    double left_badness() const { return badness_of(left_, left_weight_); }
    double right_badness() const { return badness_of(right_, right_weight_); }
    double badness() const { return left_badness() + right_badness(); }
    double impurity_weight() const { return static_cast<double>(left_weight_ + right_weight_); }

  private:
    void move(const Entry& entry, std::int64_t sign) {
        for (std::size_t o = 0; o < left_.size(); ++o) {
            left_[o] += sign * entry.sums[o];
            right_[o] -= sign * entry.sums[o];
        }
        left_weight_ += sign * entry.units;
        right_weight_ -= sign * entry.units;
    }
    void change_right(const Entry& entry, std::int64_t sign) {
        for (std::size_t o = 0; o < right_.size(); ++o) right_[o] += sign * entry.sums[o];
        right_weight_ += sign * entry.units;
    }
    double badness_of(const std::vector<std::int64_t>& sums, std::int64_t weight) const {
        if (weight == 0) return 0;
        return Impurity::badness(sums, weight, node_);
    }

    std::vector<std::int64_t> left_, right_;
    SumsOfNode node_;
    std::int64_t left_weight_ = 0, right_weight_ = 0;
};

using SquaredSides = SumSides<SquaredImpurity>;
using PoissonSides = SumSides<PoissonImpurity>;

}  // namespace branchline::tree
