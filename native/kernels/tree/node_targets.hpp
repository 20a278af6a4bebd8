// The targets of a node in order, for criteria that look at their ranks (absolute_error).
//
// Every row has the rank of its target among all rows of the tree, made once. A node sorts the ranks of
// its rows and counts equal ones as one: a distinct target of a node is known by its place among them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/entries.hpp"

namespace branchline::tree {

__extension__ typedef __int128 Int128;

// One distinct target of a node: its rank in the tree, its fixed-point value, and its units.
struct RankedTarget {
    std::uint32_t rank;
    std::int64_t value, units;
};

// The distinct targets of one output, ascending.
using NodeTargets = std::vector<RankedTarget>;

// The rank of each row's target, output by output; rows that are not listed have rank 0.
inline std::vector<std::uint32_t> rank_targets(const GrowTarget& target,
                                               std::span<const RowIndex> rows) {
    std::vector<std::uint32_t> ranks(target.values_of_row.size(), 0);
    std::vector<RowIndex> order(rows.begin(), rows.end());
    for (std::size_t o = 0; o < target.n_outputs; ++o) {
        const auto value = [&](RowIndex row) {
            return target.values_of_row[row * target.n_outputs + o];
        };
        std::sort(order.begin(), order.end(),
                  [&](RowIndex a, RowIndex b) { return value(a) < value(b); });
        std::uint32_t rank = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i > 0 && value(order[i]) != value(order[i - 1])) ++rank;
            ranks[order[i] * target.n_outputs + o] = rank;
        }
    }
    return ranks;
}

inline NodeTargets targets_of(const NodeRows& node, const GrowTarget& target, std::size_t output) {
    NodeTargets all(node.size());
    for (std::size_t i = 0; i < node.size(); ++i) {
        const std::size_t place = node.rows[i] * target.n_outputs + output;
        all[i] = {target.rank_of_row[place], target.values_of_row[place], node.units(i, target)};
    }
    std::sort(all.begin(), all.end(),
              [](const RankedTarget& a, const RankedTarget& b) { return a.rank < b.rank; });
    std::size_t n_kept = 0;
    for (const RankedTarget& each : all) {
        if (n_kept > 0 && all[n_kept - 1].rank == each.rank) {
            all[n_kept - 1].units += each.units;
        } else {
            all[n_kept++] = each;
        }
    }
    all.resize(n_kept);
    return all;
}

// Twice the median (the lower and the upper one added), and the sum of distances to it.
struct MedianOfNode {
    std::int64_t twice = 0;
    Int128 loss = 0;
};

inline MedianOfNode median_of(const NodeTargets& targets) {
    std::int64_t weight = 0;
    for (const RankedTarget& each : targets) weight += each.units;
    std::int64_t lower = 0, upper = 0, before = 0;
    bool has_lower = false;
    for (const RankedTarget& each : targets) {
        before += each.units;
        if (!has_lower && 2 * before >= weight) lower = each.value, has_lower = true;
        if (2 * before > weight) {
            upper = each.value;
            break;
        }
    }
    Int128 loss = 0;
    for (const RankedTarget& each : targets) {
        const Int128 distance = Int128{each.value} - lower;
        loss += (distance < 0 ? -distance : distance) * each.units;
    }
    return {lower + upper, loss};
}

}  // namespace branchline::tree
