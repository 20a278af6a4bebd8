// Many rounds of gradient boosting in one call, for tables on which a round takes microseconds.
//
// Round t, beginning with the scores F that are given:
//   1. gradients and hessians of the loss at F (boosting_losses.hpp);
//   2. what rows count: `units`, or, where a bag is given, the copies that draw t of the bag holds, each
//      with the units of a copy (all of them where the draw holds none);
//   3. a tree for each output (boosting.hpp), keyed by scramble(seed + 2 t);
//   4. a leaf has the value rate · −G u / (H u + λ) for a unit of weight u, within the bounds that
//      constraints put on it, rounded to 32 bits: so predictions add the same numbers. 0 where H u + λ is 0;
//   5. where columns for linear leaves are given, the terms of each leaf (linear_leaves.hpp);
//   6. F += what each row's leaf gives it.
//
// The losses are those whose leaves take Newton steps; the caller sees to that.
//
// Several models (the folds of a search) are boosted side by side: every array has the rows of the first
// model, then those of the second, and so on; scores have them for each output.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "branchline/bag.hpp"
#include "branchline/boosting.hpp"
#include "branchline/boosting_losses.hpp"
#include "branchline/linear_leaves.hpp"

namespace branchline {

// A multiple of the table's rows: one model, or several.
struct BoostingRows {
    LossTarget target;
    std::span<const std::int64_t> units;  // of a row, or of a copy where a bag is given; empty: 1
    // What is drawn anew in each round; a row of 0 copies is never drawn. No keys: every row counts.
    BagRows bag;
    BagRule rule;
    std::span<const std::int64_t>
        validation;        // units of the rows whose loss is measured; empty: none
    LinearColumns linear;  // of the table's rows, for all models; no places: constant leaves
};

struct BoostingRun {
    double learning_rate = 0.1;
    double slope_l2 = 0;     // λ of linear leaves
    std::uint64_t seed = 0;  // of all rounds; that of BoostingOptions is not used
    std::int64_t first_round = 0;
    std::int64_t n_rounds = 1;
    double seconds = std::numeric_limits<double>::infinity();  // no round begins later
    bool keeps_trees = true;
};

struct BoostedRounds {
    BoostedTrees trees;         // of all rounds: for each round, one tree for each output and model
    std::vector<double> value;  // of each leaf
    LinearTerms terms;          // of each leaf; none where leaves are constant
    std::vector<double> validation_loss;  // after each round; empty without validation rows
    std::int64_t n_rounds = 0;            // at least 1
};

// Boosts up to `run.n_rounds` rounds, and adds them to `scores` (output after output).
// Requires what TreeBooster::grow and loss_gradients do. Throws std::overflow_error when the value of a
// leaf is beyond 32-bit numbers. Allocates 8 bytes a score and 12 a row. Threads as TreeBooster::grow.
BoostedRounds boost_rounds(TreeBooster& booster, const LossRule& loss, const BoostingRows& rows,
                           const BoostingConstraints& constraints, const BoostingOptions& options,
                           const BoostingRun& run, std::span<double> scores, StopSignal& stop);

}  // namespace branchline
