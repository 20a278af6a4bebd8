// The innermost loops of Relief, compiled once for each processor level. All sums are of whole numbers, so
// every level gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "branchline/cpu_level.hpp"
#include "branchline/relief.hpp"

namespace branchline {

struct DifferenceKernels {
    // Writes the sum of all differences between a row and each row from `begin` to `end`.
    void (*distances)(const ReliefTable& table, const std::uint16_t* one, std::size_t begin,
                      std::size_t end, std::uint64_t* out);
    // sums[column] += factor · difference of two rows in that column.
    void (*add)(const ReliefTable& table, const std::uint16_t* one, const std::uint16_t* other,
                std::uint64_t factor, std::uint64_t* sums);
};

const DifferenceKernels& difference_kernels_for(CpuLevel level) noexcept;

}  // namespace branchline
