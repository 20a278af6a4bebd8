// What a set of rows holds of the target, kept while a scan moves rows from one side to the other.
//
// A *cell* is what one code of one column holds, `width` integers:
//   classification: the weight of each class, in units;
//   regression:     the weight in units, and the sum of the fixed-point target.
// A statistic adds cells and removes them again, and gives weight() and badness(): the weight times
// the impurity. A test is good when the badness of its branches is low.
//   Gini               N − Σ n_c² / N
//   entropy            N · H(n / N), logarithms to base 2
//   misclassification  N − max n_c
//   variance           −S² / N   (the sum of squares is the same for every test and left out)
// scale(badness, weight) is what rounding errors of a badness are measured by: the weight for
// classes, whose impurities have no unit; the badness itself for moments, which have the target's.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace branchline {

struct Gini {
    static double badness(std::span<const std::int64_t> counts, double total) {
        double sum_squares = 0;
        for (const std::int64_t count : counts) {
            sum_squares += static_cast<double>(count) * static_cast<double>(count);
        }
        return total - sum_squares / total;
    }
};

struct Entropy {
    static double badness(std::span<const std::int64_t> counts, double total) {
        double sum = 0;
        for (const std::int64_t count : counts) {
            if (count > 0)
                sum -= static_cast<double>(count) * std::log2(static_cast<double>(count));
        }
        return sum + total * std::log2(total);
    }
};

struct Misclassification {
    static double badness(std::span<const std::int64_t> counts, double total) {
        return total - static_cast<double>(*std::max_element(counts.begin(), counts.end()));
    }
};

template <class Impurity>
class ClassCounts {
  public:
    explicit ClassCounts(std::size_t width) : counts_(width, 0) {}

    void add(const std::int64_t* cell) { change<1>(cell); }
    void remove(const std::int64_t* cell) { change<-1>(cell); }
    std::int64_t weight() const { return total_; }
    double badness() const {
        return total_ == 0 ? 0 : Impurity::badness(counts_, static_cast<double>(total_));
    }

    static double scale(double /*badness*/, std::int64_t weight) {
        return static_cast<double>(weight);
    }

    static std::int64_t weight_of(const std::int64_t* cell, std::size_t width) {
        std::int64_t sum = 0;
        for (std::size_t c = 0; c < width; ++c) sum += cell[c];
        return sum;
    }

    // By what categories are ordered when a subset is sought: the share of class `which`.
    static double order_key(const std::int64_t* cell, std::size_t width, std::size_t which) {
        return static_cast<double>(cell[which]) / static_cast<double>(weight_of(cell, width));
    }
    static std::size_t n_orders(std::size_t width) { return width == 2 ? 1 : width; }

  private:
    template <int sign>
    void change(const std::int64_t* cell) {
        for (std::size_t c = 0; c < counts_.size(); ++c) {
            counts_[c] += sign * cell[c];
            total_ += sign * cell[c];
        }
    }

    std::vector<std::int64_t> counts_;
    std::int64_t total_ = 0;
};

class Moments {
  public:
    explicit Moments(std::size_t /*width*/) {}

    void add(const std::int64_t* cell) {
        weight_ += cell[0];
        sum_ += cell[1];
    }
    void remove(const std::int64_t* cell) {
        weight_ -= cell[0];
        sum_ -= cell[1];
    }
    std::int64_t weight() const { return weight_; }
    double badness() const {
        const auto sum = static_cast<double>(sum_);
        return weight_ == 0 ? 0 : -sum * sum / static_cast<double>(weight_);
    }

    static double scale(double badness, std::int64_t /*weight*/) { return std::abs(badness); }

    static std::int64_t weight_of(const std::int64_t* cell, std::size_t) { return cell[0]; }
    static double order_key(const std::int64_t* cell, std::size_t, std::size_t) {
        return static_cast<double>(cell[1]) / static_cast<double>(cell[0]);
    }
    static std::size_t n_orders(std::size_t) { return 1; }

  private:
    std::int64_t weight_ = 0;
    std::int64_t sum_ = 0;
};

}  // namespace branchline
