// What the rows of a node add up to, and what a cut of them is worth: the split statistics.
//
// A counter knows three forms of a sum: a row's *payload*, a *cell* (all rows of one code), and the
// *content* of a node (integers, as in grow_tree.hpp). While a column is scanned it holds what is on
// the left of the cut; `score` is minus the badness of both sides (see impurity.hpp and
// split_sides.hpp), computed from the integers, so it does not depend on the order of rows.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "forest/level_kernels.hpp"
#include "tree/split_sides.hpp"

namespace branchline::forest {

__extension__ typedef __int128 Int128;

inline constexpr double no_score = -std::numeric_limits<double>::infinity();

// What one draw of a row weighs.
inline std::int64_t units_of(const GrowTarget& target, RowIndex row) {
    return target.units.empty() ? 1 : target.units[row];
}

// Wehenkel's score of a test: 2 I / (H(class) + H(test)), between 0 and 1.
inline double normalized_information(std::span<const std::int64_t> left,
                                     std::span<const std::int64_t> node) {
    const auto n_log_n = [](double n) { return n > 0 ? n * std::log2(n) : 0.0; };
    double n_left = 0, n = 0, of_left = 0, of_right = 0, of_node = 0;
    for (std::size_t c = 0; c < node.size(); ++c) {
        const auto here = static_cast<double>(left[c]), all = static_cast<double>(node[c]);
        n_left += here;
        n += all;
        of_left += n_log_n(here);
        of_right += n_log_n(all - here);
        of_node += n_log_n(all);
    }
    const double class_entropy = n_log_n(n) - of_node;
    const double test_entropy = n_log_n(n) - n_log_n(n_left) - n_log_n(n - n_left);
    const double left_over = n_log_n(n_left) - of_left + n_log_n(n - n_left) - of_right;
    const double sum = class_entropy + test_entropy;
    return sum > 0 ? 2 * (class_entropy - left_over) / sum : 0;
}

// Two classes, Gini, less than 2^31 units: both counts fit in one word.
class TwoClassCounter {
  public:
    using Payload = std::uint32_t;  // units; the class is the highest bit
    using Cell = std::uint64_t;     // class 0 in the lower half, class 1 in the upper
    using Sides = tree::ClassSides<tree::GiniImpurity, tree::TwoCounts>;
    static constexpr bool has_kernel = true;  // few rows are cut by a kernel of their own
    static constexpr bool counts_classes = false;

    explicit TwoClassCounter(const GrowTarget& target) : target_(target) {}
    std::size_t cell_words() const { return 1; }
    static std::size_t n_orders() { return 1; }

    Payload payload(RowIndex row, std::uint32_t count) const {
        return static_cast<std::uint32_t>(units_of(target_, row) * count) |
               target_.class_of_row[row] << 31;
    }
    static Cell as_cell(Payload payload) {
        return std::uint64_t{payload & 0x7FFF'FFFFu} << ((payload >> 31) * 32);
    }
    static void add(Cell* cell, Payload payload) { *cell += as_cell(payload); }
    static void add_if(bool holds, Cell* cell, Payload payload) {
        *cell += as_cell(payload) & (0 - std::uint64_t{holds});
    }
    static bool is_empty(const Cell* cell) { return *cell == 0; }
    static void add_to_content(std::int64_t* content, Payload payload) {
        content[payload >> 31] += payload & 0x7FFF'FFFFu;
    }
    static bool is_pure(std::span<const std::int64_t> content, std::span<const Payload>) {
        return content[0] == 0 || content[1] == 0;
    }

    void begin_node(std::span<const std::int64_t> content) {
        ones_ = content[1];
        total_ = content[0] + content[1];
        all_ones_ = static_cast<double>(ones_);
        all_ = static_cast<double>(total_);
    }
    void start() { left_ = 0; }
    void to_left(const Cell* cell) { left_ += *cell; }
    void row_to_left(Payload payload) { left_ += as_cell(payload); }
    // Whether cells in order can be cut at once, and what is to be added to scores of such cuts.
    static bool cuts_cells() { return true; }
    static double cut_offset() { return 0; }
    TwoClassNode node(std::int64_t least) const {
        return {all_, all_ones_, static_cast<std::int32_t>(least)};
    }
    // The best of all cuts of cells in order; `missing` is on the left.
    CellCut cut(const LevelKernels& kernels, const Cell* cells, std::size_t n, const Cell* missing,
                std::int64_t least) const {
        return kernels.cut_two_classes(cells, n, missing != nullptr ? *missing : 0, node(least));
    }
    template <class Value>
    FewCut cut_few(const LevelKernels& kernels, const Value* codes,
                   std::span<const Payload> payload, std::int64_t least) const {
        if constexpr (sizeof(Value) == 1) {
            return kernels.cut_few_bytes(codes, payload.data(), payload.size(), node(least));
        } else {
            return kernels.cut_few_shorts(codes, payload.data(), payload.size(), node(least));
        }
    }
    template <class Value>
    static GivenCut sum_left(const LevelKernels& kernels, const Value* codes,
                             std::span<const Payload> payload, Code last) {
        if constexpr (sizeof(Value) == 1) {
            return kernels.sum_left_bytes(codes, payload.data(), payload.size(), last);
        } else {
            return kernels.sum_left_shorts(codes, payload.data(), payload.size(), last);
        }
    }
    std::int64_t left_weight() const { return zeros_left() + ones_left(); }
    std::int64_t weight() const { return total_; }
    double impurity_weight() const { return all_; }  // what gains are shares of
    // N times the decrease of badness over 2; see two_class_scan.hpp.
    double score() const {
        const auto left = static_cast<double>(left_weight());
        const double surplus = static_cast<double>(ones_left()) * all_ - left * all_ones_;
        return surplus * surplus / (left * (all_ - left));
    }
    // What a cut scores whose left side is given.
    double score_of(const Cell* left) {
        start();
        to_left(left);
        return score();
    }
    double gain_of(double score) const { return 2 * score / (all_ * all_); }
    static double mean(const Cell* cell, std::size_t) {
        const auto ones = static_cast<double>(*cell >> 32);
        return ones / (ones + static_cast<double>(*cell & 0xFFFF'FFFFu));
    }
    double left_mean() const {
        return static_cast<double>(ones_left()) / static_cast<double>(left_weight());
    }
    double right_mean() const {
        return static_cast<double>(ones_ - ones_left()) /
               static_cast<double>(total_ - left_weight());
    }
    double slack() const { return 1e-12; }
    // Scores that differ by no more are equal. Equal fractions give equal scores here.
    static double score_slack() { return 0; }
    static double spread(std::span<const Payload>) { return 0; }
    void begin_information(std::span<const Payload>) {}
    double information() const {
        const std::array<std::int64_t, 2> left{zeros_left(), ones_left()};
        const std::array<std::int64_t, 2> node{total_ - ones_, ones_};
        return normalized_information(left, node);
    }

    // Entries of one code, for the finders of the tree room.
    static void entries_of(Code code, const Cell* cell, std::vector<tree::ClassEntry>& entries) {
        const auto zeros = static_cast<std::int64_t>(*cell & 0xFFFF'FFFFu);
        const auto ones = static_cast<std::int64_t>(*cell >> 32);
        if (zeros > 0) entries.push_back({code, 0, zeros});
        if (ones > 0) entries.push_back({code, 1, ones});
    }

  private:
    std::int64_t zeros_left() const { return static_cast<std::int64_t>(left_ & 0xFFFF'FFFFu); }
    std::int64_t ones_left() const { return static_cast<std::int64_t>(left_ >> 32); }

    const GrowTarget& target_;
    Cell left_ = 0;
    std::int64_t ones_ = 0, total_ = 0;
    double all_ones_ = 0, all_ = 0;
};

// One number.
class NumberCounter {
  public:
    using Payload = NumberCell;
    using Cell = Payload;
    using Sides = tree::SquaredSides;
    static constexpr bool has_kernel = true;  // few rows are cut by a kernel of their own
    static constexpr bool counts_classes = false;

    explicit NumberCounter(const GrowTarget& target) : target_(target) {
        double units = 0;
        for (const std::int64_t each : target.units) units += static_cast<double>(each);
        const double per_row =
            target.units.empty() ? 1 : units / static_cast<double>(target.units.size());
        slack_ = 4 / (per_row * per_row);
    }
    std::size_t cell_words() const { return 1; }
    static std::size_t n_orders() { return 1; }

    Payload payload(RowIndex row, std::uint32_t count) const {
        return {units_of(target_, row) * count, target_.sums_of_row[row] * count};
    }
    static void add(Cell* cell, const Payload& payload) {
        cell->units += payload.units;
        cell->sum += payload.sum;
    }
    static void add_if(bool holds, Cell* cell, const Payload& payload) {
        const std::int64_t mask = -std::int64_t{holds};
        cell->units += payload.units & mask;
        cell->sum += payload.sum & mask;
    }
    static bool is_empty(const Cell* cell) { return cell->units == 0; }
    static void add_to_content(std::int64_t* content, const Payload& payload) {
        content[0] += payload.units;
        content[1] += payload.sum;
    }
    static bool is_pure(std::span<const std::int64_t>, std::span<const Payload> rows) {
        const Payload& first = rows.front();
        return std::all_of(rows.begin(), rows.end(), [&](const Payload& row) {
            return Int128{row.sum} * first.units == Int128{first.sum} * row.units;
        });
    }

    void begin_node(std::span<const std::int64_t> content) {
        units_ = content[0];
        sum_ = content[1];
        center_ = sum_ / units_;
        const double rest = static_cast<double>(sum_ - units_ * center_);
        base_ = rest * rest / static_cast<double>(units_);
    }
    void start() { left_units_ = left_sum_ = 0; }
    void to_left(const Cell* cell) { row_to_left(*cell); }
    void row_to_left(const Payload& payload) {
        left_units_ += payload.units;
        left_sum_ += payload.sum;
    }
    static bool cuts_cells() { return true; }
    static double cut_offset() { return 0; }
    NumberNode node(std::int64_t least) const { return {units_, sum_, center_, least}; }
    CellCut cut(const LevelKernels& kernels, const Cell* cells, std::size_t n, const Cell* missing,
                std::int64_t least) const {
        return kernels.cut_numbers(cells, n, missing != nullptr ? *missing : Cell{0, 0},
                                   node(least));
    }
    template <class Value>
    FewCut cut_few(const LevelKernels& kernels, const Value* codes,
                   std::span<const Payload> payload, std::int64_t least) const {
        const std::size_t n = payload.size();
        if constexpr (sizeof(Value) == 1) {
            return kernels.cut_few_numbers_bytes(codes, payload.data(), n, node(least));
        } else {
            return kernels.cut_few_numbers_shorts(codes, payload.data(), n, node(least));
        }
    }
    std::int64_t left_weight() const { return left_units_; }
    std::int64_t weight() const { return units_; }
    double impurity_weight() const { return static_cast<double>(units_); }
    double score() const {
        const std::int64_t right_units = units_ - left_units_;
        const auto left = static_cast<double>(left_sum_ - left_units_ * center_);
        const auto right = static_cast<double>(sum_ - left_sum_ - right_units * center_);
        return left * left / static_cast<double>(left_units_) +
               right * right / static_cast<double>(right_units);
    }
    double score_of(const Cell* left) {
        start();
        to_left(left);
        return score();
    }
    double gain_of(double score) const { return (score - base_) / static_cast<double>(units_); }
    static double mean(const Cell* cell, std::size_t) {
        return static_cast<double>(cell->sum) / static_cast<double>(cell->units);
    }
    double left_mean() const {
        return static_cast<double>(left_sum_) / static_cast<double>(left_units_);
    }
    double right_mean() const {
        return static_cast<double>(sum_ - left_sum_) / static_cast<double>(units_ - left_units_);
    }
    // What rounding to whole numbers alone may gain.
    double slack() const { return slack_; }
    static double score_slack() { return 0; }
    // Σ (value − mean)² · weight, from whole numbers.
    static double spread(std::span<const Payload> rows) {
        std::int64_t units = 0, sum = 0;
        for (const Payload& row : rows) units += row.units, sum += row.sum;
        Int128 squares = 0;
        for (const Payload& row : rows) {
            const Int128 off = row.sum - row.units * (sum / units);
            squares += off * off / row.units;
        }
        const auto rest = static_cast<double>(sum % units);
        return std::max(0.0,
                        static_cast<double>(squares) - rest * rest / static_cast<double>(units));
    }
    void begin_information(std::span<const Payload> rows) {
        variance_ = spread(rows) / static_cast<double>(units_);
    }
    double information() const { return variance_ > 0 ? gain_of(score()) / variance_ : 0; }

    static void entries_of(Code code, const Cell* cell, std::vector<tree::SumEntry>& entries) {
        entries.push_back({code, cell->units, &cell->sum});
    }

  private:
    const GrowTarget& target_;
    std::int64_t left_units_ = 0, left_sum_ = 0, units_ = 0, sum_ = 0, center_ = 0;
    double base_ = 0, slack_ = 0, variance_ = 0;
};

}  // namespace branchline::forest
