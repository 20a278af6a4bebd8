// The other half of a symmetric matrix.
#pragma once

#include <algorithm>
#include <cstddef>

#include "branchline/thread_pool.hpp"

namespace branchline::strings {

// Copies what is below the diagonal of an n × n matrix to above it, tile by tile: whole rows would
// fetch every line of memory once for each of its numbers.
inline void mirror_lower_half(double* matrix, std::size_t n, ThreadPool& pool) {
    constexpr std::size_t tile = 32;
    pool.run((n + tile - 1) / tile, [&](std::size_t band, std::size_t) {
        const std::size_t first = band * tile, end = std::min(first + tile, n);
        for (std::size_t from = first; from < n; from += tile) {
            for (std::size_t row = first; row < end; ++row) {
                for (std::size_t j = std::max(from, row + 1); j < std::min(from + tile, n); ++j) {
                    matrix[row * n + j] = matrix[j * n + row];
                }
            }
        }
    });
}

}  // namespace branchline::strings
