// What every walk relies on: a forest from a damaged file must not lead out of its arrays.
#include <cmath>
#include <stdexcept>

#include "branchline/tree_walker.hpp"
#include "forest/walker/build.hpp"

namespace branchline {

namespace {

constexpr std::size_t most_nodes = std::size_t{1} << 31;  // places in a tree, and ranks: 32 bits

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

// Returns how many inner nodes the tree has. In level order its shape is right when there is one
// more leaf than inner nodes, and every node is the child of one that stands before it.
std::size_t check_shape(std::span<const std::uint8_t> kind) {
    std::size_t n_inner = 0;
    for (std::size_t place = 0; place < kind.size(); ++place) {
        require(kind[place] <= static_cast<std::uint8_t>(NodeKind::categories), "a kind of node");
        require(place <= 2 * n_inner, "a node without a parent");
        n_inner += kind[place] != static_cast<std::uint8_t>(NodeKind::leaf);
    }
    require(kind.size() == 2 * n_inner + 1, "one more leaf than inner nodes in each tree");
    return n_inner;
}

std::size_t check_shapes(const ForestView& forest) {
    require(!forest.n_nodes.empty(), "at least one tree");
    std::size_t begin = 0, n_inner = 0;
    for (const std::int64_t n : forest.n_nodes) {
        require(n >= 1 && static_cast<std::size_t>(n) <= forest.kind.size() - begin,
                "nodes for each tree");
        n_inner += check_shape(forest.kind.subspan(begin, static_cast<std::size_t>(n)));
        begin += static_cast<std::size_t>(n);
    }
    require(begin == forest.kind.size(), "as many kinds as nodes");
    require(begin < most_nodes, "fewer than 2^31 nodes");
    return n_inner;
}

// Returns how many bytes of the pool the test takes.
std::size_t check_test(const ForestView& forest, NodeKind kind, std::size_t inner) {
    const auto column = static_cast<std::size_t>(forest.feature[inner]);  // −1 becomes huge
    require(column < forest.n_codes.size(), "a tested column in range");
    require(forest.missing_left[inner] <= 1, "missing_left is 0 or 1");
    const std::int64_t n_codes = forest.n_codes[column];
    if (kind == NodeKind::categories) {
        require(n_codes > 0, "a category test of a column of categories");
        return (static_cast<std::size_t>(n_codes) + 7) / 8;
    }
    require(n_codes == 0, "a threshold of a column of numbers");
    require(!std::isnan(forest.threshold[inner]), "thresholds that are numbers");
    return 0;
}

}  // namespace

void check_forest(const ForestView& forest) {
    const std::size_t n_inner = check_shapes(forest);
    require(forest.feature.size() == n_inner && forest.threshold.size() == n_inner &&
                forest.missing_left.size() == n_inner,
            "one feature, threshold and missing_left for each inner node");
    for (const std::int64_t n : forest.n_codes) {
        require(n >= 0 && n < static_cast<std::int64_t>(most_nodes), "a number of categories");
    }
    std::size_t inner = 0, n_bytes = 0;
    for (const std::uint8_t kind : forest.kind) {
        if (kind == static_cast<std::uint8_t>(NodeKind::leaf)) continue;
        n_bytes += check_test(forest, static_cast<NodeKind>(kind), inner++);
        require(n_bytes <= forest.pool.size(), "bits for each category test");
    }
    require(n_bytes == forest.pool.size(), "no bits but those of category tests");
    require(n_bytes + n_inner < most_nodes, "fewer than 2^31 bytes of categories");
    const std::size_t n_leaves = n_inner + forest.n_nodes.size();
    require(forest.width >= 1 && forest.leaf_value.size() / forest.width == n_leaves &&
                forest.leaf_value.size() % forest.width == 0,
            "`width` values for each leaf");
}

}  // namespace branchline
