// What the kernels of boosting ask of their inputs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace branchline::boosting {

inline void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

// The sum of all units; throws unless they are at least 0, with a sum of at most 2^53.
inline std::uint64_t total_units(std::span<const std::int64_t> units) {
    constexpr std::size_t chunk = 512;  // the sum of that many numbers up to 2^53 has 62 bits
    constexpr std::int64_t most = std::int64_t{1} << 53;
    std::int64_t total = 0;
    for (std::size_t begin = 0; begin < units.size(); begin += chunk) {
        std::int64_t least = 0, largest = 0, sum = 0;
        const auto part = units.subspan(begin, std::min(chunk, units.size() - begin));
        for (const std::int64_t value : part) {
            least = std::min(least, value);
            largest = std::max(largest, value);
        }
        require(least >= 0 && largest <= most, "units of each row from 0 to 2^53");
        for (const std::int64_t value : part) sum += value;
        total += sum;
        require(total <= most, "units of each row with a sum up to 2^53");
    }
    return static_cast<std::uint64_t>(total);
}

}  // namespace branchline::boosting
