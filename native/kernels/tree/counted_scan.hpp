// Every threshold of a counted number for two classes and Gini, with weights, compiled once for each
// processor level.
//
// A cut that leaves l_0 and l_1 units of the classes on the left, r_0 and r_1 on the right, has
//   badness = (L − (l_0² + l_1²) / L) + (R − (r_0² + r_1²) / R),   L = l_0 + l_1,   R = r_0 + r_1.
// Operations and their order are those of impurity.hpp, so that bits are the same as without a scan.
// Units are below 2^52: as doubles they are exact, and so are their sums and differences.
//
// Two divisions are what a cut costs, and few cuts need them: with N = L + R and n_1 = l_1 + r_1 it
// lowers the badness of the node by 2 s² / (N L R), s = l_1 N − L n_1, so that s² against a multiple of
// L R tells whether it may be below a limit. |s| <= N min(L, R), so rounding moves that by less than
// 2^−46 N; a cut is passed over only when it is beyond the limit by 2^−40 N.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "branchline/cpu_level.hpp"
#include "branchline/grow_tree.hpp"

namespace branchline::tree {

inline constexpr std::size_t cuts_of_block = 16;
inline constexpr std::int64_t max_units_of_counts = std::int64_t{1} << 52;

// Units of both classes: of a row, of a code, or of one side of a cut.
struct ClassPair {
    std::int64_t zeros = 0, ones = 0;

    ClassPair& operator+=(const ClassPair& other) {
        zeros += other.zeros;
        ones += other.ones;
        return *this;
    }
    std::int64_t units() const { return zeros + ones; }
};

// The cuts of a column in one node, and what both classes have up to each of them; missing values
// stand apart. Kept from node to node by a worker.
struct CountedCuts {
    std::vector<ClassPair> cells;     // by code; zero between nodes
    std::vector<ClassPair> up_to;     // by cut; the last is repeated until the block is full
    std::vector<std::uint32_t> sign;  // by cut: its code or, in order, a row that has this code
    ClassPair missing;
    std::size_t n_cuts = 0;

    std::size_t n_padding() const {
        return (cuts_of_block - n_cuts % cuts_of_block) % cuts_of_block;
    }
    std::span<const ClassPair> blocks() const {
        return std::span(up_to).first(n_cuts + n_padding());
    }
};

// Whether counting and a scan take less time than sorting the rows of a node.
inline bool scanning_pays(std::size_t n_rows, std::size_t n_codes) {
    return n_codes < 256 || n_rows >= n_codes;
}

// Finds the cuts of a node by counting its rows; `units` are what each of them adds.
void count_cuts(const GrowColumn& column, std::span<const RowIndex> rows,
                std::span<const ClassPair> units, CountedCuts& cuts);

// The same for a column in order, in a node that holds every row.
void order_cuts(const GrowColumn& column, std::span<const ClassPair> units, CountedCuts& cuts);

struct CountedStart {
    ClassPair before;  // on the left of every cut
    ClassPair all;     // on both sides together
    double badness;    // of the node
    std::int64_t min_leaf;
    double slack;  // badness that differs by no more is equal: the first cut is taken
};

struct CountedResult {
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    double badness = std::numeric_limits<double>::infinity();  // a cut must be below it to be taken
    std::size_t place = none;

    bool found() const { return place != none; }
};

// Returns the best of all cuts, given in whole blocks, and of `so_far`.
using ScanCounts = CountedResult (*)(std::span<const ClassPair> up_to, const CountedStart& start,
                                     CountedResult so_far);

ScanCounts scan_counts_for(CpuLevel level);

}  // namespace branchline::tree
