// A test that a column offers for a node, and what finders need to know of the node.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "branchline/grow_tree.hpp"
#include "tree/counted_scan.hpp"
#include "tree/node_targets.hpp"

namespace branchline::tree {

inline Code code_of_row(const GrowColumn& column, RowIndex row) {
    return visit_codes(column.codes,
                       [&](const auto* codes) { return static_cast<Code>(codes[row]); });
}

struct Candidate {
    int column = -1;  // −1: the column offers no test
    bool is_threshold = false;
    bool is_multiway = false;
    int n_branches = 0;
    int missing_branch = -1;
    Code left_code = 0, right_code = 0;             // threshold
    std::vector<std::int32_t> branch_of_code;       // categories; entry 0 is unused
    std::size_t n_values = 0, n_single_values = 0;  // categories in the node; those of one row
    std::int64_t known_weight = 0;  // of the rows that have a value, and what they add to badness
    double known_badness = 0;
    double gain = 0;
    double split_information = 0;
    double score = 0;
    double p_value = 1;

    bool is_test() const { return n_branches >= 2; }
};

// What is known of a node before its columns are looked at.
struct NodeFacts {
    double badness_slack() const { return slack * impurity_weight; }

    std::vector<std::int64_t> content;
    std::int64_t weight = 0;     // in units
    double impurity_weight = 0;  // what badness is divided by
    double badness = 0;
    double impurity = 0;                   // of numbers: the variance, summed over outputs
    double slack = 0;                      // gains that differ by no more are equal
    std::span<const NodeTargets> targets;  // absolute_error: of each output; else empty
    std::vector<ClassPair> units_of_rows;  // where columns are scanned by counts; else empty
    // What a test may gain less than another one of the node without being looked at further.
    double gain_to_spare = std::numeric_limits<double>::infinity();
};

// One column of one node: its entries, those with a value first in order, missing ones apart.
template <class Entry>
struct NodeColumn {
    std::span<const Entry> present;
    std::span<const Entry> missing;
    const NodeFacts& facts;
};

// The entropy of the branches' weights: what a test costs in bits whatever it tells.
inline double split_information(std::span<const std::int64_t> weights) {
    double total = 0, sum = 0;
    for (const std::int64_t weight : weights) {
        const auto w = static_cast<double>(weight);
        total += w;
        if (weight > 0) sum += w * std::log2(w);
    }
    return total > 0 ? std::log2(total) - sum / total : 0;
}

template <class Entry>
std::int64_t weight_of(std::span<const Entry> entries) {
    std::int64_t sum = 0;
    for (const Entry& entry : entries) sum += entry.units;
    return sum;
}

}  // namespace branchline::tree
