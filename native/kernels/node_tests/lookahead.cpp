// Look-ahead: the first test of the best tree of depth k below a node.
#include <algorithm>
#include <limits>

#include "branchline/tree_walker.hpp"
#include "node_tests/node_badness.hpp"
#include "node_tests/tried_cuts.hpp"

namespace branchline::node_tests {

namespace {

// A test of one column. Threshold: bins up to `bin` go left; missing values (bin 0) go right.
// One category: `bin` goes left, all others right. Multiway: every bin is a branch.
struct Split {
    enum Kind { none, threshold, one_category, multiway } kind = none;
    std::size_t column = 0;
    std::size_t bin = 0;

    std::size_t branch_of(std::size_t of_row) const {
        if (kind == multiway) return of_row;
        if (kind == threshold) return of_row > 0 && of_row <= bin ? 0 : 1;
        return of_row == bin ? 0 : 1;
    }
};

using Rows = std::vector<RowIndex>;
template <typename Cell>
class Lookahead final : public Maker {
  public:
    using Cells = std::vector<Cell>;

    Lookahead(const NodeTestInput& input, const GrowOptions& options, const NodeTestOptions& tests,
              StopSignal& stop)
        : input_(input), options_(options), depth_(tests.lookahead), stop_(stop),
          badness_(input.target, options.criterion), width_(badness_.width()) {
        for (const GrowColumn& column : input.columns) {
            binned_.push_back(bin_rows(column, input.keys.size(), input.target));
        }
    }

    Offer offer(const Node& node) override {
        const double before = of(node.rows), slack = 1e-9 * before;
        chosen_ = {};
        // The shallowest depth at which nothing is left to gain decides: its trees are smallest.
        for (int depth = 2; depth <= std::min(depth_, node.depth_left); ++depth) {
            if (look(node, depth, before, slack) <= slack) break;
        }
        return chosen_.kind == Split::none ? Offer{} : exclusive(node);
    }

    void keep(std::size_t, TreeOfNodes& grown, std::size_t node) override {
        GrownTree& tree = grown.tree;
        tree.feature[node] = static_cast<std::int32_t>(chosen_.column);
        // Of two codes and missing ones, the grower may have set the missing ones apart.
        const bool all_go_left = tree.right_code[node] == 0;
        if (chosen_.kind == Split::threshold) {
            tree.left_code[node] = all_go_left ? last_code_ : left_code_;
            tree.right_code[node] = all_go_left ? Code{0} : right_code_;
        }
        if (chosen_.kind != Split::one_category) return;
        tree.kind[node] = static_cast<std::uint8_t>(NodeKind::categories);
        tree.left_code[node] = tree.right_code[node] = 0;
        const Code taken = binned_[chosen_.column].last_code[chosen_.bin];
        for (Code code = 1; code < is_present_.size(); ++code) {
            const std::int32_t branch = code == taken || all_go_left ? 0 : 1;
            tree.pool.push_back(is_present_[code] ? branch : tree.missing_branch[node]);
        }
    }

  private:
    // Chooses the first test of the best tree of some depth; returns the badness of that tree.
    double look(const Node& node, int depth, double before, double slack) {
        const double greedy = std::min(after_greedy(node, depth), before);
        double best = greedy - slack, best_alone = 0;
        chosen_ = {};
        if (greedy <= slack) return greedy;
        const std::vector<Split> splits = splits_of(node.rows);
        const std::vector<double> below = after_splits(node.rows, splits, depth, greedy);
        for (std::size_t i = 0; i < splits.size(); ++i) {
            const double after = below[i];
            if (after > best + slack) continue;
            double alone = 0;
            for (const Rows& branch : parts(splits[i], node.rows)) alone += of(branch);
            const bool is_tied = chosen_.kind != Split::none && after >= best - slack;
            if (is_tied ? alone < best_alone - slack : after < best) {
                best = after, best_alone = alone, chosen_ = splits[i];
            }
        }
        return chosen_.kind == Split::none ? greedy : best;
    }

    // What is left below each split when its branches are grown to depth − 1; infinite for a split
    // that does not divide the rows, and for some of those that leave more than `most`.
    std::vector<double> after_splits(std::span<const RowIndex> rows, std::span<const Split> splits,
                                     int depth, double most) {
        std::vector<double> left(splits.size(), std::numeric_limits<double>::infinity());
        for (std::size_t i = 0; i < splits.size();) {
            std::size_t end = i + 1;
            while (end < splits.size() && splits[end].column == splits[i].column) ++end;
            if (depth == 2 && splits[i].kind != Split::multiway && !options_.multiway) {
                after_pairs(rows, splits.subspan(i, end - i), most, left.data() + i);
                i = end;
                continue;
            }
            for (; i < end; ++i) {
                const std::vector<Rows> branches = parts(splits[i], rows);
                if (branches.size() < 2) continue;
                left[i] = 0;
                for (const Rows& branch : branches) left[i] += best_below(branch, depth - 1);
            }
        }
        return left;
    }

    // The same for all splits of one column whose branches take one test each: the rows are counted
    // once, by the bins of this column and of each other one.
    void after_pairs(std::span<const RowIndex> rows, std::span<const Split> splits, double most,
                     double* left) {
        stop_.check();
        const BinnedColumn& first = binned_[splits[0].column];
        count_pairs(rows, first);
        const Cells all = sums_of(rows);
        Cells inside(width_, 0), outside(width_);
        const std::size_t size_of_first = first.n_bins + 2;
        std::vector<Cells> taken(binned_.size());
        for (std::size_t d = 0; d < binned_.size(); ++d) {
            taken[d].assign((binned_[d].n_bins + 2) * width_, 0);
        }
        Cells single(size_of_first * width_, 0);
        for (const RowIndex row : rows) {
            badness_.add(single.data() + first.bin_of_row[row] * width_, row);
        }
        for (std::size_t i = 0; i < splits.size(); ++i) {
            // Thresholds rise, so that their branches grow; categories stand alone.
            const std::size_t bin = splits[i].bin;
            const bool is_added = splits[i].kind == Split::threshold;
            for (std::size_t k = 0; k < width_; ++k) {
                inside[k] = single[bin * width_ + k] + (is_added ? inside[k] : Cell{0});
                outside[k] = all[k] - inside[k];
            }
            for (std::size_t d = 0; d < binned_.size(); ++d) {
                const Cell* pair = pairs_[d].data() + bin * taken[d].size();
                for (std::size_t k = 0; k < taken[d].size(); ++k) {
                    taken[d][k] = pair[k] + (is_added ? taken[d][k] : Cell{0});
                }
            }
            if (!divides(inside, outside)) continue;
            const double of_inside = best_of_counts(taken, inside, nullptr);
            if (of_inside > most) continue;
            left[i] = of_inside + best_of_counts(taken, outside, &totals_);
        }
    }

    bool divides(const Cells& inside, const Cells& outside) const {
        const std::int64_t least = std::max<std::int64_t>(options_.min_leaf_units, 1);
        return badness_.units(inside.data()) >= least && badness_.units(outside.data()) >= least;
    }

    // Counts rows by the bins of a column and of each column (`pairs_`), and of each column (`totals_`).
    void count_pairs(std::span<const RowIndex> rows, const BinnedColumn& first) {
        pairs_.resize(binned_.size());
        totals_.resize(binned_.size());
        for (std::size_t d = 0; d < binned_.size(); ++d) {
            const std::size_t size = (binned_[d].n_bins + 2) * width_;
            pairs_[d].assign((first.n_bins + 2) * size, 0);
            totals_[d].assign(size, 0);
            const std::uint8_t* bins = binned_[d].bin_of_row.data();
            for (const RowIndex row : rows) {
                badness_.add(pairs_[d].data() + first.bin_of_row[row] * size + bins[row] * width_,
                             row);
            }
            for (std::size_t bin = 0; bin < first.n_bins + 2; ++bin) {
                for (std::size_t k = 0; k < size; ++k) totals_[d][k] += pairs_[d][bin * size + k];
            }
        }
    }

    // The least badness of one test of rows that are counted in `counts`, or, with totals, of the
    // rows that are not.
    double best_of_counts(const std::vector<Cells>& counts, const Cells& all,
                          const std::vector<Cells>* totals) {
        const double before = badness_.of(all.data());
        if (before <= 0) return 0;
        double best = before;
        for (std::size_t d = 0; d < binned_.size(); ++d) {
            cells_ = counts[d];
            if (totals != nullptr) {
                for (std::size_t k = 0; k < cells_.size(); ++k) {
                    cells_[k] = (*totals)[d][k] - counts[d][k];
                }
            }
            best = std::min(best, best_cut(binned_[d], all, before));
        }
        return best;
    }

    Cells sums_of(std::span<const RowIndex> rows) {
        Cells sums(width_, 0);
        for (const RowIndex row : rows) badness_.add(sums.data(), row);
        return sums;
    }

    double of(std::span<const RowIndex> rows) {
        cell_.assign(width_, 0);
        for (const RowIndex row : rows) badness_.add(cell_.data(), row);
        return badness_.of(cell_.data());
    }

    // The badness below the test that grow_tree would take; infinite when it takes none.
    double after_greedy(const Node& node, int depth) {
        GrowOptions options = options_;
        options.max_depth = 1;
        options.keeps_leaves = true;
        const GrownTree level = grow_tree(input_.columns, node.rows, input_.target, options, stop_);
        if (level.n_children[0] == 0) return std::numeric_limits<double>::infinity();
        std::vector<Rows> branches(static_cast<std::size_t>(level.n_children[0]));
        for (std::size_t i = 0; i < node.rows.size(); ++i) {
            const std::int32_t leaf = level.leaf_of_row[i];
            if (leaf > 0) branches[static_cast<std::size_t>(leaf) - 1].push_back(node.rows[i]);
        }
        double after = 0;
        for (const Rows& branch : branches) after += best_below(branch, depth - 1);
        return after;
    }

    // The least badness of a tree of some depth.
    double best_below(std::span<const RowIndex> rows, int depth) {
        const double before = of(rows);
        if (before <= 0) return 0;
        if (depth < 2) return depth < 1 ? before : best_single(rows, before);
        stop_.check();
        double best = before;
        for (const double after : after_splits(rows, splits_of(rows), depth, before)) {
            best = std::min(best, after);
        }
        return best;
    }

    // The least badness of one test, from the counts of each column's bins.
    double best_single(std::span<const RowIndex> rows, double before) {
        double best = before;
        const Cells all = cell_;  // of these rows: `of` came just before
        for (const BinnedColumn& column : binned_) {
            cells_.assign((column.n_bins + 2) * width_, 0);
            for (const RowIndex row : rows) {
                badness_.add(cells_.data() + column.bin_of_row[row] * width_, row);
            }
            best = std::min(best, column.is_category && options_.multiway
                                      ? badness_of_all_bins(column, before)
                                      : best_cut(column, all, before));
        }
        return best;
    }

    double best_cut(const BinnedColumn& column, const Cells& all, double before) {
        double best = before;
        left_.assign(width_, 0);
        right_.resize(width_);
        for (std::size_t bin = 1; bin <= column.n_bins; ++bin) {
            const Cell* cell = cells_.data() + bin * width_;
            // An empty bin cuts where the one before it did, or nothing off.
            if (std::all_of(cell, cell + width_, [](Cell each) { return each == 0; })) continue;
            for (std::size_t k = 0; k < width_; ++k) {
                left_[k] = cell[k] + (column.is_category ? Cell{0} : left_[k]);
                right_[k] = all[k] - left_[k];
            }
            const bool is_wide = badness_.units(left_.data()) >= options_.min_leaf_units &&
                                 badness_.units(right_.data()) >= options_.min_leaf_units;
            if (is_wide)
                best = std::min(best, badness_.of(left_.data()) + badness_.of(right_.data()));
        }
        return best;
    }

    double badness_of_all_bins(const BinnedColumn& column, double before) const {
        double sum = 0;
        std::size_t n_large = 0;
        for (std::size_t bin = 0; bin <= column.n_bins + 1; ++bin) {
            const Cell* cell = cells_.data() + bin * width_;
            n_large += badness_.units(cell) >= options_.min_leaf_units;
            sum += badness_.of(cell);
        }
        return n_large < 2 ? before : sum;
    }

    // What a node tries: each bin that it has.
    std::vector<Split> splits_of(std::span<const RowIndex> rows) {
        std::vector<Split> splits;
        for (std::size_t c = 0; c < binned_.size(); ++c) {
            const BinnedColumn& column = binned_[c];
            std::vector<bool> has(column.n_bins + 2, false);
            for (const RowIndex row : rows) has[column.bin_of_row[row]] = true;
            if (std::count(has.begin(), has.end(), true) < 2) continue;
            if (column.is_category && options_.multiway) {
                splits.push_back({Split::multiway, c, 0});
                continue;
            }
            const auto kind = column.is_category ? Split::one_category : Split::threshold;
            for (std::size_t bin = 1; bin <= column.n_bins; ++bin) {
                if (has[bin]) splits.push_back({kind, c, bin});
            }
        }
        return splits;
    }

    // The branches of a split; none when it does not divide the rows into two that are large enough.
    std::vector<Rows> parts(const Split& split, std::span<const RowIndex> rows) const {
        const BinnedColumn& column = binned_[split.column];
        std::vector<Rows> branches(split.kind == Split::multiway ? column.n_bins + 2 : 2);
        for (const RowIndex row : rows) {
            branches[split.branch_of(column.bin_of_row[row])].push_back(row);
        }
        std::erase_if(branches, [](const Rows& branch) { return branch.empty(); });
        std::size_t n_large = 0;
        for (const Rows& branch : branches) {
            std::int64_t units = 0;
            for (const RowIndex row : branch) units += units_of(input_.target, row);
            n_large += units >= options_.min_leaf_units;
        }
        return n_large < 2 ? std::vector<Rows>{} : branches;
    }

    // The chosen test as the only column of the node: two codes, or the column itself.
    Offer exclusive(const Node& node) {
        const GrowColumn& column = input_.columns[chosen_.column];
        if (chosen_.kind == Split::multiway) return {{column}, true};
        const BinnedColumn& binned = binned_[chosen_.column];
        two_codes_.resize(input_.keys.size());
        is_present_.assign(column.n_codes + 1, false);
        left_code_ = last_code_ = missing_code;
        right_code_ = std::numeric_limits<Code>::max();
        visit_codes(column.codes, [&](const auto* codes) {
            for (const RowIndex row : node.rows) {
                const Code code = codes[row];
                is_present_[code] = true;
                const std::size_t branch = chosen_.branch_of(binned.bin_of_row[row]);
                two_codes_[row] = static_cast<std::uint8_t>(code == missing_code ? 0 : 1 + branch);
                if (code == missing_code) continue;
                last_code_ = std::max(last_code_, code);
                if (branch == 0) left_code_ = std::max(left_code_, code);
                if (branch == 1) right_code_ = std::min(right_code_, code);
            }
        });
        if (right_code_ == std::numeric_limits<Code>::max()) right_code_ = 0;  // only missing ones
        GrowColumn two;
        two.codes = {reinterpret_cast<const std::byte*>(two_codes_.data()), 1};
        two.n_codes = 2;
        return {{two}, true};
    }

    const NodeTestInput& input_;
    const GrowOptions& options_;
    int depth_;
    StopSignal& stop_;
    NodeBadness badness_;
    std::size_t width_;
    std::vector<BinnedColumn> binned_;
    Split chosen_;
    Code left_code_ = 0, right_code_ = 0, last_code_ = 0;
    std::vector<bool> is_present_;
    std::vector<std::uint8_t> two_codes_;
    Cells cell_, cells_, left_, right_;
    std::vector<Cells> pairs_, totals_;
};

}  // namespace

std::unique_ptr<Maker> make_lookahead(const NodeTestInput& input, const GrowOptions& options,
                                      const NodeTestOptions& tests, StopSignal& stop) {
    if (input.target.is_classification()) {
        return std::make_unique<Lookahead<std::int64_t>>(input, options, tests, stop);
    }
    return std::make_unique<Lookahead<Wide>>(input, options, tests, stop);
}

}  // namespace branchline::node_tests
