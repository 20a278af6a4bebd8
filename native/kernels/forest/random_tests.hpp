// Random tests of a column (extra-trees): where a threshold stands, which categories go left.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "branchline/types.hpp"
#include "mix.hpp"

namespace branchline::forest {

// Where between two values a threshold stands, in 256ths; all of them halved, because the range of
// values may overflow.
inline std::uint8_t fraction_between(double half_low, double half_high, double half_threshold) {
    const double share = (half_threshold - half_low) / (half_high - half_low);
    return static_cast<std::uint8_t>(std::clamp(share * 256 + 0.5, 1.0, 255.0));
}

// A side for each category by a hash of its rank, so that its code does not matter: 0 or 1 in
// `branch_of_code`. When all would go left, the one with the least hash goes right; when none would,
// the one with the greatest goes left.
inline void draw_subset(std::span<const double> rank_of_code, std::span<const Code> present,
                        std::uint64_t word, std::uint8_t* branch_of_code) {
    std::uint64_t least = ~std::uint64_t{0}, greatest = 0;
    Code with_least = 0, with_greatest = 0;
    std::size_t n_left = 0;
    for (const Code code : present) {
        const auto rank = static_cast<std::uint64_t>(rank_of_code[code - 1]);
        const std::uint64_t hash = mix(word + golden * (rank + 1));
        const bool goes_left = hash >> 63 != 0;
        branch_of_code[code] = !goes_left;
        n_left += goes_left;
        if (hash <= least) least = hash, with_least = code;
        if (hash >= greatest) greatest = hash, with_greatest = code;
    }
    if (n_left == 0) branch_of_code[with_greatest] = 0;
    if (n_left == present.size() && n_left > 1) branch_of_code[with_least] = 1;
}

}  // namespace branchline::forest
