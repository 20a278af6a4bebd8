#include "tree/sort_codes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace branchline::tree {

namespace {

void insertion_sort(std::vector<std::uint64_t>& keys) {
    for (std::size_t i = 1; i < keys.size(); ++i) {
        const std::uint64_t key = keys[i];
        std::size_t place = i;
        for (; place > 0 && keys[place - 1] > key; --place) keys[place] = keys[place - 1];
        keys[place] = key;
    }
}

// Sorts by the code in the upper half, least significant digit first.
void radix_sort(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& spare,
                std::size_t n_codes) {
    const int bits = static_cast<int>(std::bit_width(n_codes));
    const int n_passes = (bits + 10) / 11, digit_bits = (bits + n_passes - 1) / n_passes;
    const std::size_t n_buckets = std::size_t{1} << digit_bits;
    std::array<std::uint32_t, 2048> place;
    spare.resize(keys.size());
    for (int pass = 0; pass < n_passes; ++pass) {
        const int shift = 32 + pass * digit_bits;
        std::fill_n(place.begin(), n_buckets, 0u);
        for (const std::uint64_t key : keys) ++place[(key >> shift) & (n_buckets - 1)];
        std::uint32_t before = 0;
        for (std::size_t b = 0; b < n_buckets; ++b) before += std::exchange(place[b], before);
        for (const std::uint64_t key : keys) spare[place[(key >> shift) & (n_buckets - 1)]++] = key;
        keys.swap(spare);
    }
}

}  // namespace

void sort_by_code(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& spare,
                  std::size_t n_codes) {
    if (keys.size() < few_keys) {
        insertion_sort(keys);
    } else {
        radix_sort(keys, spare, n_codes);
    }
}

}  // namespace branchline::tree
