// What every test finder works with, and what all of them do with a cut once it is found.
#pragma once

#include "branchline/tree_walker.hpp"
#include "tree/cut.hpp"
#include "tree/median_scan.hpp"
#include "tree/split_sides.hpp"

namespace branchline::tree {

template <class Sides>
struct Finder {
    using Entry = typename Sides::Entry;
    static constexpr bool is_of_numbers = !std::is_same_v<Entry, ClassEntry>;

    Sides& sides;
    const GrowColumn& grow_column;
    const GrowOptions& options;
    NodeColumn<Entry> column;
    std::span<const Group> groups;  // of the present entries, in order of code
    MissingPolicy policy = MissingPolicy::learned;
    Code fill = 0;  // policy mode: the code that missing values stand for, and were given already

    bool any_missing() const { return !column.missing.empty(); }
    bool is(MissingPolicy other) const { return policy == other; }

    CutSearch<Sides> search(std::int64_t min_units) const { return {sides, column, min_units}; }

    // Runs visit(side) for each way in which missing entries may take part.
    template <class Visit>
    void for_missing_sides(Visit&& visit) const {
        switch (policy) {
            case MissingPolicy::learned:
                visit(MissingSide::right);
                if (any_missing()) visit(MissingSide::left);
                break;
            case MissingPolicy::mode:
            case MissingPolicy::own_branch:
            case MissingPolicy::fractional: visit(MissingSide::apart); break;
        }
    }

    double badness_of_missing() const {
        sides.start(column.facts.content);
        sides.start_empty();
        for (const Entry& entry : column.missing) sides.add_right(entry);
        return sides.right_badness();
    }

    // What is compared with the branches: everything, or what is known (fractional).
    double badness_before() const {
        if (!is(MissingPolicy::fractional) || !any_missing()) return column.facts.badness;
        sides.start(column.facts.content);
        for (const Entry& entry : column.missing) sides.drop_right(entry);
        return sides.right_badness();
    }

    // Gain and split information of branches whose badness and weights are known; missing values
    // that are in none of them are added here.
    void measure(Candidate& test, double badness_of_branches,
                 std::vector<std::int64_t>& branch_weights) const {
        double after = badness_of_branches;
        const bool apart = is(MissingPolicy::own_branch) || is(MissingPolicy::fractional);
        if (apart && any_missing()) {
            branch_weights.push_back(weight_of(column.missing));
            if (is(MissingPolicy::own_branch)) after += badness_of_missing();
        }
        test.gain = (badness_before() - after) / column.facts.impurity_weight;
        test.split_information = split_information(branch_weights);
    }

    // The branch of missing values at prediction.
    int branch_of_missing(const Cut& cut, int branch_of_fill) const {
        switch (policy) {
            case MissingPolicy::learned:
                if (any_missing()) return cut.missing_left ? 0 : 1;
                break;
            case MissingPolicy::mode:
                if (branch_of_fill >= 0) return branch_of_fill;
                break;
            case MissingPolicy::own_branch:
                if (any_missing()) return 2;
                break;
            case MissingPolicy::fractional: return every_branch;
        }
        return cut.weight[0] >= cut.weight[1] ? 0 : 1;  // none seen: where most rows go
    }
};

// Turns a cut into a candidate; branch_of_fill is where the value goes that missing ones stand for.
template <class Sides>
Candidate candidate_of_cut(const Finder<Sides>& finder, const Cut& cut, int branch_of_fill) {
    Candidate test;
    const bool own = finder.is(MissingPolicy::own_branch) && finder.any_missing();
    test.n_branches = own ? 3 : 2;
    test.missing_branch = finder.branch_of_missing(cut, branch_of_fill);
    std::vector<std::int64_t> weights(cut.weight.begin(), cut.weight.end());
    finder.measure(test, cut.badness, weights);
    return test;
}

// A test lists a branch for every code of its column. Where a node has few rows for very many codes,
// such as identifiers, nearly all of the list is about codes that the node never saw, and all tests of
// a tree would take memory as the square of the rows: so a test needs a row for every 64 codes.
template <class Sides>
bool has_too_few_rows(const Finder<Sides>& finder) {
    constexpr std::size_t many_codes = 2048;
    constexpr double codes_a_row = 64;
    const std::size_t n_codes = finder.grow_column.n_codes;
    if (n_codes <= many_codes) return false;
    const auto weight = static_cast<double>(weight_of(finder.column.present));
    return weight * finder.options.unit * codes_a_row < static_cast<double>(n_codes);
}

}  // namespace branchline::tree
