#include "stream/stream_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace branchline {

namespace {

constexpr double fading = 0.998;  // a half after 346 rows

std::uint32_t largest_of(std::span<const double> values) {
    return static_cast<std::uint32_t>(std::max_element(values.begin(), values.end()) -
                                      values.begin());
}

// Scores become probabilities.
void softmax(std::span<double> scores) {
    const double top = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (double& score : scores) sum += score = std::exp(score - top);
    for (double& score : scores) score /= sum;
}

double bits(std::size_t n_classes) {
    return std::log2(static_cast<double>(std::max<std::size_t>(2, n_classes)));
}

}  // namespace

StreamTree::StreamTree(const LeafPlan& plan, double max_bytes, std::uint64_t key)
    : plan_(plan), max_bytes_(max_bytes), key_(key), scores_(plan.rules->n_classes),
      scratch_(plan.rules->n_classes) {
    root_ = make_leaf(0, std::vector<double>(plan.rules->n_classes, 0));
}

StreamTree::Slot StreamTree::make_leaf(std::uint32_t depth, std::vector<double> of_class) {
    auto leaf = std::make_unique<TreeNode>();
    leaf->depth = depth;
    leaf->number = n_made_++;
    leaf->of_class = std::move(of_class);
    if (depth < plan_.rules->max_depth)
        leaf->seen = std::make_unique<LeafStatistics>(plan_, leaf->of_class);
    if (plan_.rules->is_adaptive)
        leaf->watch = std::make_unique<BranchWatch>(plan_.rules->drift_delta);
    n_bytes_ += bytes_of_node(*leaf);
    return leaf;
}

const TreeNode& StreamTree::leaf_of(StreamRow row) const {
    const TreeNode* node = root_.get();
    while (!node->is_leaf())
        node = node->split.goes_left(row) ? node->left.get() : node->right.get();
    return *node;
}

// scores: probabilities of the prediction that counts.
LeafVote StreamTree::vote(const TreeNode& leaf, StreamRow row, std::span<double> scores,
                          std::span<double> scratch) const {
    LeafVote votes;
    votes.by_majority = largest_of(leaf.of_class);
    votes.best = votes.by_bayes = votes.by_parent = votes.by_majority;
    const LeafPrediction rule = plan_.rules->leaf_prediction;
    double best_right = rule == LeafPrediction::naive_bayes ? -1 : leaf.majority_right;
    const auto offer = [&](const LeafStatistics& known, double right) {
        known.log_joint(row, scratch);
        const std::uint32_t by_bayes = largest_of(scratch);
        if (right < best_right) return by_bayes;
        best_right = right;
        votes.best = by_bayes;
        std::copy(scratch.begin(), scratch.end(), scores.begin());
        return by_bayes;
    };
    bool is_bayes = false;
    if (leaf.seen && rule != LeafPrediction::majority) {
        const double before = best_right;
        votes.by_bayes = offer(*leaf.seen, leaf.bayes_right);
        if (leaf.parent) votes.by_parent = offer(*leaf.parent, leaf.parent_right);
        is_bayes = best_right > before || leaf.bayes_right >= before ||
                   (leaf.parent && leaf.parent_right >= before);
    }
    if (is_bayes) {
        softmax(scores);
        return votes;
    }
    double sum = 0;
    for (const double n : leaf.of_class) sum += n + 0.5;
    for (std::size_t c = 0; c < scores.size(); ++c) scores[c] = (leaf.of_class[c] + 0.5) / sum;
    return votes;
}

void StreamTree::predict(StreamRow row, std::span<double> probabilities,
                         std::span<double> scratch) const {
    vote(leaf_of(row), row, probabilities, scratch);
}

std::uint32_t StreamTree::learn(StreamRow row, std::uint32_t class_of_row, double weight,
                                std::int64_t row_number, std::span<double> probabilities) {
    row_number_ = row_number;
    path_.clear();
    descend(root_, row, class_of_row, weight, true);
    if (!probabilities.empty()) {
        std::copy(first_scores_.begin(), first_scores_.end(), probabilities.begin());
    }
    if (n_bytes_ > std::max(max_bytes_, fitted_bytes_)) fit_memory();
    return first_best_;
}

void StreamTree::learn_in_leaf(TreeNode& leaf, StreamRow row, std::uint32_t truth, double weight) {
    leaf.of_class[truth] += weight;
    leaf.weight += weight;
    leaf.squares += weight * weight;
    leaf.n_rows += 1;
    if (!leaf.seen) return;
    n_bytes_ += leaf.seen->add(row, truth, weight);
    if (leaf.parent) n_bytes_ += leaf.parent->add(row, truth, weight);
    if (leaf.n_rows - leaf.last_attempt < plan_.rules->grace_period) return;
    leaf.last_attempt = leaf.n_rows;
    if (leaf.parent && leaf.parent_right < std::max(leaf.bayes_right, leaf.majority_right)) {
        n_bytes_ -= leaf.parent->n_bytes();
        leaf.parent.reset();
    }
    try_split(leaf);
}

bool StreamTree::is_worth(const TreeNode& leaf, const StreamSplit& best,
                          const SplitSearch& search) const {
    const HoeffdingRules& rules = *plan_.rules;
    const auto present = static_cast<std::size_t>(
        std::count_if(leaf.of_class.begin(), leaf.of_class.end(), [](double n) { return n > 0; }));
    const double range = rules.use_gini ? 1 : bits(present);
    // Weights that differ, or repeat rows, tell less than as many rows.
    const double n = leaf.weight * leaf.weight / leaf.squares;
    const double bound = range * std::sqrt(std::log(1 / rules.delta) / (2 * n));
    if (best.gain - search.second_gain() <= bound && bound >= rules.tie_threshold) return false;
    const double level = std::log(1000.0 * static_cast<double>(search.n_columns()));
    const double freedom = static_cast<double>(std::max<std::size_t>(2, present) - 1);
    const double limit = freedom + 2 * std::sqrt(freedom * level) + 2 * level;
    const double in_bits = rules.use_gini ? 2 : 2 * std::log(2.0);
    return in_bits * n * best.gain > limit;
}

void StreamTree::try_split(TreeNode& leaf) {
    if (*std::max_element(leaf.of_class.begin(), leaf.of_class.end()) >=
        std::accumulate(leaf.of_class.begin(), leaf.of_class.end(), 0.0)) {
        return;
    }
    SplitSearch search(plan_, *leaf.seen);
    StreamSplit best = search.best({key_, leaf.number});
    if (best.column >= 0 && is_worth(leaf, best, search)) {
        split_leaf(leaf, std::move(best));
    }
}

void StreamTree::split_leaf(TreeNode& leaf, StreamSplit best) {
    n_bytes_ -= bytes_of_node(leaf);
    if (plan_.rules->leaf_prediction == LeafPrediction::adaptive &&
        leaf.parent_right < leaf.bayes_right) {
        leaf.parent = std::move(leaf.seen);
        leaf.parent->forget_bins();
    }
    leaf.seen.reset();
    leaf.left = make_leaf(leaf.depth + 1, std::move(best.left_of_class));
    leaf.right = make_leaf(leaf.depth + 1, std::move(best.right_of_class));
    if (leaf.parent) {
        leaf.left->parent = std::make_unique<LeafStatistics>(*leaf.parent);
        leaf.right->parent = std::move(leaf.parent);
        leaf.left->parent_right = leaf.right->parent_right = 1;
        n_bytes_ += 2 * leaf.left->parent->n_bytes();
    }
    leaf.split = std::move(best);
    n_bytes_ += bytes_of_node(leaf);
}

// A row counts less the more came after it.
void StreamTree::count_votes(TreeNode& leaf, const LeafVote& votes, std::uint32_t truth,
                             double weight) const {
    for (const auto& [count, vote] : {std::pair{&leaf.majority_right, votes.by_majority},
                                      std::pair{&leaf.bayes_right, votes.by_bayes},
                                      std::pair{&leaf.parent_right, votes.by_parent}}) {
        *count = *count * fading + (vote == truth ? weight : 0);
    }
}

// Goes down one branch and learns; returns whether the branch was wrong about the row.
bool StreamTree::descend(Slot& slot, StreamRow row, std::uint32_t truth, double weight,
                         bool may_try) {
    TreeNode* leaf = slot.get();
    while (!leaf->is_leaf()) {
        leaf = leaf->split.goes_left(row) ? leaf->left.get() : leaf->right.get();
    }
    const LeafVote votes = vote(*leaf, row, scores_, scratch_);
    if (may_try) {
        first_best_ = votes.best;
        first_scores_.assign(scores_.begin(), scores_.end());
    }
    const bool wrong = votes.best != truth;
    count_votes(*leaf, votes, truth, weight);
    Slot* here = &slot;
    const std::size_t above = path_.size();
    bool was_replaced = false;
    while (true) {
        if (plan_.rules->is_adaptive && follow_errors(*here, wrong, row, truth, weight, may_try)) {
            was_replaced = true;
            break;
        }
        TreeNode& node = **here;
        if (node.is_leaf()) break;
        node.of_class[truth] += weight;

        const bool goes_left = node.split.goes_left(row);
        path_.emplace_back(&node, goes_left);
        here = goes_left ? &node.left : &node.right;
    }
    if (!was_replaced) learn_in_leaf(**here, row, truth, weight);
    path_.resize(above);
    return wrong;
}

}  // namespace branchline
