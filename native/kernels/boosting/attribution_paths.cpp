#include "boosting/attribution_paths.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <unordered_map>

#include "branchline/tree_walker.hpp"

namespace branchline {

namespace {

std::size_t bytes_of_test(const ForestView& trees, std::size_t inner) {
    const std::int64_t n_codes = trees.n_codes[static_cast<std::size_t>(trees.feature[inner])];
    return (static_cast<std::size_t>(n_codes) + 7) / 8;
}

// What a node needs to become a branch; numbers count inner nodes and leaves of the forest.
struct NodeOfTree {
    std::size_t number = 0, bits = 0, first_child = 0;
    double cover = 0;
    bool is_leaf = false;
};

std::vector<NodeOfTree> read_nodes(const AttributedTrees& model, TreePart at, std::size_t n) {
    const ForestView& trees = model.trees;
    std::vector<NodeOfTree> nodes(n);
    const std::size_t first_inner = at.inner;
    for (std::size_t i = 0; i < n; ++i) {
        NodeOfTree& node = nodes[i];
        node.is_leaf = trees.kind[at.node + i] == static_cast<std::uint8_t>(NodeKind::leaf);
        if (node.is_leaf) {
            node.number = at.leaf++;
            node.cover = model.leaf_cover[node.number];
            if (!(node.cover >= 0)) throw std::invalid_argument("covers that are at least 0");
            continue;
        }
        node.number = at.inner++;
        node.bits = at.pool;
        node.first_child = 1 + 2 * (node.number - first_inner);
        at.pool += bytes_of_test(trees, node.number);
    }
    for (std::size_t i = n; i-- > 0;) {
        NodeOfTree& node = nodes[i];
        if (node.is_leaf) continue;
        node.cover = nodes[node.first_child].cover + nodes[node.first_child + 1].cover;
    }
    if (!(nodes[0].cover > 0) || !std::isfinite(nodes[0].cover)) {
        throw std::invalid_argument("a finite cover above 0 for each tree");
    }
    return nodes;
}

// Lists the branches of a tree, depth first.
class BranchLister {
  public:
    BranchLister(const AttributedTrees& model, const TreePart& begin, std::size_t n_nodes)
        : trees_(model.trees), first_leaf_(begin.leaf), nodes_(read_nodes(model, begin, n_nodes)) {
        paths_.branches.reserve(n_nodes - 1);
    }

    TreePaths list() && {
        if (!nodes_[0].is_leaf) add_children(0, 1);
        while (!waiting_.empty()) {
            const Waiting next = waiting_.back();
            waiting_.pop_back();
            add_branch(next);
        }
        paths_.n_points = std::max<std::size_t>(1, (most_columns_ + 1) / 2);
        return std::move(paths_);
    }

  private:
    struct Waiting {
        std::size_t parent;
        std::uint32_t depth;
        bool is_right;
    };

    void add_children(std::size_t node, std::uint32_t depth) {
        waiting_.push_back({node, depth, true});
        waiting_.push_back({node, depth, false});
    }

    void add_branch(const Waiting& place) {
        Branch branch = make_branch(place);
        const std::size_t child = nodes_[place.parent].first_child + place.is_right;
        open_.resize(place.depth);
        open_.push_back(branch);
        if (branch.ancestor == 0) ++n_columns_;
        last_depth_[branch.column] = branch.depth;
        most_columns_ = std::max(most_columns_, n_columns_);
        paths_.n_depths = std::max<std::size_t>(paths_.n_depths, place.depth + 1);
        if (nodes_[child].is_leaf) {
            branch.leaf = static_cast<std::uint32_t>(nodes_[child].number - first_leaf_);
            branch.n_ended = end_branches(place.depth) - 1;
        } else {
            add_children(child, place.depth + 1);
        }
        paths_.branches.push_back(branch);
    }

    Branch make_branch(const Waiting& place) {
        const NodeOfTree& parent = nodes_[place.parent];
        const NodeOfTree& child = nodes_[parent.first_child + place.is_right];
        const auto column = static_cast<std::uint32_t>(trees_.feature[parent.number]);
        const std::uint32_t ancestor = last_depth_[column];
        Branch branch;
        branch.threshold = trees_.threshold[parent.number];
        branch.bits = parent.bits;
        branch.share = parent.cover > 0 ? child.cover / parent.cover : 0.5;
        branch.z_before = ancestor == 0 ? 1 : open_[ancestor].z;
        branch.z = branch.z_before * branch.share;
        branch.column = column;
        branch.depth = place.depth;
        branch.ancestor = ancestor;
        branch.is_right = place.is_right;
        branch.is_category = trees_.n_codes[column] > 0;
        branch.missing_left = trees_.missing_left[parent.number] != 0;
        return branch;
    }

    // A leaf ends its own branch and, while that is the right one, the branch above it.
    std::uint32_t end_branches(std::uint32_t depth) {
        std::uint32_t n_ended = 0;
        for (bool goes_on = true; goes_on && depth > 0; --depth, ++n_ended) {
            const Branch& branch = open_[depth];
            last_depth_[branch.column] = branch.ancestor;
            if (branch.ancestor == 0) --n_columns_;
            goes_on = branch.is_right;
        }
        return n_ended;
    }

    const ForestView& trees_;
    std::size_t first_leaf_;
    std::vector<NodeOfTree> nodes_;
    std::vector<Waiting> waiting_;
    std::vector<Branch> open_;  // by depth; the root's place is not used
    std::unordered_map<std::uint32_t, std::uint32_t> last_depth_;  // of a column's open branches
    std::size_t n_columns_ = 0, most_columns_ = 0;                 // with an open branch
    TreePaths paths_;
};

// With f(t) = t + (1−t) z for rows that agree and (1−t) z for others, and f' before the branch:
//   factors  f / f'
//   weights  (o − z) / f − (1 − z') / f', which is (z' − z) / (f f') or −1 / ((1−t) f')
void add_tables(TreePaths& paths) {
    const std::vector<QuadraturePoint> points = gauss_legendre(paths.n_points);
    paths.factors.reserve(paths.branches.size() * points.size());
    paths.weights.reserve(paths.branches.size() * points.size());
    for (const Branch& branch : paths.branches) {
        const double lost = branch.z_before * (1 - branch.share);
        for (const auto& [t, rest, weight] : points) {
            const double before = t + rest * branch.z_before;
            const double agreeing = t + rest * branch.z, other = rest * branch.z;
            paths.factors.push_back({agreeing / before, other / before});
            paths.weights.push_back(
                {weight * lost / (agreeing * before), -weight / (rest * before)});
        }
    }
}

}  // namespace

std::vector<TreePart> find_parts(const ForestView& trees) {
    std::vector<TreePart> parts;
    TreePart at;
    for (const std::int64_t n : trees.n_nodes) {
        parts.push_back(at);
        const std::size_t n_inner = static_cast<std::size_t>(n) / 2, end = at.inner + n_inner;
        at.node += static_cast<std::size_t>(n);
        at.leaf += n_inner + 1;
        for (; at.inner < end; ++at.inner) at.pool += bytes_of_test(trees, at.inner);
    }
    parts.push_back(at);
    return parts;
}

TreePaths make_paths(const AttributedTrees& model, const TreePart& begin, const TreePart& end) {
    TreePaths paths = BranchLister(model, begin, end.node - begin.node).list();
    add_tables(paths);
    return paths;
}

// The zeros of the Legendre polynomial P_n by Newton's method; weights 2 / ((1 − x²) P_n'(x)²).
std::vector<QuadraturePoint> gauss_legendre(std::size_t n) {
    std::vector<QuadraturePoint> points(n);
    const auto degree = static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
        double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (degree + 0.5));
        double slope = 0, step = 1;
        for (int round = 0; round < 20 && std::abs(step) > 1e-15; ++round) {
            double value = 1, before = 0;
            for (double k = 1; k <= degree; ++k) {
                const double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
                before = value;
                value = next;
            }
            slope = degree * (x * value - before) / (x * x - 1);
            step = value / slope;
            x -= step;
        }
        points[i] = {(1 + x) / 2, (1 - x) / 2, 1 / ((1 - x * x) * slope * slope)};
    }
    return points;
}

}  // namespace branchline
