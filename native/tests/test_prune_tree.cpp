#include <cmath>
#include <limits>
#include <random>

#include "branchline/prune_tree.hpp"
#include "check.hpp"
#include "test_data.hpp"

namespace {

using namespace branchline;

using Nodes = std::vector<std::int32_t>;
using Numbers = std::vector<double>;

constexpr double never = -std::numeric_limits<double>::infinity();  // critical β of a leaf

struct Shape {
    Nodes first_child, n_children;

    TreeShape view() const { return {first_child, n_children}; }
    std::size_t size() const { return n_children.size(); }
    bool is_inner(std::size_t node) const { return n_children[node] > 0; }
    std::size_t child(std::size_t node, std::int32_t branch) const {
        return static_cast<std::size_t>(first_child[node] + branch);
    }
};

Numbers links(const Shape& shape, const Numbers& cost, const Numbers& extra = {}) {
    StopSignal stop;
    return weakest_link(shape.view(), cost, extra, stop);
}

GreedyPruning greedy(const Shape& shape, const Numbers& cost, const Numbers& extra = {}) {
    StopSignal stop;
    return greedy_pruning(shape.view(), cost, extra, stop);
}

// Seven leaves: 0 → (1, 2), 1 → (3, leaf 4), 2 → (5, 6); 3, 5 and 6 have two leaves each.
const Shape seven_leaves{{1, 3, 5, 7, -1, 9, 11, -1, -1, -1, -1, -1, -1},
                         {2, 2, 2, 2, 0, 2, 2, 0, 0, 0, 0, 0, 0}};
const Numbers seven_costs{40, 8, 20, 4, 2, 3, 8, 1, 1, 0, 2, 1, 3};

const check::Test worked_example{"the weakest links of a tree with seven leaves", [] {
    // β = 1: node 5. β = 2: node 1, with 3, whose link is 2 as well. β = 4: node 6; then the links
    // are (20 − 11) / 1 in node 2 and (40 − 28) / 1 in the root.
    const Numbers expected{12, 2, 9, 2, never, 1, 4, never, never, never, never, never, never};
    check::equal(links(seven_leaves, seven_costs), expected);
    const GreedyPruning sequence = greedy(seven_leaves, seven_costs);
    check::equal(sequence.node, Nodes{5, 3, 1, 6, 2, 0});
    check::equal(sequence.cost, Numbers{10, 11, 13, 15, 19, 28, 40});
}};

const check::Test multiway{"a node of several branches may be weaker than one below", [] {
    // Node 3 loses 4 for three leaves, the root 5 for five.
    const Shape shape{{1, -1, -1, 4, -1, -1, -1, -1}, {3, 0, 0, 4, 0, 0, 0, 0}};
    const Numbers cost{10, 1, 2, 6, 0.5, 0.5, 0.5, 0.5};
    check::equal(links(shape, cost), Numbers{1, never, never, 1, never, never, never, never});
    // Rows that stay in node 3 make its subtree worth less; with enough of them it is the weaker one.
    const Numbers extra{0, 0, 0, 2, 0, 0, 0, 0};
    check::equal(links(shape, cost, extra)[3], 3.0 / 5);
    check::equal(links(shape, cost, extra)[0], 3.0 / 5);
    const Numbers more{0, 0, 0, 3, 0, 0, 0, 0};
    check::equal(links(shape, cost, more),
                 Numbers{0.5, never, never, 1.0 / 3, never, never, never, never});
}};

const check::Test alone{"a tree of one leaf has nothing to prune", [] {
    const Shape shape{{-1}, {0}};
    check::equal(links(shape, {3}), Numbers{never});
    check::equal(greedy(shape, {3}).node, Nodes{});
    check::equal(greedy(shape, {3}).cost, Numbers{3});
}};

const check::Test useless{"links of 0, also by rounding, collapse at 0; ties collapse together",
                          [] {
    const Shape shape{{1, -1, 3, -1, -1}, {2, 0, 2, 0, 0}};
    check::equal(links(shape, {4, 2, 2, 1, 1}), Numbers{0, never, 0, never, never});
    check::equal(links(shape, {0.3, 0.1, 0.2, 0.1, 0.1})[0], 0.0);  // 0.1 + 0.2 > 0.3
    check::equal(links(shape, {4, 1, 4, 3, 2}), Numbers{0, never, 0, never, never});  // below 0
    // Links of 0.1 and (0.3 − 0.1) / 2, which rounding tells apart.
    const Numbers tied = links(shape, {0.3, 0.0, 0.2, 0.1, 0.0});
    check::equal(tied[0], tied[2]);
    check::equal(greedy(shape, {4, 2, 2, 1, 1}).node, Nodes{0});
    check::equal(greedy(shape, {0.3, 0.1, 0.2, 0.1, 0.1}).cost,
                 Numbers{0.1 + 0.1 + 0.1, 0.1 + 0.1 + 0.1});
}};

const check::Test five_trees{"validation errors 10, 8, 15, 25, 35 in the order of the greedy rule",
                             [] {
    const Shape shape{{1, 4, 6, 8, -1, -1, -1, -1, -1, -1}, {3, 2, 2, 2, 0, 0, 0, 0, 0, 0}};
    const GreedyPruning sequence = greedy(shape, {35, 3, 10, 12, 4, 1, 1, 2, 0, 2});
    check::equal(sequence.cost, Numbers{10, 8, 15, 25, 35});
    check::equal(sequence.node, Nodes{1, 2, 3, 0});
}};

const check::Test first_of_equals{"equal gains: most leaves below, then the first node", [] {
    // Nodes 1 and 2 gain 1 each; below 2 there are three leaves.
    const Shape shape{{1, 3, 5, -1, -1, -1, 7, -1, -1}, {2, 2, 2, 0, 0, 0, 2, 0, 0}};
    check::equal(greedy(shape, {9, 2, 3, 1, 0, 1, 2, 1, 0}).node, Nodes{2, 1, 0});
    check::equal(greedy(shape, {9, 2, 4, 1, 0, 1, 2, 1, 0}).node, Nodes{1, 6, 2, 0});
}};

// A random tree of at most `max_inner` inner nodes with two to four children, and whole costs.
Shape random_shape(std::mt19937_64& generator, std::size_t max_inner) {
    Shape shape{{-1}, {0}};
    std::size_t n_inner = 0;
    for (std::size_t node = 0; node < shape.size() && n_inner < max_inner; ++node) {
        if (generator() % 5 < 2 && node > 0) continue;
        ++n_inner;
        shape.first_child[node] = static_cast<std::int32_t>(shape.size());
        shape.n_children[node] = generator() % 3 == 0 ? 2 + static_cast<int>(generator() % 3) : 2;
        shape.first_child.resize(shape.size() + static_cast<std::size_t>(shape.n_children[node]),
                                 -1);
        shape.n_children.resize(shape.first_child.size(), 0);
    }
    return shape;
}

// A pruning as the set of inner nodes that are leaves in it or gone.
struct Pruned {
    std::vector<bool> is_cut;
    double cost = 0;
    int n_leaves = 0;
};

// What is left when the inner nodes in `mask` (a bit each) collapse.
Pruned prune(const Shape& shape, const Numbers& cost, std::uint32_t mask) {
    Pruned pruned{std::vector<bool>(shape.size(), false)};
    std::uint32_t bit = 1;
    for (std::size_t node = 0; node < shape.size(); ++node) {
        if (!shape.is_inner(node)) continue;
        if ((mask & bit) != 0) pruned.is_cut[node] = true;
        bit *= 2;
    }
    std::vector<bool> is_gone(shape.size(), false);
    for (std::size_t node = 0; node < shape.size(); ++node) {
        const bool ends = !shape.is_inner(node) || pruned.is_cut[node] || is_gone[node];
        if (ends && !is_gone[node]) {
            pruned.cost += cost[node];
            ++pruned.n_leaves;
        }
        for (int branch = 0; branch < shape.n_children[node]; ++branch) {
            is_gone[shape.child(node, branch)] = ends;
        }
        pruned.is_cut[node] = ends && shape.is_inner(node);
    }
    return pruned;
}

const check::Test brute_force{"T(β) is the smallest of the best of all prunings", [] {
    std::mt19937_64 generator(7);
    for (int round = 0; round < 200; ++round) {
        const Shape shape = random_shape(generator, 7);
        Numbers cost(shape.size());
        for (double& value : cost) value = static_cast<double>(generator() % 25);
        const Numbers critical = links(shape, cost);
        std::vector<Pruned> all;
        for (std::uint32_t mask = 0; mask < 128; ++mask) all.push_back(prune(shape, cost, mask));
        for (int twelfths = 0; twelfths < 12 * 26; ++twelfths) {
            // Times 12, so that costs are whole and equal ones are equal.
            const auto total = [&](const Pruned& p) { return 12 * p.cost + twelfths * p.n_leaves; };
            const Pruned* best = &all[0];
            for (const Pruned& p : all) {
                const bool smaller = total(p) == total(*best) && p.n_leaves < best->n_leaves;
                if (total(p) < total(*best) || smaller) best = &p;
            }
            for (std::size_t node = 0; node < shape.size(); ++node) {
                if (!shape.is_inner(node)) continue;
                check::equal(critical[node] <= twelfths / 12.0, bool{best->is_cut[node]});
            }
        }
        for (std::size_t node = 0; node < shape.size(); ++node) {
            for (int branch = 0; branch < shape.n_children[node]; ++branch) {
                check::that(critical[shape.child(node, branch)] <= critical[node], "nested");
            }
        }
    }
}};

const check::Test no_tree{"arrays that are not a tree, and costs that are not numbers, are refused",
                          [] {
    const auto refused = [](const Nodes& first_child, const Nodes& n_children,
                            const Numbers& cost) {
        check::throws<std::invalid_argument>([&] { links({first_child, n_children}, cost); });
        check::throws<std::invalid_argument>([&] { greedy({first_child, n_children}, cost); });
    };
    const Numbers cost{1, 0, 0};
    refused({}, {}, {});
    refused({1, -1, -1}, {2, 0, 0}, {1, 0});
    refused({1, -1}, {1, 0}, {1, 0});
    refused({1, -1, -1}, {3, 0, 0}, cost);
    refused({0, -1, -1}, {2, 0, 0}, cost);
    refused({1, -1, -1}, {-2, 0, 0}, cost);
    refused({1, -1, -1, -1}, {2, 0, 0, 0}, {1, 0, 0, 0});
    refused({1, 2, -1, -1}, {2, 2, 0, 0}, {1, 0, 0, 0});
    refused({1, -1, -1}, {2, 0, 0}, {1, 0, test_data::missing});
    refused({1, -1, -1}, {2, 0, 0}, {1, 0, std::numeric_limits<double>::infinity()});
    refused({1, -1, -1}, {2, 0, 0}, {1e308, 1e308, 0});
}};

const check::Test interrupted{"pruning stops when asked to", [] {
    StopSignal stop;
    stop.request();
    check::throws<Interrupted>([&] { weakest_link(seven_leaves.view(), seven_costs, {}, stop); });
    check::throws<Interrupted>([&] { greedy_pruning(seven_leaves.view(), seven_costs, {}, stop); });
}};

}  // namespace
