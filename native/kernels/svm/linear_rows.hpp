// Rows as the linear solvers use them: products with weights, sums of rows, and weighted Gram matrices.
//
// Sparse rows (also dense ones that are mostly zero) are kept compressed, over the columns that are
// used at all. Work is cut into blocks of rows whose number depends on the rows alone, and blocks are
// added in order: the same bits for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "branchline/linear_svm.hpp"
#include "branchline/thread_pool.hpp"

namespace branchline {

class LinearRows {
  public:
    explicit LinearRows(const LinearMatrix& matrix);

    std::size_t n_rows() const noexcept { return n_rows_; }
    std::size_t n_columns() const noexcept { return n_columns_; }  // those that are used

    double dot(std::size_t row, const double* weights) const noexcept {
        const double* cells = values_.data() + begin(row);
        const std::size_t n_cells = size(row);
        double sum[4] = {0, 0, 0, 0};
        std::size_t k = 0;
        if (is_sparse_) {
            const std::uint32_t* column = columns_.data() + begin(row);
            for (; k + 2 <= n_cells; k += 2) {
                sum[0] += cells[k] * weights[column[k]];
                sum[1] += cells[k + 1] * weights[column[k + 1]];
            }
            if (k < n_cells) sum[0] += cells[k] * weights[column[k]];
            return sum[0] + sum[1];
        }
        for (; k + 4 <= n_cells; k += 4) {
            for (std::size_t lane = 0; lane < 4; ++lane) {
                sum[lane] += cells[k + lane] * weights[k + lane];
            }
        }
        for (; k < n_cells; ++k) sum[0] += cells[k] * weights[k];
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }

    void add(std::size_t row, double factor, double* weights) const noexcept {
        const double* cells = values_.data() + begin(row);
        const std::size_t n_cells = size(row);
        if (is_sparse_) {
            const std::uint32_t* column = columns_.data() + begin(row);
            for (std::size_t k = 0; k < n_cells; ++k) weights[column[k]] += factor * cells[k];
        } else {
            for (std::size_t k = 0; k < n_cells; ++k) weights[k] += factor * cells[k];
        }
    }

    double squared_norm(std::size_t row) const noexcept;

    // out[i] = x_i · weights + bias
    void scores(std::span<const double> weights, double bias, std::span<double> out,
                ThreadPool& pool) const;

    // out = Σ_i factors[i] x_i, and one more entry, Σ_i factors[i], where out has room for it
    void weighted_sum(std::span<const double> factors, std::span<double> out,
                      ThreadPool& pool) const;

    // The upper triangle, row after row, of Σ_i factors[i] z_i z_iᵀ; z_i is x_i, and 1 after it where
    // `width` is one more than n_columns().
    void gram(std::span<const double> factors, std::size_t width, std::span<double> out,
              ThreadPool& pool) const;

    // Weights of all columns, also of those that are not used.
    std::vector<double> all_columns(std::span<const double> weights) const;

  private:
    std::size_t begin(std::size_t row) const noexcept {
        return is_sparse_ ? starts_[row] : row * n_columns_;
    }
    std::size_t size(std::size_t row) const noexcept {
        return is_sparse_ ? starts_[row + 1] - starts_[row] : n_columns_;
    }
    void compress(const LinearMatrix& matrix);
    void keep_used(const LinearMatrix& matrix);
    void rename_columns(std::size_t n_all);
    void add_outer(std::size_t row, double factor, std::size_t width, double* out) const noexcept;
    void add_four_outer(const std::size_t* rows, const double* factors, std::size_t width,
                        double* out) const noexcept;
    void gram_of_block(std::span<const double> factors, std::size_t block, std::size_t width,
                       double* out) const;
    std::size_t n_blocks() const noexcept;
    std::size_t first_row(std::size_t block) const noexcept { return n_rows_ * block / n_blocks(); }

    std::size_t n_rows_, n_columns_, n_all_columns_;
    bool is_sparse_;
    std::span<const double> values_;
    std::vector<double> own_values_;
    std::vector<std::size_t> starts_;
    std::vector<std::uint32_t> columns_;   // of each stored cell, among those used
    std::vector<std::uint32_t> original_;  // the column behind each used one
};

}  // namespace branchline
