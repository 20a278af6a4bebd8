// The nodes of a tree while it grows, and its compact form: level order, leaves and tests apart.
#pragma once

#include "branchline/forest.hpp"
#include "branchline/tree_walker.hpp"
#include "forest/column_looker.hpp"

namespace branchline::forest {

class GrowingTree {
  public:
    GrowingTree(std::size_t width, std::span<const GrowColumn> columns)
        : width_(width), columns_(columns) {}

    void clear() {
        nodes_.clear();
        content_.clear();
        branches_.clear();
    }
    std::int32_t add_leaf() {
        nodes_.push_back({});
        content_.resize(content_.size() + width_, 0);
        return static_cast<std::int32_t>(nodes_.size() - 1);
    }
    std::span<std::int64_t> content(std::int32_t node) {
        return {content_.data() + static_cast<std::size_t>(node) * width_, width_};
    }
    // The node's children are the two leaves that are added next.
    void set_test(std::int32_t node, const Offer& test,
                  std::span<const std::uint8_t> branch_of_code) {
        Node& place = nodes_[static_cast<std::size_t>(node)];
        place.test = test;
        place.first_child = static_cast<std::int32_t>(nodes_.size());
        if (!test.is_category) return;
        place.branches = branches_.size();
        branches_.insert(branches_.end(), branch_of_code.begin(), branch_of_code.end());
    }

    void write(GrownForest& out) const {
        out.n_nodes.push_back(static_cast<std::int64_t>(nodes_.size()));
        std::vector<std::int32_t> order{0};
        order.reserve(nodes_.size());
        for (std::size_t at = 0; at < order.size(); ++at) {
            const Node& node = nodes_[static_cast<std::size_t>(order[at])];
            if (node.first_child < 0) {
                out.kind.push_back(static_cast<std::uint8_t>(NodeKind::leaf));
                const auto first =
                    content_.begin() + static_cast<std::ptrdiff_t>(width_) * order[at];
                out.content.insert(out.content.end(), first,
                                   first + static_cast<std::ptrdiff_t>(width_));
                continue;
            }
            order.push_back(node.first_child);
            order.push_back(node.first_child + 1);
            write_test(node, out);
        }
    }

  private:
    struct Node {
        Offer test;
        std::int32_t first_child = -1;
        std::size_t branches = 0;
    };

    void write_test(const Node& node, GrownForest& out) const {
        const Offer& test = node.test;
        const NodeKind kind = test.is_category ? NodeKind::categories : NodeKind::threshold;
        out.kind.push_back(static_cast<std::uint8_t>(kind));
        out.feature.push_back(static_cast<std::uint32_t>(test.column));
        out.left_code.push_back(test.left_code);
        out.right_code.push_back(test.right_code);
        out.fraction.push_back(test.fraction);
        out.missing_left.push_back(test.missing_left);
        if (!test.is_category) return;
        // Categories that the node never saw go where missing values go.
        const std::size_t n_codes = columns_[static_cast<std::size_t>(test.column)].n_codes;
        const std::size_t first_byte = out.pool.size();
        out.pool.resize(first_byte + (n_codes + 7) / 8, 0);
        for (std::size_t c = 0; c < n_codes; ++c) {
            const std::uint8_t branch = branches_[node.branches + 1 + c];
            const bool right = branch == 2 ? !test.missing_left : branch == 1;
            if (right) out.pool[first_byte + c / 8] |= static_cast<std::uint8_t>(1u << (c % 8));
        }
    }

    std::size_t width_;
    std::span<const GrowColumn> columns_;
    std::vector<Node> nodes_;
    std::vector<std::int64_t> content_;
    std::vector<std::uint8_t> branches_;
};

}  // namespace branchline::forest
