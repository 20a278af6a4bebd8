// The hot loop of attributions, compiled once for each processor level: a few rows, the *lanes*,
// walk all branches of a tree together, depth first. See attributions.hpp for the formulas.
#pragma once

#include <cstddef>
#include <cstdint>

#include "branchline/cpu_level.hpp"

namespace branchline {

inline constexpr std::size_t n_lanes = 8;
inline constexpr std::uint32_t no_leaf = 0xFFFF'FFFF;

// One of the two ways on from a test. A row *agrees* at a branch when it would take it, and all
// branches above it that test the same column.
struct Branch {
    double threshold = 0;
    std::size_t bits = 0;          // where the bits of a category test begin
    double share = 0;              // of the cover of the node that is tested
    double z = 1, z_before = 1;    // of its column: with this branch, and without it
    std::uint32_t column = 0;      // that is tested
    std::uint32_t depth = 1;       // the first branches of a tree have depth 1
    std::uint32_t ancestor = 0;    // depth of the last branch above of the same column; 0: none
    std::uint32_t leaf = no_leaf;  // number of the leaf that it leads to
    std::uint32_t n_ended = 0;     // a leaf: how many branches above have it as their last
    bool is_right = false, is_category = false, missing_left = false;
};

// What a number is for rows that agree at a branch, and for those that agree no more.
struct AgreeingOrNot {
    double agreeing, other;
};

// The branches of a tree, depth first and left before right, and n_points numbers for each.
struct BranchWalk {
    const Branch* branches;
    std::size_t n_branches, n_points;
    const AgreeingOrNot* factors;  // what a branch multiplies the product by
    const AgreeingOrNot* weights;  // by what the values below a branch are weighted
    const double* leaf_value;      // `width` numbers a leaf
    std::size_t width;
    const std::uint8_t* bits;
};

// Room for the branches that lead to where the walk is, by depth; 0 is the root.
struct WalkRoom {
    double* products;        // depths × n_points × n_lanes
    double* values;          // depths × width × n_points × n_lanes: sums over leaves so far
    std::int64_t* agrees;    // depths × n_lanes: −1 or 0
    std::int64_t* to_right;  // depths × n_lanes: −1 or 0, what the test above the branch says
    std::uint32_t* open;     // which branch
};

// Adds to sums[(output · n_columns + column) · n_lanes + lane]. `cells` has n_lanes numbers a
// column; a category is a number too, negative when missing.
using AddAttributions = void (*)(const BranchWalk& walk, const double* cells, std::size_t n_columns,
                                 const WalkRoom& room, double* sums);

AddAttributions add_attributions_for(CpuLevel level) noexcept;

}  // namespace branchline
