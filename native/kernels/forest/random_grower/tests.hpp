// RandomGrower: the test of a node.
#pragma once

#include "forest/random_grower/random_grower.hpp"

namespace branchline::forest {

// Steps 1 and 2: the codes of the node, and the columns drawn.
template <class Counter>
void RandomGrower<Counter>::look_at(const Open& open, const RecordNode& node, Visit& visit) {
    kernels_.find_range(node.rows, visit.range);
    if (open.node > 0) {
        const std::uint32_t column = tree_.test_above(open.node).column;
        note_neighbors(open, visit.range.lowest[column], visit.range.highest_code[column]);
    }
    NodeDraws draws(open.key);
    std::size_t k = 0;
    // Two rows are separated by every column that varies: none is better than the first.
    const std::size_t most = node.rows.n == 2 ? 1 : options_.max_columns;
    draw(draws, k, most, visit);
    deck_.put_back();
}

// Draws the wanted number of columns that vary.
template <class Counter>
void RandomGrower<Counter>::draw(NodeDraws& draws, std::size_t& k, std::size_t n_wanted,
                                 Visit& visit) {
    visit.first_drawn = n_drawn_;
    visit.first_lane = lanes_.n;
    visit.is_plain = true;
    const std::size_t end = n_drawn_ + n_wanted;
    while (k < deck_.size() && n_drawn_ < end) {
        const std::uint32_t column = deck_.draw(k++, in_order_, draws);
        if (visit.range.lowest[column] == visit.range.highest[column]) continue;
        visit.is_plain &= draw_column(column, draws, visit.range);
    }
    visit.n_drawn = n_drawn_ - visit.first_drawn;
    visit.cuts.n = lanes_.n - visit.first_lane;
}

// Draws the column's test; returns whether that is a threshold, and no value is missing.
template <class Counter>
bool RandomGrower<Counter>::draw_column(std::uint32_t column, NodeDraws& draws,
                                        const RecordRange& range) {
    const Code lowest = Code{range.lowest[column]} + 1, highest = range.highest_code[column];
    Drawn& drawn = drawn_[n_drawn_++];
    drawn = {column, Kind::threshold, range.highest[column] == missing_byte, 0, 0};
    if ((categories_ >> column & 1) != 0) {
        drawn.kind = Kind::categories;
        drawn.word = draws.word();
        return false;
    }
    if (lowest == highest) {
        drawn.kind = Kind::is_known;
        return false;
    }
    const std::size_t lane = lanes_.n++;
    drawn.lane = static_cast<std::uint32_t>(lane);
    lanes_.column[lane] = column;
    lanes_.lowest[lane] = lowest;
    lanes_.highest[lane] = highest;
    lanes_.uniform[lane] = draws.uniform();
    return !drawn.any_missing;
}

template <class Counter>
void RandomGrower<Counter>::set_cuts(Visit& visit) {
    visit.cuts.column = lanes_.column.data() + visit.first_lane;
    std::memset(visit.cuts.last_left, 0, table_.stride());
    for (std::size_t lane = visit.first_lane; lane < visit.first_lane + visit.cuts.n; ++lane) {
        visit.cuts.last_left[lanes_.column[lane]] =
            static_cast<std::uint8_t>(lanes_.last_left[lane]);
    }
}

// Steps 3 and 4: whether some test gains, and the best.
template <class Counter>
bool RandomGrower<Counter>::choose(const Open& open, const RecordNode& node, Visit& visit) {
    counter_.begin_node(node.content);
    best_.is_test = false;
    best_.gain = std::max(options_.tree.min_gain, counter_.slack());
    consider_all(node, visit);
    if (!best_.is_test && visit.n_drawn > 0 && node.rows.n > 2) draw_further(open, node, visit);
    return best_.is_test;
}

template <class Counter>
void RandomGrower<Counter>::consider_all(const RecordNode& node, const Visit& visit) {
    if (visit.cuts.n > 0) adder_.sum(kernels_, node, visit.cuts, left_of_.data(), sums_.data());
    visit.is_plain ? consider_thresholds(visit) : consider_each(node, visit);
}

// What all of them gain first, without a branch, then the best: which one that is is a coin's toss.
template <class Counter>
void RandomGrower<Counter>::consider_thresholds(const Visit& visit) {
    adder_.find_gains(counter_, visit.cuts.n, options_.tree.min_leaf_units, sums_.data(),
                      gains_.data());
    std::size_t best = visit.cuts.n;
    double ahead = best_.gain;
    for (std::size_t lane = 0; lane < visit.cuts.n; ++lane) {
        const bool is_better = gains_[lane] > ahead;
        ahead = is_better ? gains_[lane] + 1e-12 * std::abs(gains_[lane]) : ahead;
        best = is_better ? lane : best;
    }
    if (best == visit.cuts.n) return;
    take(drawn_[visit.first_drawn + best], gains_[best], sums_.data() + best * cell_words_);
}

template <class Counter>
void RandomGrower<Counter>::consider_each(const RecordNode& node, const Visit& visit) {
    for (std::size_t i = 0; i < visit.n_drawn; ++i) {
        const Drawn& drawn = drawn_[visit.first_drawn + i];
        if (drawn.kind != Kind::threshold) {
            consider_sides(drawn, left_.data(), node, visit.range);
            continue;
        }
        const Cell* left = sums_.data() + (drawn.lane - visit.first_lane) * cell_words_;
        if (drawn.any_missing) {
            consider_sides(drawn, left, node, visit.range);
        } else {
            take(drawn, counter_.gain_of(score_of(left)), left);
        }
    }
}

// None of the columns drawn gained: further ones are drawn, one by one.
template <class Counter>
void RandomGrower<Counter>::draw_further(const Open& open, const RecordNode& node, Visit& visit) {
    const std::size_t n_drawn = n_drawn_, n_lanes = lanes_.n;
    NodeDraws draws(open.key);
    std::size_t k = 0;
    draw(draws, k, options_.max_columns, visit);  // those that are known not to gain
    while (k < deck_.size() && !best_.is_test) {
        n_drawn_ = n_drawn;
        lanes_.n = n_lanes;
        draw(draws, k, 1, visit);
        find_cuts(visit.first_lane);
        set_cuts(visit);
        consider_all(node, visit);
    }
    deck_.put_back();
    n_drawn_ = n_drawn;
    lanes_.n = n_lanes;
}

template <class Counter>
void RandomGrower<Counter>::find_cuts(std::size_t first_lane) {
    kernels_.find_cuts(tables_,
                       {lanes_.n - first_lane, lanes_.column.data() + first_lane,
                        lanes_.lowest.data() + first_lane, lanes_.highest.data() + first_lane,
                        lanes_.uniform.data() + first_lane, lanes_.last_left.data() + first_lane,
                        lanes_.half_threshold.data() + first_lane});
}

// What a cut scores; no_score where a side holds too little.
template <class Counter>
double RandomGrower<Counter>::score_of(const Cell* left) {
    const double score = counter_.score_of(left);
    const std::int64_t weight = counter_.left_weight(), least = options_.tree.min_leaf_units;
    return weight < least || counter_.weight() - weight < least ? no_score : score;
}

// Missing values go right, then left.
template <class Counter>
void RandomGrower<Counter>::consider_sides(const Drawn& drawn, const Cell* left,
                                           const RecordNode& node, const RecordRange& range) {
    const auto is_missing = [](std::uint8_t byte) { return byte == missing_byte; };
    const auto is_known = [](std::uint8_t byte) { return byte != missing_byte; };
    if (drawn.kind == Kind::categories) sum_subset(drawn, node, range);
    if (drawn.kind == Kind::is_known) {
        adder_.sum_where(node, drawn.column, is_known, left_.data());
        left = left_.data();
    }
    const double score = score_of(left);
    if (drawn.any_missing && drawn.kind != Kind::is_known) {
        adder_.sum_where(node, drawn.column, is_missing, missing_.data());
        adder_.add(left, cell_words_, missing_.data());
        const double other = score_of(missing_.data());
        if (other > score + counter_.score_slack()) {  // the first of equals
            if (take(drawn, counter_.gain_of(other), missing_.data())) best_.missing_left = true;
            return;
        }
    }
    if (score == no_score || !take(drawn, counter_.gain_of(score), left)) return;
    if (drawn.any_missing) best_.missing_left = false;
}

// Makes a test the best one when it gains more than all before.
template <class Counter>
bool RandomGrower<Counter>::take(const Drawn& drawn, double gain, const Cell* left) {
    const double ahead = best_.is_test ? best_.gain + 1e-12 * std::abs(best_.gain) : best_.gain;
    if (!(gain > ahead)) return false;
    best_.is_test = true;
    best_.gain = gain;
    best_.drawn = drawn;
    for (std::size_t w = 0; w < cell_words_; ++w) best_left_[w] = left[w];
    // Missing values that the node does not have follow the heavier side.
    counter_.start();
    counter_.to_left(left);
    best_.missing_left = 2 * counter_.left_weight() >= counter_.weight();
    if (drawn.kind == Kind::categories) best_branch_ = branch_of_code_;
    return true;
}

// Sides for the categories in the node; `left_` becomes what the left one holds.
template <class Counter>
void RandomGrower<Counter>::sum_subset(const Drawn& drawn, const RecordNode& node,
                                       const RecordRange& range) {
    find_present(drawn.column, node, range);
    branch_of_code_.fill(2);
    draw_subset(input_.values[drawn.column].lowest, present_, drawn.word, branch_of_code_.data());
    std::array<std::uint8_t, 256> is_left{};
    for (const Code code : present_) is_left[byte_of_code(code)] = branch_of_code_[code] == 0;
    adder_.sum_where(
        node, drawn.column, [&](std::uint8_t byte) { return is_left[byte]; }, left_.data());
}

// The categories in the node. A bit for each code, 64 in a register: to wait for memory would take
// longer.
template <class Counter>
void RandomGrower<Counter>::find_present(std::uint32_t column, const RecordNode& node,
                                         const RecordRange& range) {
    const std::uint8_t* bytes = node.rows.records + column;
    present_.clear();
    for (std::size_t first = range.lowest[column]; first < range.highest_code[column];
         first += 64) {
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < node.rows.n; ++i) {
            const auto place = static_cast<std::uint8_t>(bytes[node.rows.place[i]] - first);
            bits |= std::uint64_t{place < 64} << (place % 64);
        }
        if (first + 64 > missing_byte) bits &= (std::uint64_t{1} << (missing_byte - first)) - 1;
        for (; bits != 0; bits &= bits - 1) {
            present_.push_back(static_cast<Code>(first + 1) +
                               static_cast<Code>(std::countr_zero(bits)));
        }
    }
}

}  // namespace branchline::forest
