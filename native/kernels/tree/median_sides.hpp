// The two sides of a cut by the sum of distances to the median of each side (absolute error).
//
//   loss(side) = Σ units · |value − median| = v (2B − W) + S − 2 S_B
// with v the median, W and S the weight and Σ units · value of the side, B and S_B those of the targets
// below v. All are integers, so badness does not depend on the order in which entries came.
//
// Entries move to and fro in any order: each side has a binary indexed tree (Fenwick, 1994) over the
// node's distinct targets, which finds B, S_B and v in log2(targets) steps. Thresholds of rows with
// about equal weights are faster (median_scan.hpp).
#pragma once

#include <bit>

#include "tree/candidate.hpp"
#include "tree/impurity.hpp"
#include "tree/shrinking_targets.hpp"

namespace branchline::tree {

// Units and sums of the targets of one side and one output.
class TargetSums {
  public:
    void start(const NodeTargets& targets, bool is_full) {
        targets_ = &targets;
        cells_.assign(targets.size() + 1, {});
        units_ = 0, sum_ = 0;
        if (!is_full) return;
        for (std::size_t i = 1; i < cells_.size(); ++i) {
            const RankedTarget& target = targets[i - 1];
            units_ += target.units, sum_ += Int128{target.value} * target.units;
            cells_[i].units += target.units;
            cells_[i].sum += Int128{target.value} * target.units;
            const std::size_t above = i + (i & -i);
            if (above >= cells_.size()) continue;
            cells_[above].units += cells_[i].units;
            cells_[above].sum += cells_[i].sum;
        }
    }

    void add(std::size_t place, std::int64_t units) {
        const Int128 sum = Int128{(*targets_)[place].value} * units;
        units_ += units, sum_ += sum;
        for (std::size_t i = place + 1; i < cells_.size(); i += i & -i) {
            cells_[i].units += units;
            cells_[i].sum += sum;
        }
    }

    Int128 loss() const {
        if (units_ <= 0) return 0;
        const std::int64_t half = (units_ + 1) / 2;
        std::size_t place = 0;
        Cell below;
        for (std::size_t step = std::bit_floor(cells_.size() - 1); step > 0; step /= 2) {
            const std::size_t next = place + step;
            if (next >= cells_.size() || below.units + cells_[next].units >= half) continue;
            place = next;
            below.units += cells_[next].units;
            below.sum += cells_[next].sum;
        }
        const Int128 median = (*targets_)[place].value;
        return median * (2 * Int128{below.units} - units_) + sum_ - 2 * below.sum;
    }

  private:
    struct Cell {
        std::int64_t units = 0;
        Int128 sum = 0;
    };

    const NodeTargets* targets_ = nullptr;
    std::vector<Cell> cells_;
    std::int64_t units_ = 0;
    Int128 sum_ = 0;
};

class MedianSides {
  public:
    using Entry = RankEntry;
    struct Impurity {
        static constexpr std::size_t table_size(std::size_t) { return 0; }
    };

    MedianSides(const GrowTarget& target, const LogTable&)
        : may_scan(target.may_scan_medians), place_of_rank_(target.n_outputs),
          left_(target.n_outputs), right_(target.n_outputs) {}

    const bool may_scan;  // whether thresholds may be scanned by deleting (median_scan.hpp)
    MedianScan scratch;

    // Says of which node the next sides are.
    void enter(std::span<const NodeTargets> targets) {
        targets_ = targets;
        for (std::size_t o = 0; o < targets.size(); ++o) {
            auto& place_of = place_of_rank_[o];
            if (place_of.size() <= targets[o].back().rank) {
                place_of.resize(targets[o].back().rank + 1);
            }
            for (std::size_t i = 0; i < targets[o].size(); ++i) {
                place_of[targets[o][i].rank] = static_cast<std::uint32_t>(i);
            }
        }
    }

    void start(std::span<const std::int64_t> content) {
        for (std::size_t o = 0; o < left_.size(); ++o) {
            left_[o].start(targets_[o], false);
            right_[o].start(targets_[o], true);
        }
        left_weight_ = 0;
        right_weight_ = content[0];
    }
    void start_empty() {
        for (std::size_t o = 0; o < left_.size(); ++o) {
            left_[o].start(targets_[o], false);
            right_[o].start(targets_[o], false);
        }
        left_weight_ = right_weight_ = 0;
    }
    void add_right(const Entry& entry) { change(right_, right_weight_, entry, entry.units); }
    void drop_right(const Entry& entry) { change(right_, right_weight_, entry, -entry.units); }
    void to_left(const Entry& entry) {
        drop_right(entry);
        change(left_, left_weight_, entry, entry.units);
    }
    void to_right(const Entry& entry) {
        add_right(entry);
        change(left_, left_weight_, entry, -entry.units);
    }

    std::int64_t left_weight() const { return left_weight_; }
    std::int64_t right_weight() const { return right_weight_; }
    double left_badness() const { return static_cast<double>(loss_of(left_)); }
    double right_badness() const { return static_cast<double>(loss_of(right_)); }
    double badness() const { return static_cast<double>(loss_of(left_) + loss_of(right_)); }
    double impurity_weight() const { return static_cast<double>(left_weight_ + right_weight_); }

    std::span<const NodeTargets> targets() const { return targets_; }
    std::uint32_t place_of(const Entry& entry, std::size_t output) const {
        return place_of_rank_[output][entry.ranks[output]];
    }

  private:
    void change(std::vector<TargetSums>& side, std::int64_t& weight, const Entry& entry,
                std::int64_t units) {
        for (std::size_t o = 0; o < side.size(); ++o) side[o].add(place_of(entry, o), units);
        weight += units;
    }
    static Int128 loss_of(const std::vector<TargetSums>& side) {
        Int128 sum = 0;
        for (const TargetSums& each : side) sum += each.loss();
        return sum;
    }

    std::span<const NodeTargets> targets_;
    std::vector<std::vector<std::uint32_t>> place_of_rank_;
    std::vector<TargetSums> left_, right_;
    std::int64_t left_weight_ = 0, right_weight_ = 0;
};

}  // namespace branchline::tree
