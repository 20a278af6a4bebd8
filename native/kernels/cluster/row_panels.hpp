// Rows of a table in float, gathered 32 at a time into panels; which cells are missing.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "branchline/kmeans.hpp"
#include "cluster/nearest_kernels.hpp"

namespace branchline::cluster {

// A panel of gathered rows; `known` is used when one of them has a missing cell.
struct Panel {
    explicit Panel(std::size_t n_columns)
        : rows(n_columns * panel_rows), known(n_columns * panel_rows) {}
    std::vector<float> rows, known;
    bool has_missing = false;

    const float* mask() const noexcept { return has_missing ? known.data() : nullptr; }
};

class RowPanels {
  public:
    explicit RowPanels(const ClusterRows& rows)
        : rows_(rows), n_columns_(rows.n_columns), narrow_(rows.values.size()),
          n_known_(rows.n_rows, static_cast<std::uint32_t>(rows.n_columns)), squares_(rows.n_rows) {
        for (std::size_t row = 0; row < rows.n_rows; ++row) copy(row);
    }

    std::size_t n_rows() const noexcept { return rows_.n_rows; }
    std::size_t n_columns() const noexcept { return n_columns_; }
    bool some_missing() const noexcept { return some_missing_; }
    bool is_whole(std::size_t row) const noexcept { return n_known_[row] == n_columns_; }
    const double* values(std::size_t row) const noexcept {
        return rows_.values.data() + row * n_columns_;
    }
    const float* narrow(std::size_t row) const noexcept {
        return narrow_.data() + row * n_columns_;
    }
    double weight(std::size_t row) const noexcept {
        return rows_.weights.empty() ? 1.0 : rows_.weights[row];
    }
    double square(std::size_t row) const noexcept { return squares_[row]; }  // ‖x‖², known cells
    // What a distance over the known cells is multiplied by; 0 for a row without any.
    double scale_up(std::size_t row) const noexcept {
        return n_known_[row] == 0 ? 0.0 : static_cast<double>(n_columns_) / n_known_[row];
    }

    // ‖x − center‖² over the known cells, in the order of columns.
    double distance(std::size_t row, const double* center) const noexcept {
        const double* const from = values(row);
        double sum = 0;
        if (is_whole(row)) {
            for (std::size_t at = 0; at < n_columns_; ++at) {
                const double apart = from[at] - center[at];
                sum += apart * apart;
            }
            return sum;
        }
        for (std::size_t at = 0; at < n_columns_; ++at) {
            const double apart = from[at] - center[at];
            sum += std::isnan(apart) ? 0.0 : apart * apart;
        }
        return sum;
    }

    // Gathers up to 32 rows; the places after them keep what they had.
    void gather(const std::uint32_t* which, std::size_t n, Panel& panel) const {
        panel.has_missing = false;
        for (std::size_t at = 0; at < n; ++at) {
            const float* const from = narrow(which[at]);
            float* to = panel.rows.data() + at;
            for (std::size_t column = 0; column < n_columns_; ++column) {
                to[column * panel_rows] = from[column];
            }
            panel.has_missing |= !is_whole(which[at]);
        }
        if (panel.has_missing) gather_known(which, n, panel);
    }

  private:
    void copy(std::size_t row) {
        const double* const from = values(row);
        float* const to = narrow_.data() + row * n_columns_;
        double sum = 0;
        std::uint32_t n_missing = 0;
        for (std::size_t at = 0; at < n_columns_; ++at) {
            const bool missing = std::isnan(from[at]);
            n_missing += missing;
            const double value = missing ? 0.0 : from[at];
            to[at] = static_cast<float>(value);
            sum += value * value;
        }
        squares_[row] = sum;
        n_known_[row] -= n_missing;
        some_missing_ |= n_missing > 0;
    }

    void gather_known(const std::uint32_t* which, std::size_t n, Panel& panel) const {
        for (std::size_t at = 0; at < n; ++at) {
            const double* const from = values(which[at]);
            for (std::size_t column = 0; column < n_columns_; ++column) {
                panel.known[column * panel_rows + at] = std::isnan(from[column]) ? 0.0F : 1.0F;
            }
        }
    }

    const ClusterRows& rows_;
    std::size_t n_columns_;
    std::vector<float> narrow_;
    std::vector<std::uint32_t> n_known_;
    std::vector<double> squares_;
    bool some_missing_ = false;
};

}  // namespace branchline::cluster
