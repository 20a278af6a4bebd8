// Sorting rows by a float value: order-preserving integer keys and a least-significant-digit sort.
//
// 1. Find the highest bit in which keys differ; the 33 bits from there down are three digits.
// 2. Count all digits in one pass; then one pass for each digit in which keys differ, lowest first.
// 3. Doubles only: neighbors that agree in those 33 bits (few, as a rule) are sorted by the rest.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "branchline/stop_signal.hpp"
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

namespace radix {

inline constexpr int digit_bits = 11, n_digits = 3;
inline constexpr std::size_t n_buckets = std::size_t{1} << digit_bits;
inline constexpr std::size_t small = 1024;  // below this, comparing is faster

template <class Key>
std::size_t digit_of(Key key, int shift) noexcept {
    return static_cast<std::size_t>(key >> shift) & (n_buckets - 1);
}

// The lowest bit of the three digits that begin at the highest bit in which keys differ.
template <class Row>
int lowest_digit_bit(std::span<const Row> rows) {
    using Key = typename Row::KeyType;
    if constexpr (sizeof(Key) == 4) return 0;
    Key differing = 0;
    for (const Row& row : rows) differing |= row.key ^ rows.front().key;
    return std::max(0, static_cast<int>(std::bit_width(differing)) - n_digits * digit_bits);
}

// Sorts by the three digits from bit `lowest` up. Returns whether the result stands in `spare`.
template <class Row>
bool sort_digits(std::span<Row> rows, std::span<Row> spare, int lowest, StopSignal& stop) {
    std::vector<std::array<std::uint32_t, n_buckets>> counts(n_digits);
    for (const Row& row : rows) {
        for (int digit = 0; digit < n_digits; ++digit) {
            const int shift = lowest + digit * digit_bits;
            ++counts[static_cast<std::size_t>(digit)][digit_of(row.key, shift)];
        }
    }
    std::span<Row> from = rows, to = spare;
    for (int digit = 0; digit < n_digits; ++digit) {
        const int shift = lowest + digit * digit_bits;
        auto& place = counts[static_cast<std::size_t>(digit)];
        if (place[digit_of(from.front().key, shift)] == from.size()) continue;
        stop.check();
        std::uint32_t before = 0;
        for (auto& count : place) {
            const std::uint32_t here = count;
            count = before;
            before += here;
        }
        for (const Row& row : from) to[place[digit_of(row.key, shift)]++] = row;
        std::swap(from, to);
    }
    return from.data() != rows.data();
}

template <class Row>
void sort_rows(std::span<Row> rows, std::span<Row> spare, StopSignal& stop);

// Sorts each stretch of rows that agree in bit `shift` and above.
template <class Row>
void sort_stretches(std::span<Row> rows, std::span<Row> spare, int shift, StopSignal& stop) {
    for (std::size_t begin = 0, end; begin < rows.size(); begin = end) {
        end = begin + 1;
        while (end < rows.size() && rows[end].key >> shift == rows[begin].key >> shift) ++end;
        if (end - begin == 1) continue;
        sort_rows(rows.subspan(begin, end - begin), spare.subspan(begin, end - begin), stop);
    }
}

template <class Row>
bool stands_before(const Row& a, const Row& b) noexcept {
    if constexpr (requires { a.row; }) {
        return a.key != b.key ? a.key < b.key : a.row < b.row;
    } else {
        return a.key < b.key;
    }
}

template <class Row>
void sort_rows(std::span<Row> rows, std::span<Row> spare, StopSignal& stop) {
    if (rows.size() < small) {
        std::sort(rows.begin(), rows.end(), stands_before<Row>);
        return;
    }
    const int lowest = lowest_digit_bit<Row>(rows);
    if (sort_digits(rows, spare, lowest, stop)) std::copy(spare.begin(), spare.end(), rows.begin());
    if (lowest > 0) sort_stretches(rows, spare, lowest, stop);
}

}  // namespace radix

// Sorts `rows` by key, and rows of one key by row number, using `spare` as scratch space.
// Requires: row numbers ascend.
template <class Row>
void sort_by_key(std::vector<Row>& rows, std::vector<Row>& spare, StopSignal& stop) {
    if (rows.size() < radix::small) return radix::sort_rows<Row>(rows, {}, stop);
    spare.resize(rows.size());
    const int lowest = radix::lowest_digit_bit<Row>(rows);
    if (radix::sort_digits<Row>(rows, spare, lowest, stop)) rows.swap(spare);
    if (lowest > 0) radix::sort_stretches<Row>(rows, spare, lowest, stop);
}

}  // namespace branchline
