// The test that one column offers for one node: the best one, or a random one (extra-trees).
#pragma once

#include <algorithm>
#include <cmath>

#include "branchline/forest.hpp"
#include "forest/class_cells.hpp"
#include "forest/groups.hpp"
#include "forest/node_draws.hpp"
#include "forest/offer.hpp"
#include "forest/random_tests.hpp"

namespace branchline::forest {

template <class Counter>
class ColumnLooker {
  public:
    using Payload = typename Counter::Payload;

    ColumnLooker(const ForestInput& input, const ForestOptions& options, Counter& counter,
                 const LevelKernels& kernels)
        : input_(input), options_(options), counter_(counter), kernels_(kernels),
          groups_(counter, kernels), is_bounded_(!input.monotone.empty()),
          compares_gains_(!compares_more_than_gain(input.columns, options.tree)) {
        if (options.random_thresholds) find_middles();
    }

    void begin_node(std::span<const std::int64_t> content, std::span<const Payload> rows,
                    const Bounds& bounds) {
        counter_.begin_node(content);
        bounds_ = bounds;
        if constexpr (Counter::counts_classes) {
            if (rows.size() > few_rows && counter_.cuts_cells()) {
                class_cells_.begin_node(rows, content.size());
            }
        }
    }

    // Sums the codes of a column for those who search its tests themselves.
    template <class Index>
    void collect(int column, const CodeColumn& codes, const NodeItems<Index, Payload>& node) {
        column_ = column;
        groups_.collect(codes, about().n_codes, node);
    }

    // Whether the column varies in the node; when it has a test, `offer` becomes it, and
    // `branch_of_code` its categories (0, 1, or 2: not in the node).
    template <class Index>
    bool look(int column, const CodeColumn& codes, const NodeItems<Index, Payload>& node,
              NodeDraws& draws, Offer& offer) {
        offer = {};
        column_ = column;
        any_missing_ = false;
        direction_ = is_bounded_ ? input_.monotone[static_cast<std::size_t>(column)] : 0;
        if (options_.random_thresholds && !about().is_category) {
            return look_at_random(codes, node, draws, offer);
        }
        const bool by_cells = counter_.cuts_cells() && !needs_each_cut();
        if constexpr (Counter::counts_classes) {
            if (by_cells && !about().is_category && compares_gains_ && about().n_codes <= 255) {
                return node.size() <= few_rows ? look_at_few(codes, node, offer)
                                               : look_at_classes(codes, node, offer);
            }
        }
        if (node.size() <= few_rows && !about().is_category && (Counter::has_kernel || !by_cells)) {
            return look_at_few(codes, node, offer);
        }
        groups_.collect(codes, about().n_codes, node);
        if (groups_.size() < 2) return false;
        const std::size_t n_missing = groups_.any_missing() ? 1 : 0;
        if (n_missing > 0) keep_missing(groups_.cell(0));
        order_.resize(groups_.size() - n_missing);
        for (std::size_t k = 0; k < order_.size(); ++k) order_[k] = n_missing + k;
        Best best;
        if (about().is_category && options_.random_thresholds) {
            take_random_subset(draws, n_missing > 0, best);
        } else {
            if (about().is_category) {
                scan_orders(n_missing > 0, best);
            } else if (by_cells) {
                scan_by_kernel(n_missing > 0, best);
            } else {
                scan(n_missing > 0, best);
            }
        }
        if (best.score > no_score) make_offer(best, n_missing > 0, offer);
        return true;
    }

    // What the missing values of the column looked at last hold; null when there are none.
    const typename Counter::Cell* missing() const {
        return any_missing_ ? missing_cell_.data() : nullptr;
    }

    // Finds the codes next to a random threshold: only once it is taken.
    template <class Index>
    void settle(const CodeColumn& codes, const NodeItems<Index, Payload>& node, Offer& offer);

    std::vector<std::uint8_t>& branch_of_code() { return branch_of_code_; }
    const Groups<Counter>& groups() const { return groups_; }
    Counter& counter() { return counter_; }

  private:
    struct Best {
        double score = no_score;
        std::size_t n_left = 0;  // groups of order_ on the left
        bool missing_left = false;
        std::int64_t left_weight = 0;
        double middle = 0, information = 0;
    };

    void keep_missing(const typename Counter::Cell* cell) {
        missing_cell_.assign(cell, cell + counter_.cell_words());
        any_missing_ = true;
    }

    void find_middles() {
        for (const KnownCodes& known : input_.values) {
            std::vector<double>& middle = middles_.emplace_back(known.lowest.size());
            for (std::size_t c = 0; c < middle.size(); ++c) {
                middle[c] = known.lowest[c] / 2 + known.highest[c] / 2;
            }
        }
    }

    const GrowColumn& about() const { return input_.columns[static_cast<std::size_t>(column_)]; }

    bool keeps_bounds() const {
        const double left = counter_.left_mean(), right = counter_.right_mean();
        const bool in_order = direction_ == 0 || (direction_ > 0 ? left <= right : left >= right);
        return in_order && std::min(left, right) >= bounds_.lower &&
               std::max(left, right) <= bounds_.upper;
    }

    // The cut that the counter stands at, when it is better than the best so far.
    void consider(std::size_t n_left, bool missing_left, Best& best) {
        const std::int64_t left = counter_.left_weight(), least = options_.tree.min_leaf_units;
        if (left < least || counter_.weight() - left < least) return;
        const double score = counter_.score();
        if (!(score > best.score + counter_.score_slack())) return;  // the first of equals
        if (is_bounded_ && !keeps_bounds()) return;
        best = {score, n_left, missing_left, left, 0, 0};
        if (options_.score_threshold <= 1) best.information = counter_.information();
        if (is_bounded_) best.middle = (counter_.left_mean() + counter_.right_mean()) / 2;
    }

    // Whether every cut must be looked at singly.
    bool needs_each_cut() const { return is_bounded_ || options_.score_threshold <= 1; }

    void scan_by_kernel(bool any_missing, Best& best) {
        const std::size_t n_missing = any_missing ? 1 : 0;
        for (const bool missing_left : {false, true}) {
            if (missing_left && !any_missing) return;
            const CellCut cut = counter_.cut(
                kernels_, groups_.cell(n_missing), groups_.size() - n_missing,
                missing_left ? groups_.cell(0) : nullptr, options_.tree.min_leaf_units);
            const double score = cut.score + counter_.cut_offset();
            if (cut.score < 0 || !(score > best.score + counter_.score_slack())) continue;
            best = {score, cut.n_left, missing_left, cut.left_weight, 0, 0};
        }
    }

    void scan(bool any_missing, Best& best) {
        for (const bool missing_left : {false, true}) {
            if (missing_left && !any_missing) return;
            counter_.start();
            if (missing_left) counter_.to_left(groups_.cell(0));
            for (std::size_t k = 0; k < order_.size(); ++k) {
                counter_.to_left(groups_.cell(order_[k]));
                consider(k + 1, missing_left, best);
            }
        }
    }

    // Categories in the order of their means: one order for two classes or one number (it holds the
    // best subset), else one for each class or output.
    void scan_orders(bool any_missing, Best& best) {
        const std::size_t n_orders = counter_.n_orders();
        for (std::size_t which = 0; which < n_orders; ++which) {
            order_by_mean(which);
            const double before = best.score;
            scan(any_missing, best);
            if (n_orders > 1 && best.score > before) best_order_ = order_;
        }
        if (n_orders > 1 && best.score > no_score) order_.swap(best_order_);
    }

    void order_by_mean(std::size_t which) {
        means_.resize(groups_.size());
        for (std::size_t g = 0; g < means_.size(); ++g) {
            means_[g] = counter_.mean(groups_.cell(g), which);
        }
        std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
            return means_[a] != means_[b] ? means_[a] < means_[b] : a < b;
        });
    }

    void take_random_subset(NodeDraws& draws, bool any_missing, Best& best) {
        present_.clear();
        for (const std::size_t group : order_) present_.push_back(groups_.code(group));
        branch_of_code_.assign(about().n_codes + 1, 2);
        draw_subset(input_.values[static_cast<std::size_t>(column_)].lowest, present_, draws.word(),
                    branch_of_code_.data());
        const auto middle = std::stable_partition(
            order_.begin(), order_.end(),
            [&](std::size_t group) { return branch_of_code_[groups_.code(group)] == 0; });
        const auto n_left = static_cast<std::size_t>(middle - order_.begin());
        for (const bool missing_left : {false, true}) {
            if (missing_left && !any_missing) return;
            counter_.start();
            if (missing_left) counter_.to_left(groups_.cell(0));
            for (std::size_t k = 0; k < n_left; ++k) counter_.to_left(groups_.cell(order_[k]));
            consider(n_left, missing_left, best);
        }
    }

    void make_offer(const Best& best, bool any_missing, Offer& offer) {
        const Code left = groups_.code(order_[best.n_left - 1]);
        const Code right = best.n_left < order_.size() ? groups_.code(order_[best.n_left]) : 0;
        offer_threshold(best, any_missing, left, right, offer);
        offer.n_values = order_.size();
        if (!about().is_category) return;
        offer.is_category = true;
        offer.left_code = offer.right_code = 0;
        offer.fraction = 0;
        branch_of_code_.assign(about().n_codes + 1, 2);
        for (std::size_t k = 0; k < order_.size(); ++k) {
            branch_of_code_[groups_.code(order_[k])] = k >= best.n_left;
        }
    }

    template <class Index>
    bool look_at_few(const CodeColumn& codes, const NodeItems<Index, Payload>& node, Offer& offer);
    template <class Index>
    bool look_at_classes(const CodeColumn& codes, const NodeItems<Index, Payload>& node,
                         Offer& offer);
    template <class Value, class Index>
    void cut_sorted(const Value* here, const NodeItems<Index, Payload>& node, Offer& offer);
    void offer_threshold(const Best& best, bool any_missing, Code left, Code right, Offer& offer);
    template <class Index>
    bool look_at_random(const CodeColumn& codes, const NodeItems<Index, Payload>& node,
                        NodeDraws& draws, Offer& offer);
    template <class Value, class Index>
    RandomRange<Value> gather(const Value* column, const NodeItems<Index, Payload>& node,
                              Value* here) const;
    struct RandomCut {
        Code last_left;
        bool is_single;    // the column has one value, and missing ones
        double threshold;  // of the draw
    };
    template <class Value, class Index>
    void offer_random(const Value* here, const NodeItems<Index, Payload>& node, bool any_missing,
                      const RandomCut& cut, Offer& offer);
    RandomCut draw_cut(Code lowest, Code highest, NodeDraws& draws) const;
    std::uint8_t fraction_of(double threshold, Code left, Code right) const;

    const ForestInput& input_;
    const ForestOptions& options_;
    Counter& counter_;
    const LevelKernels& kernels_;
    Groups<Counter> groups_;
    FewCodes few_;
    bool is_bounded_, compares_gains_;
    Bounds bounds_;
    int column_ = -1, direction_ = 0;
    bool any_missing_ = false;
    std::vector<std::size_t> order_, best_order_;
    std::vector<double> means_;
    std::vector<Code> present_;
    std::vector<std::uint8_t> branch_of_code_;
    CodeScratch scratch_;
    std::vector<std::vector<double>> middles_;  // of the values that each code covers
    std::vector<typename Counter::Cell> left_cell_, missing_cell_;
    ClassCells class_cells_;  // only where counts_classes
};

template <class Counter>
void ColumnLooker<Counter>::offer_threshold(const Best& best, bool any_missing, Code left,
                                            Code right, Offer& offer) {
    offer.column = column_;
    offer.gain = counter_.gain_of(best.score);
    offer.left_weight = best.left_weight;
    offer.middle = best.middle;
    offer.information = best.information;
    // Missing values that the node does not have follow the heavier side.
    offer.missing_left =
        any_missing ? best.missing_left : 2 * best.left_weight >= counter_.weight();
    offer.left_code = left;
    offer.right_code = right;
    offer.fraction = right == 0 ? 0 : midpoint_fraction;
}

}  // namespace branchline::forest
