// The hot loops of a forest walker, compiled once for each processor level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "branchline/cpu_level.hpp"
#include "forest/walker/nodes.hpp"

namespace branchline {

// Codes of a block of rows, row after row.
struct CodedRows {
    const std::uint32_t* codes;
    std::size_t n_views;
};

// The rows that are still on their way, and where each is. The arrays have lanes_spare more
// entries than rows: loops may take a few rows too many.
inline constexpr std::size_t lanes_spare = 64;

struct Frontier {
    std::uint32_t* row;
    std::uint32_t* place;
    std::size_t n;
};

// Which of 64 places of a tree are leaves, and how many leaves of the tree stand before them.
struct LeafWord {
    std::uint64_t bits;
    std::uint32_t leaves_before;
};

struct ForestKernels {
    // Writes for each value how many edges (ascending) are below it; 0 for NaN.
    void (*rank)(std::span<const double> edges, std::span<const double> values,
                 std::uint32_t* ranks);

    // Walks the rows of a frontier from where they are to their leaves; writes place_of_row[row].
    void (*descend_narrow)(NarrowTree tree, CodedRows rows, Frontier on_the_way,
                           std::uint32_t* place_of_row);
    void (*descend_wide)(WideTree tree, CodedRows rows, Frontier on_the_way,
                         std::uint32_t* place_of_row);

    // Walks one row down several trees, side by side.
    void (*descend_trees_narrow)(std::span<const NarrowTree> trees, const std::uint32_t* codes,
                                 std::uint32_t* place_in_tree);
    void (*descend_trees_wide)(std::span<const WideTree> trees, const std::uint32_t* codes,
                               std::uint32_t* place_in_tree);

    // Writes the numbers of leaves among the leaves of their tree.
    void (*number_leaves)(const LeafWord* leaves, std::span<const std::uint32_t> places,
                          std::uint32_t* numbers);

    void descend(NarrowTree tree, CodedRows rows, Frontier on_the_way,
                 std::uint32_t* place_of_row) const {
        descend_narrow(tree, rows, on_the_way, place_of_row);
    }
    void descend(WideTree tree, CodedRows rows, Frontier on_the_way,
                 std::uint32_t* place_of_row) const {
        descend_wide(tree, rows, on_the_way, place_of_row);
    }
    void descend_trees(std::span<const NarrowTree> trees, const std::uint32_t* codes,
                       std::uint32_t* place_in_tree) const {
        descend_trees_narrow(trees, codes, place_in_tree);
    }
    void descend_trees(std::span<const WideTree> trees, const std::uint32_t* codes,
                       std::uint32_t* place_in_tree) const {
        descend_trees_wide(trees, codes, place_in_tree);
    }
};

const ForestKernels& forest_kernels_for(CpuLevel level) noexcept;

}  // namespace branchline
