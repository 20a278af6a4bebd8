// Growing the trees of a forest on coded columns: bagged trees, random forests, extra-trees.
//
// Each tree is grown by one thread on its own bag of rows (bag.hpp). A node looks at `max_columns`
// columns that vary in it, drawn at random; when none of them gains, further ones are drawn until
// one does. Of equal tests the first one drawn is taken, so trees differ where tests tie. With all
// columns allowed the first tree looks at them in their order: it is the one that grow_tree.hpp grows
// with SubsetSearch::one_vs_rest (categories are cut in the order of their means, for several classes
// or outputs in one order for each).
// With random_thresholds (extra-trees) a column offers one test: a threshold drawn uniformly between
// the least and the greatest value in the node, or a random subset of the categories in it; with a
// score_threshold the first test whose score reaches it is taken, else the best. That score is
// Wehenkel's: 2 I / (H(class) + H(test)); for numbers the share of the variance that goes.
// Missing values take the side that makes the test better (MissingPolicy::learned).
//
// Draws are keyed: those of rows by (seed, tree, row key, copy), those of a node by (seed, tree, path
// from the root). So a tree depends neither on the order of rows nor on threads nor on the other trees.
//
// A column that is constrained to be monotone may only be tested where the branch of larger values has
// the higher (+1) or lower (−1) mean; means below then stay on their side of the two branches' midpoint.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "branchline/bag.hpp"
#include "branchline/grow_tree.hpp"

namespace branchline {

struct ForestOptions {
    // Criterion (not absolute_error) and limits; multiway, fractional and own_branch do not apply.
    GrowOptions tree;
    BagRule bag;
    std::size_t max_columns = 1;
    bool random_thresholds = false;
    double score_threshold = 2;  // no score reaches it
    std::uint64_t first_tree = 0;
    std::size_t n_trees = 1;
    double time_budget =
        std::numeric_limits<double>::infinity();  // seconds; no tree that would end later begins
    bool importance_by_tree = false;              // `importance` of each tree, one after the other
};

struct ForestInput {
    std::span<const GrowColumn> columns;
    // What the codes of each number cover; for categories `lowest` ranks the codes by name.
    std::span<const KnownCodes> values;
    std::span<const std::int8_t> monotone;  // of each column: −1, 0, 1; empty: none
    GrowTarget target;
    BagRows bag;
};

// Trees stand one after another, the nodes of each in level order, all tests binary: the j-th inner
// node of a tree has its children at places 1 + 2j and 2 + 2j.
struct GrownForest {
    std::vector<std::int64_t> n_nodes;  // of each tree
    std::vector<std::uint8_t> kind;     // NodeKind of each node
    // Inner nodes only:
    std::vector<std::uint32_t> feature, left_code, right_code;  // as in GrownTree
    std::vector<std::uint8_t> fraction;      // where in the gap a threshold stands, in 256ths
    std::vector<std::uint8_t> missing_left;  // missing values go to branch 0
    std::vector<std::uint8_t>
        pool;  // categories: a bit per code from 1, lowest first; set: branch 1
    // Leaves only: width() integers each, as in grow_tree.hpp.
    std::vector<std::int64_t> content;
    // Σ weight · gain over the tests of each column, over the weight of the tree's bag; summed level
    // by level, and over trees in their order unless it is wanted of each tree.
    std::vector<double> importance;
};

inline constexpr std::uint8_t midpoint_fraction = 128;

// Grows trees first_tree, first_tree + 1, …; fewer than n_trees, but at least one, when the time
// budget is spent. `on_tree` is called, on any thread, after each tree.
// Requires: at least one row and one column; codes at most n_codes; units times draws below 2^53.
// Cost: rows × max_columns × depth per tree. Allocates about 12 bytes per row and worker (extra-trees: up
// to 32), and 12 per node; for extra-trees and several classes also a copy of the codes, row by row.
GrownForest grow_forest(const ForestInput& input, const ForestOptions& options, StopSignal& stop,
                        const std::function<void()>& on_tree = {});

}  // namespace branchline
