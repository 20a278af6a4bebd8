// How mixed the classes of a node are, times the node's weight: badness.
//
//   Gini               N − Σ n_c² / N
//   entropy            N log N − Σ n_c log n_c, logarithms to base 2
//   misclassification  N − max n_c
// Counts are integers or, when classes have factors, numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace branchline::tree {

// n log2 n of whole numbers: most counts in a tree are small, and logarithms are slow.
class LogTable {
  public:
    explicit LogTable(std::size_t size) : values_(size) {
        for (std::size_t n = 1; n < size; ++n) values_[n] = compute(static_cast<double>(n));
    }
    double operator()(std::int64_t n) const {
        const auto place = static_cast<std::size_t>(n);
        return place < values_.size() ? values_[place] : compute(static_cast<double>(n));
    }
    double operator()(double n) const { return compute(n); }

  private:
    static double compute(double n) { return n > 0 ? n * std::log2(n) : 0.0; }
    std::vector<double> values_;
};

struct GiniImpurity {
    static constexpr std::size_t table_size(std::size_t) { return 0; }
    template <class Counts, class Number>
    static double badness(const Counts& counts, Number total, const LogTable&) {
        double squares = 0;
        for (const auto count : counts) {
            squares += static_cast<double>(count) * static_cast<double>(count);
        }
        return static_cast<double>(total) - squares / static_cast<double>(total);
    }
};

struct EntropyImpurity {
    static constexpr std::size_t table_size(std::size_t n_rows) {
        return std::min(n_rows + 1, std::size_t{1} << 20);
    }
    template <class Counts, class Number>
    static double badness(const Counts& counts, Number total, const LogTable& n_log_n) {
        double sum = n_log_n(total);
        for (const auto count : counts) sum -= n_log_n(count);
        return sum;
    }
};

struct ErrorImpurity {
    static constexpr std::size_t table_size(std::size_t) { return 0; }
    template <class Counts, class Number>
    static double badness(const Counts& counts, Number total, const LogTable&) {
        return static_cast<double>(total - *std::max_element(counts.begin(), counts.end()));
    }
};

}  // namespace branchline::tree
