// A branch for each category present in the node.
//
// Missing values get a branch of their own (policies own and learned; without any they stay in the
// node), the branch of the value they stand for (mode), or every branch (fractional). At least two branches must have min_leaf_units.
#pragma once

#include <algorithm>

#include "tree/finder.hpp"

namespace branchline::tree {

// The branches of a multiway test while categories are assigned to them.
template <class Sides>
class MultiwayBranches {
  public:
    explicit MultiwayBranches(const Finder<Sides>& finder) : finder_(finder) {
        finder.sides.start(finder.column.facts.content);
    }

    // A branch that holds some groups.
    int add(std::span<const Group> groups) {
        auto& sides = finder_.sides;
        sides.start_empty();
        for (const Group& group : groups) {
            for (std::uint32_t i = group.begin; i < group.end; ++i) {
                sides.add_right(finder_.column.present[i]);
            }
        }
        weights.push_back(sides.right_weight());
        badness += sides.right_badness();
        n_large += weights.back() >= finder_.options.min_leaf_units;
        return static_cast<int>(weights.size()) - 1;
    }

    std::vector<std::int64_t> weights;
    double badness = 0;
    int n_large = 0;

  private:
    const Finder<Sides>& finder_;
};

// Deals categories to branches: one each, or the rare ones to a last one.
template <class Sides>
void deal_categories(const Finder<Sides>& finder, MultiwayBranches<Sides>& branches,
                     std::vector<std::int32_t>& branch_of_code) {
    std::vector<Group> rare;
    for (const Group& group : finder.groups) {
        const std::int64_t weight =
            weight_of(finder.column.present.subspan(group.begin, group.end - group.begin));
        if (finder.options.share_rare_branches && weight < finder.options.min_leaf_units) {
            rare.push_back(group);
        } else {
            branch_of_code[group.code] = branches.add({&group, 1});
        }
    }
    if (rare.empty()) return;
    const int shared = branches.add(rare);
    for (const Group& group : rare) branch_of_code[group.code] = shared;
}

template <class Sides>
Candidate multiway_test(const Finder<Sides>& finder) {
    Candidate test;
    if (has_too_few_rows(finder)) return test;
    test.is_multiway = true;
    test.branch_of_code.assign(finder.grow_column.n_codes + 1, -1);
    MultiwayBranches<Sides> branches(finder);
    deal_categories(finder, branches, test.branch_of_code);
    if (branches.weights.empty()) return {};
    auto& weights = branches.weights;
    test.n_branches = static_cast<int>(weights.size());
    test.missing_branch = stay;  // as a category that the node never saw
    if (finder.is(MissingPolicy::fractional)) test.missing_branch = every_branch;
    if (finder.is(MissingPolicy::mode) && finder.fill > 0) {
        const int branch = test.branch_of_code[finder.fill];
        if (branch >= 0) test.missing_branch = branch;
    }
    const bool own = finder.is(MissingPolicy::own_branch) || finder.is(MissingPolicy::learned);
    if (own && finder.any_missing()) {
        test.missing_branch = test.n_branches++;
        branches.n_large += weight_of(finder.column.missing) >= finder.options.min_leaf_units;
    }
    if (branches.n_large < 2) return {};
    if (finder.is(MissingPolicy::learned) && finder.any_missing()) {
        weights.push_back(weight_of(finder.column.missing));
        branches.badness += finder.badness_of_missing();
    }
    finder.measure(test, branches.badness, weights);
    return test;
}

}  // namespace branchline::tree
