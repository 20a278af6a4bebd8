#include "branchline/scale_rows.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "products/product_kernels.hpp"

namespace branchline {

namespace {

constexpr std::size_t rows_at_once = 64;  // a cache line of each row is read once

template <class Float>
void read_cells(const ColumnView& column, std::size_t begin, std::size_t n, double* cells) {
    for (std::size_t row = 0; row < n; ++row)
        cells[row] = static_cast<double>(value_at<Float>(column, begin + row));
}

// Writes the terms of a few rows from `begin` on.
void write_terms(std::span<const ColumnView> columns, std::size_t begin, std::size_t n,
                 const ColumnTerms& terms, const TermsOut& out, const ProductKernels& kernels) {
    const RowScales& scales = terms.scales;
    std::array<double, rows_at_once> cells{};
    for (std::size_t c = 0; c < terms.place.size(); ++c) {
        const ColumnView& column = columns[static_cast<std::size_t>(terms.place[c])];
        if (column.type == ValueType::float32)
            read_cells<float>(column, begin, n, cells.data());
        else
            read_cells<double>(column, begin, n, cells.data());
        const auto row_of = [&](std::int64_t term) {
            return out.data + static_cast<std::size_t>(term) * out.stride;
        };
        if (terms.number[c] >= 0)
            kernels.scale(cells.data(), n,
                          {scales.power[c], scales.center[c], scales.spread[c], scales.fill[c],
                           scales.largest, terms.marks_missing},
                          row_of(terms.number[c]));
        if (terms.indicator[c] < 0) continue;
        double* const marks = row_of(terms.indicator[c]);
        for (std::size_t row = 0; row < n; ++row) {
            const bool is_missing = cells[row] != cells[row];
            marks[row] = is_missing ? (terms.marks_missing ? cells[row] : 1.0) : 0.0;
        }
    }
}

}  // namespace

void scale_rows(std::span<double> cells, const RowScales& scales) {
    const std::size_t width = scales.power.size();
    if (width == 0) return;
    const double *power = scales.power.data(), *center = scales.center.data();
    const double *spread = scales.spread.data(), *fill = scales.fill.data();
    const double largest = scales.largest;
    for (double* row = cells.data(); row != cells.data() + cells.size(); row += width) {
#pragma GCC ivdep
        for (std::size_t c = 0; c < width; ++c) {
            const double cell = row[c], scaled = (cell * power[c] - center[c]) / spread[c];
            const double known = cell == cell ? scaled : fill[c];
            row[c] = std::min(std::max(known, -largest), largest);
        }
    }
}

void scale_columns(std::span<const ColumnView> columns, std::size_t n_rows,
                   const ColumnTerms& terms, const TermsOut& out) {
    const ProductKernels& kernels = product_kernels_for(best_cpu_level());
    for (std::size_t begin = 0; begin < n_rows; begin += rows_at_once) {
        const std::size_t n = std::min(rows_at_once, n_rows - begin);
        write_terms(columns, begin, n, terms, {out.data + begin, out.stride}, kernels);
    }
}

void column_scores(std::span<const ColumnView> columns, std::size_t n_rows,
                   const ColumnTerms& terms, const TermWeights& by, std::span<double> sums) {
    const ProductKernels& kernels = product_kernels_for(best_cpu_level());
    const std::size_t n_sums = by.bias.size();
    std::vector<double> tile(by.n_terms * rows_at_once);
    std::array<double, rows_at_once> total;
    for (std::size_t begin = 0; begin < n_rows; begin += rows_at_once) {
        const std::size_t n = std::min(rows_at_once, n_rows - begin);
        write_terms(columns, begin, n, terms, {tile.data(), rows_at_once}, kernels);
        for (std::size_t k = 0; k < n_sums; ++k) {
            total.fill(by.bias[k]);
            const double* const weights = by.weights.data() + k * by.n_terms;
            for (std::size_t t = 0; t < by.n_terms; ++t)
                kernels.add_scaled(tile.data() + t * rows_at_once, weights[t], rows_at_once,
                                   total.data());
            double* const out = sums.data() + begin * n_sums + k;
            for (std::size_t row = 0; row < n; ++row) out[row * n_sums] = total[row];
        }
    }
}

}  // namespace branchline
