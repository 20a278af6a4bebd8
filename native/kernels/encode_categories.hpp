// What fitting and applying codes share: new code columns, and categories, whose codes are given.
#pragma once

#include "branchline/codes.hpp"

namespace branchline {

std::unique_ptr<std::byte[]> new_codes(std::size_t n_rows, int width);

// Calls visit(pointer) with the column's own codes as uint8, uint16 or uint32, for writing.
template <class Visitor>
void visit_new_codes(EncodedColumn& column, Visitor&& visit) {
    switch (column.width) {
        case 1: visit(reinterpret_cast<std::uint8_t*>(column.codes.get())); break;
        case 2: visit(reinterpret_cast<std::uint16_t*>(column.codes.get())); break;
        default: visit(reinterpret_cast<std::uint32_t*>(column.codes.get()));
    }
}

// Category c becomes code c + 1, a negative one code 0.
// Throws std::out_of_range for a category that is not below view.n_categories.
EncodedColumn encode_categories(const ColumnView& view, std::size_t n_rows);

}  // namespace branchline
