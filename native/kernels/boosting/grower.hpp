// Growing one tree: which node is split next, and what its children hold.
#pragma once

#include <memory>

#include "boosting/counter.hpp"
#include "boosting/cuts.hpp"
#include "branchline/thread_pool.hpp"
#include "forest/node_draws.hpp"

namespace branchline::boosting {

struct GrowingNode {
    NodeView view;
    int depth = 0;
    std::uint64_t key = 0;                  // of the draws of columns
    std::int64_t first_child = -1;          // −1: a leaf
    Cut cut;                                // the best test; once split, its test
    std::vector<std::uint8_t> allowed;      // a byte for each column; empty: all
    std::vector<std::uint8_t> open_groups;  // groups that hold all columns of the path
    std::unique_ptr<Histogram> histogram;
};

class BoostingGrower {
  public:
    explicit BoostingGrower(const BlockedRows& rows);

    // For the trees that follow; what is given must outlive them.
    void begin(const BoostingConstraints& constraints, const BoostingOptions& options,
               ThreadPool& pool, StopSignal& stop);

    // Grows a tree; afterwards `nodes` and `node_rows` describe it.
    void grow(const BoostingTarget& target, std::uint64_t tree);

    std::span<const GrowingNode> nodes() const { return nodes_; }
    const NodeRows& node_rows() const { return node_rows_; }
    const RowWords& words() const { return words_; }

  private:
    using NodeIds = std::vector<std::size_t>;
    // Two new nodes: `small` is counted, `large` is what remains of their parent.
    struct Pair {
        std::size_t parent, small, large;
        bool wants_small = false, wants_large = false;  // whether they may be split in turn
        bool subtracts = false;                         // whether the parent's histogram is there
        bool by_share = false;                          // whether shares are counted, not blocks
    };
    // What each worker needs for itself.
    struct Room {
        std::unique_ptr<CutFinder> finder;
        std::vector<double> right, left, right_total, left_total;
        std::vector<std::int64_t> g;
        std::vector<std::uint64_t> hn;
    };

    void begin_root(std::uint64_t seed);
    void grow_leaf_wise();
    void grow_depth_wise();
    void grow_symmetric();

    // Splits a node by its cut; counts its children, and finds their tests when `find` is true.
    void split(std::size_t parent, bool find);
    void add_children(std::size_t parent);
    Pair pair_children(std::size_t parent);
    void part_and_count(const Pair& pair);
    void collect_and_find(const Pair& pair, bool find);
    void look_at_pair(const Pair& pair, bool find);
    void collect_both(const Pair& pair, std::size_t bundle, std::size_t worker);
    void subtract(const Pair& pair, std::size_t bundle);
    void collect(Histogram& histogram, std::size_t bundle, bool by_share, std::size_t worker);
    // Counts a node of about n_rows rows by itself, finds its test.
    void count_whole(std::size_t node, double n_rows);
    void find_whole(std::size_t node);
    void keep_best(std::size_t node, std::span<Cut> found);
    void drop_unused(GrowingNode& node);
    void limit_leaves(NodeIds& parents) const;

    // Runs task(block, worker) or task(share of bundles, worker), on this thread when there is
    // little work: rows, or nanoseconds.
    template <class Task>
    void for_blocks(double n_rows, Task&& task);
    template <class Task>
    void for_shares(double work, Task&& task);
    template <class Visit>
    void for_columns(const Share& share, Visit&& visit) const;

    double n_units() const;
    NodeSums sums_of(const Histogram& histogram) const;
    bool packs(double n_rows) const;
    bool counts_by_share(double n_rows) const;
    double work_of(double n_rows, bool by_share, double n_nodes) const;
    void find_in_bundle(std::size_t node, std::size_t bundle, Room& room, Found& best);
    Cut cut_of(std::size_t node, const Found& found, Room& room);
    bool may_split(const GrowingNode& node) const;
    bool may_test(const GrowingNode& node, std::size_t column) const;
    void draw_columns(std::vector<std::uint8_t>& allowed, std::size_t n, std::uint64_t key) const;
    void allow_columns(GrowingNode& node) const;

    // Symmetric growth: the test that gains most in all nodes of a level together.
    struct Common {
        double gain = 0;
        Side side;
        Code right_code = 0;
    };
    Common find_common(const NodeIds& level);
    void find_common_threshold(std::size_t column, const NodeIds& level, Room& room, Common& best);
    void find_common_categories(std::size_t column, const NodeIds& level, Room& room, Common& best);
    Bins pooled_bins(std::size_t column, const NodeIds& level, Room& room);
    NodeIds nodes_that_gain(const NodeIds& level, const Common& common);
    bool find_parents(const NodeIds& level, NodeIds& parents);

    // Where rows are some of a table's (grower_parts.cpp): the small child of all parts; histograms
    // go to the part that looks for tests, tests to the others.
    void collect_parts(const Pair& pair);
    void gather(Histogram& histogram);
    bool fits_words(const Histogram& histogram) const;
    void tell_root(bool finds);
    void tell_pair(const Pair& pair, bool finds_small, bool finds_large);
    void tell_cuts(const NodeIds& nodes);
    bool tell_level(bool is_found, NodeIds& parents);

    const BlockedRows& rows_;
    const bool looks_;  // for tests: false where another part does
    const BoostingKernels& kernels_;
    BoostingConstraints constraints_;
    BoostingOptions options_;
    ThreadPool* pool_ = nullptr;
    StopSignal* stop_ = nullptr;
    RowWords words_;
    NodeRows node_rows_;
    Counter counter_;
    HistogramPool histograms_;
    std::vector<Share> shares_;  // of the bundles, for threads to look at
    std::vector<GrowingNode> nodes_;
    std::vector<std::uint8_t> tree_columns_;
    std::vector<Room> rooms_;
    std::vector<Cut> found_;  // small child, then large child: a place a share
    std::vector<std::uint64_t> part_bins_;
    std::int64_t n_leaves_ = 0;
};

// -- sharing work out -------------------------------------------------------------------------------

inline constexpr double work_a_bin = 3;  // nanoseconds to take it over and to score it

template <class Task>
void BoostingGrower::for_blocks(double n_rows, Task&& task) {
    constexpr double few = 2048;  // rows that are not worth waking another thread
    const std::size_t n = rows_.n_blocks();
    if (n_rows > few) {
        pool_->run(n, task);
    } else {
        for (std::size_t block = 0; block < n; ++block) task(block, std::size_t{0});
    }
}

template <class Task>
void BoostingGrower::for_shares(double work, Task&& task) {
    constexpr double little = 5000;  // likewise
    if (work > little) {
        pool_->run_at_home(shares_.size(), task);
    } else {
        for (std::size_t share = 0; share < shares_.size(); ++share) task(share, std::size_t{0});
    }
}

template <class Visit>
void BoostingGrower::for_columns(const Share& share, Visit&& visit) const {
    for (std::size_t b = share.first; b < share.end; ++b) {
        for (const std::uint32_t column : rows_.bundles[b].columns) visit(std::size_t{column});
    }
}

}  // namespace branchline::boosting
