// Windows of several symbols become symbols themselves: equal windows, and only they, get one name.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "branchline/string_kernels.hpp"

namespace branchline::strings {

// Strings of names: a string of n symbols has max(n − length + 1, 0) windows.
struct NamedBatch {
    StringBatch view() const { return {names, offsets}; }

    std::vector<std::uint32_t> names;
    std::vector<std::int64_t> offsets;
};

struct NamedWindows {
    std::vector<NamedBatch> batches;  // as they were given
    std::size_t n_names;
};

// Names the windows of all batches together, 0, 1, …. Throws std::length_error when they have 2³²
// symbols or more. Cost: sorting all windows log₂(length) + 1 times.
NamedWindows name_windows(std::span<const StringBatch> batches, std::size_t length,
                          StopSignal& stop);

}  // namespace branchline::strings
