// Lists of columns, borrowed from Python for one call.
#pragma once

#include <algorithm>

#include "arrays.hpp"
#include "branchline/codes.hpp"
#include "branchline/types.hpp"

namespace branchline::bindings {

inline void keep_same_length(std::size_t& n_rows, const AnyColumn& array, bool is_first) {
    if (is_first) n_rows = array.shape(0);
    require(array.shape(0) == n_rows, "columns of different lengths");
    require(n_rows <= max_rows, "more rows than 32 bits can number");
}

inline ValueType type_of(const AnyColumn& array, bool is_category) {
    if (is_category) {
        require(array.dtype() == nb::dtype<std::int32_t>(), "categories must be int32");
        return ValueType::category;
    }
    if (array.dtype() == nb::dtype<float>()) return ValueType::float32;
    require(array.dtype() == nb::dtype<double>(), "numbers must be float32 or float64");
    return ValueType::float64;
}

// Columns of values: float32, float64, or int32 categories.
class Columns {
  public:
    // n_categories[c] is −1 for a numeric column.
    Columns(const nb::list& columns, const In<std::int32_t>& n_categories) {
        require(columns.size() == n_categories.shape(0), "one n_categories for each column");
        for (std::size_t c = 0; c < columns.size(); ++c) {
            auto array = array_in<AnyColumn>(columns[c], "a column must be a 1-D array of numbers");
            keep_same_length(n_rows_, array, c == 0);
            const std::int32_t categories = span_of(n_categories)[c];
            const auto size = static_cast<std::ptrdiff_t>(array.itemsize());
            views_.push_back({static_cast<const std::byte*>(array.data()), array.stride(0) * size,
                              type_of(array, categories >= 0), std::max(categories, 0)});
            arrays_.push_back(std::move(array));
        }
    }

    std::span<const ColumnView> views() const { return views_; }
    std::size_t n_rows() const { return n_rows_; }

  private:
    std::vector<AnyColumn> arrays_;
    std::vector<ColumnView> views_;
    std::size_t n_rows_ = 0;
};

using FloatMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;

// A matrix is its columns, a step apart: nothing is copied.
inline std::vector<ColumnView> columns_of(const FloatMatrix& matrix) {
    const bool is_float = matrix.dtype() == nb::dtype<float>();
    require(is_float || matrix.dtype() == nb::dtype<double>(),
            "a matrix must be float32 or float64");
    const auto size = static_cast<std::ptrdiff_t>(matrix.itemsize());
    const auto* data = static_cast<const std::byte*>(matrix.data());
    std::vector<ColumnView> columns(matrix.shape(1));
    for (std::size_t c = 0; c < columns.size(); ++c) {
        columns[c] = {data + static_cast<std::ptrdiff_t>(c) * matrix.stride(1) * size,
                      matrix.stride(0) * size, is_float ? ValueType::float32 : ValueType::float64,
                      0};
    }
    return columns;
}

// Columns of codes: uint8, uint16 or uint32, contiguous.
class CodeColumns {
  public:
    explicit CodeColumns(const nb::list& columns) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
            auto array = array_in<AnyColumn>(columns[c], "codes must be 1-D arrays of integers");
            keep_same_length(n_rows_, array, c == 0);
            const auto address = reinterpret_cast<std::uintptr_t>(array.data());
            require(array.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt) &&
                        array.itemsize() <= 4 && (n_rows_ < 2 || array.stride(0) == 1) &&
                        address % array.itemsize() == 0,
                    "codes must be contiguous, aligned uint8, uint16 or uint32");
            views_.push_back(
                {static_cast<const std::byte*>(array.data()), static_cast<int>(array.itemsize())});
            arrays_.push_back(std::move(array));
        }
    }

    std::span<const CodeColumn> views() const { return views_; }
    std::size_t n_rows() const { return n_rows_; }

  private:
    std::vector<AnyColumn> arrays_;
    std::vector<CodeColumn> views_;
    std::size_t n_rows_ = 0;
};

// The ranges of codes learned earlier.
class BorrowedCodes {
  public:
    BorrowedCodes(const nb::list& lowest, const nb::list& highest) {
        require(lowest.size() == highest.size(), "lowest and highest for each column");
        for (std::size_t c = 0; c < lowest.size(); ++c) {
            const char* expected = "lowest and highest must be contiguous float64 arrays";
            const auto& low = arrays_.emplace_back(array_in<In<double>>(lowest[c], expected));
            known_.push_back({span_of(low), {}});
            const auto& high = arrays_.emplace_back(array_in<In<double>>(highest[c], expected));
            known_.back().highest = span_of(high);
            require(known_.back().lowest.size() == known_.back().highest.size(),
                    "lowest and highest for each code");
        }
    }

    std::span<const KnownCodes> known() const { return known_; }

  private:
    std::vector<In<double>> arrays_;
    std::vector<KnownCodes> known_;
};

}  // namespace branchline::bindings
