// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
#include "forest/walker/kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>

#if defined(__AVX512F__)
#include "forest/walker/avx512.hpp"
#endif

namespace branchline::BRANCHLINE_LEVEL {

namespace {

constexpr std::size_t search_lanes = 64;
constexpr std::size_t walk_lanes = 16;
constexpr int steps_a_round = 5;  // then rows that have arrived leave the frontier

// A binary search without a branch; all lanes take the same number of steps.
template <std::size_t n_lanes>
void rank_lanes(std::span<const double> edges, const double* values, std::uint32_t* ranks) {
    std::array<std::int32_t, n_lanes> below{};
    const double* const edge = edges.data();
    auto n = static_cast<std::int32_t>(edges.size());
    for (; n > 1; n -= n / 2) {
        const std::int32_t half = n / 2;
        for (std::size_t lane = 0; lane < n_lanes; ++lane) {
            below[lane] +=
                half * static_cast<std::int32_t>(edge[below[lane] + half - 1] < values[lane]);
        }
    }
    for (std::size_t lane = 0; lane < n_lanes; ++lane) {
        below[lane] += static_cast<std::int32_t>(edge[below[lane]] < values[lane]);
        ranks[lane] = static_cast<std::uint32_t>(below[lane]);
    }
}

void rank(std::span<const double> edges, std::span<const double> values, std::uint32_t* ranks) {
    if (edges.empty()) {
        std::fill_n(ranks, values.size(), 0u);
        return;
    }
    std::size_t i = 0;
    for (; i + search_lanes <= values.size(); i += search_lanes) {
        rank_lanes<search_lanes>(edges, values.data() + i, ranks + i);
    }
    for (; i < values.size(); ++i) rank_lanes<1>(edges, values.data() + i, ranks + i);
}

// Fills up the last lanes with the root and a row that exists.
void pad(const Frontier& frontier, std::size_t n_lanes) {
    std::fill_n(frontier.row + frontier.n, n_lanes, 0u);
    std::fill_n(frontier.place + frontier.n, n_lanes, root_place);
}

// Several rows go down side by side: their steps do not wait for one another, so the processor
// overlaps them. Returns how many are still on their way.
template <class Tree>
std::size_t walk_round(Tree tree, CodedRows rows, Frontier frontier, std::uint32_t* place_of_row) {
    std::size_t n_left = 0;
    for (std::size_t begin = 0; begin < frontier.n; begin += walk_lanes) {
        std::array<std::uint32_t, walk_lanes> place;
        std::array<const std::uint32_t*, walk_lanes> codes;
        for (std::size_t k = 0; k < walk_lanes; ++k) {
            place[k] = frontier.place[begin + k];
            codes[k] = rows.codes + frontier.row[begin + k] * rows.n_views;
        }
        for (int step = 0; step < steps_a_round; ++step) {
#pragma GCC unroll 16
            for (std::size_t k = 0; k < walk_lanes; ++k) place[k] = tree.step(place[k], codes[k]);
        }
        const std::size_t n = std::min(walk_lanes, frontier.n - begin);
        for (std::size_t k = 0; k < n; ++k) {
            const std::uint32_t row = frontier.row[begin + k];
            place_of_row[row] = place[k];
            frontier.row[n_left] = row;
            frontier.place[n_left] = place[k];
            n_left += static_cast<std::size_t>(!tree.is_leaf(place[k]));
        }
    }
    return n_left;
}

template <class Tree>
void descend(Tree tree, CodedRows rows, Frontier frontier, std::uint32_t* place_of_row) {
    while (frontier.n > 0) {
        pad(frontier, walk_lanes);
        frontier.n = walk_round(tree, rows, frontier, place_of_row);
    }
}

#if defined(__AVX512F__)
template <>
void descend(NarrowTree tree, CodedRows rows, Frontier frontier, std::uint32_t* place_of_row) {
    while (frontier.n > 0) {
        pad(frontier, avx512::walk_lanes);
        frontier.n = avx512::walk_round(tree, rows, frontier, place_of_row);
    }
}
#endif

template <class Tree>
void descend_trees(std::span<const Tree> trees, const std::uint32_t* codes,
                   std::uint32_t* place_in_tree) {
    for (std::size_t begin = 0; begin < trees.size(); begin += walk_lanes) {
        const std::size_t n = std::min(walk_lanes, trees.size() - begin);
        std::array<Tree, walk_lanes> tree;
        std::array<std::uint32_t, walk_lanes> place;
        for (std::size_t k = 0; k < walk_lanes; ++k) tree[k] = trees[begin + std::min(k, n - 1)];
        place.fill(root_place);
        bool on_the_way = true;
        while (on_the_way) {
            for (int step = 0; step < steps_a_round; ++step) {
#pragma GCC unroll 16
                for (std::size_t k = 0; k < walk_lanes; ++k) {
                    place[k] = tree[k].step(place[k], codes);
                }
            }
            on_the_way = false;
            for (std::size_t k = 0; k < walk_lanes; ++k) on_the_way |= !tree[k].is_leaf(place[k]);
        }
        std::copy_n(place.begin(), n, place_in_tree + begin);
    }
}

void number_leaves(const LeafWord* leaves, std::span<const std::uint32_t> places,
                   std::uint32_t* numbers) {
    for (std::size_t i = 0; i < places.size(); ++i) {
        const LeafWord& word = leaves[places[i] / 64];
        const std::uint64_t before = (std::uint64_t{1} << (places[i] % 64)) - 1;
        numbers[i] =
            word.leaves_before + static_cast<std::uint32_t>(std::popcount(word.bits & before));
    }
}

}  // namespace

extern const ForestKernels forest_kernels;
const ForestKernels forest_kernels{rank,
                                   descend<NarrowTree>,
                                   descend<WideTree>,
                                   descend_trees<NarrowTree>,
                                   descend_trees<WideTree>,
                                   number_leaves};

}  // namespace branchline::BRANCHLINE_LEVEL
