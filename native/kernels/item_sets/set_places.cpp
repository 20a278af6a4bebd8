#include "item_sets/set_places.hpp"

#include <bit>

#include "mix.hpp"

namespace branchline {

namespace {

constexpr std::int64_t free_slot = -1;
constexpr std::size_t sets_between_looks = 4096;

std::uint64_t key_of(std::uint32_t item) noexcept { return mix(item + golden); }

using Items = std::span<const std::uint32_t>;

Items items_of(const ItemSets& sets, std::size_t place) {
    const auto begin = static_cast<std::size_t>(sets.starts[place]);
    return Items(sets.items)
        .subspan(begin, static_cast<std::size_t>(sets.starts[place + 1]) - begin);
}

std::uint64_t key_of(Items items) noexcept {
    std::uint64_t key = 0;
    for (const std::uint32_t item : items) key += key_of(item);
    return key;
}

bool is_set_without(Items smaller, Items larger, std::size_t left_out) noexcept {
    if (smaller.size() + 1 != larger.size()) return false;
    for (std::size_t at = 0; at < smaller.size(); ++at) {
        if (smaller[at] != larger[at < left_out ? at : at + 1]) return false;
    }
    return true;
}

// Open addressing, at most half full.
class Places {
  public:
    explicit Places(const ItemSets& sets)
        : sets_(sets), slots_(std::bit_ceil(2 * sets.units.size() + 2), free_slot) {
        for (std::size_t place = 0; place < sets.units.size(); ++place) {
            std::size_t slot = slot_of(key_of(items_of(sets, place)));
            while (slots_[slot] != free_slot) slot = next(slot);
            slots_[slot] = static_cast<std::int64_t>(place);
        }
    }

    std::int64_t find(Items larger, std::size_t left_out, std::uint64_t key) const {
        for (std::size_t slot = slot_of(key); slots_[slot] != free_slot; slot = next(slot)) {
            const auto place = static_cast<std::size_t>(slots_[slot]);
            if (is_set_without(items_of(sets_, place), larger, left_out)) return slots_[slot];
        }
        return -1;
    }

  private:
    std::size_t slot_of(std::uint64_t key) const noexcept { return key & (slots_.size() - 1); }
    std::size_t next(std::size_t slot) const noexcept { return (slot + 1) & (slots_.size() - 1); }

    const ItemSets& sets_;
    std::vector<std::int64_t> slots_;
};

}  // namespace

void find_subsets(ItemSets& sets, StopSignal& stop) {
    const Places places(sets);
    sets.without.reserve(sets.items.size());
    for (std::size_t place = 0; place < sets.units.size(); ++place) {
        if (place % sets_between_looks == 0) stop.check();
        const Items items = items_of(sets, place);
        const std::uint64_t key = key_of(items);
        for (std::size_t at = 0; at < items.size(); ++at) {
            const bool is_single = items.size() == 1;
            sets.without.push_back(is_single ? -1
                                             : places.find(items, at, key - key_of(items[at])));
        }
    }
}

}  // namespace branchline
