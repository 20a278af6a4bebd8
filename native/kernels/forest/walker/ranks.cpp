// Thresholds become ranks among the distinct thresholds of their column.
//
// 1. Group the finite thresholds by column; each remembers its inner node.
// 2. Sort a copy of each column's and drop repeats: the edges.
// 3. Search each threshold among the edges.
#include <algorithm>
#include <limits>

#include "branchline/thread_pool.hpp"
#include "forest/walker/build.hpp"
#include "radix_sort.hpp"

namespace branchline {

namespace {

// Thresholds by tested column: those of column i stand from first[i] to first[i + 1].
struct Grouped {
    std::vector<std::size_t> first;
    std::vector<double> threshold;
    std::vector<std::uint32_t> inner;
};

std::vector<std::uint32_t> place_of_column(const CompactForest& forest) {
    std::vector<std::uint32_t> place(forest.n_codes.size(), 0);
    for (std::uint32_t i = 0; i < forest.tested.size(); ++i) place[forest.tested[i].column] = i;
    return place;
}

Grouped group_by_column(const ForestView& view, const CompactForest& forest) {
    const std::vector<std::uint32_t> place = place_of_column(forest);
    const auto is_finite_test = [&](std::size_t inner) {
        return view.n_codes[static_cast<std::size_t>(view.feature[inner])] == 0 &&
               view.threshold[inner] < std::numeric_limits<double>::infinity();
    };
    const std::size_t n_inner = view.feature.size();
    Grouped out{std::vector<std::size_t>(forest.tested.size() + 1), {}, {}};
    for (std::size_t i = 0; i < n_inner; ++i) {
        out.first[place[static_cast<std::size_t>(view.feature[i])] + 1] += is_finite_test(i);
    }
    for (std::size_t c = 1; c < out.first.size(); ++c) out.first[c] += out.first[c - 1];
    std::vector<std::size_t> next = out.first;
    out.threshold.resize(out.first.back());
    out.inner.resize(out.first.back());
    for (std::size_t i = 0; i < n_inner; ++i) {
        if (!is_finite_test(i)) continue;
        const std::size_t to = next[place[static_cast<std::size_t>(view.feature[i])]]++;
        out.threshold[to] = view.threshold[i];
        out.inner[to] = static_cast<std::uint32_t>(i);
    }
    return out;
}

std::vector<double> sorted_distinct(std::span<const double> values, StopSignal& stop) {
    std::vector<BareKey<std::uint64_t>> keys, spare;
    keys.reserve(values.size());
    for (const double value : values) keys.push_back({key_of(value)});
    sort_by_key(keys, spare, stop);
    std::vector<double> out;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i > 0 && keys[i].key == keys[i - 1].key) continue;
        out.push_back(value_of<double>(keys[i].key));
    }
    return out;
}

}  // namespace

std::vector<std::uint32_t> rank_thresholds(const ForestView& view, CompactForest& forest,
                                           int n_threads, StopSignal& stop) {
    const Grouped grouped = group_by_column(view, forest);
    // An infinite threshold is above every code; limits are cut off where nodes are made.
    std::vector<std::uint32_t> rank_of_inner(view.feature.size(),
                                             std::numeric_limits<std::uint32_t>::max());
    std::vector<std::vector<double>> edges(forest.tested.size());
    const ForestKernels& kernels = forest_kernels_for(best_cpu_level());
    ThreadPool pool(n_threads, stop);
    pool.run(forest.tested.size(), [&](std::size_t c, std::size_t) {
        const std::size_t begin = grouped.first[c], n = grouped.first[c + 1] - begin;
        const auto thresholds = std::span(grouped.threshold).subspan(begin, n);
        edges[c] = sorted_distinct(thresholds, stop);
        std::vector<std::uint32_t> ranks(n);
        kernels.rank(edges[c], thresholds, ranks.data());
        for (std::size_t i = 0; i < n; ++i) rank_of_inner[grouped.inner[begin + i]] = ranks[i];
    });
    for (std::size_t c = 0; c < edges.size(); ++c) {
        forest.tested[c].first_edge = forest.edges.size();
        forest.tested[c].n_edges = edges[c].size();
        forest.edges.insert(forest.edges.end(), edges[c].begin(), edges[c].end());
    }
    return rank_of_inner;
}

}  // namespace branchline
