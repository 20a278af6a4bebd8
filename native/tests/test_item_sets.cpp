#include <map>
#include <random>
#include <set>

#include "branchline/item_sets.hpp"
#include "check.hpp"
#include "item_sets/bit_kernels.hpp"

namespace {

using namespace branchline;
using Items = std::vector<std::uint32_t>;

struct Made {
    std::vector<std::int64_t> starts{0};
    Items items;
    std::vector<std::int64_t> units;

    Baskets view(bool weighted) const {
        return {starts, items,
                weighted ? std::span<const std::int64_t>(units) : std::span<const std::int64_t>{},
                7};
    }
};

Made some_baskets(std::size_t n_baskets, std::uint64_t seed) {
    std::mt19937_64 draw(seed);
    Made made;
    for (std::size_t basket = 0; basket < n_baskets; ++basket) {
        for (std::uint32_t item = 0; item < 7; ++item) {
            if (draw() % 7 < 1 + item / 2) made.items.push_back(item);
        }
        made.starts.push_back(static_cast<std::int64_t>(made.items.size()));
        made.units.push_back(1 + static_cast<std::int64_t>(draw() % 3));
    }
    return made;
}

// Every subset of seven items, counted basket by basket.
std::map<Items, std::int64_t> by_counting(const Made& made, bool weighted, std::int64_t least) {
    std::map<Items, std::int64_t> sets;
    for (unsigned mask = 1; mask < 128; ++mask) {
        Items set;
        for (std::uint32_t item = 0; item < 7; ++item) {
            if (mask >> item & 1U) set.push_back(item);
        }
        std::int64_t units = 0;
        for (std::size_t basket = 0; basket + 1 < made.starts.size(); ++basket) {
            const std::set<std::uint32_t> held(made.items.begin() + made.starts[basket],
                                               made.items.begin() + made.starts[basket + 1]);
            bool holds_all = true;
            for (const std::uint32_t item : set) holds_all = holds_all && held.contains(item);
            if (holds_all) units += weighted ? made.units[basket] : 1;
        }
        if (units >= least) sets[set] = units;
    }
    return sets;
}

Items set_at(const ItemSets& sets, std::size_t place) {
    return {sets.items.begin() + sets.starts[place], sets.items.begin() + sets.starts[place + 1]};
}

const check::Test as_counted{"item sets are those of counting, with and without weights", [] {
    for (const std::size_t n_baskets : {std::size_t{0}, std::size_t{3}, std::size_t{200}}) {
        for (const bool weighted : {false, true}) {
            const Made made = some_baskets(n_baskets, n_baskets + 1);
            const auto expected = by_counting(made, weighted, 5);
            StopSignal stop;
            const ItemSets sets = frequent_item_sets(made.view(weighted), {5, 7, 1000}, 2, stop);
            check::equal(sets.units.size(), expected.size());
            for (std::size_t place = 0; place < sets.units.size(); ++place) {
                check::equal(expected.at(set_at(sets, place)), sets.units[place]);
            }
        }
    }
}};

const check::Test subsets{"the set without an item is found", [] {
    const Made made = some_baskets(100, 3);
    StopSignal stop;
    const ItemSets sets = frequent_item_sets(made.view(false), {3, 7, 1000}, 1, stop);
    for (std::size_t place = 0; place < sets.units.size(); ++place) {
        const Items set = set_at(sets, place);
        for (std::size_t at = 0; at < set.size(); ++at) {
            Items smaller(set);
            smaller.erase(smaller.begin() + static_cast<std::ptrdiff_t>(at));
            const std::int64_t without =
                sets.without[static_cast<std::size_t>(sets.starts[place]) + at];
            check::equal(without < 0, smaller.empty());
            if (without >= 0) {
                check::equal(set_at(sets, static_cast<std::size_t>(without)) == smaller, true);
            }
        }
    }
}};

const check::Test limits{"sets are not larger than asked for, and too many end the search", [] {
    const Made made = some_baskets(200, 4);
    StopSignal stop;
    const ItemSets pairs = frequent_item_sets(made.view(false), {1, 2, 1000}, 1, stop);
    for (std::size_t place = 0; place < pairs.units.size(); ++place) {
        check::equal(set_at(pairs, place).size() <= 2, true);
    }
    check::equal(frequent_item_sets(made.view(false), {1, 7, 10}, 2, stop).is_complete, false);
}};

const check::Test same_at_all_levels{"bits are counted alike at every level", [] {
    std::mt19937_64 draw(5);
    std::vector<std::uint64_t> one(37), other(37), expected(37), found(37);
    for (std::size_t word = 0; word < one.size(); ++word) {
        one[word] = draw();
        other[word] = draw();
    }
    const auto& plain = bit_kernels_for(CpuLevel::baseline);
    const std::int64_t n_bits = plain.intersect(one.data(), other.data(), 37, expected.data());
    for (const CpuLevel level : available_cpu_levels()) {
        const auto& kernels = bit_kernels_for(level);
        check::equal(kernels.intersect(one.data(), other.data(), 37, found.data()), n_bits);
        check::equal(found == expected, true);
    }
}};

}  // namespace
