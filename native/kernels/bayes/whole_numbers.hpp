// Whole numbers of 128 and 256 bits, and quotients of them rounded once to a double.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace branchline {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

inline int bit_length(UInt128 value) {
    const auto high = static_cast<std::uint64_t>(value >> 64);
    const auto low = static_cast<std::uint64_t>(value);
    return high != 0 ? 128 - std::countl_zero(high) : 64 - std::countl_zero(low);
}

// A number of 256 bits without sign, the low word first.
struct UInt256 {
    std::array<std::uint64_t, 4> words{};

    void add(const UInt256& other) {
        UInt128 carry = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            carry += static_cast<UInt128>(words[i]) + other.words[i];
            words[i] = static_cast<std::uint64_t>(carry);
            carry >>= 64;
        }
    }

    // Requires: the sum is below 2^192.
    void add_small(UInt128 other) {
        const UInt128 low = (static_cast<UInt128>(words[1]) << 64 | words[0]) + other;
        words[2] += low < other ? 1 : 0;
        words[0] = static_cast<std::uint64_t>(low);
        words[1] = static_cast<std::uint64_t>(low >> 64);
    }

    // Adds other · 2^shift, modulo 2^256. Requires: shift below 128.
    void add_shifted(Int128 other, int shift) {
        const UInt128 size = other < 0 ? -static_cast<UInt128>(other) : static_cast<UInt128>(other);
        const UInt128 low = size << shift;
        const UInt128 high = shift == 0 ? 0 : size >> (128 - shift);
        const UInt256 moved{{static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(low >> 64),
                             static_cast<std::uint64_t>(high),
                             static_cast<std::uint64_t>(high >> 64)}};
        if (other < 0)
            subtract(moved);
        else
            add(moved);
    }

    // Modulo 2^256.
    void subtract(const UInt256& other) {
        std::uint64_t borrow = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            const UInt128 taken = static_cast<UInt128>(other.words[i]) + borrow;
            borrow = words[i] < taken ? 1 : 0;
            words[i] = static_cast<std::uint64_t>(words[i] - taken);
        }
    }

    // Requires: the product has at most 256 bits.
    void multiply(std::uint64_t factor) {
        UInt128 carry = 0;
        for (auto& word : words) {
            carry += static_cast<UInt128>(word) * factor;
            word = static_cast<std::uint64_t>(carry);
            carry >>= 64;
        }
    }

    int length() const {
        for (std::size_t i = 4; i-- > 0;) {
            if (words[i] != 0) return static_cast<int>(64 * i) + 64 - std::countl_zero(words[i]);
        }
        return 0;
    }

    // Bits from `begin` on, as many as 128; begin may be negative: then zeros come first.
    UInt128 bits_from(int begin) const {
        UInt128 found = 0;
        for (int i = 0; i < 4; ++i) {
            const int shift = 64 * i - begin;
            const UInt128 word = words[static_cast<std::size_t>(i)];
            if (shift >= 128 || shift <= -64) continue;
            found |= shift >= 0 ? word << shift : word >> -shift;
        }
        return found;
    }

    static UInt256 square(UInt128 value) {
        const auto low = static_cast<std::uint64_t>(value);
        const auto high = static_cast<std::uint64_t>(value >> 64);
        const UInt128 ends = static_cast<UInt128>(low) * low;
        const UInt128 top = static_cast<UInt128>(high) * high;
        UInt256 found{{static_cast<std::uint64_t>(ends), static_cast<std::uint64_t>(ends >> 64),
                       static_cast<std::uint64_t>(top), static_cast<std::uint64_t>(top >> 64)}};
        if (high == 0) return found;
        const UInt128 middle = static_cast<UInt128>(low) * high;  // counts twice, 64 bits up
        const UInt256 doubled{{0, static_cast<std::uint64_t>(middle << 1),
                               static_cast<std::uint64_t>(middle >> 63),
                               static_cast<std::uint64_t>(middle >> 127)}};
        found.add(doubled);
        return found;
    }
};

// The largest whole number whose square is at most `value`, for values below 2^127.
inline std::uint64_t whole_root(UInt128 value) {
    if (value == 0) return 0;
    const double guess = std::sqrt(static_cast<double>(value));
    auto root = static_cast<UInt128>(guess);
    root = (root + value / root) / 2;
    while (root * root > value) --root;
    while ((root + 1) * (root + 1) <= value) ++root;
    return static_cast<std::uint64_t>(root);
}

struct Rounded {
    double value = 0.0;
    bool is_exact = true;  // false where a float is too small to hold it without rounding again
};

// number / count · 2^exponent, rounded once to the nearest double. Requires: number below 2^127, count from 1 to 2^62.
inline Rounded quotient(UInt128 number, std::uint64_t count, int exponent) {
    if (number == 0) return {};
    const int up = 62 - (bit_length(number) - bit_length(count));
    const UInt128 above = up >= 0 ? number << up : number;
    const UInt128 below = up >= 0 ? UInt128{count} : UInt128{count} << -up;
    const UInt128 whole = above / below;  // of 62 or 63 bits
    const std::uint64_t rest = whole * below != above ? 1 : 0;
    const double found =
        std::ldexp(static_cast<double>(static_cast<std::uint64_t>(whole) | rest), exponent - up);
    return {found, found >= 0x1p-1022};
}

}  // namespace branchline
