// Sorting the rows of a node by code: keys with the code in the upper half, the place in the lower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace branchline::tree {

// Sorts keys whose codes are at most n_codes; equal codes keep their order. Cost: a pass for every
// 11 bits of n_codes; few keys are sorted by insertion.
void sort_by_code(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& spare,
                  std::size_t n_codes);

inline constexpr std::size_t few_keys = 40;  // below, insertion sort wins

}  // namespace branchline::tree
