// Trees as numbers, and back; nodes in the order parent, left, right.
#include <cmath>
#include <limits>

#include "stream/state_io.hpp"
#include "stream/stream_tree.hpp"

namespace branchline {

namespace {

constexpr double most_rows = 1e300;

void write_split(const StreamSplit& split, StateWriter& out) {
    out.whole(split.column);
    if (split.column < 0) return;
    out.whole(split.is_category ? 1 : 0);
    out.whole(split.missing_left ? 1 : 0);
    out.whole(split.others_left ? 1 : 0);
    out.real(split.threshold);
    out.whole(static_cast<std::int64_t>(split.is_left.size()));
    for (const std::uint8_t side : split.is_left) out.whole(side);
}

StreamSplit read_split(const LeafPlan& plan, StateReader& in) {
    StreamSplit split;
    split.column =
        static_cast<std::int32_t>(in.whole(-1, static_cast<std::int64_t>(plan.n_columns()) - 1));
    if (split.column < 0) return split;
    split.is_category = in.flag();
    StateReader::require(
        split.is_category == ((*plan.is_category)[static_cast<std::size_t>(split.column)] != 0),
        "a test does not fit its column");
    split.missing_left = in.flag();
    split.others_left = in.flag();
    split.threshold =
        in.real(-std::numeric_limits<double>::max(), std::numeric_limits<double>::max());
    split.is_left.resize(in.count());
    for (std::uint8_t& side : split.is_left) side = static_cast<std::uint8_t>(in.whole(0, 2));
    return split;
}

void write_watch(const BranchWatch& watch, StateWriter& out) {
    watch.errors.write(out);
    out.all(std::vector<double>{watch.n_rows, watch.old_wrong, watch.new_wrong, watch.only_old,
                                watch.only_new, watch.in_block});
    out.whole(watch.block);
}

void read_watch(BranchWatch& watch, StateReader& in) {
    watch.errors.read(in);
    for (double* one : {&watch.n_rows, &watch.old_wrong, &watch.new_wrong, &watch.only_old,
                        &watch.only_new, &watch.in_block}) {
        *one = in.real(0, most_rows);
    }
    watch.block = static_cast<std::int32_t>(in.whole(0, 60));
}

}  // namespace

void StreamTree::write_node(const TreeNode& node, StateWriter& out) const {
    write_split(node.split, out);
    out.whole(static_cast<std::int64_t>(node.number));
    out.all(node.of_class);
    out.all(std::vector<double>{node.weight, node.squares, node.n_rows, node.last_attempt,
                                node.majority_right, node.bayes_right, node.parent_right});
    out.whole(node.seen ? 1 : 0);
    if (node.seen) node.seen->write(out);
    out.whole(node.parent ? 1 : 0);
    if (node.parent) node.parent->write(out);
    if (node.watch) {
        write_watch(*node.watch, out);
        out.whole(node.watch->trial ? 1 : 0);
        if (node.watch->trial) write_node(*node.watch->trial, out);
    }
    if (node.is_leaf()) return;
    write_node(*node.left, out);
    write_node(*node.right, out);
}

StreamTree::Slot StreamTree::read_node(StateReader& in, std::uint32_t depth, bool may_try) {
    StateReader::require(depth <= plan_.rules->max_depth, "a tree is too deep");
    auto node = std::make_unique<TreeNode>();
    node->depth = depth;
    node->split = read_split(plan_, in);
    node->number = static_cast<std::uint64_t>(in.whole(0, std::int64_t{1} << 62));
    node->of_class.resize(plan_.rules->n_classes);
    in.weights(node->of_class);
    node->weight = in.real(0, most_rows);
    node->squares = in.real(0, most_rows);
    node->n_rows = in.real(0, most_rows);
    node->last_attempt = in.real(0, most_rows);
    node->majority_right = in.real(0, most_rows);
    node->bayes_right = in.real(0, most_rows);
    node->parent_right = in.real(0, most_rows);
    if (in.flag()) {
        StateReader::require(node->is_leaf(), "a node that splits has statistics");
        node->seen = std::make_unique<LeafStatistics>(LeafStatistics::read(plan_, in));
    }
    if (in.flag()) {
        StateReader::require(node->is_leaf(), "a node that splits has statistics of its parent");
        node->parent = std::make_unique<LeafStatistics>(LeafStatistics::read(plan_, in));
    }
    if (plan_.rules->is_adaptive) {
        node->watch = std::make_unique<BranchWatch>(plan_.rules->drift_delta);
        read_watch(*node->watch, in);
        if (in.flag()) {
            StateReader::require(may_try, "a trial within a trial");
            node->watch->trial = read_node(in, depth, false);
        }
    }
    if (node->is_leaf()) return node;
    node->left = read_node(in, depth + 1, may_try);
    node->right = read_node(in, depth + 1, may_try);
    return node;
}

void StreamTree::write(StateWriter& out) const {
    out.whole(static_cast<std::int64_t>(key_));
    out.whole(static_cast<std::int64_t>(n_made_));
    out.real(n_bytes_);
    out.real(fitted_bytes_);
    write_node(*root_, out);
}

void StreamTree::read(StateReader& in) {
    key_ = static_cast<std::uint64_t>(in.whole(0, std::int64_t{1} << 62));
    n_made_ = static_cast<std::uint64_t>(in.whole(0, std::int64_t{1} << 62));
    n_bytes_ = in.real(0);
    fitted_bytes_ = in.real(0);
    root_ = read_node(in, 0, true);
}

}  // namespace branchline
