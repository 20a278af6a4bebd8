#include "forest/walker/codes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

namespace branchline {

namespace {

constexpr std::size_t chunk_rows = 256;

struct Chunk {
    std::size_t first_row, n_rows;
    std::uint32_t* codes;  // of the first row
    std::size_t n_views;
    int shift;
};

double number_at(const ColumnView& column, std::size_t row) {
    return column.type == ValueType::float32 ? static_cast<double>(value_at<float>(column, row))
                                             : value_at<double>(column, row);
}

void code_numbers(const ForestKernels& kernels, const ColumnView& column,
                  const TestedColumn& tested, std::span<const double> edges, const Chunk& chunk) {
    std::array<double, chunk_rows> values;
    std::array<std::uint32_t, chunk_rows> ranks;
    for (std::size_t i = 0; i < chunk.n_rows; ++i) {
        values[i] = number_at(column, chunk.first_row + i);
    }
    kernels.rank(edges, std::span(values).first(chunk.n_rows), ranks.data());
    const std::uint32_t highest = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t i = 0; i < chunk.n_rows; ++i) {
        const bool is_missing = values[i] != values[i];
        std::uint32_t* const codes = chunk.codes + i * chunk.n_views;
        if (tested.right_view != no_view) {
            codes[tested.right_view] = (is_missing ? highest : ranks[i]) << chunk.shift;
        }
        if (tested.left_view != no_view) {
            codes[tested.left_view] = (is_missing ? 0 : ranks[i] + 1) << chunk.shift;
        }
    }
}

void code_categories(const ColumnView& column, const TestedColumn& tested, const Chunk& chunk) {
    for (std::size_t i = 0; i < chunk.n_rows; ++i) {
        const auto category = value_at<std::int32_t>(column, chunk.first_row + i);
        if (category >= column.n_categories) throw std::out_of_range("category out of range");
        chunk.codes[i * chunk.n_views + tested.category_view] =
            static_cast<std::uint32_t>(std::max(category, -1) + 1);
    }
}

}  // namespace

void check_columns(const CompactForest& forest, std::span<const ColumnView> columns) {
    for (const TestedColumn& tested : forest.tested) {
        if (tested.column >= columns.size()) {
            throw std::invalid_argument("a tested column is missing");
        }
        const ColumnView& column = columns[tested.column];
        const bool is_category = tested.category_view != no_view;
        if (is_category != (column.type == ValueType::category)) {
            throw std::invalid_argument("a test does not fit its column");
        }
        if (is_category && column.n_categories > forest.n_codes[tested.column]) {
            throw std::invalid_argument("a category test lacks branches");
        }
    }
}

void code_rows(const CompactForest& forest, const ForestKernels& kernels,
               std::span<const ColumnView> columns, std::size_t first_row, std::size_t n_rows,
               std::uint32_t* codes) {
    const int shift = forest.is_narrow() ? NarrowTree::code_shift : WideTree::code_shift;
    if (forest.tested.empty()) std::fill_n(codes, n_rows * forest.n_views, 0u);
    for (const TestedColumn& tested : forest.tested) {
        const ColumnView& column = columns[tested.column];
        const auto edges = std::span(forest.edges).subspan(tested.first_edge, tested.n_edges);
        for (std::size_t begin = 0; begin < n_rows; begin += chunk_rows) {
            const Chunk chunk{first_row + begin, std::min(chunk_rows, n_rows - begin),
                              codes + begin * forest.n_views, forest.n_views, shift};
            if (tested.category_view != no_view) {
                code_categories(column, tested, chunk);
            } else {
                code_numbers(kernels, column, tested, edges, chunk);
            }
        }
    }
}

}  // namespace branchline
