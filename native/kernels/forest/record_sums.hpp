// How the rows of a node are added up from records, for each counter. Every row counts once.
#pragma once

#include "forest/wide_counters.hpp"

namespace branchline::forest {

// The rows of a node, the words that they add, and what they hold together.
struct RecordNode {
    RecordRows rows;
    const std::int64_t* words;
    std::span<const std::int64_t> content;
};

// What a cut gains whose left side is given; no_score where a side holds too little.
template <class Counter>
double gain_of(Counter& counter, const typename Counter::Cell* left, std::int64_t least) {
    const double gain = counter.gain_of(counter.score_of(left));
    const std::int64_t weight = counter.left_weight();
    return weight < least || counter.weight() - weight < least ? no_score : gain;
}

// Classes. Rows stand in the order of their classes, so that they need no words.
template <class Counter>
class RecordSums {
  public:
    using Cell = typename Counter::Cell;
    static constexpr bool has_words = false;

    explicit RecordSums(const GrowTarget& target)
        : target_(target), counts_(target.n_classes * node_lanes) {}

    // Adds a row to what the root holds; returns its word.
    std::int64_t add_to_root(RowIndex row, std::span<std::int64_t> content) const {
        ++content[target_.class_of_row[row]];
        return 0;
    }
    static bool is_pure(const Counter& counter, const RecordNode& node) {
        return counter.is_pure(node.content, {});
    }
    // What lies on the left of each cut, a cell each, and of which cuts each row is on the left.
    void sum(const RecordKernels& kernels, const RecordNode& node, const NodeCuts& cuts,
             std::uint64_t* left, Cell* sums) {
        const std::size_t n_classes = node.content.size();
        kernels.count_left(node.rows, {node.content.data(), n_classes}, cuts, left, counts_.data());
        for (std::size_t lane = 0; lane < cuts.n; ++lane) {
            const std::uint32_t* counts = counts_.data() + lane;
            if constexpr (is_packed) {
                sums[lane] = counts[0] | std::uint64_t{counts[node_lanes]} << 32;
            } else {
                for (std::size_t c = 0; c < n_classes; ++c) *sums++ = counts[c * node_lanes];
            }
        }
    }
    // What the cuts gain that `sum` was called for last; no_score where a side holds too little.
    void find_gains(Counter& counter, std::size_t n_cuts, std::int64_t least, const Cell* sums,
                    double* gains) const {
        if constexpr (!is_packed) {
            if (counter.cuts_cells()) return find_gains_of_lanes(counter, n_cuts, least, gains);
        }
        for (std::size_t lane = 0; lane < n_cuts; ++lane) {
            gains[lane] = gain_of(counter, sums + lane * counter.cell_words(), least);
        }
    }
    // What the rows hold whose byte is as it should be.
    template <class Holds>
    void sum_where(const RecordNode& node, std::uint32_t column, Holds&& holds, Cell* sum) const {
        const std::uint8_t* codes = node.rows.records + column;
        const std::uint32_t* place = node.rows.place;
        if constexpr (is_packed) *sum = 0;
        for (std::size_t c = 0; c < node.content.size(); ++c) {
            std::uint32_t count = 0;
            const std::uint32_t* end = place + node.content[c];
            for (; place != end; ++place) count += holds(codes[*place]);
            if constexpr (is_packed) {
                *sum |= std::uint64_t{count} << (32 * c);
            } else {
                sum[c] = count;
            }
        }
    }
    static void add(const Cell* more, std::size_t n_words, Cell* cell) {
        for (std::size_t w = 0; w < n_words; ++w) cell[w] += more[w];
    }
    static void write_content(const Cell* cell, std::span<std::int64_t> content) {
        for (std::size_t c = 0; c < content.size(); ++c) {
            if constexpr (is_packed) {
                content[c] = static_cast<std::int64_t>(*cell >> (32 * c) & 0xFFFF'FFFFu);
            } else {
                content[c] = static_cast<std::int64_t>(cell[c]);
            }
        }
    }

  private:
    // Gini: class by class, all cuts side by side.
    void find_gains_of_lanes(const Counter& counter, std::size_t n_cuts, std::int64_t least,
                             double* gains) const {
        const ClassesNode node = counter.node(least);
        alignas(64) double weight[node_lanes] = {}, left[node_lanes] = {}, right[node_lanes] = {};
        for (std::size_t c = 0; c < node.n_classes; ++c) {
            if (node.units[c] == 0) continue;
            const auto all = static_cast<double>(node.units[c]);
            const std::uint32_t* counts = counts_.data() + c * node_lanes;
            for (std::size_t lane = 0; lane < n_cuts; ++lane) {
                const auto units = static_cast<double>(static_cast<std::int32_t>(counts[lane]));
                weight[lane] += units;
                left[lane] += units * units;
                right[lane] += (all - units) * (all - units);
            }
        }
        const auto all = static_cast<double>(node.weight), most = all - static_cast<double>(least);
        for (std::size_t lane = 0; lane < n_cuts; ++lane) {
            const double score = left[lane] / weight[lane] + right[lane] / (all - weight[lane]) +
                                 counter.cut_offset();
            const bool is_allowed =
                weight[lane] >= static_cast<double>(least) && weight[lane] <= most;
            gains[lane] = is_allowed ? counter.gain_of(score) : no_score;
        }
    }

    static constexpr bool is_packed = std::is_same_v<Counter, TwoClassCounter>;

    const GrowTarget& target_;
    std::vector<std::uint32_t> counts_;
};

// One number: its sum is the word of a row.
template <>
class RecordSums<NumberCounter> {
  public:
    using Cell = NumberCell;
    static constexpr bool has_words = true;

    explicit RecordSums(const GrowTarget& target) : target_(target) {}

    std::int64_t add_to_root(RowIndex row, std::span<std::int64_t> content) const {
        ++content[0];
        content[1] += target_.sums_of_row[row];
        return target_.sums_of_row[row];
    }
    static bool is_pure(const NumberCounter&, const RecordNode& node) {
        const std::int64_t* end = node.words + node.rows.n;
        return std::all_of(node.words, end, [&](std::int64_t word) { return word == *node.words; });
    }
    static void sum(const RecordKernels& kernels, const RecordNode& node, const NodeCuts& cuts,
                    std::uint64_t* left, Cell* sums) {
        kernels.sum_left(node.rows, node.words, cuts, left, sums);
    }
    static void find_gains(NumberCounter& counter, std::size_t n_cuts, std::int64_t least,
                           const Cell* sums, double* gains) {
        for (std::size_t lane = 0; lane < n_cuts; ++lane) {
            gains[lane] = gain_of(counter, sums + lane, least);
        }
    }
    template <class Holds>
    static void sum_where(const RecordNode& node, std::uint32_t column, Holds&& holds, Cell* sum) {
        const std::uint8_t* codes = node.rows.records + column;
        *sum = {0, 0};
        for (std::size_t i = 0; i < node.rows.n; ++i) {
            const std::int64_t mask = -std::int64_t{holds(codes[node.rows.place[i]])};
            sum->units -= mask;
            sum->sum += node.words[i] & mask;
        }
    }
    static void add(const Cell* more, std::size_t, Cell* cell) { NumberCounter::add(cell, *more); }
    static void write_content(const Cell* cell, std::span<std::int64_t> content) {
        content[0] = cell->units;
        content[1] = cell->sum;
    }

  private:
    const GrowTarget& target_;
};

}  // namespace branchline::forest
