// A scramble of 64 bits, for hashes and draws.
#pragma once

#include <cstdint>

namespace branchline {

// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014): every input bit reaches every output bit.
inline std::uint64_t mix(std::uint64_t x) noexcept {
    x ^= x >> 30;
    x *= 0xBF58476D1CE4E5B9u;
    x ^= x >> 27;
    x *= 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

inline constexpr std::uint64_t golden =
    0x9E3779B97F4A7C15u;  // its step: 2^64 over the golden ratio

}  // namespace branchline
