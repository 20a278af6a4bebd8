// Counting what each code of a column holds of the target.
#pragma once

#include <cstdint>
#include <vector>

#include "branchline/find_test.hpp"

namespace branchline {

// Cells of one column: width integers for each code 0..n_codes. Sums of a numeric target are of
// differences from the mean of all rows.
struct Histogram {
    std::vector<std::int64_t> cells;
    std::size_t width = 0;
    std::size_t n_codes = 0;

    const std::int64_t* cell(std::size_t code) const { return cells.data() + code * width; }
};

// Requires: classes below n_classes. Throws std::invalid_argument for a code above n_codes.
Histogram count(const SearchColumn& column, std::size_t n_rows, const SearchTarget& target);

}  // namespace branchline
