// Draws of one node: a stream that depends on the node's key alone.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "branchline/random.hpp"
#include "mix.hpp"

namespace branchline::forest {

inline std::uint64_t key_of_root(std::uint64_t seed, std::uint64_t tree) noexcept {
    return philox({tree, 0, 0, 2}, {seed, 0})[0];
}
inline std::uint64_t key_of_child(std::uint64_t key, int branch) noexcept {
    return mix(key + golden * static_cast<std::uint64_t>(branch + 1));
}

class NodeDraws {
  public:
    explicit NodeDraws(std::uint64_t key) : state_(key ^ 0xD1B54A32D192ED03u) {}

    std::uint64_t word() noexcept { return mix(state_ += golden); }
    // A whole number below n; the bias is below n / 2^32.
    std::uint32_t below(std::uint32_t n) noexcept {
        return static_cast<std::uint32_t>(((word() >> 32) * n) >> 32);
    }
    double uniform() noexcept { return static_cast<double>(word() >> 11) * 0x1p-53; }  // [0, 1)

  private:
    std::uint64_t state_;
};

// Columns in random order, one after another, without drawing one twice. The list is put back as it
// was afterwards, so that an order depends on the node alone and costs only what was drawn.
class ColumnDeck {
  public:
    explicit ColumnDeck(std::size_t n_columns) : columns_(n_columns), other_(n_columns) {
        for (std::size_t c = 0; c < n_columns; ++c) columns_[c] = static_cast<std::uint32_t>(c);
    }
    std::size_t size() const noexcept { return columns_.size(); }

    // The next column: number `k` of this node, drawn at random or, when `in_order`, column k.
    std::uint32_t draw(std::size_t k, bool in_order, NodeDraws& draws) {
        if (in_order) return columns_[k];
        const auto left = static_cast<std::uint32_t>(columns_.size() - k);
        const std::size_t other = k + draws.below(left);
        std::swap(columns_[k], columns_[other]);
        other_[k] = other;
        n_swaps_ = k + 1;
        return columns_[k];
    }
    void put_back() {
        for (std::size_t k = n_swaps_; k-- > 0;) std::swap(columns_[k], columns_[other_[k]]);
        n_swaps_ = 0;
    }

  private:
    std::vector<std::uint32_t> columns_;
    std::vector<std::size_t> other_;  // what each of the first n_swaps_ places was swapped with
    std::size_t n_swaps_ = 0;
};

}  // namespace branchline::forest
