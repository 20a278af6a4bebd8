// Frequent item sets: every set of items that occurs together in enough baskets.
//
// support(S) = Σ units of the baskets that hold all items of S; S is frequent when support(S) ≥ min_units.
// Every subset of a frequent set is frequent, so sets are grown item by item (Eclat: Zaki 2000):
// 1. Each item a has a task. The baskets that hold a are its rows; items that come after a and occur with
//    it often enough get a bit set over these rows.
// 2. Depth first: the bit set of S ∪ {b, c} is that of S ∪ {b} and that of S ∪ {c}; its bits are counted.
// 3. Sets of all tasks are put one after the other, in lexicographic order of their items.
// 4. For each set and each of its items, the place of the set without this item is looked up.
//
// Nouns: "units" are whole weights: a basket of weight 3 is three baskets. Items are numbered by the caller,
// best by ascending support: then the rows of a task are few where the items after it are many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "branchline/stop_signal.hpp"

namespace branchline {

// Baskets one after the other: the items of basket b are items[starts[b]] to items[starts[b + 1] − 1],
// ascending, each once, below n_items.
struct Baskets {
    std::span<const std::int64_t> starts;
    std::span<const std::uint32_t> items;
    std::span<const std::int64_t> units;  // empty: every basket weighs 1
    std::size_t n_items = 0;

    std::size_t size() const noexcept { return starts.size() - 1; }
};

struct ItemSetLimits {
    std::int64_t min_units = 1;
    std::size_t max_items = 0;  // of one set
    std::size_t max_sets = 0;   // with more than these the search ends, and the result is empty
};

// The items of set s are items[starts[s]] to items[starts[s + 1] − 1], ascending. without[k] is the place of
// the set that lacks items[k]; −1 when that is the empty set.
struct ItemSets {
    std::vector<std::int64_t> starts{0};
    std::vector<std::uint32_t> items;
    std::vector<std::int64_t> units;
    std::vector<std::int64_t> without;
    bool is_complete = true;
};

// Requires: min_units ≥ 1, max_items ≥ 1, baskets as described. Cost: of each task, its rows times their
// later items, then (rows / 64) words for each pair of sets that is tried. Memory: for each thread, a bit
// for each row and later item of its task, for each item of the set at hand. Threads do not change the
// result; draws nothing.
ItemSets frequent_item_sets(const Baskets& baskets, const ItemSetLimits& limits, int n_threads,
                            StopSignal& stop);

}  // namespace branchline
