// The innermost loops of kernel matrices, compiled once for each processor level.
//
// A tile is at most `tile_rows` rows times a panel of points. Rows are given column after column
// (tile_rows numbers each), panels too (panel_width numbers each); results are row after row.
#pragma once

#include <cstddef>
#include <cstdint>

#include "branchline/cpu_level.hpp"

namespace branchline::svm {

inline constexpr std::size_t tile_rows = 12;
template <class Real>
inline constexpr std::size_t panel_width = 128 / sizeof(Real);
// Columns (or words) that are summed before they are added to the others: a strip of a panel and
// one of twelve rows are in the nearest cache together.
inline constexpr std::size_t strip_steps = 256;

// Up to this number of outputs, a panel's values are summed in lanes; with more, outputs fill the lanes.
inline constexpr std::size_t most_few_outputs = 8;
inline constexpr std::size_t sum_lanes = 8;
inline constexpr std::size_t output_lanes = 16;

// What becomes of a sum over columns (a product, or a distance of absolute differences).
enum class Ending : int { linear, polynomial, of_squares, of_absolutes, sigmoid, squares };
inline constexpr std::size_t n_endings = 6;

struct Strip {
    std::size_t n_steps, n_rows;
    bool is_first;
};

template <class Real>
struct TileRule {
    Ending ending = Ending::linear;
    Real factor = 1;  // γ or 1, undoing the scale of the points; negative before exp
    Real coef0 = 0;
    int degree = 1;
};

template <class Real>
struct TileEnds {
    const Real* row_squares;    // ‖x‖² of the tile's rows
    const Real* point_squares;  // ‖z‖² of the panel's points
    std::size_t n_rows;
};

template <class Real>
struct KernelTiles {
    // Sums over a strip, written to the tile or added to it.
    template <class Item>
    using Sum = void (*)(const Item* rows, const Item* panel, Strip strip, Real* tile);
    Sum<Real> products;
    Sum<Real> absolutes;
    Sum<std::uint64_t> common_bits;  // how many are set in both, 64 columns a word
    // ‖z‖² of the points of a panel.
    void (*squares)(const Real* panel, std::size_t n_columns, Real* out);
    // out[i * stride + j] = the kernel; out is not the tile.
    void (*finish)(const TileRule<Real>& rule, const TileEnds<Real>& ends, const Real* tile,
                   Real* out, std::size_t stride);
    // out[j] = e^(factor · squares[j]), factor at most 0, for n values.
    void (*exponentials)(const Real* squares, Real factor, Real* out, std::size_t n);
    // sums[row][output][lane] += values[row][j] coefficients[output][j], lane = j % sum_lanes.
    void (*add_few)(const Real* values, std::size_t n_rows, const double* coefficients,
                    std::size_t n_outputs, double* sums);
    // sums[row][output] += values[row][j] times the coefficient of j and output, which stand in
    // blocks of output_lanes outputs, a row of them for each j; n_outputs is padded to as many.
    void (*add_many)(const Real* values, std::size_t n_rows, const double* coefficients,
                     std::size_t n_outputs, double* sums);
};

template <class Real>
const KernelTiles<Real>& kernel_tiles_for(CpuLevel level) noexcept;

}  // namespace branchline::svm
