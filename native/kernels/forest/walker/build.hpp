// What a forest walker keeps, and how it is made of a forest's arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "branchline/forest_walker.hpp"
#include "forest/walker/kernels.hpp"

namespace branchline {

inline constexpr std::uint32_t no_view = 0xFFFF'FFFF;

// A column that is tested, and the views its tests need; see forest_walker_nodes.hpp.
struct TestedColumn {
    std::uint32_t column = 0;
    std::uint32_t right_view = no_view, left_view = no_view, category_view = no_view;
    std::size_t first_edge = 0, n_edges = 0;  // its thresholds
};

struct CompactForest {
    std::size_t width = 1, n_views = 0, n_leaves = 0, n_nodes = 0;
    std::vector<std::int64_t> n_codes;
    std::vector<TestedColumn> tested;
    std::vector<double> edges;  // distinct finite thresholds, column after column, ascending

    std::vector<NarrowNode> narrow;  // one of these two is empty
    std::vector<WideNode> wide;
    std::vector<std::uint8_t> category_bits;

    // One entry per tree and one more.
    std::vector<std::size_t> first_node, first_leaf, first_word;
    std::vector<LeafWord> leaf_words;

    std::vector<std::uint32_t> value_of_leaf;  // which row of `values`
    std::vector<double> values;                // `width` numbers a row, distinct within a tree

    std::size_t n_trees() const noexcept { return first_leaf.size() - 1; }
    bool is_narrow() const noexcept { return wide.empty(); }
    NarrowTree narrow_tree(std::size_t tree) const { return {narrow.data() + first_node[tree]}; }
    WideTree wide_tree(std::size_t tree) const {
        return {wide.data() + first_node[tree], category_bits.data()};
    }
    // Calls visit with a span of the trees of a range, narrow or wide.
    template <class Visit>
    void visit_trees(TreeRange range, Visit&& visit) const {
        const auto gather = [&](auto tree_at) {
            std::vector<decltype(tree_at(range.first))> trees;
            for (std::size_t t = 0; t < range.n; ++t) trees.push_back(tree_at(range.first + t));
            visit(std::span<const typename decltype(trees)::value_type>(trees));
        };
        if (is_narrow()) {
            gather([this](std::size_t tree) { return narrow_tree(tree); });
        } else {
            gather([this](std::size_t tree) { return wide_tree(tree); });
        }
    }

    const LeafWord* leaves_of(std::size_t tree) const { return &leaf_words[first_word[tree]]; }
    const double* value_at(std::size_t leaf) const {
        return values.data() + value_of_leaf[leaf] * width;
    }
};

// Throws std::invalid_argument unless the arrays describe a forest.
void check_forest(const ForestView& forest);

CompactForest make_compact_forest(const ForestView& forest, int n_threads, StopSignal& stop);

// The numbers that stand for thresholds: for every inner node, how many of its column's distinct
// thresholds are below its own. Fills forest.edges and the edges of forest.tested.
std::vector<std::uint32_t> rank_thresholds(const ForestView& view, CompactForest& forest,
                                           int n_threads, StopSignal& stop);

}  // namespace branchline
