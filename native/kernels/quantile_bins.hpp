// Which neighbouring distinct values share a bin; the rule is stated in branchline/codes.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace branchline {

// Returns, for each distinct value in order, the number of its bin (0, 1, …, below max_bins).
// Requires: weights.size() > max_bins >= 2, weights >= 1 with a sum below 2^53.
std::vector<std::uint32_t> quantile_bins(std::span<const std::int64_t> weights,
                                         std::size_t max_bins);

}  // namespace branchline
