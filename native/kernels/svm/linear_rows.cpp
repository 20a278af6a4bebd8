#include "svm/linear_rows.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace branchline {

namespace {

constexpr std::size_t block_rows = 4096;
constexpr std::size_t most_blocks = 4;  // each has a Gram matrix of its own
constexpr double dense_share = 0.25;    // fewer cells than this differ from 0: rows are compressed

}  // namespace

LinearRows::LinearRows(const LinearMatrix& matrix)
    : n_rows_(matrix.n_rows), n_columns_(matrix.n_columns), n_all_columns_(matrix.n_columns),
      is_sparse_(matrix.is_sparse), values_(matrix.values) {
    if (matrix.is_sparse) {
        keep_used(matrix);
        return;
    }
    const auto n_zero = std::count(values_.begin(), values_.end(), 0.0);
    const double n_cells = static_cast<double>(values_.size());
    if (n_cells - static_cast<double>(n_zero) < dense_share * n_cells) compress(matrix);
}

void LinearRows::compress(const LinearMatrix& matrix) {
    is_sparse_ = true;
    starts_.assign(1, 0);
    for (std::size_t row = 0; row < n_rows_; ++row) {
        for (std::size_t column = 0; column < matrix.n_columns; ++column) {
            const double value = matrix.values[row * matrix.n_columns + column];
            if (value == 0) continue;
            own_values_.push_back(value);
            columns_.push_back(static_cast<std::uint32_t>(column));
        }
        starts_.push_back(own_values_.size());
    }
    values_ = own_values_;
    rename_columns(matrix.n_columns);
}

void LinearRows::keep_used(const LinearMatrix& matrix) {
    starts_.reserve(matrix.starts.size());
    for (const std::int64_t start : matrix.starts) {
        starts_.push_back(static_cast<std::size_t>(start));
    }
    columns_.reserve(matrix.columns.size());
    for (const std::int32_t column : matrix.columns) {
        columns_.push_back(static_cast<std::uint32_t>(column));
    }
    rename_columns(matrix.n_columns);
}

// Used columns are numbered in their order, so that columns still ascend within rows.
void LinearRows::rename_columns(std::size_t n_all) {
    std::vector<std::uint32_t> name(n_all, 0);
    for (const std::uint32_t column : columns_) name[column] = 1;
    for (std::size_t column = 0; column < n_all; ++column) {
        if (name[column] == 0) continue;
        name[column] = static_cast<std::uint32_t>(original_.size());
        original_.push_back(static_cast<std::uint32_t>(column));
    }
    for (std::uint32_t& column : columns_) column = name[column];
    n_columns_ = original_.size();
}

std::vector<double> LinearRows::all_columns(std::span<const double> weights) const {
    if (!is_sparse_) return {weights.begin(), weights.end()};
    std::vector<double> all(n_all_columns_, 0.0);
    for (std::size_t column = 0; column < n_columns_; ++column) {
        all[original_[column]] = weights[column];
    }
    return all;
}

std::size_t LinearRows::n_blocks() const noexcept {
    return std::clamp<std::size_t>(n_rows_ / block_rows, 1, most_blocks);
}

double LinearRows::squared_norm(std::size_t row) const noexcept {
    const double* cells = values_.data() + begin(row);
    return std::inner_product(cells, cells + size(row), cells, 0.0);
}

void LinearRows::scores(std::span<const double> weights, double bias, std::span<double> out,
                        ThreadPool& pool) const {
    pool.run(n_blocks(), [&](std::size_t block, std::size_t) {
        for (std::size_t row = first_row(block); row < first_row(block + 1); ++row) {
            out[row] = dot(row, weights.data()) + bias;
        }
    });
}

void LinearRows::weighted_sum(std::span<const double> factors, std::span<double> out,
                              ThreadPool& pool) const {
    std::vector<std::vector<double>> sums(n_blocks());
    pool.run(n_blocks(), [&](std::size_t block, std::size_t) {
        sums[block].assign(n_columns_ + 1, 0.0);
        for (std::size_t row = first_row(block); row < first_row(block + 1); ++row) {
            if (factors[row] == 0) continue;
            add(row, factors[row], sums[block].data());
            sums[block].back() += factors[row];
        }
    });
    std::copy_n(sums[0].begin(), out.size(), out.begin());
    for (std::size_t block = 1; block < sums.size(); ++block) {
        for (std::size_t k = 0; k < out.size(); ++k) out[k] += sums[block][k];
    }
}

void LinearRows::gram(std::span<const double> factors, std::size_t width, std::span<double> out,
                      ThreadPool& pool) const {
    std::vector<std::vector<double>> sums(n_blocks() - 1);
    pool.run(n_blocks(), [&](std::size_t block, std::size_t) {
        double* to = out.data();
        if (block > 0) {
            sums[block - 1].assign(width * width, 0.0);
            to = sums[block - 1].data();
        } else {
            std::fill(out.begin(), out.end(), 0.0);
        }
        gram_of_block(factors, block, width, to);
    });
    for (const std::vector<double>& sum : sums) {
        for (std::size_t k = 0; k < out.size(); ++k) out[k] += sum[k];
    }
}

void LinearRows::gram_of_block(std::span<const double> factors, std::size_t block,
                               std::size_t width, double* out) const {
    std::size_t waiting[4], n_waiting = 0;
    double their_factors[4];
    for (std::size_t row = first_row(block); row < first_row(block + 1); ++row) {
        if (factors[row] == 0) continue;
        if (is_sparse_) {
            add_outer(row, factors[row], width, out);
            continue;
        }
        waiting[n_waiting] = row;
        their_factors[n_waiting++] = factors[row];
        if (n_waiting < 4) continue;
        add_four_outer(waiting, their_factors, width, out);
        n_waiting = 0;
    }
    for (std::size_t k = 0; k < n_waiting; ++k) {
        add_outer(waiting[k], their_factors[k], width, out);
    }
}

void LinearRows::add_outer(std::size_t row, double factor, std::size_t width,
                           double* out) const noexcept {
    const double* cells = values_.data() + begin(row);
    const std::size_t n_cells = size(row);
    const std::uint32_t* column = is_sparse_ ? columns_.data() + begin(row) : nullptr;
    for (std::size_t k = 0; k < n_cells; ++k) {
        const double scaled = factor * cells[k];
        double* line = out + (is_sparse_ ? column[k] : k) * width;
        if (is_sparse_) {
            for (std::size_t l = k; l < n_cells; ++l) line[column[l]] += scaled * cells[l];
        } else {
            for (std::size_t l = k; l < n_cells; ++l) line[l] += scaled * cells[l];
        }
        if (width > n_columns_) line[n_columns_] += scaled;
    }
    if (width > n_columns_) out[width * width - 1] += factor;
}

// Four dense rows at once: a line of the result is read and written once for all of them.
void LinearRows::add_four_outer(const std::size_t* rows, const double* factors, std::size_t width,
                                double* out) const noexcept {
    const double* x0 = values_.data() + begin(rows[0]);
    const double* x1 = values_.data() + begin(rows[1]);
    const double* x2 = values_.data() + begin(rows[2]);
    const double* x3 = values_.data() + begin(rows[3]);
    for (std::size_t k = 0; k < n_columns_; ++k) {
        const double a0 = factors[0] * x0[k], a1 = factors[1] * x1[k];
        const double a2 = factors[2] * x2[k], a3 = factors[3] * x3[k];
        double* line = out + k * width;
        for (std::size_t l = k; l < n_columns_; ++l) {
            line[l] += (a0 * x0[l] + a1 * x1[l]) + (a2 * x2[l] + a3 * x3[l]);
        }
        if (width > n_columns_) line[n_columns_] += (a0 + a1) + (a2 + a3);
    }
    if (width > n_columns_) {
        out[width * width - 1] += (factors[0] + factors[1]) + (factors[2] + factors[3]);
    }
}

}  // namespace branchline
