#include "branchline/prune_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "tree/compensated_sum.hpp"

namespace branchline {

namespace {

constexpr double same = 1e-12;  // costs that differ by less, relatively, are equal
constexpr double infinity = std::numeric_limits<double>::infinity();

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

// An inner node that may collapse: the lowest `rank` first. A leaf, or what is gone, has rank ∞.
struct Link {
    CompensatedSum gain;
    double cost = 0;
    double rank = infinity;
    std::int64_t n_leaves = 1;
    std::int32_t parent = -1;

    bool is_inner() const { return rank != infinity; }
};

// The tree while it is pruned. Rank is called as rank(link) and gives a finite number.
template <class Rank>
class Pruning {
  public:
    Pruning(const TreeShape& shape, std::span<const double> cost,
            std::span<const double> extra_cost, Rank rank)
        : shape_(shape), rank_(rank), links_(cost.size()), winner_(2 * cost.size()) {
        const auto parent = parents_of(shape);
        for (std::size_t i = 0; i < links_.size(); ++i) {
            links_[i].cost = cost[i];
            links_[i].parent = parent[i];
        }
        sum_subtrees(extra_cost);
        for (std::size_t i = 0; i < links_.size(); ++i) winner_[links_.size() + i] = index(i);
        for (std::size_t i = links_.size(); i-- > 1;) winner_[i] = match(i);
    }

    bool can_collapse() const { return links_[0].is_inner(); }
    std::size_t next() const { return static_cast<std::size_t>(winner_[1]); }
    const Link& operator[](std::size_t node) const { return links_[node]; }

    double cost_of_tree() const {
        CompensatedSum cost(links_[0].cost);
        cost.subtract(links_[0].gain);
        return cost.value();
    }

    // Makes a leaf of an inner node; calls gone(t) for it and every inner node below.
    template <class Gone>
    void collapse(std::size_t node, Gone&& gone) {
        const CompensatedSum gain = links_[node].gain;
        const std::int64_t n_fewer = links_[node].n_leaves - 1;
        open_.assign(1, node);
        while (!open_.empty()) {
            const std::size_t t = open_.back();
            open_.pop_back();
            gone(t);
            links_[t].rank = infinity;
            replay(t);
            for (std::size_t child = first_child(t); child < end_of_children(t); ++child) {
                if (links_[child].is_inner()) open_.push_back(child);
            }
        }
        links_[node].gain = CompensatedSum();
        for (std::int32_t t = links_[node].parent; t >= 0;) {
            Link& ancestor = links_[static_cast<std::size_t>(t)];
            ancestor.gain.subtract(gain);
            ancestor.n_leaves -= n_fewer;
            ancestor.rank = rank_(ancestor);
            replay(static_cast<std::size_t>(t));
            t = ancestor.parent;
        }
    }

  private:
    static std::int32_t index(std::size_t node) { return static_cast<std::int32_t>(node); }

    std::size_t first_child(std::size_t node) const {
        return shape_.n_children[node] == 0 ? 0
                                            : static_cast<std::size_t>(shape_.first_child[node]);
    }
    std::size_t end_of_children(std::size_t node) const {
        return first_child(node) + static_cast<std::size_t>(shape_.n_children[node]);
    }

    // Children come after their parents: backwards, what is below a node is known.
    void sum_subtrees(std::span<const double> extra_cost) {
        for (std::size_t node = links_.size(); node-- > 0;) {
            if (shape_.n_children[node] == 0) continue;
            Link& link = links_[node];
            link.gain = CompensatedSum(link.cost);
            if (!extra_cost.empty()) link.gain.add(-extra_cost[node]);
            link.n_leaves = 0;
            for (std::size_t child = first_child(node); child < end_of_children(node); ++child) {
                link.gain.add(-links_[child].cost);
                link.gain.add(links_[child].gain);
                link.n_leaves += links_[child].n_leaves;
            }
            link.rank = rank_(link);
        }
    }

    bool is_before(std::int32_t a, std::int32_t b) const {
        const Link& first = links_[static_cast<std::size_t>(a)];
        const Link& second = links_[static_cast<std::size_t>(b)];
        if (first.rank != second.rank) return first.rank < second.rank;
        if (first.n_leaves != second.n_leaves) return first.n_leaves > second.n_leaves;
        return a < b;
    }

    std::int32_t match(std::size_t i) const {
        const std::int32_t a = winner_[2 * i], b = winner_[2 * i + 1];
        return is_before(b, a) ? b : a;
    }

    // A node's rank has changed: its matches are played again, as far as that can matter.
    void replay(std::size_t node) {
        for (std::size_t i = (links_.size() + node) / 2; i > 0; i /= 2) {
            const std::int32_t before = winner_[i];
            winner_[i] = match(i);
            if (winner_[i] == before && before != index(node)) return;
        }
    }

    TreeShape shape_;
    Rank rank_;
    std::vector<Link> links_;
    std::vector<std::int32_t> winner_;  // [1] of all; [i] of [2i] and [2i + 1]; [n + node] is node
    std::vector<std::size_t> open_;
};

void check_costs(const TreeShape& shape, std::span<const double> cost,
                 std::span<const double> extra) {
    const std::size_t n_nodes = shape.n_children.size();
    require(cost.size() == n_nodes, "one cost for each node");
    require(extra.empty() || extra.size() == n_nodes, "one extra cost for each node");
    double total = 0;
    for (const double value : cost) total += std::abs(value);
    for (const double value : extra) total += std::abs(value);
    // Not an infinity, not a NaN, and room for sums of sums.
    require(total <= std::numeric_limits<double>::max() / 4, "costs must be finite");
}

// What counts as no difference between gains: a power of two near 1e−12 of the largest cost.
double quantum_of(std::span<const double> cost, std::span<const double> extra) {
    double largest = 0;
    for (const double value : cost) largest = std::max(largest, std::abs(value));
    for (const double value : extra) largest = std::max(largest, std::abs(value));
    int exponent = 0;
    std::frexp(largest, &exponent);
    return std::max(std::ldexp(1.0, exponent - 40), std::numeric_limits<double>::min());
}

}  // namespace

std::vector<std::int32_t> parents_of(const TreeShape& shape) {
    const std::size_t n_nodes = shape.n_children.size();
    require(n_nodes > 0 && shape.first_child.size() == n_nodes, "first_child for each node");
    require(n_nodes <= std::numeric_limits<std::int32_t>::max(), "too many nodes");
    std::vector<std::int32_t> parent(n_nodes, -1);
    for (std::size_t node = 0; node < n_nodes; ++node) {
        if (shape.n_children[node] == 0) continue;
        const std::int64_t first = shape.first_child[node], count = shape.n_children[node];
        require(count >= 2, "an inner node has two children at least");
        require(first > static_cast<std::int64_t>(node), "children come after their parent");
        require(first + count <= static_cast<std::int64_t>(n_nodes), "children out of range");
        for (std::int64_t child = first; child < first + count; ++child) {
            auto& of_child = parent[static_cast<std::size_t>(child)];
            require(of_child == -1, "a node has two parents");
            of_child = static_cast<std::int32_t>(node);
        }
    }
    require(std::count(parent.begin(), parent.end(), -1) == 1, "a node has no parent");
    return parent;
}

std::vector<double> weakest_link(const TreeShape& shape, std::span<const double> cost_as_leaf,
                                 std::span<const double> extra_cost, StopSignal& stop) {
    check_costs(shape, cost_as_leaf, extra_cost);
    // Rounding leaves an error of a gain that is relative to the cost, not to the gain.
    const auto lowest_link = [](const Link& link) {
        return (link.gain.value() - same * std::abs(link.cost)) /
               static_cast<double>(link.n_leaves - 1);
    };
    Pruning pruning(shape, cost_as_leaf, extra_cost, lowest_link);
    std::vector<double> critical(cost_as_leaf.size(), -infinity);
    double beta = 0;
    while (pruning.can_collapse()) {
        stop.check();
        const std::size_t node = pruning.next();
        const Link& link = pruning[node];
        if (link.rank > beta * (1 + same)) {
            beta = link.gain.value() / static_cast<double>(link.n_leaves - 1);
        }
        pruning.collapse(node, [&](std::size_t gone) { critical[gone] = beta; });
    }
    return critical;
}

GreedyPruning greedy_pruning(const TreeShape& shape, std::span<const double> cost_as_leaf,
                             std::span<const double> extra_cost, StopSignal& stop) {
    check_costs(shape, cost_as_leaf, extra_cost);
    const double quantum = quantum_of(cost_as_leaf, extra_cost);
    const auto rounded_gain = [quantum](const Link& link) {
        return std::round(link.gain.value() / quantum);
    };
    Pruning pruning(shape, cost_as_leaf, extra_cost, rounded_gain);
    GreedyPruning sequence;
    sequence.cost.push_back(pruning.cost_of_tree());
    while (pruning.can_collapse()) {
        stop.check();
        const std::size_t node = pruning.next();
        const bool changes = pruning[node].rank != 0;
        pruning.collapse(node, [](std::size_t) {});
        sequence.node.push_back(static_cast<std::int32_t>(node));
        sequence.cost.push_back(changes ? pruning.cost_of_tree() : sequence.cost.back());
    }
    return sequence;
}

}  // namespace branchline
