// Sorting rows by a float value: order-preserving integer keys and a least-significant-digit sort.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "branchline/types.hpp"

namespace branchline {

// What is sorted: a key alone, or a key that remembers its row.
template <class Key>
struct BareKey {
    using KeyType = Key;
    Key key;
};

template <class Key>
struct KeyedRow {
    using KeyType = Key;
    Key key;
    RowIndex row;
};

// Maps floats to unsigned integers in the same order; −0.0 and 0.0 get one key.
template <class Float>
inline auto key_of(Float value) noexcept {
    using Key = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;
    constexpr Key sign = Key{1} << (sizeof(Key) * 8 - 1);
    const Key bits = std::bit_cast<Key>(value + Float{0});
    return bits & sign ? ~bits : bits | sign;
}

template <class Float, class Key>
inline Float value_of(Key key) noexcept {
    constexpr Key sign = Key{1} << (sizeof(Key) * 8 - 1);
    return std::bit_cast<Float>(key & sign ? key ^ sign : static_cast<Key>(~key));
}

// Sorts `rows` by key, using `spare` as scratch space. Cost: one counting pass, then one pass for
// each 11-bit digit in which keys differ; small inputs are sorted by comparison.
template <class Row>
void sort_by_key(std::vector<Row>& rows, std::vector<Row>& spare) {
    using Key = typename Row::KeyType;
    constexpr std::size_t digit_bits = 11, n_buckets = std::size_t{1} << digit_bits;
    constexpr std::size_t n_digits = (sizeof(Key) * 8 + digit_bits - 1) / digit_bits;
    constexpr std::size_t small = 1024;
    if (rows.size() < small) {
        std::sort(rows.begin(), rows.end(),
                  [](const auto& a, const auto& b) { return a.key < b.key; });
        return;
    }
    const auto digit_of = [](Key key, std::size_t digit) {
        return static_cast<std::size_t>(key >> (digit * digit_bits)) & (n_buckets - 1);
    };
    std::vector<std::array<std::uint32_t, n_buckets>> counts(n_digits);
    for (const auto& row : rows) {
        for (std::size_t digit = 0; digit < n_digits; ++digit) {
            ++counts[digit][digit_of(row.key, digit)];
        }
    }
    spare.resize(rows.size());
    for (std::size_t digit = 0; digit < n_digits; ++digit) {
        auto& place = counts[digit];
        if (place[digit_of(rows.front().key, digit)] == rows.size()) continue;
        std::uint32_t before = 0;
        for (auto& count : place) {
            const std::uint32_t here = count;
            count = before;
            before += here;
        }
        for (const auto& row : rows) spare[place[digit_of(row.key, digit)]++] = row;
        rows.swap(spare);
    }
}

}  // namespace branchline
