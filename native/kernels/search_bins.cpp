// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
#include "search_bins.hpp"

#include <algorithm>

namespace branchline::BRANCHLINE_LEVEL {

namespace {

// A binary search of 8 steps without a branch, on many values in step: the inner loops become
// vector gathers and comparisons.
constexpr std::size_t n_lanes = 64;

template <class Float>
void search_lanes(const Float* values, const Float* upper, std::uint8_t* codes) {
    std::int32_t below[n_lanes] = {};
    for (std::int32_t step = 128; step > 0; step /= 2) {
        for (std::size_t lane = 0; lane < n_lanes; ++lane) {
            const Float edge = upper[below[lane] + step - 1];
            below[lane] += step * static_cast<std::int32_t>(values[lane] > edge);  // no branch
        }
    }
    for (std::size_t lane = 0; lane < n_lanes; ++lane) {
        const auto is_present = static_cast<std::int32_t>(values[lane] == values[lane]);
        codes[lane] = static_cast<std::uint8_t>((below[lane] + 1) * is_present);
    }
}

template <class Float>
void search(const Float* values, std::size_t n, const BinEdges<Float>& edges, std::uint8_t* codes) {
    std::size_t begin = 0;
    for (; begin + n_lanes <= n; begin += n_lanes) {
        search_lanes(values + begin, edges.upper, codes + begin);
    }
    Float last_values[n_lanes] = {};
    std::uint8_t last_codes[n_lanes];
    std::copy(values + begin, values + n, last_values);
    search_lanes(last_values, edges.upper, last_codes);
    std::copy(last_codes, last_codes + (n - begin), codes + begin);
}

}  // namespace

void search32(const float* values, std::size_t n, const BinEdges<float>& edges,
              std::uint8_t* codes) {
    search(values, n, edges, codes);
}

void search64(const double* values, std::size_t n, const BinEdges<double>& edges,
              std::uint8_t* codes) {
    search(values, n, edges, codes);
}

}  // namespace branchline::BRANCHLINE_LEVEL
