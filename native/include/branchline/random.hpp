// Random numbers without state: each draw is a function of what it is for.
//
// The generator is Philox 4×64 with 10 rounds (Salmon, Moraes, Dror and Shaw, 2011): a keyed
// bijection of a 256-bit counter. The key is (seed, task); the counter is (row key, copy, block, 0).
// So a draw does not depend on row order, on threads, or on how many draws were made before.
//
// A *row key* is a hash of a row's codes and target; rows with equal content have equal keys and are
// told apart by their copy numbers. A row of integer weight k stands for k copies.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "branchline/codes.hpp"
#include "branchline/stop_signal.hpp"

namespace branchline {

using RandomBlock = std::array<std::uint64_t, 4>;

RandomBlock philox(std::array<std::uint64_t, 4> counter, std::array<std::uint64_t, 2> key) noexcept;

// What a stream of draws is for.
struct Purpose {
    std::uint64_t seed = 0;
    std::uint64_t task = 0;
};

// Writes one key per row: a hash of the row's codes, column after column, and of its target's bits.
// Requires: all columns and `target` have the length of `keys`. Cost: one pass. Threads over rows.
void row_keys(std::span<const CodeColumn> columns, std::span<const std::uint64_t> target,
              std::span<std::uint64_t> keys, int n_threads, StopSignal& stop);

// Writes the number of each row's first copy: rows with equal keys share one numbering 0, 1, 2, …,
// in which a row of weight k takes k numbers; earlier rows have lower numbers.
// Requires: copies[i] >= 1. Cost: a radix sort. Allocates.
void first_copies(std::span<const std::uint64_t> keys, std::span<const std::int64_t> copies,
                  std::span<std::int64_t> first, StopSignal& stop);

// Writes Poisson(1) draws summed over each row's copies: how often a bootstrap sample holds the row.
// Requires: fewer than 2^31 copies per row. Cost: a quarter of a Philox block for each copy.
void bootstrap_counts(std::span<const std::uint64_t> keys, std::span<const std::int64_t> copies,
                      std::span<const std::int64_t> first, Purpose purpose,
                      std::span<std::uint32_t> counts, int n_threads, StopSignal& stop);

}  // namespace branchline
