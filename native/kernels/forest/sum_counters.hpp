// Split statistics of sums of any width: several numbers by their squares, counts by their deviance.
// Forms and methods are those of counters.hpp; badness is that of tree/split_sides.hpp.
#pragma once

#include "forest/counters.hpp"

namespace branchline::forest {

// What sums are compared by, and how much of it is rounding.
struct SquaresOfNumbers {
    using Impurity = tree::SquaredImpurity;

    explicit SquaresOfNumbers(const GrowTarget& target)
        : slack_(NumberCounter(target).slack() * static_cast<double>(target.n_outputs)) {}

    double slack(const tree::SumsOfNode&) const { return slack_; }
    // Sums of several squares round differently in different units: what ties must stay a tie.
    static double score_slack(double score, const tree::SumsOfNode&, double) {
        return 1e-12 * score;
    }
    static double spread(std::span<const NumberCell> rows, double) {
        return NumberCounter::spread(rows);
    }

  private:
    double slack_;
};

struct DevianceOfCounts {
    using Impurity = tree::PoissonImpurity;

    explicit DevianceOfCounts(const GrowTarget&) {}

    static double total_mean(const tree::SumsOfNode& node) {
        double sum = 0;
        for (const double mean : node.mean) sum += mean;
        return sum;
    }
    static double slack(const tree::SumsOfNode& node) { return 1e-12 * total_mean(node); }
    // A logarithm is rounded before it is multiplied by a sum.
    static double score_slack(double score, const tree::SumsOfNode& node, double units) {
        return 1e-12 * score + 1e-15 * total_mean(node) * units;
    }
    // Half the deviance from the mean: Σ sum · log((sum / units) / mean).
    static double spread(std::span<const NumberCell> rows, double mean) {
        double sum = 0;
        for (const NumberCell& row : rows) {
            const auto total = static_cast<double>(row.sum);
            if (total > 0) sum += total * std::log(total / static_cast<double>(row.units) / mean);
        }
        return std::max(0.0, sum);
    }
};

// A cell has a word for the units, then one for each output.
template <class Measure>
class SumCounter {
  public:
    struct Payload {
        std::int64_t units;
        RowIndex row;
        std::uint32_t count;
    };
    using Cell = std::int64_t;
    using Impurity = typename Measure::Impurity;
    using Sides = tree::SumSides<Impurity>;
    static constexpr bool has_kernel = false;
    static constexpr bool counts_classes = false;

    explicit SumCounter(const GrowTarget& target)
        : target_(target), measure_(target), left_(target.n_outputs), right_(target.n_outputs),
          node_(target.n_outputs), about_{node_, std::vector<double>(target.n_outputs)} {}
    std::size_t cell_words() const { return 1 + node_.size(); }
    std::size_t n_orders() const { return target_.n_outputs; }

    Payload payload(RowIndex row, std::uint32_t count) const {
        return {units_of(target_, row) * count, row, count};
    }
    void add(Cell* cell, const Payload& payload) const {
        cell[0] += payload.units;
        const auto sums = sums_of(payload);
        for (std::size_t o = 0; o < sums.size(); ++o) cell[1 + o] += sums[o] * payload.count;
    }
    void add_if(bool holds, Cell* cell, const Payload& payload) const {
        if (holds) add(cell, payload);
    }
    static bool is_empty(const Cell* cell) { return cell[0] == 0; }
    void add_to_content(std::int64_t* content, const Payload& payload) const {
        add(content, payload);
    }
    bool is_pure(std::span<const std::int64_t>, std::span<const Payload> rows) const {
        const Payload& first = rows.front();
        const std::size_t n = target_.n_outputs;
        const auto* sums = target_.sums_of_row.data();
        const auto equals_first = [&](const Payload& row) {
            for (std::size_t o = 0; o < n; ++o) {
                if (Int128{sums[row.row * n + o]} * row.count * first.units !=
                    Int128{sums[first.row * n + o]} * first.count * row.units) {
                    return false;
                }
            }
            return true;
        };
        return std::all_of(rows.begin(), rows.end(), equals_first);
    }

    void begin_node(std::span<const std::int64_t> content) {
        units_ = content[0];
        for (std::size_t o = 0; o < node_.size(); ++o) {
            node_[o] = content[1 + o];
            about_.center[o] = node_[o] / units_;
            about_.mean[o] = static_cast<double>(node_[o]) / static_cast<double>(units_);
        }
        start();
        badness_ = Impurity::badness(node_, units_, about_);
    }
    void start() {
        std::fill(left_.begin(), left_.end(), 0);
        left_units_ = 0;
    }
    void to_left(const Cell* cell) {
        left_units_ += cell[0];
        for (std::size_t o = 0; o < left_.size(); ++o) left_[o] += cell[1 + o];
    }
    void row_to_left(const Payload& payload) {
        left_units_ += payload.units;
        const auto sums = sums_of(payload);
        for (std::size_t o = 0; o < left_.size(); ++o) left_[o] += sums[o] * payload.count;
    }
    static bool cuts_cells() { return false; }
    static double cut_offset() { return 0; }
    static CellCut cut(const LevelKernels&, const Cell*, std::size_t, const Cell*, std::int64_t) {
        return {};
    }
    std::int64_t left_weight() const { return left_units_; }
    std::int64_t weight() const { return units_; }
    double impurity_weight() const { return static_cast<double>(units_); }
    double score() {
        for (std::size_t o = 0; o < node_.size(); ++o) right_[o] = node_[o] - left_[o];
        last_score_ = -Impurity::badness(left_, left_units_, about_) -
                      Impurity::badness(right_, units_ - left_units_, about_);
        return last_score_;
    }
    double gain_of(double score) const { return (score + badness_) / static_cast<double>(units_); }
    double mean(const Cell* cell, std::size_t which) const {
        return static_cast<double>(cell[1 + which]) / static_cast<double>(cell[0]);
    }
    // Only one output can be constrained to be monotone.
    double left_mean() const {
        return static_cast<double>(left_[0]) / static_cast<double>(left_units_);
    }
    double right_mean() const {
        return static_cast<double>(node_[0] - left_[0]) / static_cast<double>(units_ - left_units_);
    }
    double score_slack() const {
        return measure_.score_slack(last_score_, about_, static_cast<double>(units_));
    }
    double slack() const { return measure_.slack(about_); }
    double spread(std::span<const Payload> rows) const {
        double sum = 0;
        std::vector<NumberCell> one(rows.size());
        for (std::size_t o = 0; o < node_.size(); ++o) {
            for (std::size_t i = 0; i < rows.size(); ++i) {
                one[i] = {rows[i].units, sums_of(rows[i])[o] * rows[i].count};
            }
            sum += measure_.spread(one, about_.mean[o]);
        }
        return sum;
    }
    void begin_information(std::span<const Payload> rows) {
        impurity_ = spread(rows) / static_cast<double>(units_);
    }
    double information() { return impurity_ > 0 ? gain_of(score()) / impurity_ : 0; }

    static void entries_of(Code code, const Cell* cell, std::vector<tree::SumEntry>& entries) {
        entries.push_back({code, cell[0], cell + 1});
    }

  private:
    std::span<const std::int64_t> sums_of(const Payload& payload) const {
        return target_.sums_of_row.subspan(payload.row * target_.n_outputs, target_.n_outputs);
    }

    const GrowTarget& target_;
    Measure measure_;
    std::vector<std::int64_t> left_, right_, node_;
    tree::SumsOfNode about_;
    std::int64_t left_units_ = 0, units_ = 0;
    double badness_ = 0, impurity_ = 0, last_score_ = 0;
};

using NumbersCounter = SumCounter<SquaresOfNumbers>;
using CountsCounter = SumCounter<DevianceOfCounts>;

}  // namespace branchline::forest
