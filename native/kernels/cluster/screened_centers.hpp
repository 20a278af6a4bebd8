// Centers that rows are compared with: in float first, in double where rounding leaves it open.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cluster/nearest_kernels.hpp"
#include "cluster/row_panels.hpp"

namespace branchline::cluster {

// The nearest center of a row, with bounds of its distance and of the distance to all others.
struct Nearest {
    std::int32_t center;
    double upper, lower;
};

class ScreenedCenters {
  public:
    ScreenedCenters(std::size_t n_centers, std::size_t n_columns)
        : n_centers_(n_centers), n_columns_(n_columns),
          n_tiles_((n_centers + tile_centers - 1) / tile_centers),
          products_(n_tiles_ * tile_centers * n_columns), squares_(products_.size()),
          base_(n_tiles_ * tile_centers, very_large), bare_base_(base_) {}

    // Takes n_centers × n_columns numbers, which must outlive the next comparisons.
    void set(const double* centers) {
        centers_ = centers;
        largest_square_ = 0;
        for (std::size_t at = 0; at < n_centers_; ++at) pack(at);
    }

    const double* center(std::size_t at) const noexcept { return centers_ + at * n_columns_; }

    // Compares gathered rows (at most 32) with all centers; out[i] is for row which[i].
    void compare(const RowPanels& rows, const std::uint32_t* which, std::size_t n,
                 const Panel& panel, Nearest* out) const {
        NearestTwo two;
        const CenterTiles tiles{products_.data(),  squares_.data(), base_.data(),
                                bare_base_.data(), n_tiles_,        n_columns_};
        kernels_.nearest(tiles, panel.rows.data(), panel.mask(), two);
        // (d + 8) rounded steps of sums that are at most (‖x‖ + ‖c‖)² ≤ 2 (‖x‖² + ‖c‖²).
        const double unit = static_cast<double>(n_columns_ + 8) * 0x1p-23;
        for (std::size_t at = 0; at < n; ++at) {
            const double square = rows.square(which[at]);
            const double error = unit * (square + largest_square_) + tiny;
            const double best = two.best[at], second = two.second[at];
            if (second - best > 2 * error || n_centers_ == 1) {
                out[at] = {two.center[at], std::sqrt(std::max(0.0, best + square + error)),
                           std::sqrt(std::max(0.0, second + square - error))};
            } else {
                out[at] = exactly(rows, which[at]);
            }
        }
    }

  private:
    static constexpr float very_large = 1e30F;
    static constexpr double tiny = 1e-30;

    void pack(std::size_t at) {
        const std::size_t tile = at / tile_centers, lane = at % tile_centers;
        float* const product = products_.data() + tile * tile_centers * n_columns_ + lane;
        float* const square = squares_.data() + tile * tile_centers * n_columns_ + lane;
        double sum = 0;
        for (std::size_t column = 0; column < n_columns_; ++column) {
            const double value = center(at)[column];
            product[column * tile_centers] = static_cast<float>(-2 * value);
            square[column * tile_centers] = static_cast<float>(value * value);
            sum += value * value;
        }
        base_[at] = static_cast<float>(sum);
        bare_base_[at] = 0;
        largest_square_ = std::max(largest_square_, sum);
    }

    Nearest exactly(const RowPanels& rows, std::size_t row) const {
        double best = std::numeric_limits<double>::infinity(), second = best;
        std::int32_t nearest = 0;
        for (std::size_t at = 0; at < n_centers_; ++at) {
            const double distance = rows.distance(row, center(at));
            if (distance < best) {
                second = best;
                best = distance;
                nearest = static_cast<std::int32_t>(at);
            } else {
                second = std::min(second, distance);
            }
        }
        return {nearest, std::sqrt(best), std::sqrt(second)};
    }

    std::size_t n_centers_, n_columns_, n_tiles_;
    std::vector<float> products_, squares_, base_, bare_base_;
    const double* centers_ = nullptr;
    double largest_square_ = 0;
    const NearestKernels& kernels_ = nearest_kernels_for(best_cpu_level());
};

}  // namespace branchline::cluster
