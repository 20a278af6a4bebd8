// The median of targets that are deleted one by one (median_scan.hpp says what for).
#pragma once

#include "tree/node_targets.hpp"

namespace branchline::tree {

// A sorted list of targets from which units are deleted, and its median.
class ShrinkingTargets {
  public:
    void start(const NodeTargets& targets) {
        const std::size_t n = targets.size();
        nodes_.resize(n + 2);  // 0 and n + 1 are the ends
        weight_ = below_ = 0;
        sum_ = sum_below_ = 0;
        for (std::size_t i = 0; i < n; ++i) {
            nodes_[i + 1] = {targets[i].value, targets[i].units, static_cast<std::uint32_t>(i),
                             static_cast<std::uint32_t>(i + 2)};
            weight_ += targets[i].units, sum_ += product(targets[i].units, targets[i].value);
        }
        nodes_[0] = {0, 0, 0, 1};
        nodes_[n + 1] = {0, 0, static_cast<std::uint32_t>(n), 0};
        at_ = 1;
        settle();
    }

    void drop(std::uint32_t place, std::int64_t units) {
        const std::uint32_t which = place + 1;
        Node& node = nodes_[which];
        node.units -= units;
        weight_ -= units, sum_ -= product(units, node.value);
        if (which < at_) below_ -= units, sum_below_ -= product(units, node.value);
        if (node.units == 0) {
            if (which == at_) leave();
            nodes_[node.previous].next = node.next;
            nodes_[node.next].previous = node.previous;
        }
        if (weight_ > 0) settle();
    }

    std::int64_t loss() const {
        if (weight_ == 0) return 0;
        const std::uint64_t loss =
            product(2 * below_ - weight_, nodes_[at_].value) + sum_ - 2 * sum_below_;
        return static_cast<std::int64_t>(loss);
    }

  private:
    struct Node {
        std::int64_t value, units;
        std::uint32_t previous, next;
    };

    // Sums may wrap around on the way; the loss itself is at most Σ units · |value|, below 2^62.
    static std::uint64_t product(std::int64_t units, std::int64_t value) {
        return static_cast<std::uint64_t>(units) * static_cast<std::uint64_t>(value);
    }

    // The median's target is gone: the one after it, or before it at the end of the list.
    void leave() {
        const std::uint32_t next = nodes_[at_].next, previous = nodes_[at_].previous;
        if (next + 1 < nodes_.size()) {
            at_ = next;
        } else {
            at_ = previous;
            below_ -= nodes_[at_].units,
                sum_below_ -= product(nodes_[at_].units, nodes_[at_].value);
        }
    }
    // The lower median: the first target up to which there is half of the weight.
    void settle() {
        const std::int64_t half = (weight_ + 1) / 2;
        while (below_ >= half) {
            at_ = nodes_[at_].previous;
            below_ -= nodes_[at_].units,
                sum_below_ -= product(nodes_[at_].units, nodes_[at_].value);
        }
        while (below_ + nodes_[at_].units < half) {
            below_ += nodes_[at_].units,
                sum_below_ += product(nodes_[at_].units, nodes_[at_].value);
            at_ = nodes_[at_].next;
        }
    }

    std::vector<Node> nodes_;
    std::uint32_t at_ = 1;
    std::int64_t weight_ = 0, below_ = 0;
    std::uint64_t sum_ = 0, sum_below_ = 0;
};

// Scratch space of one worker.
struct MedianScan {
    ShrinkingTargets targets;
    std::vector<std::int64_t> before, after;  // losses of the first i entries, and of the others
};

}  // namespace branchline::tree
