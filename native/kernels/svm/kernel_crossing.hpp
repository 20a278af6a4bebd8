// Rows against points, tile by tile, in an order that keeps both near the processor.
//
// 1. As many rows as fit the second cache are gathered in groups of twelve, column after column.
// 2. Panels are taken a few at a time, and each group of rows meets them: what is written lies
//    together, and the panels stay in the cache while the groups go by.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "svm/kernel_packing.hpp"

namespace branchline::svm {

template <class Real>
struct Crossing {
    const PackedPoints<Real>& rows;
    const PackedPoints<Real>& points;
    TileRule<Real> rule;
    const KernelTiles<Real>& tiles;
};

struct Range {
    std::size_t first, last;
};

// Rows in groups of tile_rows, column after column (or word after word); the last one is padded.
template <class Item, std::size_t Width>
std::vector<Item> gather_groups(const std::vector<PanelColumn<Item, Width>>& panels,
                                std::size_t n_steps, std::span<const std::uint32_t> rows) {
    const std::size_t n_groups = (rows.size() + tile_rows - 1) / tile_rows;
    std::vector<Item> groups(n_groups * n_steps * tile_rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto* const from = panels.data() + rows[i] / Width * n_steps;
        Item* const to = groups.data() + i / tile_rows * n_steps * tile_rows + i % tile_rows;
        for (std::size_t step = 0; step < n_steps; ++step) {
            to[step * tile_rows] = from[step].values[rows[i] % Width];
        }
    }
    return groups;
}

template <class Real>
struct Tile {
    const Real* sums;
    TileEnds<Real> ends;
    std::size_t first_row, panel;
};

// Some of the rows, gathered, and their tiles.
template <class Real>
class RowBlock {
  public:
    // `before`: how many rows there are before these.
    RowBlock(const Crossing<Real>& crossing, std::span<const std::uint32_t> rows,
             std::size_t before)
        : crossing_(crossing), before_(before), n_rows_(rows.size()), squares_(rows.size()) {
        const PackedPoints<Real>& from = crossing.rows;
        if (from.as_bits()) {
            words_ = gather_groups(from.words(), from.n_steps(), rows);
        } else {
            numbers_ = gather_groups(from.numbers(), from.n_steps(), rows);
        }
        for (std::size_t i = 0; i < rows.size(); ++i) squares_[i] = from.squares()[rows[i]];
    }

    // Adds a strip of twelve rows (or what is left) from `first` on and of a panel to their tile.
    void sum(std::size_t first, std::size_t panel, std::size_t step, Real* tile) const {
        const std::size_t in_rows = first * n_steps() + step * tile_rows;
        const std::size_t in_panels = panel * n_steps() + step;
        const Strip strip{std::min(strip_steps, n_steps() - step), n_rows_of(first), step == 0};
        const KernelTiles<Real>& tiles = crossing_.tiles;
        if (crossing_.rows.as_bits()) {
            const auto* const words = crossing_.points.words().data() + in_panels;
            tiles.common_bits(words_.data() + in_rows,
                              reinterpret_cast<const std::uint64_t*>(words), strip, tile);
            return;
        }
        const auto* const numbers = crossing_.points.numbers().data() + in_panels;
        const bool is_product = crossing_.rule.ending != Ending::of_absolutes;
        (is_product ? tiles.products : tiles.absolutes)(
            numbers_.data() + in_rows, reinterpret_cast<const Real*>(numbers), strip, tile);
    }

    std::size_t n_rows() const noexcept { return n_rows_; }
    std::size_t n_steps() const noexcept { return crossing_.rows.n_steps(); }
    Tile<Real> tile(std::size_t first, std::size_t panel, const Real* sums) const {
        const Real* const point_squares = crossing_.points.squares() + panel * panel_width<Real>;
        return {sums,
                {squares_.data() + first, point_squares, n_rows_of(first)},
                before_ + first,
                panel};
    }

  private:
    std::size_t n_rows_of(std::size_t first) const { return std::min(tile_rows, n_rows_ - first); }

    const Crossing<Real>& crossing_;
    std::size_t before_, n_rows_;
    std::vector<Real> numbers_;
    std::vector<std::uint64_t> words_;
    std::vector<Real> squares_;
};

// How much is taken at a time: sums of that many rows and panels fit the second cache.
inline constexpr std::size_t rows_at_a_time = 10 * tile_rows, panels_at_a_time = 32;

// Panels so short that all of them stay in the nearest cache: a tile is done with at once.
template <class Real, class Sink>
void meet_short_panels(const RowBlock<Real>& block, Range panels, std::vector<Real>& sums,
                       Sink&& sink) {
    for (std::size_t row = 0; row < block.n_rows(); row += tile_rows) {
        for (std::size_t panel = panels.first; panel < panels.last; ++panel) {
            block.sum(row, panel, 0, sums.data());
            sink(block.tile(row, panel, sums.data()));
        }
    }
}

// A strip of a panel stays in the nearest cache while all rows go by; sums wait for the last strip.
template <class Real, class Sink>
void meet_long_panels(const RowBlock<Real>& block, Range panels, std::vector<Real>& sums,
                      Sink&& sink) {
    const auto tile_of = [&](std::size_t row, std::size_t panel) {
        const std::size_t place = row / tile_rows * panels_at_a_time + (panel - panels.first);
        return sums.data() + place * tile_rows * panel_width<Real>;
    };
    for (std::size_t step = 0; step < block.n_steps(); step += strip_steps) {
        for (std::size_t panel = panels.first; panel < panels.last; ++panel) {
            for (std::size_t row = 0; row < block.n_rows(); row += tile_rows) {
                block.sum(row, panel, step, tile_of(row, panel));
            }
        }
    }
    for (std::size_t row = 0; row < block.n_rows(); row += tile_rows) {
        for (std::size_t panel = panels.first; panel < panels.last; ++panel) {
            sink(block.tile(row, panel, tile_of(row, panel)));
        }
    }
}

// Calls sink(tile) for the rows (numbers within crossing.rows) and the panels.
template <class Real, class Sink>
void for_tiles(const Crossing<Real>& crossing, std::span<const std::uint32_t> rows, Range panels,
               Sink&& sink) {
    constexpr std::size_t tile_size = tile_rows * panel_width<Real>, near_bytes = 1 << 15;
    const std::size_t n_near = std::min(panels_at_a_time, panels.last - panels.first);
    const bool is_short = crossing.points.panel_bytes() * n_near <= near_bytes &&
                          crossing.points.n_steps() <= strip_steps;
    const std::size_t n_most = std::min(rows_at_a_time, rows.size());
    const std::size_t n_groups = (n_most + tile_rows - 1) / tile_rows;
    std::vector<Real> sums(tile_size * (is_short ? 1 : n_groups * panels_at_a_time));
    for (std::size_t from = 0; from < rows.size(); from += rows_at_a_time) {
        const std::size_t n = std::min(rows_at_a_time, rows.size() - from);
        const RowBlock<Real> block(crossing, rows.subspan(from, n), from);
        for (std::size_t begin = panels.first; begin < panels.last; begin += panels_at_a_time) {
            const Range some{begin, std::min(panels.last, begin + panels_at_a_time)};
            if (is_short) {
                meet_short_panels(block, some, sums, sink);
            } else {
                meet_long_panels(block, some, sums, sink);
            }
        }
    }
}

// Writes the values of points first ≤ j < last: out[row * stride + (j − first)].
template <class Real>
void write_values(const Crossing<Real>& crossing, std::span<const std::uint32_t> rows, Range points,
                  Real* out, std::size_t stride) {
    constexpr std::size_t width = panel_width<Real>;
    if (points.first >= points.last) return;
    const Range panels{points.first / width, (points.last + width - 1) / width};
    for_tiles(crossing, rows, panels, [&](const Tile<Real>& tile) {
        const std::size_t begin = tile.panel * width;
        Real* const to = out + tile.first_row * stride;
        if (begin >= points.first && begin + width <= points.last) {
            crossing.tiles.finish(crossing.rule, tile.ends, tile.sums, to + (begin - points.first),
                                  stride);
            return;
        }
        alignas(64) std::array<Real, tile_rows * width> values;
        crossing.tiles.finish(crossing.rule, tile.ends, tile.sums, values.data(), width);
        const std::size_t from = std::max(begin, points.first);
        const std::size_t end = std::min(begin + width, points.last);
        for (std::size_t row = 0; row < tile.ends.n_rows; ++row) {
            const Real* const value = values.data() + row * width - begin;
            std::copy(value + from, value + end, to + row * stride + (from - points.first));
        }
    });
}

}  // namespace branchline::svm
