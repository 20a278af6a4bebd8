#include <deque>
#include <memory>
#include <stdexcept>

#include "branchline/tree_walker.hpp"
#include "forest/node_draws.hpp"
#include "node_tests/maker.hpp"

namespace branchline {

namespace node_tests {

namespace {

struct OpenNode {
    std::size_t node = 0;
    std::vector<RowIndex> rows;
    std::uint64_t key = 0;
    int depth = 0;
    // A node of few rows has been grown to the end; it is a node of that tree.
    std::shared_ptr<const GrownTree> grown;
    std::size_t place = 0;
};

template <class Value>
void append(std::vector<Value>& to, const std::vector<Value>& from, std::size_t begin,
            std::size_t end) {
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
              from.begin() + static_cast<std::ptrdiff_t>(end));
}

class NodeGrower {
  public:
    NodeGrower(const NodeTestInput& input, const GrowOptions& options, Maker& maker,
               StopSignal& stop)
        : input_(input), options_(options), maker_(maker), stop_(stop),
          columns_(input.columns.begin(), input.columns.end()) {}

    TreeOfNodes grow(std::span<const RowIndex> rows, std::uint64_t key) {
        // Nodes are numbered as they are made, level by level, which is the order of a GrownTree.
        std::deque<OpenNode> open;
        open.push_back({0, {rows.begin(), rows.end()}, key, 0, nullptr, 0});
        while (!open.empty()) {
            stop_.check();
            const OpenNode node = std::move(open.front());
            open.pop_front();
            for (OpenNode& child : split(node)) open.push_back(std::move(child));
        }
        return std::move(grown_);
    }

  private:
    // Grows one level below a node; no children when it stays a leaf.
    std::vector<OpenNode> split(const OpenNode& open) {
        if (open.grown != nullptr) return children_of(open, *open.grown, {});
        if (has_few_rows(open)) {
            OpenNode few = open;
            few.grown = std::make_shared<const GrownTree>(grow_few(open));
            if (open.node == 0) add_node(*few.grown, 0);
            return children_of(few, *few.grown, {});
        }
        const Offer offer = offer_for(open);
        const GrownTree level = one_level(open, offer);
        if (open.node == 0) add_node(level, 0);
        std::vector<OpenNode> children = children_of(open, level, offer);
        for (std::size_t i = 0; i < open.rows.size() && !children.empty(); ++i) {
            const std::int32_t leaf = level.leaf_of_row[i];
            if (leaf > 0) children[static_cast<std::size_t>(leaf) - 1].rows.push_back(open.rows[i]);
        }
        return children;
    }

    // Takes the test that a node has in `level`, and adds its children.
    std::vector<OpenNode> children_of(const OpenNode& open, const GrownTree& level,
                                      const Offer& offer) {
        const int n_children = level.n_children[open.place];
        if (n_children == 0) return {};
        const std::size_t first = grown_.tree.n_nodes();
        take_test(open, level, offer, first);
        std::vector<OpenNode> children;
        for (int branch = 0; branch < n_children; ++branch) {
            const auto place = static_cast<std::size_t>(level.first_child[open.place] + branch);
            add_node(level, place);
            children.push_back({first + static_cast<std::size_t>(branch),
                                {},
                                forest::key_of_child(open.key, branch),
                                open.depth + 1,
                                open.grown,
                                open.grown == nullptr ? 0 : place});
        }
        return children;
    }

    // Whether a node has too few rows for a test to be made of them.
    bool has_few_rows(const OpenNode& open) const {
        std::int64_t units = 0;
        for (const RowIndex row : open.rows) units += units_of(input_.target, row);
        return static_cast<double>(units) * options_.unit < maker_.fewest_rows();
    }

    GrownTree grow_few(const OpenNode& open) {
        GrowOptions options = options_;
        options.max_depth = options_.max_depth - open.depth;
        return grow_tree(input_.columns, open.rows, input_.target, options, stop_);
    }

    Offer offer_for(const OpenNode& open) {
        const int left = options_.max_depth - open.depth;
        if (left < 1 || is_finished(open)) return {};
        return maker_.offer({open.rows, open.key, left});
    }

    // Whether the grower will not split the node anyway: nothing is made for it.
    bool is_finished(const OpenNode& open) const {
        std::int64_t units = 0;
        bool is_pure = input_.target.is_classification();
        for (const RowIndex row : open.rows) {
            units += units_of(input_.target, row);
            is_pure = is_pure && input_.target.class_of_row[row] ==
                                     input_.target.class_of_row[open.rows.front()];
        }
        return is_pure || units < options_.min_split_units || units < 2 * options_.min_leaf_units;
    }

    GrownTree one_level(const OpenNode& open, const Offer& offer) {
        GrowOptions options = options_;
        options.max_depth = options_.max_depth > open.depth ? 1 : 0;
        options.keeps_leaves = true;
        if (offer.is_exclusive) {  // the maker has decided; only limits on branches are left
            options.correct_for_chance = options.gain_ratio = options.description_length = false;
            options.cautious_thresholds = false;
            options.significance = 1;
            options.min_gain = 0;
            options.split_on_zero_gain = true;
            return grow_tree(offer.columns, open.rows, input_.target, options, stop_);
        }
        columns_.resize(input_.columns.size());
        columns_.insert(columns_.end(), offer.columns.begin(), offer.columns.end());
        return grow_tree(columns_, open.rows, input_.target, options, stop_);
    }

    // A node of `level` becomes the next node of the tree, as a leaf.
    void add_node(const GrownTree& level, std::size_t node) {
        GrownTree& tree = grown_.tree;
        tree.kind.push_back(static_cast<std::uint8_t>(NodeKind::leaf));
        tree.feature.push_back(-1);
        tree.first_child.push_back(-1);
        tree.n_children.push_back(0);
        tree.missing_branch.push_back(-1);
        tree.left_code.push_back(0);
        tree.right_code.push_back(0);
        tree.pool_offset.push_back(0);
        grown_.threshold.push_back(0);
        const std::size_t width = input_.target.width(), n_outputs = input_.target.n_outputs;
        append(tree.content, level.content, node * width, (node + 1) * width);
        append(tree.spread, level.spread, node * n_outputs, (node + 1) * n_outputs);
    }

    void take_test(const OpenNode& open, const GrownTree& level, const Offer& offer,
                   std::size_t first_child) {
        GrownTree& tree = grown_.tree;
        const std::size_t node = open.node, at = open.place;
        tree.kind[node] = level.kind[at];
        tree.feature[node] = level.feature[at];
        tree.first_child[node] = static_cast<std::int32_t>(first_child);
        tree.n_children[node] = level.n_children[at];
        tree.missing_branch[node] = level.missing_branch[at];
        tree.left_code[node] = level.left_code[at];
        tree.right_code[node] = level.right_code[at];
        tree.pool_offset[node] = static_cast<std::int64_t>(tree.pool.size());
        const auto taken = static_cast<std::size_t>(level.feature[at]);
        const std::size_t n_given = offer.is_exclusive ? 0 : input_.columns.size();
        if (level.kind[at] == static_cast<std::uint8_t>(NodeKind::categories)) {
            const auto begin = static_cast<std::size_t>(level.pool_offset[at]);
            const std::size_t n_codes = taken < n_given ? input_.columns[taken].n_codes
                                                        : offer.columns[taken - n_given].n_codes;
            append(tree.pool, level.pool, begin, begin + n_codes);
        }
        if (taken >= n_given) maker_.keep(taken - n_given, grown_, node);
    }

    const NodeTestInput& input_;
    const GrowOptions& options_;
    Maker& maker_;
    StopSignal& stop_;
    std::vector<GrowColumn> columns_;
    TreeOfNodes grown_;
};

std::unique_ptr<Maker> maker_of(const NodeTestInput& input, const GrowOptions& options,
                                const NodeTestOptions& tests, StopSignal& stop) {
    switch (tests.kind) {
        case NodeTestKind::projection: return make_projections(input, options, tests);
        case NodeTestKind::centers: return make_centers(input);
        case NodeTestKind::lookahead: return make_lookahead(input, options, tests, stop);
    }
    throw std::invalid_argument("unknown kind of tests");
}

}  // namespace

}  // namespace node_tests

TreeOfNodes grow_by_nodes(const NodeTestInput& input, std::span<const RowIndex> rows,
                          const GrowOptions& options, const NodeTestOptions& tests,
                          StopSignal& stop) {
    const auto maker = node_tests::maker_of(input, options, tests, stop);
    node_tests::NodeGrower grower(input, options, *maker, stop);
    return grower.grow(rows, forest::key_of_root(tests.seed, 0));
}

}  // namespace branchline
