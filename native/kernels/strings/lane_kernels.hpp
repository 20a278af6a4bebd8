// The kernels that walk over pairs of places, for many pairs of strings at once; compiled once for
// each processor level.
//
// Lanes: the pairs worked on at the same time. Symbol i of the strings of all lanes stand side by
// side, at [i * n_lanes + lane], as doubles, so that comparing gives masks as wide as the sums.
// Shorter strings are padded with what equals nothing.
#pragma once

#include <cstddef>

#include "branchline/cpu_level.hpp"
#include "branchline/string_kernels.hpp"

namespace branchline::strings {

constexpr std::size_t n_lanes = 16;
constexpr double first_padding = -1, second_padding = -2;

// Strings s and t of every lane, padded to n_first and n_second symbols.
struct LanePairs {
    const double* first;
    std::size_t n_first;
    const double* second;
    std::size_t n_second;
    bool are_short;  // see short_subsequences below
};

// Writes the kernel of each lane. `scratch` has scratch_size() doubles.
using LaneKernel = void (*)(const LanePairs& pairs, const StringForm& form, double* scratch,
                            double* out, StopSignal& stop);

struct LaneKernels {
    LaneKernel common_substrings;  // with order 1: longer ones are strings of named windows
    LaneKernel subsequence;
    LaneKernel weighted_degree;
};

LaneKernels lane_kernels_for(CpuLevel level);

std::size_t scratch_size(const StringForm& form, std::size_t n_first, std::size_t n_second);

// The longest string whose subsequences can be summed with weights decay^−place, which spares the
// products by decay in every cell, and never leave the range of doubles.
std::size_t short_subsequences(const StringForm& form);

}  // namespace branchline::strings
