// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
#include "item_sets/bit_kernels.hpp"

#include <bit>

namespace branchline::BRANCHLINE_LEVEL {

namespace {

std::int64_t intersect(const std::uint64_t* one, const std::uint64_t* other, std::size_t n_words,
                       std::uint64_t* out) {
    std::int64_t n_bits = 0;
    for (std::size_t word = 0; word < n_words; ++word) {
        out[word] = one[word] & other[word];
        n_bits += std::popcount(out[word]);
    }
    return n_bits;
}

}  // namespace

extern const BitKernels bit_kernels;
const BitKernels bit_kernels{intersect};

}  // namespace branchline::BRANCHLINE_LEVEL
