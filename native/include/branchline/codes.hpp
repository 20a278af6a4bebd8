// Columns become small integers: the only form in which trees see data.
//
// Glossary
//   code      0 for missing (or an unseen category); 1, 2, … for the values a column takes, in order.
//   exact     one code per distinct value (its rank).
//   binned    at most `max_bins` codes, each covering a range of values of about equal weight.
//   units     row weights as integers, so that sums do not depend on the order of rows.
//
// Bins of a numeric column with more distinct values than `max_bins` (all sums are of units):
//   1. A value whose weight is at least (weight of the light values) / (bins left for them) is
//      *heavy* and gets a bin of its own; repeat until none is left.
//   2. Light values are walked in order. The open bin takes the next value while
//      (weight so far + half the value's weight) ≤ (weight left when it opened) / (bins left then).
//      A heavy value closes the open bin. When no bin is left, values join the bin before them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "branchline/cpu_level.hpp"
#include "branchline/stop_signal.hpp"
#include "branchline/types.hpp"

namespace branchline {

// A borrowed column of codes, `width` bytes each (1, 2 or 4).
struct CodeColumn {
    const std::byte* data = nullptr;
    int width = 1;
};

// Calls visit(pointer) with the codes as uint8, uint16 or uint32.
template <class Visitor>
decltype(auto) visit_codes(const CodeColumn& column, Visitor&& visit) {
    switch (column.width) {
        case 1: return visit(reinterpret_cast<const std::uint8_t*>(column.data));
        case 2: return visit(reinterpret_cast<const std::uint16_t*>(column.data));
        default: return visit(reinterpret_cast<const std::uint32_t*>(column.data));
    }
}

// Bytes needed for codes 0..n_codes.
constexpr int code_width(std::size_t n_codes) noexcept {
    return n_codes <= 0xFF ? 1 : n_codes <= 0xFFFF ? 2 : 4;
}

// A column of codes that owns its memory. lowest[c − 1] and highest[c − 1] are the smallest and
// largest value that code c covers; both are empty for a category.
struct EncodedColumn {
    std::unique_ptr<std::byte[]> codes;
    int width = 1;
    std::size_t n_codes = 0;
    std::vector<double> lowest;
    std::vector<double> highest;

    CodeColumn view() const noexcept { return {codes.get(), width}; }
};

struct FitCodesOptions {
    std::size_t max_bins = 0;  // 0: exact
    int n_threads = 1;
};

// Learns codes from the data and encodes them.
// Requires: units empty (every row counts once) or n_rows values >= 1 with a sum below 2^53.
// Throws std::out_of_range for a category that is not below n_categories, std::length_error for more
// than max_rows rows. Cost: a radix sort of each column, a pass over exact ones of few values.
// Allocates; threads over columns; draws nothing.
std::vector<EncodedColumn> fit_codes(std::span<const ColumnView> columns, std::size_t n_rows,
                                     std::span<const std::int64_t> units,
                                     const FitCodesOptions& options, StopSignal& stop);

// Borrowed columns of which some cells are stored, column after column; all others are 0. Column c has
// the cells starts[c] to starts[c + 1] − 1, at most one in each row.
struct SparseCells {
    std::span<const double> values;
    std::span<const std::int32_t> rows;
    std::span<const std::int64_t> starts;
};

// Learns the exact codes of sparse columns and encodes them: what fit_codes gives of the same columns.
// Throws std::invalid_argument for cells out of place. Cost: a sort of the stored cells, and writing
// the codes. Allocates; threads over columns; draws nothing.
std::vector<EncodedColumn> fit_sparse_codes(const SparseCells& cells, std::size_t n_rows,
                                            int n_threads, StopSignal& stop);

// The codes of a column learned earlier, to be applied to new values.
// A numeric value gets the code whose range it lies in; between two ranges, beyond their midpoint
// means the upper one; below the first or above the last means the first or the last.
struct KnownCodes {
    std::span<const double> lowest;
    std::span<const double> highest;
};

// Encodes new data with known codes. Cost: a binary search per value, vectorized up to 255 bins.
// Throws std::invalid_argument for a level that is not among available_cpu_levels().
std::vector<EncodedColumn> apply_codes(std::span<const ColumnView> columns, std::size_t n_rows,
                                       std::span<const KnownCodes> known, CpuLevel level,
                                       int n_threads, StopSignal& stop);

// The point between two neighboring values at which a threshold is put: their midpoint, or the
// left one when rounding would reach the right one. Requires: left < right, both finite.
double midpoint(double left, double right) noexcept;

}  // namespace branchline
