// Growing a tree with random thresholds (extra-trees) on records, by one thread.
//
// The nodes of a level go through these steps together, so that the processor overlaps them:
// 1. One pass over the rows of a node finds the codes of every column: which columns vary.
// 2. Columns are drawn, and a random test for each.
// 3. One pass counts what lies on the left of all of these tests.
// 4. The rows are divided by the best test; what its sides hold is known by then.
// Which codes stand next to a threshold is seen in the nodes below it.
//
// Draws and choices are those of ColumnLooker and TreeGrower, which look at one column at a time:
// tests hold both to the same trees. Small subtrees copy their records: all that follows stays in
// the nearest cache. Requires: every draw of a row counts one unit; so a row that was drawn twice is
// there twice.
#pragma once

#include <array>
#include <cstring>
#include <numeric>

#include "branchline/stop_signal.hpp"
#include "forest/level_order.hpp"
#include "forest/node_draws.hpp"
#include "forest/offer.hpp"
#include "forest/record_sums.hpp"
#include "forest/record_table.hpp"
#include "forest/threshold_values.hpp"

namespace branchline::forest {

// Whether all that is asked for is known here, and rows are not there too often.
inline bool can_grow_on_records(const ForestInput& input, const ForestOptions& options) {
    const std::size_t n_rows = input.bag.keys.size();
    const auto& copies = input.bag.copies;
    const double n_copies = copies.empty() ? static_cast<double>(n_rows)
                                           : std::accumulate(copies.begin(), copies.end(), 0.0);
    const double rate = options.bag.kind == BagKind::all ? 1 : options.bag.rate;
    return options.random_thresholds && options.score_threshold > 1 && input.monotone.empty() &&
           input.target.units.empty() && input.target.n_outputs <= 1 &&
           options.tree.max_leaves == std::numeric_limits<std::int64_t>::max() &&
           !compares_more_than_gain(input.columns, options.tree) &&
           rate * n_copies <= 4 * static_cast<double>(n_rows) &&
           RecordTable::can_hold(input.columns, n_rows);
}

template <class Counter>
class RandomGrower {
  public:
    using Cell = typename Counter::Cell;

    RandomGrower(const ForestInput& input, const ForestOptions& options, StopSignal& stop,
                 const RecordTable& table);

    // Grows tree number `tree` and writes it; nothing is written when work is to stop.
    void grow(std::uint64_t tree, GrownForest& out);

  private:
    struct Open {
        std::int32_t node = 0;
        int depth = 0;
        std::size_t begin = 0, end = 0;
        std::uint64_t key = 0;

        std::size_t size() const { return end - begin; }
    };
    // Of a test: is_known parts one value from missing ones.
    enum class Kind : std::uint8_t { threshold, is_known, categories };
    // A column that was drawn, and its test.
    struct Drawn {
        std::uint32_t column;
        Kind kind;
        bool any_missing;
        std::uint32_t lane;  // threshold: its place among all cuts
        std::uint64_t word;  // categories: what their sides depend on
    };
    // A node of the level: what is known of it on its way through the steps.
    struct Visit {
        RecordRange range;
        NodeCuts cuts;
        std::size_t first_drawn, n_drawn, first_lane;
        bool is_plain;  // thresholds alone, and no missing values
    };
    struct Best {
        double gain = 0;
        Drawn drawn{};
        bool is_test = false, missing_left = false;
    };
    // Cuts of all nodes that go through the steps together.
    struct Lanes {
        explicit Lanes(std::size_t room)
            : column(room), lowest(room), highest(room), last_left(room), uniform(room),
              half_threshold(room) {}
        std::size_t n = 0;
        std::vector<std::uint32_t> column, lowest, highest, last_left;
        std::vector<double> uniform, half_threshold;
    };
    // Subtrees whose records have this many bytes are copied: into the second, the nearest cache.
    static constexpr std::size_t n_tiers = 3;
    static constexpr std::array<std::size_t, n_tiers> copied_bytes{1 << 20, 1 << 15, 0};
    static constexpr std::size_t max_visits = 32;  // nodes that go through the steps together
    struct Tier {
        std::vector<Open> level, below, small;
        RecordBytes copy;
    };

    void take_bag(std::uint64_t tree);
    void grow_tier(const std::uint8_t* records, std::size_t tier);
    void grow_copied(const Open& root, const std::uint8_t* records, std::size_t tier);
    void visit(std::span<const Open> nodes, const std::uint8_t* records, std::vector<Open>& below);
    RecordNode node_of(const Open& open, const std::uint8_t* records);
    std::int64_t* words_at(std::size_t row) {
        return adder_.has_words ? words_.data() + row : nullptr;
    }
    bool stays_leaf(const Open& open, const RecordNode& node);

    void look_at(const Open& open, const RecordNode& node, Visit& visit);
    void draw(NodeDraws& draws, std::size_t& k, std::size_t n_wanted, Visit& visit);
    bool draw_column(std::uint32_t column, NodeDraws& draws, const RecordRange& range);
    void set_cuts(Visit& visit);
    void find_cuts(std::size_t first_lane);
    bool choose(const Open& open, const RecordNode& node, Visit& visit);
    void draw_further(const Open& open, const RecordNode& node, Visit& visit);
    void consider_all(const RecordNode& node, const Visit& visit);
    void consider_thresholds(const Visit& visit);
    void consider_each(const RecordNode& node, const Visit& visit);
    void consider_sides(const Drawn& drawn, const Cell* left, const RecordNode& node,
                        const RecordRange& range);
    double score_of(const Cell* left);
    void sum_subset(const Drawn& drawn, const RecordNode& node, const RecordRange& range);
    void find_present(std::uint32_t column, const RecordNode& node, const RecordRange& range);
    bool take(const Drawn& drawn, double gain, const Cell* left);

    void split(const Open& open, const RecordNode& node, std::vector<Open>& below);
    std::int32_t write_test(const Open& open);
    void mark_left(const RecordNode& node);
    void note_neighbors(const Open& open, std::uint8_t lowest, Code highest_code);
    void note_neighbors_of_leaf(const Open& open, const RecordNode& node);
    void settle();

    const ForestInput& input_;
    const ForestOptions& options_;
    StopSignal& stop_;
    const RecordTable& table_;
    Counter counter_;
    RecordKernels kernels_;
    RecordSums<Counter> adder_;
    ColumnDeck deck_;
    ThresholdValues thresholds_;
    ThresholdTables tables_;
    GrowingTree tree_;
    std::vector<double> half_threshold_;  // of each test
    bool in_order_ = false;
    std::uint64_t categories_ = 0;  // which columns are, a bit each
    // Rows: places of their records, words that they add, of which cuts they are on the left.
    std::vector<std::uint32_t> place_, spare_place_;
    std::vector<std::int64_t> words_, spare_words_;
    std::vector<std::uint64_t> left_of_;
    std::array<Tier, n_tiers> tiers_;
    // The nodes at hand.
    std::vector<Visit> visits_;
    std::vector<Drawn> drawn_;
    std::size_t n_drawn_ = 0;
    Lanes lanes_;
    // The node at hand.
    std::size_t cell_words_;
    std::vector<Cell> sums_, missing_, left_, best_left_;
    std::array<double, node_lanes> gains_;
    std::vector<Code> present_;
    std::array<std::uint8_t, 256> branch_of_code_{}, best_branch_{};
    Best best_;
};

template <class Counter>
RandomGrower<Counter>::RandomGrower(const ForestInput& input, const ForestOptions& options,
                                    StopSignal& stop, const RecordTable& table)
    : input_(input), options_(options), stop_(stop), table_(table), counter_(input.target),
      kernels_(level_kernels_for(best_cpu_level()).records), adder_(input.target),
      deck_(input.columns.size()), thresholds_(input.values), tables_(thresholds_.tables()),
      tree_(input.target.width(), input.columns), visits_(max_visits),
      drawn_((max_visits + 2) * node_lanes), lanes_((max_visits + 2) * node_lanes),
      cell_words_(counter_.cell_words()), sums_(node_lanes * cell_words_), missing_(cell_words_),
      left_(cell_words_), best_left_(cell_words_) {
    for (std::size_t c = 0; c < input.columns.size(); ++c) {
        categories_ |= std::uint64_t{input.columns[c].is_category} << c;
    }
}

}  // namespace branchline::forest
