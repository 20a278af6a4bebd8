// The distinct rows of leaf values of one tree.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace branchline {

// Equal rows of values of one tree are kept once: the table of a classification tree is short.
class ValueTable {
  public:
    ValueTable(std::size_t n_leaves, std::size_t width)
        : width_(width), slots_(std::bit_ceil(2 * n_leaves), empty) {}

    std::uint32_t find_or_add(const double* row) {
        std::size_t slot = hash(row) & (slots_.size() - 1);
        while (slots_[slot] != empty) {
            if (std::memcmp(&values_[slots_[slot] * width_], row, width_ * sizeof *row) == 0) {
                return slots_[slot];
            }
            slot = (slot + 1) & (slots_.size() - 1);
        }
        slots_[slot] = static_cast<std::uint32_t>(values_.size() / width_);
        values_.insert(values_.end(), row, row + width_);
        return slots_[slot];
    }

    std::vector<double> take_values() { return std::move(values_); }

  private:
    static constexpr std::uint32_t empty = 0xFFFF'FFFF;

    std::size_t hash(const double* row) const {
        std::uint64_t h = 0;
        for (std::size_t i = 0; i < width_; ++i) {
            h = (h ^ std::bit_cast<std::uint64_t>(row[i])) * 0x9E37'79B9'7F4A'7C15u;
            h ^= h >> 32;
        }
        return static_cast<std::size_t>(h);
    }

    std::size_t width_;
    std::vector<std::uint32_t> slots_;
    std::vector<double> values_;
};

}  // namespace branchline
