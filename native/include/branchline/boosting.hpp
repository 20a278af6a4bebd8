// Growing the trees of gradient boosting on coded columns, from histograms of integers.
//
// Glossary
//   block      16 384 rows or fewer that stand together; every step below works block by block, and
//              what blocks give is summed, so the same trees come out for any size of blocks.
//   bundle     columns of which at most one is away from its usual code in any row: counted as one.
//   tile       a few bundles of one byte, their codes row after row: what is counted at once.
//   word       a row's gradient, hessian and weight as small integers in one 64-bit number.
//   histogram  for each code of each column the sums of its rows' integers.
//   cover      the hessian of the rows of a node: what its value is divided by.
//
// One tree minimizes Σ (g w + ½ h w²) + ½ λ Σ w² + γ · leaves over its leaves' values w. With sums G
// and H a leaf has w = −G / (H + λ), and a test is worth
//   gain = ½ [G_l² / (H_l + λ) + G_r² / (H_r + λ) − G² / (H + λ)] − γ.
// Gradients become integers by stochastic rounding, keyed by (seed, output, row key), and only tests are
// chosen by them: the sums that leaves report are exact (fixed-point) sums of the gradients themselves.
// So a tree does not depend on the order of rows, on threads or on blocks, and a row of weight k is
// k rows. Equal gains: the first column, then missing values right, then the lowest cut.
//
// leaf_wise   the leaf whose test gains most is split next
// depth_wise  level by level; where max_leaves binds, those that gain most of a level
// symmetric   one test for all nodes of a level, the one that gains most in all (a node where it
//             gains nothing, or leaves too few rows, stays whole)
//
// Missing values (code 0) take the side that gains more; where a node has none, the heavier side.
// Categories are put in the order of G / (H + smoothing) and cut like numbers. Missing values are one
// more category, and those of fewer than min_category_units rows in the node count with them; so
// categories that a node never saw go where missing and rare ones go. The order follows the gradients,
// so k categories that tell nothing gain about ½ φ (k − 1) all the same, with φ = Σ g² / Σ h over the
// rows of the tree. category_chance times ½ φ (k − 2) is taken off: two categories are like a number of
// two values. Categories of one row each can never gain then.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "branchline/codes.hpp"
#include "branchline/grow_tree.hpp"
#include "branchline/part_sums.hpp"
#include "branchline/stop_signal.hpp"

namespace branchline {

enum class TreeGrowth : int { leaf_wise = 0, depth_wise = 1, symmetric = 2 };

struct BoostingOptions {
    TreeGrowth growth = TreeGrowth::leaf_wise;
    std::int64_t max_leaves = 31;
    int max_depth = std::numeric_limits<int>::max();
    std::int64_t min_leaf_units = 1;
    double min_leaf_hessian = 0;
    double l2 = 0;                  // λ
    double leaf_penalty = 0;        // γ
    double category_l2 = 0;         // added to λ for tests of categories
    double category_smoothing = 0;  // rows of average hessian and gradient 0 added to each
    double category_chance = 0;     // how much of the gain by chance is taken off
    std::int64_t min_category_units = 1;
    std::size_t columns_per_tree = std::numeric_limits<std::size_t>::max();
    std::size_t columns_per_node = std::numeric_limits<std::size_t>::max();
    std::uint64_t seed = 0;  // of this round: for rounding and drawing columns
    double unit = 1;         // what a unit of weight weighs
    std::size_t histogram_bytes = std::size_t{1} << 30;  // more histograms are not kept but counted
    int n_threads = 1;
};

// Which columns may be tested, and how.
struct BoostingConstraints {
    std::span<const std::int8_t> monotone;  // of each column: −1, 0, 1; empty: none
    // Groups of columns that may meet on a path: a byte per column, group after group; empty: any.
    std::span<const std::uint8_t> groups;
};

// What a tree is grown for: one entry per row. `hessians` is empty where all are 1; `units` where all
// rows count once, a row of 0 units is ignored but gets a leaf.
struct BoostingTarget {
    std::span<const float> gradients, hessians;
    std::span<const std::int64_t> units;
};

// Trees one after another, the nodes of each in level order, as in GrownForest.
struct BoostedTrees {
    std::vector<std::int64_t> n_nodes;
    std::vector<std::uint8_t> kind;
    // Inner nodes only:
    std::vector<std::uint32_t> feature, left_code, right_code;
    std::vector<std::uint8_t> missing_left;
    std::vector<std::uint8_t> pool;
    std::vector<double> gain;
    // Leaves only: exact sums over the rows looked at, and the bounds that constraints put on values.
    std::vector<double> sum_gradient, sum_hessian, lowest, highest;
    std::vector<std::int64_t> units;
};

// The tests of such trees, as a caller has kept them.
struct GrownTrees {
    std::span<const std::int64_t> n_nodes;
    std::span<const std::uint8_t> kind;
    std::span<const std::uint32_t> feature, left_code;
    std::span<const std::uint8_t> missing_left, pool;
};

// Room for rounds of boosting, kept from call to call.
struct RoundRoom {
    std::vector<float> gradients, hessians;
    std::vector<std::int64_t> drawn, drawable;
    std::vector<std::uint32_t> leaf_of_row;
};

// A table, and the room and threads to grow one tree after another on it. Bundles of up to 255 codes are
// kept row after row as well; the columns themselves must outlive it.
class TreeBooster {
  public:
    static constexpr std::size_t most_block_rows = 16384;

    // Requires: at least one row and column; codes at most n_codes; 1 ≤ block_rows ≤ most_block_rows.
    // Allocates a byte or two per cell, and 8 per row. Threads over columns and blocks.
    // `parts`, which must outlive it: these rows are some of a table's, and trees are those of the
    // whole table. Every part has the same columns, options and constraints, and rows of its own.
    TreeBooster(std::span<const GrowColumn> columns, std::size_t n_rows,
                std::span<const std::uint64_t> keys, std::size_t block_rows, int n_threads,
                StopSignal& stop, PartSums* parts = nullptr);
    ~TreeBooster();
    TreeBooster(TreeBooster&&) noexcept;

    // Grows one tree for each target, and writes the number of each row's leaf, tree after tree.
    // Requires: finite gradients, hessians ≥ 0, one for each row; units that sum to less than 2^53
    // and are not all 0. One call at a time.
    // Cost: rows × columns × (1 + smaller halves of the splits). Threads over blocks and columns.
    BoostedTrees grow(std::span<const BoostingTarget> targets,
                      const BoostingConstraints& constraints, const BoostingOptions& options,
                      std::span<std::uint32_t> leaf_of_row, StopSignal& stop);

    // The same; the trees are written after those that are in `out`.
    void grow_into(BoostedTrees& out, std::span<const BoostingTarget> targets,
                   const BoostingConstraints& constraints, const BoostingOptions& options,
                   std::span<std::uint32_t> leaf_of_row, StopSignal& stop);

    // Adds to the scores what trees that were grown before give the rows: one for each output of a
    // round, then those of the next round. `values` are those of all leaves.
    // Requires: trees of this table's columns. Throws std::invalid_argument for others.
    void replay(const GrownTrees& trees, std::span<const double> values, std::span<double> scores,
                int n_threads, StopSignal& stop);

    std::size_t n_rows() const noexcept;
    std::size_t n_columns() const noexcept;
    PartSums* parts() const noexcept;
    RoundRoom& room() noexcept;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// scores[row] += values[leaf_of_row[row]], tree after tree: a score and a leaf for each row, values for
// the leaves of each tree. Throws std::out_of_range for a leaf that is not there.
void add_leaf_values(std::span<const std::uint32_t> leaf_of_row,
                     std::span<const std::int64_t> n_leaves, std::span<const double> values,
                     std::span<double> scores, int n_threads, StopSignal& stop);

}  // namespace branchline
