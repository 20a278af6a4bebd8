// The nodes of a tree while it grows, and its compact form: level order, leaves and tests apart.
#pragma once

#include "branchline/forest.hpp"
#include "branchline/tree_walker.hpp"
#include "forest/offer.hpp"

namespace branchline::forest {

// Nodes are numbered as they come: the two below test number j are 1 + 2j and 2 + 2j.
class GrowingTree {
  public:
    struct Test {
        std::uint32_t column;
        Code left_code, right_code;
        bool is_category, missing_left;
        std::uint8_t fraction;
        double worth;          // weight · gain
        std::size_t branches;  // categories: where theirs begin
    };

    GrowingTree(std::size_t width, std::span<const GrowColumn> columns)
        : width_(width), columns_(columns) {}

    // Leaves the root alone, a leaf that holds nothing yet.
    void clear() {
        n_nodes_ = 0;
        branches_.clear();
        if (test_of_node_.empty()) grow_room();
        add_leaf();
    }
    std::span<std::int64_t> content(std::int32_t node) {
        return {content_.data() + static_cast<std::size_t>(node) * width_, width_};
    }
    // Gives a leaf a test, and two leaves below it that hold nothing yet; returns the first.
    std::int32_t split(std::int32_t node, const Offer& test, double worth,
                       std::span<const std::uint8_t> branch_of_code) {
        const std::size_t j = n_nodes_ / 2;
        if (n_nodes_ + 2 > test_of_node_.size()) grow_room();
        test_of_node_[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(j);
        tests_[j] = {static_cast<std::uint32_t>(test.column),
                     test.left_code,
                     test.right_code,
                     test.is_category,
                     test.missing_left,
                     test.fraction,
                     worth,
                     branches_.size()};
        if (test.is_category) {
            branches_.insert(branches_.end(), branch_of_code.begin(), branch_of_code.end());
        }
        add_leaf();
        add_leaf();
        return static_cast<std::int32_t>(n_nodes_ - 2);
    }
    std::span<Test> tests() { return {tests_.data(), n_nodes_ / 2}; }
    // The test above a node that is not the root.
    Test& test_above(std::int32_t node) { return tests_[static_cast<std::size_t>(node - 1) / 2]; }

    // Writes the tree; adds up what the tests of each column are worth.
    void write(GrownForest& out) const {
        const std::size_t n_tests = n_nodes_ / 2;
        make_room(n_tests, out);
        std::vector<std::int32_t> order(n_nodes_);  // nodes level by level; the root is 0
        std::size_t n_leaves = 0, test = 0;
        for (std::size_t at = 0; at < n_nodes_; ++at) {
            // The nodes of a level lie anywhere: they are fetched early.
            if (at + ahead < 1 + 2 * test) fetch(order[at + ahead]);
            const auto node = static_cast<std::size_t>(order[at]);
            const std::int32_t number = test_of_node_[node];
            if (number < 0) {
                out.kind[at] = static_cast<std::uint8_t>(NodeKind::leaf);
                const std::int64_t* content = content_.data() + node * width_;
                std::int64_t* to = out.content.data() + n_leaves++ * width_;
                for (std::size_t w = 0; w < width_; ++w) to[w] = content[w];  // few: no call
                continue;
            }
            order[1 + 2 * test] = 1 + 2 * number;
            order[2 + 2 * test] = 2 + 2 * number;
            out.kind[at] = write_test(tests_[static_cast<std::size_t>(number)], test++, out);
        }
    }

  private:
    static constexpr std::size_t ahead = 16;

    void grow_room() {
        const std::size_t room = 2 * test_of_node_.size() + 1024;
        test_of_node_.resize(room);
        content_.resize(room * width_);
        tests_.resize(room / 2);
    }
    void add_leaf() {
        test_of_node_[n_nodes_] = -1;
        std::int64_t* content = content_.data() + n_nodes_ * width_;
        for (std::size_t w = 0; w < width_; ++w) content[w] = 0;
        ++n_nodes_;
    }
    void fetch(std::int32_t node) const {
        const auto place = static_cast<std::size_t>(node);
        const std::int32_t test = test_of_node_[place];
        if (test >= 0) {
            __builtin_prefetch(tests_.data() + test);
        } else {
            __builtin_prefetch(content_.data() + place * width_);
        }
    }
    void make_room(std::size_t n_tests, GrownForest& out) const {
        out.n_nodes.push_back(static_cast<std::int64_t>(n_nodes_));
        out.importance.assign(columns_.size(), 0);
        out.kind.resize(n_nodes_);
        out.content.resize((n_tests + 1) * width_);
        out.feature.resize(n_tests);
        out.left_code.resize(n_tests);
        out.right_code.resize(n_tests);
        out.fraction.resize(n_tests);
        out.missing_left.resize(n_tests);
    }
    // Writes a test at a place; returns its kind.
    std::uint8_t write_test(const Test& test, std::size_t place, GrownForest& out) const {
        out.feature[place] = test.column;
        out.left_code[place] = test.left_code;
        out.right_code[place] = test.right_code;
        out.fraction[place] = test.fraction;
        out.missing_left[place] = test.missing_left;
        out.importance[test.column] += test.worth;
        if (!test.is_category) return static_cast<std::uint8_t>(NodeKind::threshold);
        // Categories that the node never saw go where missing values go.
        const std::size_t n_codes = columns_[test.column].n_codes;
        const std::size_t first_byte = out.pool.size();
        out.pool.resize(first_byte + (n_codes + 7) / 8, 0);
        for (std::size_t c = 0; c < n_codes; ++c) {
            const std::uint8_t branch = branches_[test.branches + 1 + c];
            const bool right = branch == 2 ? !test.missing_left : branch == 1;
            if (right) out.pool[first_byte + c / 8] |= static_cast<std::uint8_t>(1u << (c % 8));
        }
        return static_cast<std::uint8_t>(NodeKind::categories);
    }

    std::size_t width_;
    std::span<const GrowColumn> columns_;
    // There is room for more nodes than n_nodes_: it is kept from tree to tree.
    std::size_t n_nodes_ = 0;
    std::vector<std::int32_t> test_of_node_;  // −1: a leaf
    std::vector<std::int64_t> content_;
    std::vector<Test> tests_;
    std::vector<std::uint8_t> branches_;
};

}  // namespace branchline::forest
