// Branch and bound over trees of more than two levels (optimal_tree.hpp states the method).
#pragma once

#include <algorithm>
#include <chrono>
#include <numeric>
#include <vector>

#include "optimal/known_nodes.hpp"

namespace branchline::optimal {

// A tree as a heap of tests, and what is proved of it.
struct Answer {
    Value value = no_value;  // of `tests`; no_value: nothing was found within the limit
    Value bound = 0;         // no tree has less
    bool is_exact = false;   // `tests` is optimal
    std::vector<std::int32_t> tests;
};

inline std::size_t heap_size(int depth) { return (std::size_t{1} << depth) - 1; }

inline std::vector<std::int32_t> heap_of(const SmallTree& tree, int depth) {
    std::vector<std::int32_t> tests(heap_size(depth), -1);
    if (depth > 0) tests[0] = tree.root;
    if (depth > 1) tests[1] = tree.yes, tests[2] = tree.no;
    return tests;
}

// Puts two heaps below a root, level by level.
inline std::vector<std::int32_t> joined(std::int32_t root, const std::vector<std::int32_t>& yes,
                                        const std::vector<std::int32_t>& no, int depth) {
    std::vector<std::int32_t> tests(heap_size(depth), -1);
    tests[0] = root;
    for (int level = 0; level + 1 < depth; ++level) {
        const std::size_t n = std::size_t{1} << level, from = n - 1, to = 2 * n - 1;
        for (std::size_t k = 0; k < n; ++k) {
            tests[to + k] = yes[from + k];
            tests[to + n + k] = no[from + k];
        }
    }
    return tests;
}

template <class Cost>
class TreeSearch {
  public:
    struct Bounds {
        std::vector<double> most_loss;    // by place
        std::vector<double> irreducible;  // by place: what equal rows cost in any tree
        bool uses_similarity = true;
    };

    TreeSearch(const RowBits& rows, PairSolver<Cost>& pairs, const Scale& scale,
               const OptimalOptions& options, Bounds bounds, StopSignal& stop)
        : rows_(rows), pairs_(pairs), scale_(scale), uses_similarity_(bounds.uses_similarity),
          irreducible_(std::move(bounds.irreducible)),
          similar_(options.max_depth, std::move(bounds.most_loss),
                   std::is_same_v<typename Cost::Raw, std::int32_t>, scale.factor),
          stop_(stop), end_(std::chrono::steady_clock::now() +
                            std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                std::chrono::duration<double>(std::min(options.time_limit, 1e9)))),
          shape_(options.shape) {
        for (std::size_t place = 0; place < irreducible_.size(); ++place) {
            if (irreducible_[place] > 0) costly_.push_back(place);
        }
    }

    Answer solve_root(int max_depth) {
        Answer answer;
        Value least = 0;  // no tree that is left to find has less
        for (int depth = 1; depth <= max_depth; ++depth) {
            Answer deeper = solve(rows_.everything(), depth, answer.value);
            if (deeper.value <= answer.value) {
                answer = std::move(deeper);
            } else {  // time ran out before anything as good was found again
                answer.is_exact = false;
                answer.bound = deeper.bound;
                answer.tests.resize(heap_size(depth), -1);
            }
            if (out_of_time_) {
                answer.is_exact = answer.is_exact && depth == max_depth;
                if (depth < max_depth) answer.bound = floor_of(rows_.everything());
                answer.bound = std::min(answer.value, std::max(answer.bound, least));
                break;
            }
            // This depth is solved: a better tree is deeper, so it has at least depth + 2 leaves.
            least =
                std::min(answer.value, floor_of(rows_.everything()) + (depth + 1) * scale_.price);
        }
        return answer;
    }

    std::int64_t n_pairs_solved() const { return n_pairs_solved_; }

  private:
    // The optimum when it is at most `limit`; otherwise a bound above the limit. When time runs out,
    // the best tree so far and a bound.
    Answer solve(const Mask& node, int depth, Value limit) {
        const NodeKey key = key_of(node, depth);
        if (const Known* known = known_.find(key)) {
            if (known->is_exact) return {known->value, known->value, true, known->tests};
            if (known->value > limit) return {no_value, known->value, false, {}};
        }
        pairs_.load(node);
        const Value leaf = pairs_.leaf_value(), floor = floor_of(node);
        if (leaf <= floor + scale_.price) {
            return exact(node, depth, key, leaf, std::vector<std::int32_t>(heap_size(depth), -1));
        }
        if (depth == 1) {
            const SmallTree best = pairs_.best_stump();
            return exact(node, depth, key, best.value, heap_of(best, 1));
        }
        const SmallTree best = solve_pair();
        if (out_of_time_) return {best.value, floor, false, heap_of(best, depth)};
        // A tree of three levels or more has at least four leaves.
        const bool is_best = best.value < floor + 3 * scale_.price;
        if (depth == 2 || is_best) return exact(node, depth, key, best.value, heap_of(best, depth));
        return branch(node, depth, limit, best);
    }

    SmallTree solve_pair() {
        ++n_pairs_solved_;
        return pairs_.best_pair([this] { return goes_on(); });
    }

    // Tries every test at the root, the most promising of the two-level trees first.
    Answer branch(const Mask& node, int depth, Value limit, const SmallTree& two_levels) {
        Answer best{two_levels.value, 0, false, heap_of(two_levels, depth)};
        std::int32_t first = two_levels.root;
        if (best.value > limit) best = {limit + 1, 0, false, {}}, first = beyond_tests;
        Value bound = no_value;
        for (const Candidate& candidate : promising_order()) {
            // An equal value is taken from a lower test only.
            const std::int32_t root = candidate.root;
            const Value most = best.value - (root > first ? 1 : 0);
            const Answer found = try_root(node, candidate, depth, most);
            bound = std::min(bound, found.bound);
            if (found.value <= most) {
                best.value = found.value, best.tests = found.tests;
                first = root;
            }
        }
        const NodeKey key = key_of(node, depth);
        if (out_of_time_) {
            bound = std::min({bound, best.value, no_value});
            if (best.value > limit) best.value = no_value;
            return {best.value, std::max(bound, floor_of(node)), false, std::move(best.tests)};
        }
        if (best.value <= limit) return exact(node, depth, key, best.value, std::move(best.tests));
        known_.keep(key, {std::max(bound, limit + 1), false, {}});
        return {no_value, std::max(bound, limit + 1), false, {}};
    }

    // The number of a root, and what leaves cost in its branches.
    struct Candidate {
        std::int32_t root;
        Value yes_leaf, no_leaf;
    };

    std::vector<Candidate> promising_order() const {
        const std::vector<Value>& value = pairs_.value_of_root();
        std::vector<Candidate> order;
        for (std::size_t number = 0; number < value.size(); ++number) {
            if (value[number] == no_value) continue;
            const auto [test, holds] = root_of(number, shape_);
            order.push_back({static_cast<std::int32_t>(number), pairs_.branch_value(test, holds),
                             pairs_.branch_value(test, !holds)});
        }
        std::stable_sort(order.begin(), order.end(), [&](const Candidate& a, const Candidate& b) {
            return value[static_cast<std::size_t>(a.root)] <
                   value[static_cast<std::size_t>(b.root)];
        });
        return order;
    }

    // The best tree with this root when it costs at most `most`, and always a bound.
    Answer try_root(const Mask& node, const Candidate& candidate, int depth, Value most) {
        const bool is_list = shape_ != TreeShape::any;
        const auto [root, yes_leaf, no_leaf] = candidate;
        const auto [test, holds] = root_of(static_cast<std::size_t>(root), shape_);
        const Mask yes = rows_.where(node, test, holds), no = rows_.where(node, test, !holds);
        const Value floor_of_no = floor_of(no, no_leaf);
        Value least_of_yes = is_list ? yes_leaf : floor_of(yes, yes_leaf);
        if (out_of_time_ || least_of_yes + floor_of_no > most) {
            return {no_value, least_of_yes + floor_of_no, false, {}};
        }
        if (!is_list) {
            least_of_yes = lower_bound(yes, depth - 1, {least_of_yes, most - floor_of_no});
        }
        const Value least_of_no = lower_bound(no, depth - 1, {floor_of_no, most - least_of_yes});
        if (least_of_yes + least_of_no > most)
            return {no_value, least_of_yes + least_of_no, false, {}};
        const Answer left =
            is_list ? leaf_answer(yes_leaf, depth - 1) : solve(yes, depth - 1, most - least_of_no);
        const Value left_bound = std::max(left.bound, least_of_yes);
        if (left.value > most - least_of_no) return {no_value, left_bound + least_of_no, false, {}};
        const Answer right = solve(no, depth - 1, most - left.value);
        const Value bound = left_bound + std::max(right.bound, least_of_no);
        if (right.value > most - left.value) return {no_value, bound, false, {}};
        return {left.value + right.value, bound, left.is_exact && right.is_exact,
                joined(root, left.tests, right.tests, depth)};
    }

    static Answer leaf_answer(Value value, int depth) {
        return {value, value, true, std::vector<std::int32_t>(heap_size(depth), -1)};
    }

    struct KnownBound {
        Value least, enough;
    };

    // No tree of this depth costs less; at least `least`, and stops looking above `enough`.
    Value lower_bound(const Mask& node, int depth, const KnownBound& known_bound) const {
        auto [bound, enough] = known_bound;
        if (bound > enough) return bound;
        if (const Known* known = known_.find(key_of(node, depth))) {
            bound = std::max(bound, known->value);
            if (known->is_exact || bound > enough) return bound;
        }
        return uses_similarity_ ? std::max(bound, similar_.bound(node, depth, enough)) : bound;
    }

    // What a tree costs at least: it is one leaf, or it has two.
    Value floor_of(const Mask& node, Value leaf) const {
        return std::min(leaf, floor_of(node) + scale_.price);
    }

    // What equal rows cost in any tree, and one leaf.
    Value floor_of(const Mask& node) const {
        double raw = 0;
        for (const std::size_t place : costly_) {
            if (node[place / 64] >> (place % 64) & 1) raw += irreducible_[place];
        }
        return static_cast<Value>(raw) * scale_.factor + scale_.price;
    }

    Answer exact(const Mask& node, int depth, const NodeKey& key, Value value,
                 std::vector<std::int32_t> tests) {
        known_.keep(key, {value, true, tests});
        if (uses_similarity_) similar_.keep(node, depth, value);
        return {value, value, true, std::move(tests)};
    }

    bool goes_on() {
        if (++n_asked_ % 32 == 0) {
            stop_.check();
            out_of_time_ = out_of_time_ || std::chrono::steady_clock::now() > end_;
        }
        return !out_of_time_;
    }

    static constexpr std::int32_t beyond_tests = std::numeric_limits<std::int32_t>::max();

    const RowBits& rows_;
    PairSolver<Cost>& pairs_;
    Scale scale_;
    bool uses_similarity_;
    std::vector<double> irreducible_;
    std::vector<std::size_t> costly_;
    KnownNodes known_;
    SimilarNodes similar_;
    StopSignal& stop_;
    std::chrono::steady_clock::time_point end_;
    TreeShape shape_;
    std::int64_t n_pairs_solved_ = 0;
    std::uint64_t n_asked_ = 0;
    bool out_of_time_ = false;
};

}  // namespace branchline::optimal
