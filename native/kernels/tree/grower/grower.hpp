// Nodes are opened, looked at, split: the loop that grows a tree.
//
// Large nodes are looked at by all threads, column by column. Small nodes are grown to the end, each
// subtree by one thread on its own copy of the lists, which then fits the cache. With a limit on
// leaves, the leaf whose test gains most (gain times weight) is split next, the oldest on ties.
#pragma once

#include <queue>

#include "branchline/thread_pool.hpp"
#include "tree/choose_test.hpp"
#include "tree/tree_builder.hpp"

namespace branchline::tree {

// A node whose rows are still to be sent down: a range of the lists or, when rows have parts (policy
// fractional), rows of its own.
struct OpenNode {
    std::int32_t node = 0;
    int depth = 0;
    std::size_t begin = 0, end = 0;
    std::vector<RowIndex> own_rows;
    std::vector<std::int64_t> own_parts;
    std::vector<int> columns;  // those that varied in the parent
    std::vector<std::int64_t> content;
    std::vector<double> spread;
    std::vector<std::int64_t> twice_median;  // absolute_error
    std::vector<double> loss;                // absolute_error, poisson
    std::vector<NodeTargets> targets;        // absolute_error

    HeldByNode held() const { return {content, spread, twice_median, loss}; }
};

// A threshold that a scan for two classes has found.
struct TwoClassCut {
    Code left_code, right_code;
    ClassPair left;     // with missing values, where they go left
    ClassPair missing;  // none: no value is missing in the node
    bool missing_left;
};

template <class Sides>
class Grower {
  public:
    using Wide = SortedLists<std::uint32_t>;
    using Narrow = SortedLists<std::uint16_t>;

    Grower(std::span<const GrowColumn> columns, const GrowTarget& target,
           const GrowOptions& options, std::size_t n_rows, StopSignal& stop);

    GrownTree grow(std::span<const RowIndex> rows);
    std::vector<ListedTest> list(std::span<const RowIndex> rows);

  private:
    bool is_fractional() const { return options_.missing == MissingPolicy::fractional; }
    bool gets_list(std::size_t column, std::size_t n_rows) const;
    Wide make_lists(std::span<const RowIndex> rows);
    OpenNode make_root(std::span<const RowIndex> rows) const;

    template <class Index>
    NodeRows rows_of(const OpenNode& open, const SortedLists<Index>& lists) const {
        if (is_fractional()) return {open.own_rows, open.own_parts};
        return {lists.rows(open.begin, open.end), {}};
    }
    void summarize(OpenNode& open, const NodeRows& rows) const;
    void find_medians(OpenNode& open, const NodeRows& rows) const;
    void find_deviances(OpenNode& open, const NodeRows& rows) const;
    NodeFacts facts_of(const OpenNode& open, Sides& sides) const;
    bool must_stay_leaf(const OpenNode& open, const NodeFacts& facts) const;
    bool has_last_tests(const OpenNode& open) const { return open.depth + 1 >= options_.max_depth; }

    template <class Index>
    ColumnVerdict look_at(int column, const OpenNode& open, const SortedLists<Index>& lists,
                          const NodeFacts& facts, Desk<Sides>& desk) const;
    template <class Index>
    bool scan_applies(std::span<const Item<Index>> list) const;
    template <class Index>
    ColumnVerdict scan_list(int column, std::span<const Item<Index>> list,
                            const SortedLists<Index>& lists, const NodeFacts& facts,
                            Desk<Sides>& desk) const;
    // Whether columns without a list may be scanned by counts; rows then add pairs of units.
    template <class Index>
    bool counts_apply(const OpenNode& open, const SortedLists<Index>& lists,
                      const NodeFacts& facts) const;
    std::vector<ClassPair> pairs_of(const NodeRows& rows) const;
    double gain_to_spare(const OpenNode& open, const NodeFacts& facts) const;
    ColumnVerdict scan_counts(const GrowColumn& column, const NodeRows& rows,
                              const NodeFacts& facts, Desk<Sides>& desk) const;
    ColumnVerdict verdict_of(const TwoClassCut& cut, const NodeFacts& facts,
                             Desk<Sides>& desk) const;
    template <class Index>
    void collect_list(int column, std::span<const Item<Index>> list,
                      const SortedLists<Index>& lists, Desk<Sides>& desk) const;

    // Calls work(begin, end, desk) for ranges of columns of `n_rows` rows that do not depend on
    // threads; without a desk on all of them.
    template <class Work>
    void for_columns(std::size_t n_columns, std::size_t n_rows, Desk<Sides>* desk,
                     const Work& work);

    // The best test of a node, or one without a column; `open.columns` keeps those that vary.
    // Without a desk all threads take part.
    template <class Index>
    Candidate best_test(OpenNode& open, const SortedLists<Index>& lists, Desk<Sides>* desk);
    template <class Index>
    std::vector<ColumnVerdict> look_at_all(const OpenNode& open, const SortedLists<Index>& lists,
                                           NodeFacts& facts, Desk<Sides>* desk);

    // Returns the children that may be split further.
    template <class Index>
    std::vector<OpenNode> split(OpenNode& open, Candidate test, SortedLists<Index>& lists,
                                TreeBuilder& tree, Desk<Sides>* desk);
    template <class Index>
    void part(const OpenNode& open, const Candidate& test, SortedLists<Index>& lists,
              std::vector<OpenNode>& children, Desk<Sides>* desk);
    void share(const OpenNode& open, const Candidate& test, std::vector<OpenNode>& children) const;

    bool is_large(const OpenNode& open) const;
    std::size_t n_rows_of(const OpenNode& open) const {
        return is_fractional() ? open.own_rows.size() : open.end - open.begin;
    }
    void grow_all(OpenNode root, Wide& lists, TreeBuilder& tree);
    void grow_small(OpenNode root, const Wide& lists, TreeBuilder& tree, Desk<Sides>& desk);
    template <class Index>
    void grow_subtree(OpenNode root, SortedLists<Index>& lists, TreeBuilder& tree,
                      Desk<Sides>& desk);
    void grow_best_first(OpenNode root, Wide& lists, TreeBuilder& tree);

    std::span<const GrowColumn> columns_;
    const GrowTarget& target_;
    const GrowOptions& options_;
    StopSignal& stop_;
    LogTable logs_;
    ThreadPool pool_;
    std::vector<Desk<Sides>> desks_;
    std::vector<std::uint16_t> local_id_;
};

}  // namespace branchline::tree
