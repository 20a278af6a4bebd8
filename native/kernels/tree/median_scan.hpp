// The losses of all thresholds of a column at once, by absolute error.
//
// Adding a row to a sorted list takes a search, deleting one takes none. So the losses of "the first k
// rows" are found backwards: all targets of the node stand in a list, rows are deleted one by one, and
// the median moves by a neighbor or stays. A second pass from the other end gives "the rows after k".
// Cost: rows, when weights are alike; a deletion moves the median by up to
// ½ + (largest weight) / (2 · smallest weight) places. So it is used up to a ratio of 16, without
// shared rows, and where sums fit 64 bits; else median_sides.hpp counts. The bits are the same.
#pragma once

#include "tree/cut.hpp"
#include "tree/median_sides.hpp"

namespace branchline::tree {

// Adds to losses[i] what the entries up to i (from_end: from i on) lose with the missing ones, which
// are left out where `with_missing` is false.
inline void add_losses(MedianSides& sides, const NodeColumn<RankEntry>& column, std::size_t output,
                       bool from_end, bool with_missing) {
    MedianScan& scan = sides.scratch;
    auto& losses = from_end ? scan.after : scan.before;
    scan.targets.start(sides.targets()[output]);
    const auto drop = [&](const RankEntry& entry) {
        scan.targets.drop(sides.place_of(entry, output), entry.units);
    };
    if (!with_missing) {
        for (const RankEntry& entry : column.missing) drop(entry);
    }
    const std::size_t n = column.present.size();
    for (std::size_t i = 0; i <= n; ++i) {
        losses[from_end ? i : n - i] += scan.targets.loss();
        if (i < n) drop(column.present[from_end ? i : n - 1 - i]);
    }
}

// Tries every threshold, as CutSearch::scan_in_order does.
inline void scan_medians(MedianSides& sides, const NodeColumn<RankEntry>& column,
                         std::int64_t min_units, MissingSide missing, Cut& best) {
    MedianScan& scan = sides.scratch;
    const auto present = column.present;
    scan.before.assign(present.size() + 1, 0);
    scan.after.assign(present.size() + 1, 0);
    for (std::size_t o = 0; o < sides.targets().size(); ++o) {
        add_losses(sides, column, o, false, missing == MissingSide::left);
        add_losses(sides, column, o, true, missing == MissingSide::right);
    }
    const std::int64_t of_missing = weight_of(column.missing);
    std::int64_t left = missing == MissingSide::left ? of_missing : 0;
    std::int64_t right = weight_of(present) + (missing == MissingSide::right ? of_missing : 0);
    for (std::size_t i = 0; i < present.size();) {
        const Code code = present[i].code;
        for (; i < present.size() && present[i].code == code; ++i) {
            left += present[i].units, right -= present[i].units;
        }
        if (left < min_units || right < min_units) continue;
        const auto badness = static_cast<double>(scan.before[i] + scan.after[i]);
        if (!(badness < best.badness - column.facts.badness_slack())) continue;
        best = {badness, i, missing == MissingSide::left, {left, right}};
    }
}

}  // namespace branchline::tree
