// Trees that were grown before, applied to the codes of rows.
#include "boosting/replay.hpp"

#include "boosting/checks.hpp"
#include "boosting/node_rows.hpp"
#include "branchline/tree_walker.hpp"

namespace branchline::boosting {

namespace {

// Reads trees one after another, and sends rows down each.
class Replay {
  public:
    Replay(const BlockedRows& rows, const GrownTrees& trees, std::span<const double> values,
           ThreadPool& pool)
        : rows_(rows), trees_(trees), values_(values), pool_(pool), node_rows_(rows),
          kernels_(boosting_kernels_for(best_cpu_level())) {}

    // Adds what the next tree gives the rows.
    void add_tree(std::span<double> scores) {
        require(tree_ < trees_.n_nodes.size(), "one more tree");
        const auto n_nodes = static_cast<std::size_t>(trees_.n_nodes[tree_++]);
        require(n_nodes % 2 == 1 && n_nodes <= trees_.kind.size() - node_, "the nodes of a tree");
        node_rows_.begin();
        node_rows_.add_nodes(n_nodes);
        std::size_t n_children = 1;
        for (std::size_t node = 0; node < n_nodes; ++node) {
            require(node < n_children, "nodes in level order");
            if (trees_.kind[node_ + node] == static_cast<std::uint8_t>(NodeKind::leaf)) {
                add_leaf(node, scores);
                continue;
            }
            require(n_children + 2 <= n_nodes, "two children of each test");
            split(node, n_children, next_side(trees_.kind[node_ + node]));
            n_children += 2;
        }
        require(n_children == n_nodes, "a parent of each node");
        node_ += n_nodes;
    }

    // Throws unless all nodes, tests, leaves and bits have been read.
    void finish() const {
        require(node_ == trees_.kind.size(), "a tree of each node");
        require(test_ == trees_.feature.size(), "a node of each test");
        require(byte_ == trees_.pool.size(), "a node of each byte of categories");
        require(leaf_ == values_.size(), "a leaf of each value");
    }

  private:
    Side next_side(std::uint8_t kind) {
        require(test_ < trees_.feature.size(), "a column of each test");
        Side side;
        side.column = trees_.feature[test_];
        require(side.column < rows_.columns.size(), "a column that is there");
        side.is_threshold = kind == static_cast<std::uint8_t>(NodeKind::threshold);
        side.cut = trees_.left_code[test_];
        side.missing_left = trees_.missing_left[test_++] != 0;
        if (side.is_threshold) return side;
        const std::size_t n_codes = rows_.columns[side.column].n_codes, n_bytes = (n_codes + 7) / 8;
        require(n_bytes <= trees_.pool.size() - byte_, "bits of the categories");
        side.goes_right.assign(n_codes + 1, !side.missing_left);
        for (std::size_t c = 0; c < n_codes; ++c) {
            side.goes_right[c + 1] = (trees_.pool[byte_ + c / 8] >> (c % 8)) & 1;
        }
        byte_ += n_bytes;
        return side;
    }

    void split(std::size_t node, std::size_t left, const Side& side) {
        const GrowColumn& column = rows_.columns[side.column];
        const CodeSet bits = column.codes.width == 1 ? side.bits(column.n_codes) : CodeSet{};
        pool_.run(rows_.n_blocks(), [&](std::size_t block, std::size_t) {
            node_rows_.apply_split(node, left, side, bits, block, kernels_);
        });
    }

    void add_leaf(std::size_t node, std::span<double> scores) {
        require(leaf_ < values_.size(), "a value of each leaf");
        const double value = values_[leaf_++];
        pool_.run(rows_.n_blocks(), [&](std::size_t block, std::size_t) {
            double* of_block = scores.data() + rows_.first_row(block);
            for (const std::uint16_t row : node_rows_.rows(node, block)) of_block[row] += value;
        });
    }

    const BlockedRows& rows_;
    const GrownTrees& trees_;
    std::span<const double> values_;
    ThreadPool& pool_;
    NodeRows node_rows_;
    const BoostingKernels& kernels_;
    std::size_t tree_ = 0, node_ = 0, test_ = 0, byte_ = 0, leaf_ = 0;
};

}  // namespace

void replay_trees(const BlockedRows& rows, const GrownTrees& trees, std::span<const double> values,
                  std::span<double> scores, ThreadPool& pool) {
    const std::size_t n_outputs = scores.size() / rows.n_rows;
    require(n_outputs > 0 && scores.size() % rows.n_rows == 0, "scores of each row");
    require(trees.n_nodes.size() % n_outputs == 0, "a tree for each output of a round");
    Replay replay(rows, trees, values, pool);
    for (std::size_t tree = 0; tree < trees.n_nodes.size(); ++tree) {
        replay.add_tree(scores.subspan(tree % n_outputs * rows.n_rows, rows.n_rows));
    }
    replay.finish();
}

}  // namespace branchline::boosting
