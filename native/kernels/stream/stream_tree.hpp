// One Hoeffding tree, learned row by row; nodes own their branches.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "branchline/drift.hpp"
#include "branchline/hoeffding.hpp"
#include "stream/split_search.hpp"

namespace branchline {

struct TreeNode;

// Errors of a branch, and the comparison with the new branch that grows beside it.
struct BranchWatch {
    explicit BranchWatch(double delta) : errors(delta) {}

    Adwin errors;
    std::unique_ptr<TreeNode> trial;
    double n_rows = 0, old_wrong = 0, new_wrong = 0;  // of the whole trial
    double only_old = 0, only_new = 0, in_block = 0;  // of this block: where only one was wrong
    std::int32_t block = 0;
};

struct TreeNode {
    StreamSplit split;                      // column −1: a leaf
    std::unique_ptr<TreeNode> left, right;  // of a split
    std::unique_ptr<LeafStatistics> seen;   // of a leaf that learns
    std::unique_ptr<LeafStatistics>
        parent;  // what its parent had seen, and the rows since; until it is not needed
    std::vector<double> of_class;
    double weight = 0, squares = 0;  // Σ weights and Σ weights² of rows since the node was made
    double n_rows = 0, last_attempt = 0;
    double majority_right = 0, bayes_right = 0, parent_right = 0;  // recent rows
    std::unique_ptr<BranchWatch> watch;
    std::uint32_t depth = 0;
    std::uint64_t number = 0;  // leaves made before: what draws of columns depend on

    bool is_leaf() const { return split.column < 0; }
};

struct LeafVote {
    std::uint32_t best = 0, by_majority = 0, by_bayes = 0, by_parent = 0;
};

class StreamTree {
  public:
    StreamTree(const LeafPlan& plan, double max_bytes, std::uint64_t key);

    // Where the row goes, and the probability of each class; `scratch` has as many places. Changes nothing,
    // so several threads may predict at once.
    const TreeNode& leaf_of(StreamRow row) const;
    void predict(StreamRow row, std::span<double> probabilities, std::span<double> scratch) const;

    // Learns from a row of this weight; returns the class that was predicted before.
    std::uint32_t learn(StreamRow row, std::uint32_t class_of_row, double weight,
                        std::int64_t row_number, std::span<double> probabilities);

    const TreeNode& root() const { return *root_; }
    StreamSizes sizes() const;
    std::vector<StreamEvent>& events() { return events_; }

    void write(StateWriter& out) const;
    void read(StateReader& in);

  private:
    using Slot = std::unique_ptr<TreeNode>;

    Slot make_leaf(std::uint32_t depth, std::vector<double> of_class);
    LeafVote vote(const TreeNode& leaf, StreamRow row, std::span<double> scores,
                  std::span<double> scratch) const;
    bool descend(Slot& slot, StreamRow row, std::uint32_t truth, double weight, bool may_try);
    void count_votes(TreeNode& leaf, const LeafVote& votes, std::uint32_t truth,
                     double weight) const;
    void learn_in_leaf(TreeNode& leaf, StreamRow row, std::uint32_t truth, double weight);
    void try_split(TreeNode& leaf);
    bool is_worth(const TreeNode& leaf, const StreamSplit& best, const SplitSearch& search) const;
    void split_leaf(TreeNode& leaf, StreamSplit best);
    // True when the slot holds the new branch now.
    bool follow_errors(Slot& slot, bool wrong, StreamRow row, std::uint32_t truth, double weight,
                       bool may_try);
    bool compare_branches(Slot& slot, bool old_wrong, bool new_wrong);
    void tell(const TreeNode& node, StreamEventKind kind);
    void fit_memory();
    double bytes_of_node(const TreeNode& node) const;
    double bytes_of_branch(const TreeNode& node) const;

    void write_node(const TreeNode& node, StateWriter& out) const;
    Slot read_node(StateReader& in, std::uint32_t depth, bool may_try);

    LeafPlan plan_;
    double max_bytes_;
    std::uint64_t key_;
    Slot root_;
    double n_bytes_ = 0;
    double fitted_bytes_ = 0;   // what was left when leaves last gave up their statistics
    std::uint64_t n_made_ = 0;  // leaves so far
    std::int64_t row_number_ = 0;
    std::vector<StreamEvent> events_;
    std::vector<std::pair<const TreeNode*, bool>> path_;  // nodes above, and which way the row went
    std::uint32_t first_best_ = 0;                        // of the tree itself, not of trials
    std::vector<double> scores_, first_scores_, scratch_;
};

}  // namespace branchline
