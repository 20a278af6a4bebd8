#include "branchline/tree_walker.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <stdexcept>

#include "branchline/thread_pool.hpp"

namespace branchline {

namespace {

constexpr std::size_t block_rows = 1024;
constexpr std::size_t rows_abreast = 8;

double number_at(const ColumnView& column, std::size_t row) {
    return column.type == ValueType::float32 ? static_cast<double>(value_at<float>(column, row))
                                             : value_at<double>(column, row);
}

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

// What every walk relies on; a tree from a damaged file must not lead out of its arrays.
void check_test(const TreeView& tree, std::size_t node) {
    const auto n_nodes = static_cast<std::int64_t>(tree.kind.size());
    const std::int64_t first = tree.first_child[node], n_children = tree.n_children[node];
    require(tree.kind[node] <= static_cast<std::uint8_t>(NodeKind::categories), "a kind of node");
    require(
        n_children >= 2 && first > static_cast<std::int64_t>(node) && n_children <= n_nodes - first,
        "children in range, after their parent");
    require(tree.missing_branch[node] >= every_branch && tree.missing_branch[node] < n_children,
            "a branch of missing values in range");
    require(tree.pool_offset[node] >= 0, "a place in the pool");
}

std::int32_t heaviest_branch(const TreeView& tree, std::size_t node) {
    const auto children = tree.weight.subspan(static_cast<std::size_t>(tree.first_child[node]),
                                              static_cast<std::size_t>(tree.n_children[node]));
    return static_cast<std::int32_t>(std::max_element(children.begin(), children.end()) -
                                     children.begin());
}

}  // namespace

TreeWalker::TreeWalker(const TreeView& tree)
    : n_children_(tree.n_children.begin(), tree.n_children.end()),
      missing_branch_(tree.missing_branch.begin(), tree.missing_branch.end()),
      pool_(tree.pool.packed()), weight_(tree.weight.begin(), tree.weight.end()) {
    nodes_.reserve(tree.kind.size());
    Places place_of;
    for (std::size_t node = 0; node < tree.kind.size(); ++node) {
        const auto kind = static_cast<NodeKind>(tree.kind[node]);
        if (kind == NodeKind::leaf) {
            const double always = std::numeric_limits<double>::infinity();
            nodes_.push_back({always, static_cast<std::uint32_t>(node), 0, 1, 0, 1, 0});
            heaviest_.push_back(stay);
            continue;
        }
        check_test(tree, node);
        add_need(tree, node, place_of);
        const bool is_category = kind == NodeKind::categories;
        const double threshold =
            is_category ? std::bit_cast<double>(tree.pool_offset[node]) : tree.threshold[node];
        nodes_.push_back({threshold, static_cast<std::uint32_t>(tree.first_child[node]),
                          static_cast<std::uint32_t>(tree.feature[node]) & 0xFF'FFFF, 0,
                          is_category, tree.missing_branch[node] == 0, 0});
        const bool shares = tree.missing_branch[node] == every_branch;
        heaviest_.push_back(shares ? heaviest_branch(tree, node) : tree.missing_branch[node]);
        shares_rows_ = shares_rows_ || shares;
        only_cuts_ = only_cuts_ && !is_category && tree.n_children[node] == 2 &&
                     tree.missing_branch[node] >= 0;
    }
}

void TreeWalker::add_need(const TreeView& tree, std::size_t node, Places& place_of) {
    const auto column = static_cast<std::size_t>(tree.feature[node]);  // −1 becomes huge
    if (column >= (std::size_t{1} << 24)) throw std::length_error("a column beyond 2^24");
    const bool is_category = tree.kind[node] == static_cast<std::uint8_t>(NodeKind::categories);
    const auto offset = static_cast<std::size_t>(tree.pool_offset[node]);
    const std::size_t n_categories = offset > tree.pool.size() ? 0 : tree.pool.size() - offset;
    const auto [known, is_new] = place_of.try_emplace(2 * column + is_category, needs_.size());
    if (is_new) {
        needs_.push_back({column, is_category, n_categories});
    } else {
        Need& need = needs_[known->second];
        need.n_categories = std::min(need.n_categories, n_categories);
    }
}

// What the walk relies on and a tree alone cannot tell: that its tests fit these columns.
void TreeWalker::check_columns(std::span<const ColumnView> columns) const {
    for (const Need& need : needs_) {
        if (need.column >= columns.size()) {
            throw std::invalid_argument("a tested column is missing");
        }
        const ColumnView& column = columns[need.column];
        if (need.is_category != (column.type == ValueType::category)) {
            throw std::invalid_argument("a test does not fit its column");
        }
        if (need.is_category && need.n_categories < static_cast<std::size_t>(column.n_categories)) {
            throw std::invalid_argument("a category test lacks branches");
        }
    }
}

bool TreeWalker::all_of_type(std::span<const ColumnView> columns, ValueType type) const {
    return std::all_of(needs_.begin(), needs_.end(),
                       [&](const Need& need) { return columns[need.column].type == type; });
}

// The branch of a row at a test; `stay` or `every_branch` are passed on.
std::int32_t TreeWalker::branch_of(std::size_t node, std::span<const ColumnView> columns,
                                   std::size_t row) const {
    const Node& test = nodes_[node];
    const ColumnView& column = columns[test.feature];
    if (!test.is_category) {
        const double value = number_at(column, row);
        if (value != value) return missing_branch_[node];
        return value <= test.threshold ? 0 : 1;
    }
    const auto category = value_at<std::int32_t>(column, row);
    if (category < 0) return missing_branch_[node];
    if (category >= column.n_categories) throw std::out_of_range("category out of range");
    const auto offset = std::bit_cast<std::int64_t>(test.threshold);
    const std::int32_t branch = pool_[static_cast<std::size_t>(offset + category)];
    if (branch < every_branch || branch >= n_children_[node])
        throw std::out_of_range("branch out of range");
    return branch;
}

std::int32_t TreeWalker::leaf_of(std::span<const ColumnView> columns, std::size_t row) const {
    std::size_t node = 0;
    while (!nodes_[node].is_leaf) {
        std::int32_t branch = branch_of(node, columns, row);
        if (branch == every_branch) branch = heaviest_[node];
        if (branch == stay) break;
        node = nodes_[node].first_child + static_cast<std::size_t>(branch);
    }
    return static_cast<std::int32_t>(node);
}

// Several rows go down side by side: their steps do not wait for one another, so the processor
// overlaps them. A row that has come to its leaf makes room for the next one.
template <class Value>
void TreeWalker::walk_block(std::span<const ColumnView> columns, std::size_t first_row,
                            std::span<std::int32_t> node_of_row) const {
    std::array<std::uint32_t, rows_abreast> at{};
    std::array<std::size_t, rows_abreast> row{};
    std::size_t n_abreast = std::min(rows_abreast, node_of_row.size()), next_row = n_abreast;
    for (std::size_t k = 0; k < n_abreast; ++k) row[k] = k;
    while (n_abreast > 0) {
        for (std::size_t k = 0; k < n_abreast; ++k) {
            const Node node = nodes_[at[k]];
            if (node.is_leaf) {
                node_of_row[row[k]] = static_cast<std::int32_t>(at[k]);
                const bool is_last = next_row == node_of_row.size();
                if (is_last) --n_abreast;
                row[k] = is_last ? row[n_abreast] : next_row++;
                at[k] = is_last ? at[n_abreast] : 0;
                continue;
            }
            const auto value =
                static_cast<double>(value_at<Value>(columns[node.feature], first_row + row[k]));
            // No branches here: which way a row goes cannot be foreseen.
            const bool left = (value <= node.threshold) |
                              ((value != value) & static_cast<bool>(node.missing_left));
            at[k] = node.first_child + static_cast<std::uint32_t>(!left);
        }
    }
}

void TreeWalker::find_leaves(std::span<const ColumnView> columns,
                             std::span<std::int32_t> node_of_row, int n_threads,
                             StopSignal& stop) const {
    check_columns(columns);
    const bool abreast = only_cuts_ && !needs_.empty();
    const bool is_float = abreast && all_of_type(columns, ValueType::float32);
    const bool is_double = abreast && all_of_type(columns, ValueType::float64);
    ThreadPool pool(n_threads, stop);
    const std::size_t n_rows = node_of_row.size();
    pool.run((n_rows + block_rows - 1) / block_rows, [&](std::size_t block, std::size_t) {
        const std::size_t end = std::min(n_rows, (block + 1) * block_rows);
        const std::size_t begin = block * block_rows;
        const auto some = node_of_row.subspan(begin, end - begin);
        if (is_float) {
            walk_block<float>(columns, begin, some);
        } else if (is_double) {
            walk_block<double>(columns, begin, some);
        } else {
            for (std::size_t k = 0; k < some.size(); ++k) some[k] = leaf_of(columns, begin + k);
        }
    });
}

void TreeWalker::add_shares(std::span<const ColumnView> columns, std::size_t row,
                            std::span<const double> value, std::vector<Share>& open,
                            std::span<double> sum) const {
    open.assign(1, {0, 1.0});
    while (!open.empty()) {
        const Share share = open.back();
        open.pop_back();
        const std::int32_t branch =
            nodes_[share.node].is_leaf ? stay : branch_of(share.node, columns, row);
        const std::size_t first = nodes_[share.node].first_child;
        if (branch == stay) {
            const auto own = value.subspan(share.node * sum.size(), sum.size());
            for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += share.part * own[i];
        } else if (branch != every_branch) {
            open.push_back({first + static_cast<std::size_t>(branch), share.part});
        } else {
            const auto n_branches = static_cast<std::size_t>(n_children_[share.node]);
            double total = 0;
            for (std::size_t b = 0; b < n_branches; ++b) total += weight_[first + b];
            for (std::size_t b = 0; b < n_branches; ++b) {
                open.push_back({first + b, share.part * weight_[first + b] / total});
            }
        }
    }
}

void TreeWalker::average(std::span<const ColumnView> columns, std::span<const double> value,
                         std::span<double> of_row, int n_threads, StopSignal& stop) const {
    check_columns(columns);
    const std::size_t width = value.size() / nodes_.size(), n_rows = of_row.size() / width;
    ThreadPool pool(n_threads, stop);
    pool.run((n_rows + block_rows - 1) / block_rows, [&](std::size_t block, std::size_t) {
        const std::size_t end = std::min(n_rows, (block + 1) * block_rows);
        std::vector<Share> open;
        for (std::size_t row = block * block_rows; row < end; ++row) {
            add_shares(columns, row, value, open, of_row.subspan(row * width, width));
        }
    });
}

}  // namespace branchline
