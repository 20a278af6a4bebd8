// Columns that are counted together.
//
// Where a table has many columns that nearly always hold the same code (one 0/1 column for each category,
// say), several can be counted as one: those of which at most one is away from its usual code in any row.
// Bin 0 of such a bundle holds the rows where all are usual; then come the other codes of each member.
// What a member's usual code holds is what its other codes leave of a node, to the last bit: bundles
// change the time that counting takes, never a tree. A column that fits nowhere is a bundle of its own.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "branchline/grow_tree.hpp"
#include "branchline/thread_pool.hpp"

namespace branchline::boosting {

inline constexpr std::size_t narrow_codes = 256;  // bins of a bundle of one byte a row

struct Bundle {
    std::vector<std::uint32_t> columns;
    CodeColumn codes;  // one column: its own; several: bytes below
    std::size_t n_bins = 0;
    std::vector<std::uint8_t> bytes;

    bool is_narrow() const { return codes.width == 1 && n_bins <= narrow_codes; }
    bool is_single() const { return columns.size() == 1; }
};

// Where a column is counted; what follows the bundle only where the column is not alone in it.
struct BundledColumn {
    std::size_t bundle = 0;
    Code usual = 0;
    std::size_t first_bin = 0;  // of its other codes

    std::size_t bin_of(Code code) const { return first_bin + code - (code > usual ? 1 : 0); }
};

struct Bundles {
    std::vector<Bundle> bundles;  // those of one byte a row first, then by their first column
    std::vector<BundledColumn> of_column;
};

// Requires: codes at most n_codes. Cost: a pass over the columns of few codes, and one for each that
// joins others. Columns are not joined where `joins` is false.
Bundles make_bundles(std::span<const GrowColumn> columns, std::size_t n_rows, ThreadPool& pool,
                     bool joins = true);

}  // namespace branchline::boosting
