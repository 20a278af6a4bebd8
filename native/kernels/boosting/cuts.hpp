// The best test of one column in one node.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "boosting/histograms.hpp"
#include "boosting/node_rows.hpp"
#include "boosting/words.hpp"

namespace branchline::boosting {

struct Bounds {
    double lowest = -std::numeric_limits<double>::infinity();
    double highest = std::numeric_limits<double>::infinity();
    bool are_open() const {
        return lowest == -std::numeric_limits<double>::infinity() &&
               highest == std::numeric_limits<double>::infinity();
    }
};

// A test of a node. gain ≤ 0: none.
struct Cut {
    double gain = 0;
    Side side;
    Code right_code = 0;  // thresholds: the first code on the right; 0: none
    NodeSums left;
};

// Which test of a node is the best so far; `make` tells more. gain ≤ 0: none.
struct Found {
    double gain = 0;
    std::size_t column = 0;
    std::size_t place = 0;  // the code before the cut, or how many categories go left
    bool missing_left = false;
};

// Whether a test replaces the best one: it gains more, or as much and its column comes first.
inline bool is_better(double gain, std::size_t column, double best_gain, std::size_t best_column) {
    return gain > best_gain || (gain > 0 && gain == best_gain && column < best_column);
}

// What a column's tests of a node are compared in.
struct NodeView {
    NodeSums sums;
    Bounds bounds;
};

class CutFinder {
  public:
    CutFinder(const BlockedRows& rows, const BoostingConstraints& constraints,
              const BoostingOptions& options, const RowWords& words, const BoostingKernels& kernels)
        : rows_(rows), constraints_(constraints), options_(options), scale_(words.scale()),
          kernels_(kernels), reader_(rows, kernels),
          weight_(options.unit * std::ldexp(1.0, scale_.units_shift)),
          g_unit_(scale_.g_unit * weight_), h_unit_(scale_.h_unit * weight_),
          least_units_(std::max(1.0, in_histograms(options.min_leaf_units))),
          least_category_(in_histograms(options.min_category_units)),
          chance_(options.category_chance * words.dispersion() * scale_.g_unit * scale_.g_unit /
                  scale_.h_unit) {}

    // Replaces `best` when the column has a better test.
    void find(std::size_t column, Histogram& histogram, const NodeView& node, Found& best) {
        if (!reader_.varies(histogram, column)) return;
        if (rows_.columns[column].is_category) {
            find_categories(column, histogram, node, best);
        } else {
            find_threshold(column, histogram, node, best);
        }
    }

    // The test that was found in a node.
    Cut make(const Found& found, Histogram& histogram, const NodeView& node) {
        if (!(found.gain > 0)) return {};
        const std::size_t bundle = rows_.of_column[found.column].bundle;
        const bool is_category = rows_.columns[found.column].is_category;
        const auto code = static_cast<Code>(found.place);
        if (!is_category && histogram.is_packed() && rows_.bundles[bundle].is_single()) {
            const std::uint64_t* words = histogram.words_of(rows_, bundle);
            std::uint64_t left = found.missing_left ? words[0] : 0;
            for (std::size_t c = 1; c <= code; ++c) left += words[c];
            return threshold_at(found.column, sums_of_word(left), words[0] != 0, node, code,
                                found.missing_left, found.gain);
        }
        const Bins bins = bins_of(found.column, histogram, node);
        if (!is_category) {
            return threshold_at(found.column, bins, node, code, found.missing_left, found.gain);
        }
        order_categories(bins, node.sums);
        return categories_at(found.column, bins, node, found.place, found.gain);
    }

    // Good until the next call of this, `find` or `make`.
    Bins bins_of(std::size_t column, Histogram& histogram, const NodeView& node) {
        return reader_.read(histogram, column, node.sums);
    }

    double value_of(const NodeSums& sums, const Bounds& bounds) const {
        const double below = sums.h() * scale_.h_unit * weight_ + options_.l2;
        const double value =
            below > 0 ? -static_cast<double>(sums.g) * scale_.g_unit * weight_ / below : 0;
        return std::clamp(value, bounds.lowest, bounds.highest);
    }

    int direction(std::size_t column) const {
        return constraints_.monotone.empty() ? 0 : constraints_.monotone[column];
    }

    // What a test of the scores must exceed to gain anything, rounding included.
    double score_to_beat(const NodeView& node) const {
        const CutNode cut = cut_node(node, 0);
        const double below = std::max(cut.h + cut.l2, std::numeric_limits<double>::min());
        const double whole = score(cut.g, below, node.bounds);
        // Rounding alone makes sums differ by half an integer a row; the best of many cuts by more.
        return whole + 4 * cut.g_unit * cut.g_unit * cut.n / below + 1e-12 * whole;
    }

    // Scores of all cuts of a threshold column: missing values right, then left (empty: none), and
    // the best of both.
    std::pair<BestScore, BestScore> score_thresholds(std::size_t column, Bins bins,
                                                     const NodeView& node,
                                                     std::vector<double>& right,
                                                     std::vector<double>& left) {
        const CutNode cut = cut_node(node, 0);
        right.resize(bins.n + spare);
        const BestScore best = score_all(column, bins, {}, cut, node.bounds, right.data());
        left.clear();
        if ((bins.hn[0] & 0xFFFF'FFFF) == 0) return {best, {none, 0}};
        left.resize(bins.n + spare);
        BestScore other =
            score_all(column, bins, {bins.g[0], bins.hn[0]}, cut, node.bounds, left.data());
        // Nothing but missing values on the left is the mirror of the last cut.
        std::size_t first = 1;
        while (first < bins.n && bins.hn[first] == 0) left[first++] = none;
        if (other.place < first) other = best_of(left.data(), bins.n);
        return {best, other};
    }

    // Puts the categories that are there in the order of their means. Code 0 stands for missing
    // values and for all categories that are too rare to be told apart.
    void order_categories(Bins bins, const NodeSums& sums) {
        const double average = sums.n() > 0 ? sums.h() / sums.n() : 1;
        const double extra = options_.category_smoothing * std::max(average, 1e-300) *
                             std::ldexp(1.0, -scale_.units_shift) / options_.unit;
        ordered_.clear();
        rare_.clear();
        const auto add = [&](const NodeSums& here, Code code) {
            ordered_.push_back({static_cast<double>(here.g) / (here.h() + extra + 1e-300), code});
        };
        for (Code code = 1; code < bins.n; ++code) {
            const NodeSums here{bins.g[code], bins.hn[code]};
            if (here.n() == 0) continue;
            if (here.n() < least_category_) {
                rare_.push_back(code);
            } else {
                add(here, code);
            }
        }
        const NodeSums pool = sums_of(missing_code, bins);
        if (pool.n() > 0) add(pool, missing_code);
        std::sort(ordered_.begin(), ordered_.end(), [](const Ordered& a, const Ordered& b) {
            return a.mean != b.mean ? a.mean < b.mean : a.code < b.code;
        });
    }

    std::size_t n_ordered() const { return ordered_.size(); }

    // What the ordered categories gain where they tell nothing. Their means have n − 1 degrees of
    // freedom, of which a number's best cut uses one.
    double chance_gain() const {
        return 0.5 * chance_ * std::max(0.0, static_cast<double>(ordered_.size()) - 2);
    }

    // Scores of the cuts after each category in that order, from place 1 on.
    BestScore score_categories(Bins bins, const NodeView& node, std::vector<double>& scores) {
        g_.assign(1, 0);
        hn_.assign(1, 0);
        for (const Ordered& at : ordered_) {
            const NodeSums here = sums_of(at.code, bins);
            g_.push_back(here.g);
            hn_.push_back(here.hn);
        }
        scores.assign(g_.size() + spare, none);
        const CutNode cut = cut_node(node, options_.category_l2);
        return score_all(no_column, {g_.data(), hn_.data(), g_.size()}, {}, cut, node.bounds,
                         scores.data());
    }

    // The test that a place of the scores stands for.
    Cut threshold_at(std::size_t column, Bins bins, const NodeView& node, Code code,
                     bool missing_left, double gain) const {
        NodeSums left;
        for (std::size_t c = missing_left ? 0 : 1; c <= code; ++c) left += {bins.g[c], bins.hn[c]};
        const bool has_missing = NodeSums{bins.g[0], bins.hn[0]}.n() > 0;
        return threshold_at(column, left, has_missing, node, code, missing_left, gain);
    }
    Cut threshold_at(std::size_t column, const NodeSums& left, bool has_missing,
                     const NodeView& node, Code code, bool missing_left, double gain) const {
        Cut cut;
        cut.gain = gain;
        cut.left = left;
        cut.side.column = static_cast<std::uint32_t>(column);
        cut.side.cut = code;
        cut.side.missing_left = has_missing ? missing_left : 2 * left.n() > node.sums.n();
        // The code after it, in the node or not: rows that the node was not grown on must go the
        // same way in fitting (by code) and in prediction (by the midpoint of both).
        cut.right_code = code + 1 < rows_.bins_of(column) ? code + 1 : 0;
        return cut;
    }
    Cut categories_at(std::size_t column, Bins bins, const NodeView& node, std::size_t n_left,
                      double gain) const {
        Cut cut;
        cut.gain = gain;
        cut.side.column = static_cast<std::uint32_t>(column);
        cut.side.is_threshold = false;
        for (std::size_t i = 0; i < n_left; ++i) {
            cut.left += sums_of(ordered_[i].code, bins);
        }
        cut.side.missing_left = 2 * cut.left.n() > node.sums.n();
        for (std::size_t i = 0; i < ordered_.size(); ++i) {
            if (ordered_[i].code == missing_code) cut.side.missing_left = i < n_left;
        }
        cut.side.goes_right.assign(bins.n, !cut.side.missing_left);
        for (std::size_t i = 0; i < ordered_.size(); ++i) {
            cut.side.goes_right[ordered_[i].code] = i >= n_left;
        }
        return cut;
    }

    // What a node gains when rows with the sums `left` leave it for a branch; ≤ 0: it may not be.
    double gain_of_left(std::size_t column, const NodeView& node, const NodeSums& left) const {
        const bool is_category = rows_.columns[column].is_category;
        const CutNode cut = cut_node(node, is_category ? options_.category_l2 : 0);
        std::int64_t g[2] = {0, left.g};
        std::uint64_t hn[2] = {0, left.hn};
        double scores[2 + spare] = {none, none};
        score_all(is_category ? no_column : column, {g, hn, 2}, {}, cut, node.bounds, scores);
        return gain_of(scores[1], score_to_beat(node));
    }
    double gain_of(double score, double whole) const {
        return 0.5 * (score - whole) - options_.leaf_penalty;
    }

  private:
    static constexpr double none = -std::numeric_limits<double>::infinity();
    static constexpr std::size_t spare = 8;  // kernels write a little too much
    static constexpr std::size_t no_column = std::numeric_limits<std::size_t>::max();
    struct Ordered {
        double mean;
        Code code;
    };

    // A number of units as histograms count them.
    double in_histograms(std::int64_t units) const {
        return std::ldexp(static_cast<double>(units), -scale_.units_shift);
    }

    // The sums of an ordered category; rare ones count with missing values.
    NodeSums sums_of(Code code, Bins bins) const {
        NodeSums sums{bins.g[code], bins.hn[code]};
        if (code == missing_code) {
            for (const Code rare : rare_) sums += {bins.g[rare], bins.hn[rare]};
        }
        return sums;
    }

    CutNode cut_node(const NodeView& node, double more_l2) const {
        return {static_cast<double>(node.sums.g) * g_unit_,
                node.sums.h() * h_unit_,
                node.sums.n(),
                g_unit_,
                h_unit_,
                options_.l2 + more_l2,
                least_units_,
                options_.min_leaf_hessian};
    }

    // What a node of gradient g scores when its value must stay within bounds.
    static double score(double g, double below, const Bounds& bounds) {
        if (bounds.are_open()) return g * g / below;
        const double value = std::clamp(-g / below, bounds.lowest, bounds.highest);
        return -(2 * g + below * value) * value;
    }

    static BestScore best_of(const double* scores, std::size_t n) {
        BestScore best{none, 0};
        for (std::size_t i = 1; i < n; ++i) {
            if (scores[i] > best.score) best = {scores[i], i};
        }
        return best;
    }

    BestScore score_all(std::size_t column, Bins bins, const NodeSums& left, const CutNode& cut,
                        const Bounds& bounds, double* scores) const {
        const BestScore best = kernels_.score_cuts(bins, left.g, left.hn, cut, scores);
        const int wanted = column == no_column ? 0 : direction(column);
        if (wanted == 0 && bounds.are_open()) return best;
        NodeSums sums = left;
        for (std::size_t i = 1; i < bins.n; ++i) {
            sums += {bins.g[i], bins.hn[i]};
            if (scores[i] == none) continue;
            const double g = static_cast<double>(sums.g) * cut.g_unit, other = cut.g - g;
            const double below = sums.h() * cut.h_unit + cut.l2;
            const double other_below = cut.h - sums.h() * cut.h_unit + cut.l2;
            const double low = std::clamp(-g / below, bounds.lowest, bounds.highest);
            const double high = std::clamp(-other / other_below, bounds.lowest, bounds.highest);
            const bool agrees = wanted == 0 || (wanted > 0 ? low <= high : low >= high);
            scores[i] = agrees ? score(g, below, bounds) + score(other, other_below, bounds) : none;
        }
        return best_of(scores, bins.n);
    }

    // The best cuts with missing values right and left, without keeping all scores.
    std::pair<BestScore, BestScore> best_thresholds(std::size_t column, Histogram& histogram,
                                                    const NodeView& node) {
        const bool is_free = direction(column) == 0 && node.bounds.are_open();
        const CutNode cut = cut_node(node, 0);
        const std::size_t bundle = rows_.of_column[column].bundle;
        if (is_free && histogram.is_packed() && rows_.bundles[bundle].is_single()) {
            const std::uint64_t* words = histogram.words_of(rows_, bundle);
            const std::size_t n = rows_.bins_of(column);
            const std::uint64_t total = word_of_sums(node.sums);
            const BestScore right = kernels_.best_cut_of_words(words, n, 0, total, cut);
            if (words[0] == 0) return {right, {none, 0}};
            return {right, kernels_.best_cut_of_words(words, n, words[0], total, cut)};
        }
        const Bins bins = bins_of(column, histogram, node);
        if (!is_free) return score_thresholds(column, bins, node, scores_, left_scores_);
        const BestScore right = kernels_.best_cut(bins, 0, 0, cut);
        if ((bins.hn[0] & 0xFFFF'FFFF) == 0) return {right, {none, 0}};
        return {right, kernels_.best_cut(bins, bins.g[0], bins.hn[0], cut)};
    }

    void find_threshold(std::size_t column, Histogram& histogram, const NodeView& node,
                        Found& best) {
        const auto [right, left] = best_thresholds(column, histogram, node);
        const bool missing_left = left.score > right.score;
        const BestScore& most = missing_left ? left : right;
        const double gain = gain_of(most.score, score_to_beat(node));
        if (is_better(gain, column, best.gain, best.column)) {
            best = {gain, column, most.place, missing_left};
        }
    }

    void find_categories(std::size_t column, Histogram& histogram, const NodeView& node,
                         Found& best) {
        const Bins bins = bins_of(column, histogram, node);
        order_categories(bins, node.sums);
        if (ordered_.size() < 2) return;
        const BestScore most = score_categories(bins, node, scores_);
        const double gain = gain_of(most.score, score_to_beat(node)) - chance_gain();
        if (is_better(gain, column, best.gain, best.column))
            best = {gain, column, most.place, false};
    }

    const BlockedRows& rows_;
    const BoostingConstraints& constraints_;
    const BoostingOptions& options_;
    const WordScale& scale_;
    const BoostingKernels& kernels_;
    BinReader reader_;
    double weight_;  // what a unit of a histogram weighs
    double g_unit_, h_unit_, least_units_, least_category_;
    double chance_;  // what a degree of freedom adds to scores by chance
    std::vector<double> scores_, left_scores_;
    std::vector<Ordered> ordered_;
    std::vector<Code> rare_;  // categories that count with missing values
    std::vector<std::int64_t> g_;
    std::vector<std::uint64_t> hn_;
};

}  // namespace branchline::boosting
