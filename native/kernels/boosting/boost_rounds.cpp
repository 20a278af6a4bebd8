#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "branchline/boosting_rounds.hpp"
#include "mix.hpp"

namespace branchline {

namespace {

using Clock = std::chrono::steady_clock;

class Rounds {
  public:
    Rounds(TreeBooster& booster, const LossRule& loss, const BoostingRows& rows,
           const BoostingConstraints& constraints, const BoostingOptions& options,
           const BoostingRun& run, std::span<double> scores)
        : booster_(booster), loss_(loss), rows_(rows), constraints_(constraints), options_(options),
          run_(run), scores_(scores), n_rows_(booster.n_rows()),
          gradients_(booster.room().gradients), hessians_(booster.room().hessians),
          drawn_(booster.room().drawn), drawable_(booster.room().drawable),
          leaf_of_row_(booster.room().leaf_of_row) {
        gradients_.resize(scores.size());
        hessians_.resize(loss.has_constant_hessian() ? 0 : scores.size());
        drawn_.resize(rows.bag.keys.size());
        leaf_of_row_.resize(scores.size());
    }

    void round(std::int64_t number, BoostedRounds& out, StopSignal& stop) {
        const int n_threads = options_.n_threads;
        loss_gradients(loss_, rows_.target, scores_, {gradients_, hessians_}, n_threads, stop);
        if (!drawn_.empty()) draw(static_cast<std::uint64_t>(number));
        options_.seed = mix(run_.seed + 2 * static_cast<std::uint64_t>(number) + golden);
        const std::size_t first_tree = out.trees.n_nodes.size();
        booster_.grow_into(out.trees, targets(), constraints_, options_, leaf_of_row_, stop);
        const std::size_t first_leaf = out.value.size();
        add_values(out);
        const auto leaves = leaves_of(out.trees, first_tree);
        const auto values = std::span<const double>(out.value).subspan(first_leaf);
        if (rows_.linear.place.empty()) {
            add_leaf_values(leaf_of_row_, leaves, values, scores_, n_threads, stop);
        } else {
            add_terms(out, first_tree, first_leaf, stop);
        }
        if (!rows_.validation.empty()) {
            out.validation_loss.push_back(mean_loss(loss_, rows_.target, rows_.validation, scores_,
                                                    n_threads, stop, booster_.parts()));
        }
        if (!run_.keeps_trees) {
            out.trees = {};
            out.value.clear();
            out.terms = {};
        }
    }

  private:
    // Those of all models for an output, then for the next.
    std::vector<BoostingTarget> targets() const {
        const auto units = drawn_.empty() ? rows_.units : std::span<const std::int64_t>(drawn_);
        const auto part = [&](const auto& values, std::size_t first) {
            return values.empty() ? values : values.subspan(first, n_rows_);
        };
        std::vector<BoostingTarget> targets;
        for (std::size_t first = 0; first < scores_.size(); first += n_rows_) {
            targets.push_back({part(std::span<const float>(gradients_), first),
                               part(std::span<const float>(hessians_), first),
                               part(units, first % rows_.target.n_rows())});
        }
        return targets;
    }

    // Writes what rows count in a round that leaves some copies out.
    void draw(std::uint64_t number) {
        std::vector<std::uint64_t> n_drawn;  // more than 0 where the draw of a model holds a row
        for (std::size_t first = 0; first < drawn_.size(); first += n_rows_) {
            n_drawn.push_back(draw_model(number, first));
        }
        if (booster_.parts() != nullptr) booster_.parts()->add(n_drawn);
        for (std::size_t first = 0; first < drawn_.size(); first += n_rows_) {
            weigh_model(first, n_drawn[first / n_rows_] == 0);
        }
    }
    std::int64_t copies(std::size_t row) const {
        return rows_.bag.copies.empty() ? 1 : rows_.bag.copies[row];
    }
    std::uint64_t draw_model(std::uint64_t number, std::size_t first) {
        // A row without copies is drawn as one: whether a draw is empty depends on all rows.
        drawable_.resize(n_rows_);
        for (std::size_t row = 0; row < n_rows_; ++row) {
            drawable_[row] = std::max<std::int64_t>(copies(first + row), 1);
        }
        const BagRows rows{rows_.bag.keys.subspan(first, n_rows_), drawable_,
                           rows_.bag.first_copy.subspan(first, n_rows_)};
        Bag bag(rows, rows_.rule, number);
        bag.keep_empty();
        const auto drawn = std::span(drawn_).subspan(first, n_rows_);
        bool is_empty = true;
        for (std::size_t row = 0; row < n_rows_; ++row) {
            drawn[row] = std::min<std::int64_t>(bag.count(row), copies(first + row));
            is_empty = is_empty && drawn[row] == 0;
        }
        return is_empty ? 0 : 1;
    }
    void weigh_model(std::size_t first, bool is_empty) {
        for (std::size_t row = first; row < first + n_rows_; ++row) {
            if (is_empty) drawn_[row] = copies(row);
            if (!rows_.units.empty()) drawn_[row] *= rows_.units[row];
        }
    }

    // Writes the values of the leaves that have none yet.
    void add_values(BoostedRounds& out) const {
        const BoostedTrees& trees = out.trees;
        for (std::size_t leaf = out.value.size(); leaf < trees.units.size(); ++leaf) {
            const double downhill = -trees.sum_gradient[leaf] * options_.unit;
            const double below = trees.sum_hessian[leaf] * options_.unit + options_.l2;
            double step = below > 0 ? downhill / below : 0;
            if (!constraints_.monotone.empty()) {
                step = std::min(std::max(step, trees.lowest[leaf]), trees.highest[leaf]);
            }
            const auto value = static_cast<float>(run_.learning_rate * step);
            if (!std::isfinite(value)) throw std::overflow_error("scores grow without end");
            out.value.push_back(value);
        }
    }

    // Fits the terms of new leaves, and adds what leaves give to the scores.
    void add_terms(BoostedRounds& out, std::size_t first_tree, std::size_t first_leaf,
                   StopSignal& stop) {
        const BoostedTrees& trees = out.trees;
        std::size_t n_nodes = 0;
        for (std::size_t tree = 0; tree < first_tree; ++tree) {
            n_nodes += static_cast<std::size_t>(trees.n_nodes[tree]);
        }
        const GrownView grown{std::span(trees.n_nodes).subspan(first_tree),
                              std::span(trees.kind).subspan(n_nodes),
                              std::span(trees.feature).subspan(n_nodes - first_leaf),
                              std::span(trees.sum_gradient).subspan(first_leaf),
                              std::span(trees.sum_hessian).subspan(first_leaf)};
        const LinearRule rule{run_.slope_l2, options_.unit, run_.learning_rate, options_.n_threads};
        LinearTerms& terms = out.terms;
        const std::size_t first_term = terms.column.size();
        fit_linear_leaves(grown, targets(), leaf_of_row_, rows_.linear, rule, terms, stop);
        std::vector<std::int64_t> first{0};
        for (const std::uint8_t n : std::span(terms.n_terms).subspan(first_leaf)) {
            first.push_back(first.back() + n);
        }
        const auto own = [&](const auto& values) { return std::span(values).subspan(first_term); };
        const LinearLeaves leaves{
            std::span<const double>(out.value).subspan(first_leaf),
            {first, own(std::as_const(terms.column)), own(std::as_const(terms.slope)),
             own(std::as_const(terms.center)), own(std::as_const(terms.low)),
             own(std::as_const(terms.high))},
            rows_.linear.z,
            n_rows_};
        add_linear_leaves(leaves, leaves_of(trees, first_tree), leaf_of_row_, scores_,
                          options_.n_threads, stop);
    }

    static std::vector<std::int64_t> leaves_of(const BoostedTrees& trees, std::size_t first_tree) {
        std::vector<std::int64_t> leaves(
            trees.n_nodes.begin() + static_cast<std::ptrdiff_t>(first_tree), trees.n_nodes.end());
        for (std::int64_t& n : leaves) n = (n + 1) / 2;
        return leaves;
    }

    TreeBooster& booster_;
    const LossRule& loss_;
    const BoostingRows& rows_;
    const BoostingConstraints& constraints_;
    BoostingOptions options_;
    const BoostingRun& run_;
    std::span<double> scores_;
    std::size_t n_rows_;
    // Of the booster: memory that is asked for anew in each round costs as much as some loops.
    std::vector<float>&gradients_, &hessians_;
    std::vector<std::int64_t>&drawn_, &drawable_;
    std::vector<std::uint32_t>& leaf_of_row_;
};

}  // namespace

BoostedRounds boost_rounds(TreeBooster& booster, const LossRule& loss, const BoostingRows& rows,
                           const BoostingConstraints& constraints, const BoostingOptions& options,
                           const BoostingRun& run, std::span<double> scores, StopSignal& stop) {
    const auto begin = Clock::now();
    Rounds rounds(booster, loss, rows, constraints, options, run, scores);
    BoostedRounds out;
    while (out.n_rounds < run.n_rounds) {
        const std::chrono::duration<double> taken = Clock::now() - begin;
        if (out.n_rounds > 0 && taken.count() >= run.seconds) break;
        stop.check();
        rounds.round(run.first_round + out.n_rounds, out, stop);
        ++out.n_rounds;
    }
    return out;
}

}  // namespace branchline
