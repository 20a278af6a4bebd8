#include "boosting/words.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "mix.hpp"

namespace branchline::boosting {

Extent find_extent(const BoostingTarget& target, std::size_t first, std::size_t n,
                   const BoostingKernels& kernels) {
    Extent extent;
    if (target.units.empty()) {
        extent.g = kernels.largest(&target.gradients[first], n);
        if (!target.hessians.empty()) extent.h = kernels.largest(&target.hessians[first], n);
    }
    if (target.units.empty()) {
        extent.units = static_cast<std::int64_t>(n);
        extent.most_units = n > 0;
        return extent;
    }
    for (std::size_t row = first; row < first + n; ++row) {
        if (target.units[row] == 0) continue;  // a row that is ignored changes nothing
        extent.g = std::max(extent.g, std::fabs(target.gradients[row]));
        if (!target.hessians.empty()) extent.h = std::max(extent.h, target.hessians[row]);
        extent.units += target.units[row];
        extent.most_units = std::max(extent.most_units, target.units[row]);
    }
    return extent;
}

namespace {

// What brings the largest value to `most`; no more than a float can be.
float factor_for(double most, float largest) {
    constexpr double limit = std::numeric_limits<float>::max();
    return static_cast<float>(std::min(most / static_cast<double>(largest), limit));
}

// That of all parts of a table.
void join_parts(PartSums& parts, Extent& extent) {
    std::array<std::uint64_t, 3> most{ordered_bits(static_cast<double>(extent.g)),
                                      ordered_bits(static_cast<double>(extent.h)),
                                      static_cast<std::uint64_t>(extent.most_units)};
    parts.take_largest(most);
    std::array<std::uint64_t, 1> units{static_cast<std::uint64_t>(extent.units)};
    parts.add(units);
    extent.g = static_cast<float>(number_of_bits(most[0]));
    extent.h = static_cast<float>(number_of_bits(most[1]));
    extent.most_units = static_cast<std::int64_t>(most[2]);
    extent.units = static_cast<std::int64_t>(units[0]);
}

std::uint32_t short_word(std::int32_t g, std::int32_t h) {
    return static_cast<std::uint32_t>((g << short_g_shift) + (h << short_h_shift) + 1);
}

}  // namespace

WordScale choose_scale(const Extent& extent, bool constant_hessian, std::uint64_t seed) {
    constexpr int most_unit_bits = 31;
    WordScale scale;
    scale.rounding.key = mix(seed + golden);
    const auto unit_bits =
        static_cast<int>(std::bit_width(static_cast<std::uint64_t>(extent.units)));
    scale.units_shift = std::max(0, unit_bits - most_unit_bits);
    scale.is_light = extent.most_units <= 1;
    if (extent.g > 0) {
        scale.rounding.g_factor = factor_for(most_word_g, extent.g);
        scale.g_unit = 1 / static_cast<double>(scale.rounding.g_factor);
    }
    if (constant_hessian || extent.h <= 0) return scale;
    // Sums of hessians must fit 32 bits too.
    const auto units = static_cast<std::uint64_t>(extent.units) >> scale.units_shift;
    const std::uint64_t room =
        (std::uint64_t{1} << sum_h_shift) / std::max<std::uint64_t>(units, 1);
    const double most_h =
        static_cast<double>(std::clamp<std::uint64_t>(room, 2, most_word_h + 1)) - 1;
    scale.rounding.h_factor = factor_for(most_h, extent.h);
    scale.h_unit = 1 / static_cast<double>(scale.rounding.h_factor);
    return scale;
}

void RowWords::make(const BlockedRows& rows, const BoostingTarget& target, std::uint64_t seed,
                    const BoostingKernels& kernels, ThreadPool& pool) {
    std::vector<Extent> of_block(rows.n_blocks());
    pool.run(of_block.size(), [&](std::size_t block, std::size_t) {
        of_block[block] = find_extent(target, rows.first_row(block), rows.rows_in(block), kernels);
    });
    extent_ = {};
    for (const Extent& extent : of_block) extent_.join(extent);
    if (rows.parts != nullptr) join_parts(*rows.parts, extent_);
    scale_ = choose_scale(extent_, target.hessians.empty(), seed);
    words_.resize(scale_.is_light ? rows.n_rows : 0);
    hn_.resize(scale_.is_light ? 0 : rows.n_rows);
    g_.resize(scale_.is_light ? 0 : rows.n_rows);
    std::vector<SpreadSums> spread(of_block.size());
    pool.run(of_block.size(), [&](std::size_t block, std::size_t) {
        make_block(rows, target, block, kernels, spread[block]);
    });
    SpreadSums all;
    for (const SpreadSums& part : spread) {
        all.squares += part.squares;
        all.hessians += part.hessians;
    }
    if (rows.parts != nullptr) {
        std::array<std::uint64_t, 2> sums{all.squares, all.hessians};
        rows.parts->add(sums);
        all = {sums[0], sums[1]};
    }
    dispersion_ =
        all.hessians > 0 ? static_cast<double>(all.squares) / static_cast<double>(all.hessians) : 0;
}

void RowWords::make_block(const BlockedRows& rows, const BoostingTarget& target, std::size_t block,
                          const BoostingKernels& kernels, SpreadSums& spread) {
    constexpr std::size_t strip = 256;
    std::array<std::int32_t, strip> g, h;
    const std::size_t end = rows.first_row(block) + rows.rows_in(block);
    for (std::size_t row = rows.first_row(block); row < end; row += strip) {
        const std::size_t n = std::min(strip, end - row);
        const float* hessians = target.hessians.empty() ? nullptr : &target.hessians[row];
        kernels.round(&target.gradients[row], hessians, &rows.keys[row], n, scale_.rounding,
                      g.data(), h.data());
        if (scale_.is_light && target.units.empty()) {
            for (std::size_t i = 0; i < n; ++i) {
                words_[row + i] = short_word(g[i], h[i]);
                spread.squares += static_cast<std::uint64_t>(g[i] * g[i]);
                spread.hessians += static_cast<std::uint64_t>(h[i]);
            }
            continue;
        }
        for (std::size_t i = 0; i < n; ++i) {
            const std::int64_t given = target.units.empty() ? 1 : target.units[row + i];
            const std::uint64_t units = this->units(given);
            spread.squares += static_cast<std::uint64_t>(g[i] * g[i]) * units;
            spread.hessians += static_cast<std::uint64_t>(h[i]) * units;
            if (scale_.is_light) {
                words_[row + i] = units > 0 ? short_word(g[i], h[i]) : 0;
            } else {
                g_[row + i] = g[i] * static_cast<std::int64_t>(units);
                hn_[row + i] = static_cast<std::uint64_t>(h[i]) * units << sum_h_shift | units;
            }
        }
    }
}

}  // namespace branchline::boosting
