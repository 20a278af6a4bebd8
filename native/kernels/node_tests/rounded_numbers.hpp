// Numbers rounded to 16 bits, and exact sums of them over the rows of a node.
#pragma once

#include <algorithm>
#include <cmath>

#include "node_tests/maker.hpp"

namespace branchline::node_tests {

inline constexpr double steps_a_range = 4096;
inline constexpr double farthest_step = 16383;

// Missing numbers count as the middle where only a direction is searched.
inline std::int16_t rounded(double value, const NumberColumn& number) {
    if (std::isnan(value)) return 0;
    const double steps = (value - number.middle) / number.range * steps_a_range;
    return static_cast<std::int16_t>(
        std::nearbyint(std::clamp(steps, -farthest_step, farthest_step)));
}

// Column after column, all rows of the table.
inline std::vector<std::int16_t> round_numbers(std::span<const NumberColumn> numbers) {
    std::vector<std::int16_t> steps;
    for (const NumberColumn& number : numbers) {
        for (const double value : number.values) steps.push_back(rounded(value, number));
    }
    return steps;
}

// Rows and responses of one node, side by side. A response is what least squares are fitted to, already
// multiplied by the row's units.
struct NodeSample {
    std::vector<RowIndex> rows;
    std::vector<std::int64_t> units;  // empty: 1 for each
    std::int64_t weight = 0;
};

inline Wide dot(const std::int16_t* a, const std::int16_t* b, const NodeSample& sample) {
    if (sample.units.empty()) {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < sample.rows.size(); ++i) sum += std::int32_t{a[i]} * b[i];
        return sum;
    }
    Wide sum = 0;
    for (std::size_t i = 0; i < sample.rows.size(); ++i) {
        sum += Wide{sample.units[i]} * (std::int32_t{a[i]} * b[i]);
    }
    return sum;
}

inline Wide total(const std::int16_t* a, const NodeSample& sample) {
    Wide sum = 0;
    if (sample.units.empty()) {
        std::int64_t plain = 0;
        for (std::size_t i = 0; i < sample.rows.size(); ++i) plain += a[i];
        return plain;
    }
    for (std::size_t i = 0; i < sample.rows.size(); ++i) sum += Wide{sample.units[i]} * a[i];
    return sum;
}

}  // namespace branchline::node_tests
