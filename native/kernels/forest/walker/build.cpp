// A forest's arrays become compact nodes.
#include "forest/walker/build.hpp"

#include <algorithm>

#include "branchline/thread_pool.hpp"
#include "branchline/tree_walker.hpp"
#include "forest/walker/values.hpp"

namespace branchline {

namespace {

// Where the parts of a tree begin in the arrays that it is made of.
struct TreeStart {
    std::size_t node = 0, inner = 0, leaf = 0, pool = 0, bits = 0;
};

std::size_t pool_bytes(const ForestView& view, std::size_t inner) {
    const std::int64_t n_codes = view.n_codes[static_cast<std::size_t>(view.feature[inner])];
    return (static_cast<std::size_t>(n_codes) + 7) / 8;
}

// With a bit for missing values in front.
std::size_t bits_bytes(const ForestView& view, std::size_t inner) {
    const std::int64_t n_codes = view.n_codes[static_cast<std::size_t>(view.feature[inner])];
    return static_cast<std::size_t>(n_codes) / 8 + 1;
}

// One entry per tree and one more.
std::vector<TreeStart> find_starts(const ForestView& view) {
    std::vector<TreeStart> starts;
    TreeStart start;
    start.bits = 1;  // the first byte holds no bit
    for (const std::int64_t n : view.n_nodes) {
        starts.push_back(start);
        const std::size_t n_inner = static_cast<std::size_t>(n) / 2;
        const std::size_t end = start.inner + n_inner;
        start.node += static_cast<std::size_t>(n);
        start.leaf += n_inner + 1;
        for (; start.inner < end; ++start.inner) {
            if (view.n_codes[static_cast<std::size_t>(view.feature[start.inner])] == 0) continue;
            start.pool += pool_bytes(view, start.inner);
            start.bits += bits_bytes(view, start.inner);
        }
    }
    starts.push_back(start);
    return starts;
}

// Finds which columns are tested, and gives each the views that its tests need.
void give_views(const ForestView& view, CompactForest& forest) {
    constexpr std::uint8_t right = 1, left = 2, category = 4;
    std::vector<std::uint8_t> needs(view.n_codes.size(), 0);
    for (std::size_t i = 0; i < view.feature.size(); ++i) {
        const auto column = static_cast<std::size_t>(view.feature[i]);
        needs[column] |= view.n_codes[column] > 0 ? category : view.missing_left[i] ? left : right;
    }
    std::uint32_t n_views = 0;
    for (std::uint32_t column = 0; column < needs.size(); ++column) {
        if (needs[column] == 0) continue;
        TestedColumn tested{.column = column};
        if (needs[column] & right) tested.right_view = n_views++;
        if (needs[column] & left) tested.left_view = n_views++;
        if (needs[column] & category) tested.category_view = n_views++;
        forest.tested.push_back(tested);
    }
    forest.n_views = std::max<std::size_t>(n_views, 1);  // leaves look at view 0
}

bool fits_narrow(const ForestView& view, const CompactForest& forest) {
    const auto too_long = [](std::int64_t n) { return n >= NarrowTree::place_mask; };
    const auto too_wide = [](const TestedColumn& tested) {
        return tested.category_view != no_view || tested.n_edges + 3 > NarrowTree::leaf_limit;
    };
    return forest.n_views <= 0x1'0000 &&
           std::none_of(view.n_nodes.begin(), view.n_nodes.end(), too_long) &&
           std::none_of(forest.tested.begin(), forest.tested.end(), too_wide);
}

class TreeMaker {
  public:
    TreeMaker(const ForestView& view, CompactForest& forest, std::span<const TreeStart> starts,
              std::span<const std::uint32_t> ranks)
        : view_(view), forest_(forest), starts_(starts), ranks_(ranks),
          tested_of_column_(view.n_codes.size(), 0) {
        for (std::uint32_t i = 0; i < forest.tested.size(); ++i) {
            tested_of_column_[forest.tested[i].column] = i;
        }
    }

    // Writes the tree's nodes and leaf bits; returns its table of values.
    std::vector<double> make(std::size_t tree) const {
        const TreeStart& start = starts_[tree];
        const std::size_t n_nodes = starts_[tree + 1].node - start.node;
        ValueTable table(starts_[tree + 1].leaf - start.leaf, view_.width);
        std::size_t pool = start.pool, bits = start.bits;
        std::uint32_t n_inner = 0, n_leaves = 0;
        for (std::uint32_t i = 0; i < n_nodes; ++i) {
            const std::uint32_t place = root_place + i;
            if (place % 64 == 0 || i == 0) {
                forest_.leaf_words[forest_.first_word[tree] + place / 64].leaves_before = n_leaves;
            }
            if (view_.kind[start.node + i] == static_cast<std::uint8_t>(NodeKind::leaf)) {
                add_leaf(tree, place, start.leaf + n_leaves++, table);
                continue;
            }
            const std::size_t inner = start.inner + n_inner;
            const std::uint32_t child = 2 + 2 * n_inner++;
            if (view_.n_codes[static_cast<std::size_t>(view_.feature[inner])] == 0) {
                write_threshold(forest_.first_node[tree] + place, child, inner);
            } else {
                write_categories(forest_.first_node[tree] + place, child, inner, pool, bits);
                pool += pool_bytes(view_, inner);
                bits += bits_bytes(view_, inner);
            }
        }
        return table.take_values();
    }

  private:
    const TestedColumn& tested(std::size_t inner) const {
        return forest_.tested[tested_of_column_[static_cast<std::size_t>(view_.feature[inner])]];
    }

    void add_leaf(std::size_t tree, std::uint32_t place, std::size_t leaf,
                  ValueTable& table) const {
        const std::size_t at = forest_.first_node[tree] + place;
        if (forest_.is_narrow()) {
            forest_.narrow[at] = NarrowTree::node(place, 0, NarrowTree::leaf_limit);
        } else {
            forest_.wide[at] = {place, 0, WideTree::leaf_limit, 0};
        }
        forest_.leaf_words[forest_.first_word[tree] + place / 64].bits |= std::uint64_t{1}
                                                                          << (place % 64);
        forest_.value_of_leaf[leaf] = table.find_or_add(&view_.leaf_value[leaf * view_.width]);
    }

    void write_threshold(std::size_t at, std::uint32_t child, std::size_t inner) const {
        const bool goes_left = view_.missing_left[inner] != 0;
        const std::uint32_t limit =
            forest_.is_narrow() ? NarrowTree::leaf_limit : WideTree::leaf_limit;
        // An infinite threshold is above every code but that of a missing value that goes right.
        const std::uint32_t rank = std::min(ranks_[inner], limit - 2) + goes_left;
        const std::uint32_t view = goes_left ? tested(inner).left_view : tested(inner).right_view;
        if (forest_.is_narrow()) {
            forest_.narrow[at] = NarrowTree::node(child, view, rank);
        } else {
            forest_.wide[at] = {child, view, rank, 0};
        }
    }

    void write_categories(std::size_t at, std::uint32_t child, std::size_t inner, std::size_t pool,
                          std::size_t bits) const {
        forest_.wide[at] = {child, tested(inner).category_view | WideTree::is_category,
                            WideTree::leaf_limit, static_cast<std::uint32_t>(bits)};
        const auto set = [&](std::size_t code, unsigned bit) {
            forest_.category_bits[bits + code / 8] |= static_cast<std::uint8_t>(bit << (code % 8));
        };
        set(0, view_.missing_left[inner] ^ 1u);
        const auto n_codes =
            static_cast<std::size_t>(view_.n_codes[static_cast<std::size_t>(view_.feature[inner])]);
        for (std::size_t c = 0; c < n_codes; ++c) {
            set(c + 1, (view_.pool[pool + c / 8] >> (c % 8)) & 1u);
        }
    }

    const ForestView& view_;
    CompactForest& forest_;
    std::span<const TreeStart> starts_;
    std::span<const std::uint32_t> ranks_;
    std::vector<std::uint32_t> tested_of_column_;
};

// Room for every tree; one place more than nodes, so that places count from 1.
void make_room(std::span<const TreeStart> starts, bool is_narrow, CompactForest& forest) {
    std::size_t n_words = 0;
    for (std::size_t t = 0; t < starts.size(); ++t) {
        forest.first_node.push_back(starts[t].node + t);
        forest.first_leaf.push_back(starts[t].leaf);
        forest.first_word.push_back(n_words);
        if (t + 1 < starts.size()) n_words += (starts[t + 1].node - starts[t].node) / 64 + 1;
    }
    forest.n_nodes = starts.back().node;
    forest.n_leaves = starts.back().leaf;
    if (is_narrow) {
        forest.narrow.resize(forest.first_node.back());
    } else {
        forest.wide.resize(forest.first_node.back());
        forest.category_bits.resize(starts.back().bits);
    }
    forest.leaf_words.resize(n_words);
    forest.value_of_leaf.resize(forest.n_leaves);
}

// The tables of all trees, one after another.
void join_values(const std::vector<std::vector<double>>& value_of_tree, CompactForest& forest) {
    std::size_t n_values = 0;
    for (const auto& values : value_of_tree) n_values += values.size();
    forest.values.reserve(n_values);
    for (std::size_t t = 0; t < value_of_tree.size(); ++t) {
        const auto before = static_cast<std::uint32_t>(forest.values.size() / forest.width);
        for (std::size_t leaf = forest.first_leaf[t]; leaf < forest.first_leaf[t + 1]; ++leaf) {
            forest.value_of_leaf[leaf] += before;
        }
        forest.values.insert(forest.values.end(), value_of_tree[t].begin(), value_of_tree[t].end());
    }
}

}  // namespace

CompactForest make_compact_forest(const ForestView& view, int n_threads, StopSignal& stop) {
    check_forest(view);
    CompactForest forest;
    forest.width = view.width;
    forest.n_codes.assign(view.n_codes.begin(), view.n_codes.end());
    give_views(view, forest);
    const std::vector<std::uint32_t> ranks = rank_thresholds(view, forest, n_threads, stop);
    const std::vector<TreeStart> starts = find_starts(view);
    make_room(starts, fits_narrow(view, forest), forest);
    const TreeMaker maker(view, forest, starts, ranks);
    std::vector<std::vector<double>> value_of_tree(forest.n_trees());
    ThreadPool pool(n_threads, stop);
    pool.run(forest.n_trees(),
             [&](std::size_t tree, std::size_t) { value_of_tree[tree] = maker.make(tree); });
    join_values(value_of_tree, forest);
    return forest;
}

}  // namespace branchline
