// Hoeffding trees (Domingos and Hulten, 2000): trees that learn from each row once, in the order of rows.
//
// A leaf keeps statistics of its rows. Whenever `grace_period` more rows reached it, its best test is
// compared with that of the next best column (or with no test, whose gain is 0). It splits when
//     G(best) − G(second) > ε  or  ε < tie_threshold,   ε = R √(ln(1/δ) / (2 n)),
// n rows having been seen; R is log2(classes) for entropy (in bits), 1 for gini. In either case the gain must be
// beyond chance: 2 n ln 2 · G above a bound of χ² with classes − 1 degrees of freedom at a level of 0.001 / columns
// (Laurent and Massart, 2000). So a tree of noise does not grow.
//
// Tests of a number x: x ≤ t. With bins, the first `max_bins` distinct values that reach a leaf are its
// thresholds, and class counts at each are exact. With Gaussians, ten thresholds between the lowest and
// the highest value are compared by the normal distributions of the classes. Missing values go to the
// side where the gain is larger; without any, to the heavier side.
// Tests of categories: a set of them against the rest; they are ordered by the share of one class, for each
// class in turn, and cut (for two classes the best of all sets; Breiman and others, 1984). A missing value is a
// category of its own. Categories of fewer than five rows take no part and go to the heavier side, as new
// ones do. From the gain, (k − 1)(classes − 1) / (2 n ln 2) is taken off: what k categories gain by chance.
//
// A leaf predicts its majority class, or by naive Bayes (normal densities of numbers, frequencies of
// categories, missing values left out), or by whichever of both was right more often in this leaf.
//
// Adaptive trees (Bifet and Gavaldà, 2009): each node follows the errors of its branch with Adwin. When
// they increase, a new branch grows beside the old one. Both are compared on the same rows, in blocks of
// 200, 400, 800, … rows: where only one of both was wrong, the counts are binomial. The better one stays.
//
// Memory: when a tree takes more than `max_bytes`, the leaves with the fewest expected errors (rows beyond the
// majority) give up their statistics: they count classes and do not split until there is room again.
//
// Nouns: a "member" is a tree of an ensemble; a "trial" is a new branch beside an old one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "branchline/stop_signal.hpp"
#include "branchline/types.hpp"

namespace branchline {

enum class LeafPrediction : int { majority, naive_bayes, adaptive };

struct HoeffdingRules {
    std::size_t n_classes = 2;
    double grace_period = 200, delta = 1e-7, tie_threshold = 0.05;
    bool use_gini = false, use_gaussians = false;
    LeafPrediction leaf_prediction = LeafPrediction::adaptive;
    std::size_t max_bins = 64, max_depth = 64;
    double max_bytes = 1e9;  // of all members
    // Columns that a leaf looks at, drawn: a number, a share below 1, −1 for the square root, 0 for all of them.
    double max_features = 0;
    bool is_adaptive = false;
    double drift_delta = 0.002;  // of each node's Adwin
    std::uint64_t seed = 0;
};

enum class EnsembleKind : int { single, bagging, adaptive_forest, boosting };

// How trees are combined.
// bagging (Oza and Russell, 2001): each tree learns from a row k times, k drawn from Poisson(poisson).
// adaptive_forest (Gomes and others, 2017): the same; when Adwin warns of a tree's errors, a tree grows in the
//     background and takes its place when Adwin is sure. Trees vote with their recent share of right predictions.
// boosting (Oza and Russell, 2001): each tree learns from a row with a weight that rises where the trees before
//     were wrong; trees vote with ln((1 − e) / e), e being their weighted error.
struct EnsembleRules {
    EnsembleKind kind = EnsembleKind::single;
    std::size_t n_members = 1;
    double poisson = 1;
    double warning_delta = 0.01, drift_delta = 0.001;
    int n_threads = 1;
};

// One step on the way to a node.
struct PathStep {
    std::int32_t column = 0;
    bool is_left = false, is_category = false;
    double threshold = 0;
    std::vector<std::int32_t> codes;  // of categories on the side taken; −1: missing
};

enum class StreamEventKind : int { trial_begun, branch_replaced, trial_dropped, tree_replaced };

// What happened to a branch; rows are counted from 0 over the whole stream.
struct StreamEvent {
    std::int64_t row = 0;
    StreamEventKind kind = StreamEventKind::trial_begun;
    std::int32_t member = 0;
    std::int32_t column = -1;  // that the branch tested first; −1: it was a leaf
    std::int64_t n_rows = 0;   // rows on which old and new were compared
    double error_before = 0, error_after = 0;
    std::vector<PathStep> path;
};

// A node of a member, in the order parent, left, right.
struct StreamNode {
    std::int32_t column = -1;  // −1: a leaf
    bool is_category = false, missing_left = false, others_left = false;
    double threshold = 0;
    std::vector<std::int32_t> left_codes;
    std::vector<double>
        of_class;  // rows of each class since the node was made, with those of its parent's test
    bool is_active = false;
};

struct StreamSizes {
    std::int64_t n_rows = 0, n_nodes = 0, n_leaves = 0, n_active = 0, n_trials = 0, depth = 0;
    double n_bytes = 0;
};

class StreamMember;

// One tree or several, learned row by row: any batches of the same rows in the same order give the same
// bits, with any number of threads. Columns are numbers (float32, float64) or categories (int32).
class StreamModel {
  public:
    StreamModel(const HoeffdingRules& rules, const EnsembleRules& ensemble,
                std::span<const std::uint8_t> is_category,
                std::span<const std::uint64_t> column_keys);
    ~StreamModel();
    StreamModel(const StreamModel&) = delete;
    StreamModel& operator=(const StreamModel&) = delete;

    // Learns from rows. With `predicted` (n_rows × n_classes), each row is predicted before it is learned from.
    // Stopped half way, the rows before were learned from. Cost: about 1 µs for a row of ten columns and a tree.
    void learn(std::span<const ColumnView> columns, std::span<const std::uint32_t> class_of_row,
               std::span<double> predicted, StopSignal& stop);

    // Probabilities of the classes, row after row. Threads over rows.
    void predict(std::span<const ColumnView> columns, std::size_t n_rows,
                 std::span<double> predicted, int n_threads, StopSignal& stop) const;

    // A column that had no value so far is one of categories.
    void make_category(std::size_t column);

    std::size_t n_columns() const { return is_category_.size(); }
    std::size_t n_classes() const { return rules_.n_classes; }
    std::size_t n_members() const { return members_.size(); }
    const std::vector<StreamEvent>& events() const { return events_; }
    std::int64_t n_events() const { return n_events_; }
    std::vector<StreamNode> nodes(std::size_t member) const;
    StreamSizes sizes() const;

    // Everything learned, as numbers; reading checks each of them (std::invalid_argument).
    void write(std::vector<double>& reals, std::vector<std::int64_t>& wholes) const;
    void read(std::span<const double> reals, std::span<const std::int64_t> wholes);

  private:
    struct Block;
    void learn_block(const Block& block, std::span<double> votes);
    void boost_block(const Block& block, std::span<double> votes);
    void gather_events();

    HoeffdingRules rules_;
    EnsembleRules ensemble_;
    std::vector<std::uint8_t> is_category_;
    std::vector<std::uint64_t> column_keys_;  // what draws of columns depend on
    std::vector<std::unique_ptr<StreamMember>> members_;
    std::vector<StreamEvent> events_;
    std::int64_t n_rows_ = 0, n_events_ = 0;
};

}  // namespace branchline
