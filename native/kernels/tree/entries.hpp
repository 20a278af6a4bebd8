// What one column holds in one node: entries sorted by code, from counting or from sorting.
//
// Counting (a cell for every code) pays when the node has at least about as many rows as the column
// has codes; otherwise the node's codes are sorted. The choice looks at sizes only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "branchline/grow_tree.hpp"

namespace branchline::tree {

struct ClassEntry {
    Code code;
    std::uint32_t class_index;
    std::int64_t units;
};

// `sums` points to n_outputs integers that stay where they are while the entry is used.
struct SumEntry {
    Code code;
    std::int64_t units;
    const std::int64_t* sums;
};

// `ranks` points to the ranks of the row's targets, n_outputs of them.
struct RankEntry {
    Code code;
    std::int64_t units;
    const std::uint32_t* ranks;
};

// The rows of a node. `parts` is empty, or says how many of each row's units the node has (policy
// fractional).
struct NodeRows {
    std::span<const RowIndex> rows;
    std::span<const std::int64_t> parts;

    std::size_t size() const { return rows.size(); }
    std::int64_t units(std::size_t place, const GrowTarget& target) const {
        if (!parts.empty()) return parts[place];
        return target.units.empty() ? 1 : target.units[rows[place]];
    }
};

// Scratch space of one worker, kept from node to node.
struct EntryScratch {
    std::vector<std::uint64_t> keys, spare;
    std::vector<std::int64_t> cells;
    std::vector<std::int64_t> scaled_sums;
    std::vector<RowIndex> rows;
};

bool counting_pays(std::size_t n_rows, std::size_t n_codes, std::size_t width);

// Writes the sums of a row of the node: the row's own, or the part that its units stand for.
void sums_of(const NodeRows& node, std::size_t place, const GrowTarget& target, std::int64_t* out);

void collect(const GrowColumn& column, const NodeRows& node, const GrowTarget& target,
             EntryScratch& scratch, std::vector<ClassEntry>& entries);

void collect(const GrowColumn& column, const NodeRows& node, const GrowTarget& target,
             EntryScratch& scratch, std::vector<SumEntry>& entries);

void collect(const GrowColumn& column, const NodeRows& node, const GrowTarget& target,
             EntryScratch& scratch, std::vector<RankEntry>& entries);

}  // namespace branchline::tree
