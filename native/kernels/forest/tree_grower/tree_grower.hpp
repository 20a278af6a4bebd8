// Growing one tree of a forest, by one thread.
//
// Rows are lists of (number, payload), divided at each node. Once a subtree is small, the codes of its
// rows are copied next to one another: all that follows stays in the cache. Where there are records
// (record_table.hpp) these are copied, twice, and rows named by where theirs begin; else columns are,
// and rows numbered anew in 16 bits.
#pragma once

#include <queue>

#include "forest/column_chooser.hpp"
#include "forest/level_order.hpp"
#include "forest/record_table.hpp"

namespace branchline::forest {

// Rows of a tree or of a subtree, and the columns their numbers refer to.
template <class Index, class Payload>
struct RowLists {
    std::vector<Index> id, spare_id;
    std::vector<Payload> payload, spare_payload;
    std::vector<CodeColumn> columns;

    void resize(std::size_t n) {
        id.resize(n), spare_id.resize(n);
        payload.resize(n), spare_payload.resize(n);
    }
    NodeItems<Index, Payload> items(std::size_t begin, std::size_t end) const {
        return {std::span<const Index>(id).subspan(begin, end - begin),
                std::span<const Payload>(payload).subspan(begin, end - begin)};
    }
};

// Columns that are known not to vary in a node, and so in none below it; columns beyond the first 256
// are not remembered.
class ConstantColumns {
  public:
    bool holds(std::size_t column) const {
        return column < 256 && (words_[column / 64] >> (column % 64) & 1u) != 0;
    }
    void add(std::size_t column) {
        if (column < 256) words_[column / 64] |= std::uint64_t{1} << (column % 64);
    }

  private:
    std::array<std::uint64_t, 4> words_{};
};

struct OpenNode {
    std::int32_t node = 0;
    int depth = 0;
    std::size_t begin = 0, end = 0;
    std::uint64_t key = 0;
    Bounds bounds;
    ConstantColumns constant;

    std::size_t size() const { return end - begin; }
};

template <class Counter>
class TreeGrower {
  public:
    using Payload = typename Counter::Payload;
    using Wide = RowLists<std::uint32_t, Payload>;
    using Narrow = RowLists<std::uint16_t, Payload>;

    // `table` holds the codes as records; null: there are none.
    TreeGrower(const ForestInput& input, const ForestOptions& options, StopSignal& stop,
               const RecordTable* table)
        : input_(input), options_(options), stop_(stop), counter_(input.target),
          kernels_(level_kernels_for(best_cpu_level())),
          looker_(input, options, counter_, kernels_),
          chooser_(input, options.tree, counter_, input.bag.keys.size()),
          deck_(input.columns.size()), tree_(input.target.width(), input.columns), table_(table) {
        for (const GrowColumn& column : input.columns) {
            rows_.columns.push_back(column.codes);
            bytes_of_row_ += static_cast<std::size_t>(column.codes.width);
            uses_chooser_ |= chooser_.compares_all() || chooser_.searches(column);
        }
    }

    // Grows tree number `tree` and writes it; nothing is written when work is to stop.
    void grow(std::uint64_t tree, GrownForest& out);

  private:
    void take_bag(std::uint64_t tree);
    void order_by_class();
    OpenNode make_root(std::uint64_t tree);
    std::int64_t weight_of(std::int32_t node) {
        const auto content = tree_.content(node);
        return input_.target.is_classification()
                   ? std::accumulate(content.begin(), content.end(), std::int64_t{0})
                   : content[0];
    }
    bool must_stay_leaf(const OpenNode& open, std::span<const Payload> payload);
    template <class Index>
    bool find_test(OpenNode& open, const RowLists<Index, Payload>& rows, Offer& best);
    template <class Index>
    bool look(int column, const RowLists<Index, Payload>& rows,
              const NodeItems<Index, Payload>& node, NodeDraws& draws, Offer& offer,
              bool& was_searched);
    template <class Index>
    std::array<OpenNode, 2> split(const OpenNode& open, const Offer& test,
                                  RowLists<Index, Payload>& rows);
    template <class Index>
    void write_contents(std::int32_t parent, const std::array<OpenNode, 2>& children,
                        const RowLists<Index, Payload>& rows);
    template <class Index, class GoesLeft>
    std::size_t part(const OpenNode& open, RowLists<Index, Payload>& rows, GoesLeft&& goes_left);
    template <class Index>
    void grow_depth_first(const OpenNode& root, RowLists<Index, Payload>& rows, std::size_t tier);
    void grow_best_first(const OpenNode& root);
    bool is_worth_copying(const OpenNode& open, std::size_t tier) const;
    void grow_copied(const OpenNode& open);
    void grow_on_records(const OpenNode& open, std::size_t tier);

    // Rows of subtrees that are copied, bytes of records that are copied again.
    static constexpr std::size_t copied_rows = 8192, near_bytes = 1 << 15, n_tiers = 2;
    struct Copy {
        RecordBytes bytes;
        std::vector<CodeColumn> columns;
    };

    const ForestInput& input_;
    const ForestOptions& options_;
    StopSignal& stop_;
    Counter counter_;
    LevelKernels kernels_;
    ColumnLooker<Counter> looker_;
    ColumnChooser<Counter> chooser_;
    ColumnDeck deck_;
    GrowingTree tree_;
    const RecordTable* table_;
    Wide rows_;
    Narrow few_;
    std::vector<std::byte> copied_codes_;
    std::array<Copy, n_tiers> copies_;
    std::vector<std::uint8_t> branch_of_code_;
    std::size_t bytes_of_row_ = 0;
    bool uses_chooser_ = false, is_first_tree_ = false;
};

template <class Counter>
void TreeGrower<Counter>::grow(std::uint64_t tree, GrownForest& out) {
    is_first_tree_ = tree == 0;
    take_bag(tree);
    tree_.clear();
    const OpenNode root = make_root(tree);
    if (options_.tree.max_leaves < std::numeric_limits<std::int64_t>::max()) {
        grow_best_first(root);
    } else {
        grow_depth_first(root, rows_, 0);
    }
    if (stop_.requested()) return;
    tree_.write(out);
    const auto weight = static_cast<double>(weight_of(root.node));
    for (double& amount : out.importance) amount /= weight;
}

template <class Counter>
void TreeGrower<Counter>::take_bag(std::uint64_t tree) {
    const Bag bag(input_.bag, options_.bag, tree);
    const std::size_t n_rows = input_.bag.keys.size();
    rows_.resize(n_rows);
    std::size_t n = 0;
    for (std::size_t row = 0; row < n_rows; ++row) {
        const std::uint32_t count = bag.count(row);
        rows_.id[n] = static_cast<std::uint32_t>(row);
        rows_.payload[n] = counter_.payload(static_cast<RowIndex>(row), count);
        n += count > 0;  // no branch: a row that was not drawn is written over
    }
    rows_.resize(n);
    if constexpr (Counter::counts_classes) order_by_class();
}

// Rows of a class stand together, and stay so when they are divided.
template <class Counter>
void TreeGrower<Counter>::order_by_class() {
    std::vector<std::size_t> place(input_.target.n_classes + 1, 0);
    for (const Payload& payload : rows_.payload) ++place[payload.class_index + 1];
    std::partial_sum(place.begin(), place.end(), place.begin());
    for (std::size_t i = 0; i < rows_.id.size(); ++i) {
        const std::size_t to = place[rows_.payload[i].class_index]++;
        rows_.spare_id[to] = rows_.id[i];
        rows_.spare_payload[to] = rows_.payload[i];
    }
    rows_.id.swap(rows_.spare_id);
    rows_.payload.swap(rows_.spare_payload);
}

template <class Counter>
OpenNode TreeGrower<Counter>::make_root(std::uint64_t tree) {
    OpenNode root;
    root.end = rows_.id.size();
    root.key = key_of_root(options_.bag.seed, tree);
    const auto content = tree_.content(root.node);
    for (const Payload& payload : rows_.payload) counter_.add_to_content(content.data(), payload);
    return root;
}

template <class Counter>
template <class Index>
void TreeGrower<Counter>::grow_depth_first(const OpenNode& root, RowLists<Index, Payload>& rows,
                                           std::size_t tier) {
    std::vector<OpenNode> open_nodes{root};
    Offer test;
    while (!open_nodes.empty()) {
        OpenNode open = open_nodes.back();
        open_nodes.pop_back();
        if (must_stay_leaf(open, rows.items(open.begin, open.end).payload)) continue;
        if (tier == 0) {
            stop_.poll();
            if (stop_.requested()) return;  // the pool says so
        }
        if (is_worth_copying(open, tier)) {
            table_ != nullptr ? grow_on_records(open, tier) : grow_copied(open);
            continue;
        }
        if (!find_test(open, rows, test)) continue;
        for (const OpenNode& child : split(open, test, rows)) open_nodes.push_back(child);
    }
}

// Copying pays when few rows are left, and rows are not so wide that most of a copy is never read.
template <class Counter>
bool TreeGrower<Counter>::is_worth_copying(const OpenNode& open, std::size_t tier) const {
    const std::size_t n = open.size();
    if (tier > 0) return tier < n_tiers && table_ != nullptr && n * table_->stride() <= near_bytes;
    return n <= copied_rows && n > 1 &&
           deck_.size() <= 8 * options_.max_columns * std::bit_width(n);
}

template <class Counter>
void TreeGrower<Counter>::grow_on_records(const OpenNode& open, std::size_t tier) {
    const std::size_t n = open.size(), stride = table_->stride();
    std::uint32_t* place = rows_.id.data() + open.begin;
    if (tier == 0) {  // so far rows have their numbers
        for (std::size_t i = 0; i < n; ++i) place[i] *= static_cast<std::uint32_t>(stride);
    }
    Copy& copy = copies_[tier];
    if (copy.columns.empty()) {
        copy.bytes.resize(tier == 0 ? copied_rows * stride : near_bytes);
        for (std::size_t c = 0; c < deck_.size(); ++c) {
            copy.columns.push_back({reinterpret_cast<const std::byte*>(copy.bytes.data() + c), 1});
        }
    }
    const std::uint8_t* from = tier == 0 ? table_->records() : copies_[tier - 1].bytes.data();
    kernels_.records.copy({from, place, n, stride, true}, copy.bytes.data());
    for (std::size_t i = 0; i < n; ++i) place[i] = static_cast<std::uint32_t>(i * stride);
    rows_.columns.swap(copy.columns);
    grow_depth_first(open, rows_, tier + 1);
    rows_.columns.swap(copy.columns);
}

template <class Counter>
void TreeGrower<Counter>::grow_copied(const OpenNode& open) {
    const std::size_t n = open.size();
    if (copied_codes_.size() < n * bytes_of_row_) copied_codes_.resize(copied_rows * bytes_of_row_);
    few_.resize(n);
    few_.columns.clear();
    std::byte* place = copied_codes_.data();
    // Wide codes first, so that each column begins where its width allows.
    few_.columns.resize(rows_.columns.size());
    for (const int width : {4, 2, 1}) {
        for (std::size_t c = 0; c < rows_.columns.size(); ++c) {
            if (rows_.columns[c].width != width) continue;
            visit_codes(rows_.columns[c], [&](const auto* codes) {
                using Value = std::remove_cvref_t<decltype(*codes)>;
                auto* copy = reinterpret_cast<Value*>(place);
                for (std::size_t i = 0; i < n; ++i) copy[i] = codes[rows_.id[open.begin + i]];
            });
            few_.columns[c] = {place, width};
            place += n * static_cast<std::size_t>(width);
        }
    }
    for (std::size_t i = 0; i < n; ++i) few_.id[i] = static_cast<std::uint16_t>(i);
    std::copy_n(rows_.payload.begin() + static_cast<std::ptrdiff_t>(open.begin), n,
                few_.payload.begin());
    OpenNode root = open;
    root.begin = 0;
    root.end = n;
    grow_depth_first(root, few_, n_tiers);
}

// The leaf whose test gains most (gain times weight) is split next, the oldest on ties.
template <class Counter>
void TreeGrower<Counter>::grow_best_first(const OpenNode& root) {
    struct Waiting {
        double worth;
        std::size_t number;
        OpenNode open;
        Offer test;
        std::vector<std::uint8_t> branch_of_code;
        bool operator<(const Waiting& other) const {
            return worth != other.worth ? worth < other.worth : number > other.number;
        }
    };
    std::priority_queue<Waiting> waiting;
    std::size_t number = 0;
    const auto consider = [&](OpenNode open) {
        Offer test;
        if (must_stay_leaf(open, rows_.items(open.begin, open.end).payload)) return;
        if (!find_test(open, rows_, test)) return;
        const double worth = test.gain * counter_.impurity_weight();
        waiting.push({worth, number++, open, test, branch_of_code_});
    };
    consider(root);
    for (std::int64_t n_leaves = 1; n_leaves < options_.tree.max_leaves && !waiting.empty();
         ++n_leaves) {
        stop_.poll();
        if (stop_.requested()) return;
        const Waiting next = waiting.top();
        waiting.pop();
        branch_of_code_ = next.branch_of_code;
        for (const OpenNode& child : split(next.open, next.test, rows_)) consider(child);
    }
}

}  // namespace branchline::forest
