// The few types that every kernel shares: columns as they are borrowed from Python, and codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace branchline {

// Rows are numbered with 32 bits: a table has fewer than 2^32 rows.
using RowIndex = std::uint32_t;
inline constexpr std::size_t max_rows = 0xFFFF'FFFF;

// Code 0 is a missing value or an unseen category; the values a column takes are 1, 2, ….
using Code = std::uint32_t;
inline constexpr Code missing_code = 0;

enum class ValueType : std::uint8_t { float32 = 0, float64 = 1, category = 2 };

// A borrowed column: n_rows values of `type`, `stride` bytes apart.
// A category value is an int32 from 0 to n_categories − 1; a negative one is missing or unseen.
struct ColumnView {
    const std::byte* data = nullptr;
    std::ptrdiff_t stride = 0;
    ValueType type = ValueType::float64;
    std::int32_t n_categories = 0;
};

// Reads one value; memcpy because a strided column may not be aligned.
template <class Value>
inline Value value_at(const ColumnView& column, std::size_t row) {
    Value value;
    std::memcpy(&value, column.data + static_cast<std::ptrdiff_t>(row) * column.stride,
                sizeof value);
    return value;
}

}  // namespace branchline
