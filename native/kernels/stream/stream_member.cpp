#include "stream/stream_member.hpp"

#include <algorithm>
#include <cmath>

#include "branchline/random.hpp"
#include "stream/state_io.hpp"

namespace branchline {

namespace {

constexpr std::uint64_t draws_of_rows = 0x57EA;  // the task that draws are keyed by
constexpr double most_boost = 1000;              // a row counts at most as this many

// The number of events with this mean, from a number between 0 and 1.
double poisson_quantile(double mean, double u) {
    double p = std::exp(-mean), below = p, k = 0;
    while (u > below && k < 64) {
        k += 1;
        p *= mean / k;
        below += p;
    }
    return k;
}

std::size_t largest_of(std::span<const double> values) {
    return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) -
                                    values.begin());
}

}  // namespace

StreamMember::StreamMember(const LeafPlan& plan, const EnsembleRules& ensemble, std::size_t place)
    : plan_(plan), ensemble_(ensemble), place_(place), warning_(ensemble.warning_delta),
      drift_(ensemble.drift_delta), scratch_(plan.rules->n_classes),
      more_scratch_(plan.rules->n_classes) {
    tree_ = new_tree();
}

std::unique_ptr<StreamTree> StreamMember::new_tree() {
    const std::uint64_t key = (static_cast<std::uint64_t>(place_) << 32) + n_trees_++;
    const bool has_two = ensemble_.kind == EnsembleKind::adaptive_forest;
    const double share = static_cast<double>(ensemble_.n_members) * (has_two ? 2 : 1);
    return std::make_unique<StreamTree>(plan_, plan_.rules->max_bytes / share, key);
}

double StreamMember::draw(std::int64_t row_number) const {
    const RandomBlock block = philox({static_cast<std::uint64_t>(row_number), place_, 1, 0},
                                     {plan_.rules->seed, draws_of_rows});
    return poisson_quantile(ensemble_.poisson,
                            (static_cast<double>(block[0] >> 11) + 0.5) * 0x1p-53);
}

double StreamMember::vote_weight() const {
    if (ensemble_.kind == EnsembleKind::adaptive_forest) {
        return drift_.width() > 0 ? 1 - drift_.mean() : 1;
    }
    if (ensemble_.kind != EnsembleKind::boosting) return 1;
    const double error = (wrong_ + 0.5) / (right_ + wrong_ + 1);
    return std::max(0.0, std::log((1 - error) / error));
}

void StreamMember::add_votes(StreamRow row, std::span<double> scratch,
                             std::span<double> votes) const {
    const double weight = vote_weight();
    const auto shares = scratch.first(votes.size());
    tree_->predict(row, shares, scratch.last(votes.size()));
    if (ensemble_.kind == EnsembleKind::boosting) {
        votes[largest_of(shares)] += weight;
        return;
    }
    for (std::size_t c = 0; c < votes.size(); ++c) votes[c] += weight * shares[c];
}

void StreamMember::learn_drawn(StreamRow row, const MemberTask& task, std::span<double> votes) {
    const bool is_single = ensemble_.kind == EnsembleKind::single;
    const double weight = is_single ? 1 : draw(task.row_number);
    const bool is_forest = ensemble_.kind == EnsembleKind::adaptive_forest;
    std::uint32_t predicted = 0;
    if (weight > 0) {
        const bool wanted = !votes.empty();
        const double share = vote_weight();
        predicted = tree_->learn(row, task.truth, weight, task.row_number,
                                 wanted ? std::span<double>(scratch_) : std::span<double>());
        for (std::size_t c = 0; wanted && c < votes.size(); ++c) votes[c] += share * scratch_[c];
        if (background_) background_->learn(row, task.truth, weight, task.row_number, {});
    } else if (!votes.empty() || is_forest) {
        const double share = vote_weight();
        tree_->predict(row, scratch_, more_scratch_);
        predicted = static_cast<std::uint32_t>(largest_of(scratch_));
        for (std::size_t c = 0; c < votes.size(); ++c) votes[c] += share * scratch_[c];
    }
    if (is_forest) watch(predicted != task.truth, task.row_number);
}

void StreamMember::watch(bool wrong, std::int64_t row_number) {
    const bool warned = warning_.update(wrong ? 1 : 0) && warning_.mean() > warning_.mean_before();
    const bool drifted = drift_.update(wrong ? 1 : 0) && drift_.mean() > drift_.mean_before();
    if (drifted) {
        StreamEvent event;
        event.row = row_number;
        event.kind = StreamEventKind::tree_replaced;
        event.column = tree_->root().split.column;
        event.n_rows = static_cast<std::int64_t>(drift_.width());
        event.error_before = drift_.mean_before();
        event.error_after = drift_.mean();
        std::vector<StreamEvent> events = std::move(tree_->events());
        tree_ = background_ ? std::move(background_) : new_tree();
        tree_->events() = std::move(events);
        tree_->events().push_back(std::move(event));
        background_.reset();
        warning_ = Adwin(ensemble_.warning_delta);
        drift_ = Adwin(ensemble_.drift_delta);
    } else if (warned) {
        background_ = new_tree();
    }
}

double StreamMember::learn_boosted(StreamRow row, const MemberTask& task, std::span<double> votes) {
    const double share = vote_weight();
    const std::uint32_t predicted = tree_->learn(row, task.truth, task.weight, task.row_number, {});
    if (!votes.empty()) votes[predicted] += share;
    const bool is_right = predicted == task.truth;
    (is_right ? right_ : wrong_) += task.weight;
    const double of_same = is_right ? right_ : wrong_;
    return std::min(most_boost, task.weight * (right_ + wrong_) / (2 * of_same));
}

StreamSizes StreamMember::sizes() const {
    StreamSizes sizes = tree_->sizes();
    if (background_) {
        sizes.n_bytes += background_->sizes().n_bytes;
        ++sizes.n_trials;
    }
    return sizes;
}

void StreamMember::write(StateWriter& out) const {
    out.whole(static_cast<std::int64_t>(n_trees_));
    tree_->write(out);
    out.whole(background_ ? 1 : 0);
    if (background_) background_->write(out);
    warning_.write(out);
    drift_.write(out);
    out.real(right_);
    out.real(wrong_);
}

void StreamMember::read(StateReader& in) {
    const std::int64_t n_trees = in.whole(1, std::int64_t{1} << 31);
    tree_->read(in);
    if (in.flag()) {
        background_ = new_tree();
        background_->read(in);
    }
    n_trees_ = static_cast<std::uint64_t>(n_trees);
    warning_.read(in);
    drift_.read(in);
    right_ = in.real(0);
    wrong_ = in.real(0);
}

}  // namespace branchline
