// The slopes of one leaf; formulas in linear_leaves.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "branchline/linear_leaves.hpp"
#include "branchline/types.hpp"

namespace branchline {

// The largest gradient and hessian of the rows that count, and their units: what bounds sums.
struct RowExtent {
    double g = 0, h = 0;
    std::int64_t units = 0;

    void add(const BoostingTarget& target, std::size_t row) noexcept {
        g = std::max(g, std::abs(static_cast<double>(target.gradients[row])));
        h = std::max(h, target.hessians.empty() ? 1.0 : static_cast<double>(target.hessians[row]));
        units += target.units.empty() ? 1 : target.units[row];
    }
};

struct ZColumns {
    const float* z;
    std::size_t n_rows;

    float at(std::uint32_t place, RowIndex row) const noexcept { return z[place * n_rows + row]; }
};

struct LeafProblem {
    const BoostingTarget& target;
    std::span<const RowIndex> rows;
    ZColumns columns;
    std::span<const std::uint32_t> path;
    const RowExtent& extent;
    double sum_gradient, sum_hessian;  // without the unit of weights
};

struct LeafStep {
    std::size_t n = 0;
    std::array<std::uint32_t, LinearRule::most_terms> place;
    std::array<double, LinearRule::most_terms> slope;
    std::array<float, LinearRule::most_terms> center, low, high;
};

LeafStep linear_step(const LeafProblem& leaf, const LinearRule& rule);

}  // namespace branchline
