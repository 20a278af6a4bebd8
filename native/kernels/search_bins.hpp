// Finding the bin of many values at once, compiled once for each processor level.
#pragma once

#include <cstddef>
#include <cstdint>

#include "branchline/cpu_level.hpp"

namespace branchline {

// 255 upper edges; those beyond the last bin are +infinity.
template <class Float>
struct BinEdges {
    alignas(64) Float upper[256];
};

// Writes 1 + (number of edges below the value), or 0 for NaN.
// Requires: no value above the last finite edge when all 255 are finite.
template <class Float>
using SearchBins = void (*)(const Float* values, std::size_t n, const BinEdges<Float>& edges,
                            std::uint8_t* codes);

template <class Float>
SearchBins<Float> search_bins_for(CpuLevel level);

}  // namespace branchline
