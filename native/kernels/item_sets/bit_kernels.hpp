// The innermost loops of item sets, compiled once for each processor level: whole numbers, so every level
// gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "branchline/cpu_level.hpp"

namespace branchline {

struct BitKernels {
    // Writes one & other and returns how many bits are set.
    std::int64_t (*intersect)(const std::uint64_t* one, const std::uint64_t* other,
                              std::size_t n_words, std::uint64_t* out);
};

const BitKernels& bit_kernels_for(CpuLevel level) noexcept;

}  // namespace branchline
