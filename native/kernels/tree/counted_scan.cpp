// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
#include "tree/counted_scan.hpp"

#include <bit>

namespace branchline::tree::BRANCHLINE_LEVEL {

namespace {

// Exact from 0 up to 2^52, and in vectors: processors before AVX-512 convert one number at a time.
inline double exact(std::int64_t units) {
    constexpr std::uint64_t exponent_of_2_52 = std::uint64_t{1075} << 52;
    return std::bit_cast<double>(static_cast<std::uint64_t>(units) | exponent_of_2_52) - 0x1p52;
}

// Whether a cut of the block may have a badness below `limit`.
bool may_be_below(const ClassPair* up_to, const CountedStart& start, double limit) {
    const double ones = exact(start.all.ones), all = exact(start.all.zeros) + ones;
    const double least_square = (start.badness - limit - 0x1p-40 * all) * all / 2;
    std::int64_t n_below = 0;
    for (std::size_t j = 0; j < cuts_of_block; ++j) {
        const double left_1 = exact(start.before.ones + up_to[j].ones);
        const double left = exact(start.before.zeros + up_to[j].zeros) + left_1;
        const double surplus = left_1 * all - left * ones;
        n_below += surplus * surplus > least_square * (left * (all - left)) ? 1 : 0;
    }
    return n_below > 0;
}

void compute_badness(const ClassPair* up_to, const CountedStart& start, double* badness) {
    const double zeros = exact(start.all.zeros), ones = exact(start.all.ones);
    const double least = exact(start.min_leaf);
    for (std::size_t j = 0; j < cuts_of_block; ++j) {
        const double left_0 = exact(start.before.zeros + up_to[j].zeros);
        const double left_1 = exact(start.before.ones + up_to[j].ones);
        const double right_0 = zeros - left_0, right_1 = ones - left_1;
        const double left = left_0 + left_1, right = right_0 + right_1;
        const double here = (left - (left_0 * left_0 + left_1 * left_1) / left) +
                            (right - (right_0 * right_0 + right_1 * right_1) / right);
        const bool allowed = (left >= least) & (right >= least);
        badness[j] = allowed ? here : std::numeric_limits<double>::infinity();
    }
}

}  // namespace

CountedResult scan_counts(std::span<const ClassPair> up_to, const CountedStart& start,
                          CountedResult best) {
    alignas(64) double badness[cuts_of_block];
    for (std::size_t begin = 0; begin < up_to.size(); begin += cuts_of_block) {
        if (!may_be_below(up_to.data() + begin, start, best.badness - start.slack)) continue;
        compute_badness(up_to.data() + begin, start, badness);
        for (std::size_t j = 0; j < cuts_of_block; ++j) {
            if (badness[j] < best.badness - start.slack) best = {badness[j], begin + j};
        }
    }
    return best;
}

}  // namespace branchline::tree::BRANCHLINE_LEVEL
