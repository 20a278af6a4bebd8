#include <algorithm>
#include <cmath>

#include "branchline/distances.hpp"
#include "branchline/thread_pool.hpp"

namespace branchline {

namespace {

constexpr std::size_t tile = 32;

}  // namespace

GivenDistances look_at_distances(std::span<const double> square, std::size_t n, StopSignal& stop) {
    if (square.size() != n * n) throw std::invalid_argument("a square matrix of distances");
    GivenDistances seen;
    const double* d = square.data();
    bool usable = true;
    for (std::size_t top = 0; top < n; top += tile) {
        stop.check();
        const std::size_t bottom = std::min(n, top + tile);
        for (std::size_t left = top; left < n; left += tile) {
            const std::size_t right = std::min(n, left + tile);
            for (std::size_t row = top; row < bottom; ++row) {
                for (std::size_t column = std::max(row, left); column < right; ++column) {
                    const double here = d[row * n + column], there = d[column * n + row];
                    usable &= here >= 0 && there >= 0;
                    seen.largest = std::max({seen.largest, here, there});
                    seen.asymmetry = std::max(seen.asymmetry, std::fabs(here - there));
                }
            }
        }
        for (std::size_t row = top; row < bottom; ++row)
            seen.diagonal = std::max(seen.diagonal, std::fabs(d[row * n + row]));
    }
    seen.usable = usable && std::isfinite(seen.largest);
    return seen;
}

}  // namespace branchline
