// Orders in which categories are cut, and the best subset found so far.
#pragma once

#include <algorithm>
#include <numeric>

#include "tree/finder.hpp"

namespace branchline::tree {

// What each group holds of each class.
struct GroupCells {
    std::vector<std::int64_t> cells;
    std::size_t width = 0;

    std::int64_t* of(std::size_t group) { return cells.data() + group * width; }
    const std::int64_t* of(std::size_t group) const { return cells.data() + group * width; }
};

template <class Sides>
GroupCells class_cells(const Finder<Sides>& finder, std::size_t n_classes) {
    GroupCells made{std::vector<std::int64_t>(finder.groups.size() * n_classes, 0), n_classes};
    for (std::size_t g = 0; g < finder.groups.size(); ++g) {
        for (std::uint32_t i = finder.groups[g].begin; i < finder.groups[g].end; ++i) {
            const auto& entry = finder.column.present[i];
            made.of(g)[entry.class_index] += entry.units;
        }
    }
    return made;
}

inline std::vector<Group> ordered(std::span<const Group> groups, std::span<const double> key) {
    std::vector<std::size_t> place(groups.size());
    std::iota(place.begin(), place.end(), std::size_t{0});
    std::stable_sort(place.begin(), place.end(),
                     [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
    std::vector<Group> order;
    for (const std::size_t g : place) order.push_back(groups[g]);
    return order;
}

// The groups in an order, and where it is cut.
struct BestSubset {
    std::vector<Group> order;
    Cut cut;

    void offer(std::vector<Group> other_order, const Cut& other, double slack) {
        if (other.found() && other.badness < cut.badness - slack) {
            order = std::move(other_order);
            cut = other;
        }
    }
};

template <class Sides>
void try_order(const Finder<Sides>& finder, std::vector<Group> order, BestSubset& best) {
    auto search = finder.search(finder.options.min_leaf_units);
    Cut cut;
    finder.for_missing_sides([&](MissingSide side) { search.scan(order, side, cut); });
    best.offer(std::move(order), cut, finder.column.facts.badness_slack());
}

// The share of the classes in `chosen` among each group's weight.
inline std::vector<double> shares(const GroupCells& cells, const std::vector<bool>& chosen) {
    std::vector<double> key(cells.cells.size() / cells.width);
    for (std::size_t g = 0; g < key.size(); ++g) {
        std::int64_t part = 0, total = 0;
        for (std::size_t c = 0; c < cells.width; ++c) {
            total += cells.of(g)[c];
            if (chosen[c]) part += cells.of(g)[c];
        }
        key[g] = static_cast<double>(part) / static_cast<double>(total);
    }
    return key;
}

}  // namespace branchline::tree
