// New branches beside old ones, in adaptive trees.
#include <algorithm>
#include <cmath>

#include "stream/stream_tree.hpp"

namespace branchline {

namespace {

constexpr double first_block = 200;  // rows; each block has twice as many as the one before
constexpr std::int32_t most_blocks = 6;
constexpr std::int32_t fair_blocks = 3;      // before them a new branch is not given up
constexpr double sure = 2.5;                 // standard errors
constexpr std::size_t most_events = 10'000;  // kept until they are gathered

}  // namespace

bool StreamTree::follow_errors(Slot& slot, bool wrong, StreamRow row, std::uint32_t truth,
                               double weight, bool may_try) {
    BranchWatch& watch = *slot->watch;
    const bool has_changed = watch.errors.update(wrong ? 1.0 : 0.0);
    if (!may_try) return false;
    if (watch.trial) {
        const bool new_wrong = descend(watch.trial, row, truth, weight, false);
        return compare_branches(slot, wrong, new_wrong);
    }
    if (has_changed && watch.errors.mean() > watch.errors.mean_before()) {
        watch.n_rows = watch.old_wrong = watch.new_wrong = 0;
        watch.only_old = watch.only_new = watch.in_block = 0;
        watch.block = 0;
        watch.trial = make_leaf(slot->depth, std::vector<double>(plan_.rules->n_classes, 0));
        tell(*slot, StreamEventKind::trial_begun);
    }
    return false;
}

bool StreamTree::compare_branches(Slot& slot, bool old_wrong, bool new_wrong) {
    BranchWatch& watch = *slot->watch;
    watch.n_rows += 1;
    watch.in_block += 1;
    watch.old_wrong += old_wrong ? 1 : 0;
    watch.new_wrong += new_wrong ? 1 : 0;
    watch.only_old += old_wrong && !new_wrong ? 1 : 0;
    watch.only_new += new_wrong && !old_wrong ? 1 : 0;
    if (watch.in_block < first_block * std::ldexp(1.0, watch.block)) return false;
    const double difference = watch.only_old - watch.only_new;
    const double error = std::sqrt(watch.only_old + watch.only_new);
    ++watch.block;
    watch.only_old = watch.only_new = watch.in_block = 0;
    if (difference > sure * error) {
        tell(*slot, StreamEventKind::branch_replaced);
        n_bytes_ -= bytes_of_branch(*slot);
        Slot trial = std::move(watch.trial);
        slot = std::move(trial);
        n_bytes_ += bytes_of_branch(*slot);
        return true;
    }
    const bool is_worse = watch.block > fair_blocks && -difference > sure * error;
    if (is_worse || watch.block >= most_blocks) {
        tell(*slot, StreamEventKind::trial_dropped);
        n_bytes_ -= bytes_of_branch(*watch.trial);
        watch.trial.reset();
    }
    return false;
}

void StreamTree::tell(const TreeNode& node, StreamEventKind kind) {
    if (events_.size() >= most_events) return;
    StreamEvent event;
    event.row = row_number_;
    event.kind = kind;
    event.column = node.split.column;
    const BranchWatch& watch = *node.watch;
    event.n_rows = static_cast<std::int64_t>(watch.n_rows);
    if (kind == StreamEventKind::trial_begun) {
        event.error_before = watch.errors.mean_before();
        event.error_after = watch.errors.mean();
    } else {
        event.error_before = watch.old_wrong / watch.n_rows;
        event.error_after = watch.new_wrong / watch.n_rows;
    }
    for (const auto& [above, went_left] : path_) {
        PathStep step{
            above->split.column, went_left, above->split.is_category, above->split.threshold, {}};
        const auto& is_left = above->split.is_left;
        for (std::size_t code = 0; code < is_left.size(); ++code) {
            if (is_left[code] == (went_left ? 1 : 0))
                step.codes.push_back(static_cast<std::int32_t>(code));
        }
        event.path.push_back(std::move(step));
    }
    events_.push_back(std::move(event));
}

}  // namespace branchline
