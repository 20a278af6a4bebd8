// The compact nodes of a forest, and a step down.
//
// A row is walked by its *codes*, one for each *view*: a column as some tests see it. A test whose
// missing values go right and one whose missing values go left need different views, because the
// code of a missing value is the highest of all in the one and the lowest of all in the other:
//   right view   code(x) = rank(x), missing = highest      goes right when code > k
//   left view    code(x) = rank(x) + 1, missing = 0        goes right when code > k + 1
//   categories   code(c) = c + 1, missing = 0              goes right when its bit is set
// So no step asks whether a value is missing.
//
// Places are counted from 1, so that siblings, at even places, never lie in two cache lines.
// A leaf is its own left child, and its limit is the highest: rows that have arrived stay.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

namespace branchline {

static_assert(std::endian::native == std::endian::little, "fields of a node are read by bytes");

inline constexpr std::uint32_t root_place = 1;

// 8 bytes: the place of the left child (24 bits), the view (16 bits), the limit (24 bits).
using NarrowNode = std::uint64_t;

struct NarrowTree {
    // Codes are shifted left, so that they compare with the node's upper half as it is.
    static constexpr int code_shift = 8;
    static constexpr std::uint32_t place_mask = 0xFF'FFFF;
    static constexpr std::uint32_t leaf_limit = 0xFF'FFFF;

    const NarrowNode* nodes;

    static NarrowNode node(std::uint32_t child, std::uint32_t view, std::uint32_t limit) noexcept {
        return child | std::uint64_t{view} << 24 | std::uint64_t{limit} << 40;
    }

    template <class Field>
    Field field(std::size_t place, std::size_t byte) const noexcept {
        Field value;
        std::memcpy(&value, reinterpret_cast<const char*>(nodes + place) + byte, sizeof value);
        return value;
    }

    std::uint32_t step(std::uint32_t place, const std::uint32_t* codes) const noexcept {
        const std::uint32_t code = codes[field<std::uint16_t>(place, 3)];
        return (field<std::uint32_t>(place, 0) & place_mask) +
               static_cast<std::uint32_t>(code > field<std::uint32_t>(place, 4));
    }

    bool is_leaf(std::uint32_t place) const noexcept {
        return field<std::uint32_t>(place, 4) >= leaf_limit << code_shift;
    }
};

struct WideNode {
    std::uint32_t child;
    std::uint32_t view;  // the highest bit: a category test
    std::uint32_t limit;
    std::uint32_t
        bits;  // where the bits of a category test begin; 0, which holds no bit, for others
};
static_assert(sizeof(WideNode) == 16);

struct WideTree {
    static constexpr int code_shift = 0;
    static constexpr std::uint32_t is_category = 0x8000'0000;
    static constexpr std::uint32_t leaf_limit = std::numeric_limits<std::uint32_t>::max();

    const WideNode* nodes;
    const std::uint8_t* bits;

    // Both kinds of test are made at every node; the one that is not meant says left.
    std::uint32_t step(std::uint32_t place, const std::uint32_t* codes) const noexcept {
        const WideNode node = nodes[place];
        const std::uint32_t code = codes[node.view & ~is_category];
        const std::uint32_t category = code & (0u - (node.view >> 31));
        const std::uint32_t bit = (bits[node.bits + category / 8] >> (category % 8)) & 1u;
        return node.child + (static_cast<std::uint32_t>(code > node.limit) | bit);
    }

    bool is_leaf(std::uint32_t place) const noexcept { return nodes[place].child == place; }
};

}  // namespace branchline
