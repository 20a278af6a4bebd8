// RandomGrower: from level to level, and parting rows.
#pragma once

#include "forest/random_grower/tests.hpp"

namespace branchline::forest {

template <class Counter>
void RandomGrower<Counter>::grow(std::uint64_t tree, GrownForest& out) {
    tree_.clear();
    half_threshold_.clear();
    in_order_ = tree == 0 && options_.max_columns >= deck_.size();
    take_bag(tree);
    Open root;
    root.end = place_.size();
    root.key = key_of_root(options_.bag.seed, tree);
    tiers_[0].level.clear();
    if (!stays_leaf(root, node_of(root, table_.records()))) tiers_[0].level.push_back(root);
    grow_tier(table_.records(), 0);
    if (stop_.requested()) return;
    settle();
    tree_.write(out);
    for (double& amount : out.importance) amount /= static_cast<double>(place_.size());
}

template <class Counter>
void RandomGrower<Counter>::take_bag(std::uint64_t tree) {
    const Bag bag(input_.bag, options_.bag, tree);
    const auto content = tree_.content(0);
    const auto stride = static_cast<std::uint32_t>(table_.stride());
    place_.clear();
    words_.clear();
    std::uint32_t place = 0;
    for (const RowIndex row : table_.row_at()) {
        for (std::uint32_t n = bag.count(row); n > 0; --n) {
            place_.push_back(place);
            const std::int64_t word = adder_.add_to_root(row, content);
            if (adder_.has_words) words_.push_back(word);
        }
        place += stride;
    }
    spare_place_.resize(place_.size());
    spare_words_.resize(words_.size());
    left_of_.resize(place_.size());
}

template <class Counter>
void RandomGrower<Counter>::grow_tier(const std::uint8_t* records, std::size_t tier) {
    auto& [level, below, small, copy] = tiers_[tier];
    small.clear();
    while (!level.empty()) {
        stop_.poll();
        if (stop_.requested()) return;  // the pool says so
        const std::size_t most = copied_bytes[tier] / table_.stride();
        const auto is_large = [&](const Open& open) { return open.size() > most; };
        const auto first_small = std::stable_partition(level.begin(), level.end(), is_large);
        small.insert(small.end(), first_small, level.end());
        level.erase(first_small, level.end());
        below.clear();
        for (std::size_t begin = 0; begin < level.size(); begin += max_visits) {
            const std::size_t n = std::min(max_visits, level.size() - begin);
            visit(std::span<const Open>(level).subspan(begin, n), records, below);
        }
        level.swap(below);
    }
    for (const Open& open : small) grow_copied(open, records, tier);
}

template <class Counter>
void RandomGrower<Counter>::grow_copied(const Open& root, const std::uint8_t* records,
                                        std::size_t tier) {
    const std::size_t stride = table_.stride();
    RecordBytes& copy = tiers_[tier].copy;
    copy.resize(copied_bytes[tier]);
    std::uint32_t* place = place_.data() + root.begin;
    kernels_.copy({records, place, root.size(), stride, table_.any_missing()}, copy.data());
    for (std::size_t i = 0; i < root.size(); ++i) place[i] = static_cast<std::uint32_t>(i * stride);
    tiers_[tier + 1].level.assign(1, root);
    grow_tier(copy.data(), tier + 1);
}

template <class Counter>
RecordNode RandomGrower<Counter>::node_of(const Open& open, const std::uint8_t* records) {
    return {
        {records, place_.data() + open.begin, open.size(), table_.stride(), table_.any_missing()},
        words_at(open.begin),
        tree_.content(open.node)};
}

template <class Counter>
bool RandomGrower<Counter>::stays_leaf(const Open& open, const RecordNode& node) {
    if (open.depth >= options_.tree.max_depth || open.size() < 2) return true;
    const auto weight = static_cast<std::int64_t>(open.size());
    if (weight < options_.tree.min_split_units || weight < 2 * options_.tree.min_leaf_units) {
        return true;
    }
    return adder_.is_pure(counter_, node);
}

// Takes nodes of a level through the steps; those below them that are not leaves are added.
template <class Counter>
void RandomGrower<Counter>::visit(std::span<const Open> nodes, const std::uint8_t* records,
                                  std::vector<Open>& below) {
    n_drawn_ = lanes_.n = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        look_at(nodes[i], node_of(nodes[i], records), visits_[i]);
    }
    find_cuts(0);
    for (std::size_t i = 0; i < nodes.size(); ++i) set_cuts(visits_[i]);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const RecordNode node = node_of(nodes[i], records);
        if (choose(nodes[i], node, visits_[i])) split(nodes[i], node, below);
    }
}

template <class Counter>
void RandomGrower<Counter>::split(const Open& open, const RecordNode& node,
                                  std::vector<Open>& below) {
    mark_left(node);
    const auto part = adder_.has_words ? kernels_.part_words : kernels_.part;
    const std::size_t n_left =
        part(open.size(), left_of_.data(), best_.drawn.column,
             {place_.data() + open.begin, words_at(open.begin)},
             {spare_place_.data(), adder_.has_words ? spare_words_.data() : nullptr});
    const std::int32_t first = write_test(open);
    for (const bool is_right : {false, true}) {
        Open child;
        child.node = first + is_right;
        child.depth = open.depth + 1;
        child.begin = open.begin + (is_right ? n_left : 0);
        child.end = is_right ? open.end : open.begin + n_left;
        child.key = key_of_child(open.key, is_right);
        const RecordNode rows = node_of(child, node.rows.records);
        if (stays_leaf(child, rows)) {
            note_neighbors_of_leaf(child, rows);
        } else {
            below.push_back(child);
        }
    }
}

// Writes the best test, and what its sides hold; returns the first node below.
template <class Counter>
std::int32_t RandomGrower<Counter>::write_test(const Open& open) {
    Offer test;
    test.column = static_cast<int>(best_.drawn.column);
    test.is_category = best_.drawn.kind == Kind::categories;
    test.missing_left = best_.missing_left;
    test.fraction = 0;
    const double worth = best_.gain * static_cast<double>(open.size());
    const std::size_t n_codes = input_.columns[best_.drawn.column].n_codes;
    const std::int32_t first =
        tree_.split(open.node, test, worth, {best_branch_.data(), n_codes + 1});
    half_threshold_.push_back(lanes_.half_threshold[best_.drawn.lane]);
    const auto all = tree_.content(open.node), left = tree_.content(first);
    const auto right = tree_.content(first + 1);
    adder_.write_content(best_left_.data(), left);
    for (std::size_t w = 0; w < all.size(); ++w) right[w] = all[w] - left[w];
    return first;
}

// The bit of the best test's column becomes which rows go left.
template <class Counter>
void RandomGrower<Counter>::mark_left(const RecordNode& node) {
    const Drawn& drawn = best_.drawn;
    const bool is_threshold = drawn.kind == Kind::threshold;
    if (is_threshold && !(drawn.any_missing && best_.missing_left)) return;  // so it is
    const Code last_left = is_threshold ? lanes_.last_left[drawn.lane] : 255;
    std::array<bool, 256> goes_left;
    for (Code code = 1; code < 256; ++code) {
        const std::uint8_t branch = best_branch_[code];
        goes_left[byte_of_code(code)] = drawn.kind == Kind::categories
                                            ? branch == 0 || (branch == 2 && best_.missing_left)
                                            : code <= last_left;
    }
    goes_left[missing_byte] = best_.missing_left;
    const std::uint8_t* bytes = node.rows.records + drawn.column;
    for (std::size_t i = 0; i < node.rows.n; ++i) {
        left_of_[i] = std::uint64_t{goes_left[bytes[node.rows.place[i]]]} << drawn.column;
    }
}

// What the nodes below a threshold have tells which codes stand next to it.
template <class Counter>
void RandomGrower<Counter>::note_neighbors(const Open& open, std::uint8_t lowest,
                                           Code highest_code) {
    GrowingTree::Test& test = tree_.test_above(open.node);
    if (test.is_category) return;
    if (open.node % 2 == 1) {
        test.left_code = highest_code;
    } else {
        test.right_code = code_of_byte(lowest);  // 0 where all are missing
    }
}

template <class Counter>
void RandomGrower<Counter>::note_neighbors_of_leaf(const Open& open, const RecordNode& node) {
    const std::uint8_t* bytes = node.rows.records + best_.drawn.column;
    std::uint8_t lowest = missing_byte;
    Code highest_code = missing_code;
    for (std::size_t i = 0; i < node.rows.n; ++i) {
        const std::uint8_t byte = bytes[node.rows.place[i]];
        lowest = std::min(lowest, byte);
        highest_code = std::max(highest_code, code_of_byte(byte));
    }
    note_neighbors(open, lowest, highest_code);
}

// Where thresholds stand between the codes next to them.
template <class Counter>
void RandomGrower<Counter>::settle() {
    const std::span<GrowingTree::Test> tests = tree_.tests();
    for (std::size_t j = 0; j < tests.size(); ++j) {
        GrowingTree::Test& test = tests[j];
        if (test.is_category || test.right_code == 0) continue;
        test.fraction =
            thresholds_.fraction(test.column, half_threshold_[j], test.left_code, test.right_code);
    }
}

}  // namespace branchline::forest
