#include "branchline/linear_leaves.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "boosting/linear_step.hpp"
#include "branchline/thread_pool.hpp"
#include "branchline/tree_walker.hpp"

namespace branchline {

namespace {

constexpr std::size_t most_terms = LinearRule::most_terms;

// Which columns of numbers the path of a leaf tests, in the order of the path.
struct PathColumns {
    std::array<std::uint32_t, most_terms> place{};
    std::size_t n = 0;

    void add(std::int32_t column) {
        const auto known = std::span(place).first(n);
        const auto wanted = static_cast<std::uint32_t>(column);
        if (column < 0 || n == most_terms || std::ranges::find(known, wanted) != known.end()) {
            return;
        }
        place[n++] = wanted;
    }
};

// Of the leaves of a tree, in level order.
std::vector<PathColumns> paths_of(std::span<const std::uint8_t> kind,
                                  std::span<const std::uint32_t> feature,
                                  std::span<const std::int32_t> place) {
    std::vector<PathColumns> of_node(kind.size()), of_leaf;
    for (std::size_t node = 0, inner = 0; node < kind.size(); ++node) {
        if (kind[node] == static_cast<std::uint8_t>(NodeKind::leaf)) {
            of_leaf.push_back(of_node[node]);
            continue;
        }
        PathColumns below = of_node[node];
        below.add(place[feature[inner]]);
        of_node[1 + 2 * inner] = of_node[2 + 2 * inner] = below;
        ++inner;
    }
    return of_leaf;
}

// A tree's leaves and their rows: those that count, one leaf after another.
struct LeafRows {
    std::vector<PathColumns> paths;
    std::vector<RowIndex> rows;
    std::vector<std::size_t> first;  // a number per leaf and one more
    RowExtent extent;

    std::span<const RowIndex> of(std::size_t leaf) const {
        return std::span(rows).subspan(first[leaf], first[leaf + 1] - first[leaf]);
    }
};

void sort_rows(LeafRows& tree, const BoostingTarget& target, const std::uint32_t* leaf_of_row) {
    const std::size_t n_rows = target.gradients.size(), n_leaves = tree.paths.size();
    const auto counts = [&](std::size_t row) {
        return target.units.empty() || target.units[row] > 0;
    };
    tree.first.assign(n_leaves + 1, 0);
    for (std::size_t row = 0; row < n_rows; ++row) {
        if (leaf_of_row[row] >= n_leaves) throw std::out_of_range("no such leaf");
        if (!counts(row)) continue;
        ++tree.first[leaf_of_row[row] + 1];
        tree.extent.add(target, row);
    }
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) tree.first[leaf + 1] += tree.first[leaf];
    tree.rows.resize(tree.first.back());
    std::vector<std::size_t> next(tree.first.begin(), tree.first.end() - 1);
    for (std::size_t row = 0; row < n_rows; ++row) {
        if (counts(row)) tree.rows[next[leaf_of_row[row]]++] = static_cast<RowIndex>(row);
    }
}

void write_terms(const LeafStep& step, double rate, LinearTerms& out) {
    std::uint8_t n_terms = 0;
    for (std::size_t j = 0; j < step.n; ++j) {
        const auto slope = static_cast<float>(rate * step.slope[j]);
        if (!std::isfinite(slope)) throw std::overflow_error("scores grow without end");
        if (slope == 0) continue;
        out.column.push_back(step.place[j]);
        out.slope.push_back(slope);
        out.center.push_back(step.center[j]);
        out.low.push_back(step.low[j]);
        out.high.push_back(step.high[j]);
        ++n_terms;
    }
    out.n_terms.push_back(n_terms);
}

}  // namespace

void fit_linear_leaves(const GrownView& trees, std::span<const BoostingTarget> targets,
                       std::span<const std::uint32_t> leaf_of_row, const LinearColumns& columns,
                       const LinearRule& rule, LinearTerms& out, StopSignal& stop) {
    constexpr std::size_t least_a_thread = 16384;
    const std::size_t n_trees = trees.n_nodes.size(), n_rows = targets[0].gradients.size();
    ThreadPool pool(threads_for(n_rows * n_trees, least_a_thread, rule.n_threads), stop);
    std::vector<LeafRows> of_tree(n_trees);
    std::vector<std::size_t> tree_of_leaf, first_leaf;
    for (std::size_t tree = 0, node = 0, inner = 0; tree < n_trees; ++tree) {
        const auto n_nodes = static_cast<std::size_t>(trees.n_nodes[tree]);
        of_tree[tree].paths = paths_of(trees.kind.subspan(node, n_nodes),
                                       trees.feature.subspan(inner, n_nodes / 2), columns.place);
        first_leaf.push_back(tree_of_leaf.size());
        tree_of_leaf.resize(tree_of_leaf.size() + n_nodes / 2 + 1, tree);
        node += n_nodes;
        inner += n_nodes / 2;
    }
    pool.run(n_trees, [&](std::size_t tree, std::size_t) {
        sort_rows(of_tree[tree], targets[tree], leaf_of_row.data() + tree * n_rows);
    });
    std::vector<LeafStep> steps(tree_of_leaf.size());
    pool.run(steps.size(), [&](std::size_t leaf, std::size_t) {
        const std::size_t tree = tree_of_leaf[leaf], own = leaf - first_leaf[tree];
        const LeafRows& here = of_tree[tree];
        const PathColumns& path = here.paths[own];
        const LeafProblem problem{targets[tree],
                                  here.of(own),
                                  {columns.z.data(), n_rows},
                                  {path.place.data(), path.n},
                                  here.extent,
                                  trees.sum_gradient[leaf],
                                  trees.sum_hessian[leaf]};
        steps[leaf] = linear_step(problem, rule);
    });
    for (const LeafStep& step : steps) write_terms(step, rule.rate, out);
}

}  // namespace branchline
