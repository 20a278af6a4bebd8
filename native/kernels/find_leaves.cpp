#include "branchline/find_leaves.hpp"

#include <algorithm>
#include <stdexcept>

#include "branchline/thread_pool.hpp"

namespace branchline {

namespace {

constexpr std::size_t block_rows = 1024;

double number_at(const ColumnView& column, std::size_t row) {
    return column.type == ValueType::float32 ? static_cast<double>(value_at<float>(column, row))
                                             : value_at<double>(column, row);
}

// The branch of a row at a node, or −1 when it stays.
std::int32_t branch_of(const TreeView& tree, std::size_t node, std::span<const ColumnView> columns,
                       std::size_t row) {
    const ColumnView& column = columns[static_cast<std::size_t>(tree.feature[node])];
    if (tree.kind[node] == static_cast<std::uint8_t>(NodeKind::threshold)) {
        const double value = number_at(column, row);
        if (value != value) return tree.missing_branch[node];
        return value <= tree.threshold[node] ? 0 : 1;
    }
    const auto category = value_at<std::int32_t>(column, row);
    if (category < 0) return tree.missing_branch[node];
    if (category >= column.n_categories) throw std::out_of_range("category out of range");
    return tree.pool[static_cast<std::size_t>(tree.pool_offset[node] + category)];
}

// What the walk relies on and a tree alone cannot tell: that its tests fit these columns.
void check_columns(const TreeView& tree, std::span<const ColumnView> columns) {
    for (std::size_t node = 0; node < tree.kind.size(); ++node) {
        if (tree.kind[node] == static_cast<std::uint8_t>(NodeKind::leaf)) continue;
        const auto feature = static_cast<std::size_t>(tree.feature[node]);  // −1 becomes huge
        if (feature >= columns.size()) throw std::invalid_argument("a tested column is missing");
        const bool is_category = columns[feature].type == ValueType::category;
        if (is_category != (tree.kind[node] == static_cast<std::uint8_t>(NodeKind::categories))) {
            throw std::invalid_argument("a test does not fit its column");
        }
        const auto offset = static_cast<std::size_t>(tree.pool_offset[node]);
        const auto needed = static_cast<std::size_t>(columns[feature].n_categories);
        if (is_category && (offset > tree.pool.size() || tree.pool.size() - offset < needed)) {
            throw std::invalid_argument("a category test lacks branches");
        }
    }
}

std::int32_t leaf_of(const TreeView& tree, std::span<const ColumnView> columns, std::size_t row) {
    std::int32_t node = 0;
    while (tree.kind[static_cast<std::size_t>(node)] != static_cast<std::uint8_t>(NodeKind::leaf)) {
        const std::int32_t branch = branch_of(tree, static_cast<std::size_t>(node), columns, row);
        if (branch < 0) break;
        node = tree.first_child[static_cast<std::size_t>(node)] + branch;
    }
    return node;
}

}  // namespace

void find_leaves(const TreeView& tree, std::span<const ColumnView> columns,
                 std::span<std::int32_t> node_of_row, int n_threads, StopSignal& stop) {
    check_columns(tree, columns);
    ThreadPool pool(n_threads, stop);
    const std::size_t n_rows = node_of_row.size();
    pool.run((n_rows + block_rows - 1) / block_rows, [&](std::size_t block, std::size_t) {
        const std::size_t end = std::min(n_rows, (block + 1) * block_rows);
        for (std::size_t row = block * block_rows; row < end; ++row) {
            node_of_row[row] = leaf_of(tree, columns, row);
        }
    });
}

}  // namespace branchline
