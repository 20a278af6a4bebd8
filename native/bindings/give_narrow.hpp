// Integers as the narrowest array that holds them.
#pragma once

#include <algorithm>

#include "arrays.hpp"

namespace branchline::bindings {

inline nb::object give_narrow(std::vector<std::uint32_t>&& values) {
    std::uint32_t largest = 0;
    for (const std::uint32_t value : values) largest = std::max(largest, value);
    if (largest > 0xFFFF) return nb::cast(give(std::move(values)));
    if (largest > 0xFF) {
        return nb::cast(give(std::vector<std::uint16_t>(values.begin(), values.end())));
    }
    return nb::cast(give(std::vector<std::uint8_t>(values.begin(), values.end())));
}

}  // namespace branchline::bindings
