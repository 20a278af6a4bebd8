// Which rows a tree of a forest is grown on, and how often it holds each.
//
// A draw is a hash of (seed, tree, row key, copy number): it depends neither on the order of rows nor
// on threads, and can be made again at any time to know which rows a tree has not seen.
//   all        every copy once
//   bootstrap  every copy Poisson(rate) times
//   subsample  every copy once, with probability `rate`
// A tree whose draws hold no row at all is given all of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "branchline/random.hpp"

namespace branchline {

enum class BagKind : int { all = 0, bootstrap = 1, subsample = 2 };

struct BagRule {
    BagKind kind = BagKind::bootstrap;
    double rate = 1;
    std::uint64_t seed = 0;
};

// What rows are drawn by; `copies` is empty when every row counts once. See random.hpp.
struct BagRows {
    std::span<const std::uint64_t> keys;
    std::span<const std::int64_t> copies, first_copy;
};

class Bag {
  public:
    // Requires: 0 < rate, at most 1 for subsample; at least one row.
    Bag(const BagRows& rows, const BagRule& rule, std::uint64_t tree);

    // How often the tree holds a row. Cost: a hash and a few comparisons per copy.
    std::uint32_t count(std::size_t row) const noexcept;
    // Gives no row back to a tree whose draws hold none: other processes may hold rows of it.
    void keep_empty() noexcept { holds_all_ = false; }
    // How many copies of a row the tree does not hold. Cost: the same.
    std::uint32_t left_out(std::size_t row) const noexcept;

  private:
    std::uint32_t draw(std::size_t row) const noexcept;
    std::uint32_t draw_copy(std::uint64_t key, std::uint64_t copy) const noexcept;

    BagRows rows_;
    BagKind kind_;
    std::array<std::uint64_t, 2> tree_key_;
    std::array<std::uint64_t, 24> limits_{};  // P(draw ≤ k) · 2^64
    std::size_t n_limits_ = 0;
    bool holds_all_ = false;
};

}  // namespace branchline
