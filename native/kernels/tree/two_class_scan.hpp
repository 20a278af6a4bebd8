// Every threshold of a presorted number for two classes and Gini, compiled once for each processor
// level: the innermost loop of growing.
//
// Among n rows with `ones` of class 1, a cut that leaves i rows with o ones on the left lowers the
// badness by 2 (o·n − i·ones)² / (n · i · (n − i)); the cut with the largest
//   score = (o·n − i·ones)² / (i · (n − i))
// is the best. All numbers but the quotient are exact below 2^26 rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "branchline/cpu_level.hpp"

namespace branchline::tree {

// A row in the list of a column: its code, its number and, in the last bit, its class.
template <class Index>
struct Item {
    Index code;
    Index id_and_class;

    Index id() const { return static_cast<Index>(id_and_class >> 1); }
    Index class_bit() const { return id_and_class & 1; }
};

inline constexpr std::size_t max_rows_of_scan = std::size_t{1} << 26;

// What the left side holds before the first item, and what both sides hold together.
struct ScanStart {
    std::uint32_t n_left, ones_left, n, ones;
    std::uint32_t min_leaf;
    double slack;  // scores that differ by no more are equal: the first is taken
};

struct ScanResult {
    double score = -std::numeric_limits<double>::infinity();  // below 0: no cut
    std::size_t n_items = 0;                                  // items on the left
    std::uint32_t ones_left = 0;
};

// Finds the best cut between items of different codes (also after the last, when rows are left).
template <class Index>
using ScanTwoClasses = ScanResult (*)(const Item<Index>* items, std::size_t n_items,
                                      const ScanStart& start);

template <class Index>
ScanTwoClasses<Index> scan_two_classes_for(CpuLevel level);

}  // namespace branchline::tree
