// How much a tree takes, and which leaves learn when that is too much.
#include <algorithm>
#include <limits>

#include "stream/stream_tree.hpp"

namespace branchline {

namespace {

constexpr double room = 0.9;  // of the limit, that is filled when the limit was passed

struct LeafRank {
    TreeNode* leaf;
    double promise;
    std::size_t place;
};

// New branches on trial come first: they are few, and end soon.
void collect(TreeNode& node, bool is_trial, std::vector<LeafRank>& leaves) {
    if (node.watch && node.watch->trial) collect(*node.watch->trial, true, leaves);
    if (!node.is_leaf()) {
        collect(*node.left, is_trial, leaves);
        collect(*node.right, is_trial, leaves);
        return;
    }
    double total = 0, most = 0;
    for (const double n : node.of_class) {
        total += n;
        most = std::max(most, n);
    }
    leaves.push_back(
        {&node, is_trial ? std::numeric_limits<double>::infinity() : total - most, leaves.size()});
}

void add_sizes(const TreeNode& node, StreamSizes& sizes) {
    ++sizes.n_nodes;
    sizes.depth = std::max(sizes.depth, static_cast<std::int64_t>(node.depth));
    if (node.watch && node.watch->trial) ++sizes.n_trials;
    if (node.is_leaf()) {
        ++sizes.n_leaves;
        sizes.n_active += node.seen ? 1 : 0;
        return;
    }
    add_sizes(*node.left, sizes);
    add_sizes(*node.right, sizes);
}

}  // namespace

// An Adwin of a million numbers has 18 rows of buckets; every node is counted as if it had 12.
double StreamTree::bytes_of_node(const TreeNode& node) const {
    const double classes = static_cast<double>(node.of_class.size()) * 2 * sizeof(double);
    const double watch = node.watch ? sizeof(BranchWatch) + 12 * 104.0 : 0;
    const double split = static_cast<double>(node.split.is_left.size());
    return sizeof(TreeNode) + classes + watch + split + (node.seen ? node.seen->n_bytes() : 0) +
           (node.parent ? node.parent->n_bytes() : 0);
}

double StreamTree::bytes_of_branch(const TreeNode& node) const {
    double bytes = bytes_of_node(node);
    if (node.watch && node.watch->trial) bytes += bytes_of_branch(*node.watch->trial);
    if (!node.is_leaf()) bytes += bytes_of_branch(*node.left) + bytes_of_branch(*node.right);
    return bytes;
}

void StreamTree::fit_memory() {
    std::vector<LeafRank> leaves;
    collect(*root_, false, leaves);
    std::sort(leaves.begin(), leaves.end(), [](const LeafRank& a, const LeafRank& b) {
        return a.promise != b.promise ? a.promise > b.promise : a.place < b.place;
    });
    for (const LeafRank& one : leaves) one.leaf->parent.reset();
    double rest = bytes_of_branch(*root_);
    for (const LeafRank& one : leaves) rest -= one.leaf->seen ? one.leaf->seen->n_bytes() : 0;
    const double fresh = LeafStatistics::bytes_of(plan_);
    double taken = rest;
    bool is_full = false;
    for (const LeafRank& one : leaves) {
        TreeNode& leaf = *one.leaf;
        const double wanted = leaf.seen ? leaf.seen->n_bytes() : fresh;
        is_full = is_full || taken + wanted > room * max_bytes_;
        if (is_full) {
            leaf.seen.reset();
            continue;
        }
        taken += wanted;
        if (!leaf.seen && leaf.depth < plan_.rules->max_depth) {
            leaf.seen = std::make_unique<LeafStatistics>(plan_, leaf.of_class);
            leaf.last_attempt = leaf.n_rows;
            leaf.majority_right = leaf.bayes_right = 0;
        }
    }
    n_bytes_ = fitted_bytes_ = bytes_of_branch(*root_);
}

StreamSizes StreamTree::sizes() const {
    StreamSizes sizes;
    add_sizes(*root_, sizes);
    sizes.n_bytes = n_bytes_;
    return sizes;
}

}  // namespace branchline
