// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
#include "boosting/attribution_kernels.hpp"

namespace branchline::BRANCHLINE_LEVEL {

namespace {

// Lanes as the widest vectors of the level; loops over single lanes are not made vectors of by GCC
// 12. Operators and ?: work lane by lane.
#if defined(__AVX2__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif
using Doubles [[gnu::vector_size(vector_bytes), gnu::aligned(8), gnu::may_alias]] = double;
using Masks [[gnu::vector_size(vector_bytes), gnu::aligned(8), gnu::may_alias]] = std::int64_t;
constexpr std::size_t n_parts = n_lanes * sizeof(double) / vector_bytes;

const Doubles* parts(const double* lanes) { return reinterpret_cast<const Doubles*>(lanes); }
Doubles* parts(double* lanes) { return reinterpret_cast<Doubles*>(lanes); }
const Masks* parts(const std::int64_t* lanes) { return reinterpret_cast<const Masks*>(lanes); }
Masks* parts(std::int64_t* lanes) { return reinterpret_cast<Masks*>(lanes); }

class BranchWalker {
  public:
    BranchWalker(const BranchWalk& walk, const double* cells, std::size_t n_columns,
                 const WalkRoom& room, double* sums)
        : walk_(walk), cells_(cells), n_columns_(n_columns), room_(room), sums_(sums),
          a_depth_(walk.n_points * n_lanes) {}

    void run() {
        for (std::size_t i = 0; i < a_depth_; ++i) room_.products[i] = 1;
        for (std::size_t lane = 0; lane < n_lanes; ++lane) room_.agrees[lane] = -1;
        clear_values(0);
        for (std::size_t b = 0; b < walk_.n_branches; ++b) {
            const Branch& branch = walk_.branches[b];
            if (!branch.is_right) take_test(branch);
            go_down(branch, b);
            if (branch.leaf == no_leaf) {
                clear_values(branch.depth);
                room_.open[branch.depth] = static_cast<std::uint32_t>(b);
                continue;
            }
            end_at_leaf(branch, b);
            for (std::uint32_t i = 1; i <= branch.n_ended; ++i) {
                end_branch(room_.open[branch.depth - i]);
            }
        }
    }

  private:
    double* products(std::size_t depth) const { return room_.products + depth * a_depth_; }
    double* values(std::size_t depth) const {
        return room_.values + depth * walk_.width * a_depth_;
    }
    std::int64_t* agrees(std::size_t depth) const { return room_.agrees + depth * n_lanes; }

    void clear_values(std::size_t depth) {
        double* const to = values(depth);
        for (std::size_t i = 0; i < walk_.width * a_depth_; ++i) to[i] = 0;
    }

    // Siblings have one depth, and the left one comes first: its test is asked once.
    void take_test(const Branch& branch) {
        const double* const cell = cells_ + branch.column * n_lanes;
        std::int64_t* const right = room_.to_right + branch.depth * n_lanes;
        const std::int64_t if_missing = branch.missing_left ? 0 : -1;
        if (branch.is_category) {
            for (std::size_t lane = 0; lane < n_lanes; ++lane) {
                right[lane] = cell[lane] < 0 ? if_missing : bit_of(branch, cell[lane]);
            }
            return;
        }
        for (std::size_t p = 0; p < n_parts; ++p) {
            const Doubles x = parts(cell)[p];
            const Masks is_missing = x != x;
            parts(right)[p] = (is_missing & if_missing) | (~is_missing & ~(x <= branch.threshold));
        }
    }

    std::int64_t bit_of(const Branch& branch, double category) const {
        const auto c = static_cast<std::size_t>(category);
        return -static_cast<std::int64_t>(walk_.bits[branch.bits + c / 8] >> (c % 8) & 1);
    }

    void go_down(const Branch& branch, std::size_t number) {
        const std::int64_t* const right = room_.to_right + branch.depth * n_lanes;
        const std::int64_t* const agreed = agrees(branch.ancestor);
        Masks agreeing[n_parts], is_in[n_parts];
        const std::int64_t flip = branch.is_right ? 0 : -1;
        for (std::size_t p = 0; p < n_parts; ++p) {
            is_in[p] = parts(agreed)[p];
            agreeing[p] = is_in[p] & (parts(right)[p] ^ flip);
            parts(agrees(branch.depth))[p] = agreeing[p];
        }
        const double* from = products(branch.depth - 1);
        double* to = products(branch.depth);
        const AgreeingOrNot* const factors = walk_.factors + number * walk_.n_points;
        const Doubles share = Doubles{} + branch.share;
        for (std::size_t q = 0; q < walk_.n_points; ++q, from += n_lanes, to += n_lanes) {
            const Doubles yes = Doubles{} + factors[q].agreeing, no = Doubles{} + factors[q].other;
            for (std::size_t p = 0; p < n_parts; ++p) {
                parts(to)[p] = parts(from)[p] * (is_in[p] ? (agreeing[p] ? yes : no) : share);
            }
        }
    }

    void end_at_leaf(const Branch& branch, std::size_t number) {
        for (std::size_t k = 0; k < walk_.width; ++k) {
            const double value = walk_.leaf_value[branch.leaf * walk_.width + k];
            end(branch, number, k, products(branch.depth), value);
        }
    }

    void end_branch(std::size_t number) {
        const Branch& branch = walk_.branches[number];
        for (std::size_t k = 0; k < walk_.width; ++k) {
            end(branch, number, k, values(branch.depth) + k * a_depth_, 1);
        }
    }

    // Hands what is below a branch, scaled, on to the branch above, and adds it, weighted, to the
    // share of the column. A row that fell out of the column above this branch is counted there.
    void end(const Branch& branch, std::size_t number, std::size_t output, const double* from,
             double scale) {
        const Masks* const agreeing = parts(agrees(branch.depth));
        const Masks* const is_in = parts(agrees(branch.ancestor));
        const AgreeingOrNot* const weights = walk_.weights + number * walk_.n_points;
        double* to = values(branch.depth - 1) + output * a_depth_;
        Doubles total[n_parts] = {};
        for (std::size_t q = 0; q < walk_.n_points; ++q, from += n_lanes, to += n_lanes) {
            const Doubles yes = Doubles{} + weights[q].agreeing, no = Doubles{} + weights[q].other;
            for (std::size_t p = 0; p < n_parts; ++p) {
                const Doubles value = parts(from)[p] * scale;
                parts(to)[p] += value;
                total[p] += value * (agreeing[p] ? yes : no);
            }
        }
        Doubles* const sum = parts(sums_ + (output * n_columns_ + branch.column) * n_lanes);
        for (std::size_t p = 0; p < n_parts; ++p) sum[p] += is_in[p] ? total[p] : Doubles{};
    }

    const BranchWalk& walk_;
    const double* cells_;
    std::size_t n_columns_;
    const WalkRoom& room_;
    double* sums_;
    std::size_t a_depth_;  // numbers that the points of a depth take
};

}  // namespace

void add_attributions(const BranchWalk& walk, const double* cells, std::size_t n_columns,
                      const WalkRoom& room, double* sums) {
    BranchWalker(walk, cells, n_columns, room, sums).run();
}

}  // namespace branchline::BRANCHLINE_LEVEL
