// Searches for the network of the highest score: exact for few columns, hill climbing for many.
//
// A network is a matrix of flags: parents[c * n + p] says that p is a parent of c.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "branchline/network_scores.hpp"
#include "branchline/stop_signal.hpp"

namespace branchline {

// What a network may look like: flags at [c * n + p]. Required edges are allowed and make no cycle.
struct NetworkLimits {
    std::span<const std::uint8_t> allowed;
    std::span<const std::uint8_t> required;
    std::size_t max_parents = 0;  // required ones count, too
};

struct FoundNetwork {
    std::vector<std::uint8_t> parents;
    double score = 0.0;
};

inline constexpr std::size_t most_exact_columns = 20;

// The network of the highest score (Silander and Myllymäki, 2006):
// 1. Score every allowed set of parents of each column. With BIC, a set whose penalty alone is worse than the
//    score without parents is left out, with all larger ones.
// 2. The best parents within each set of columns are its own, or those of the set less one column.
// 3. A network over a set has a last column (a sink): the best network over the others and the best parents of
//    the sink among them.
// Requires at most `most_exact_columns` columns. Memory: 12 bytes · n · 2ⁿ. Of tied networks the first is taken.
FoundNetwork exact_network(const NetworkRows& rows, const NetworkScore& rule,
                           const NetworkLimits& limits, StopSignal& stop);

struct ClimbOptions {
    std::span<const std::uint8_t>
        start;  // parents to begin with: within the limits, without a cycle
    std::size_t n_restarts = 0;
    std::uint64_t seed = 0;
};

// Hill climbing: the best addition, deletion or reversal of an edge, again and again.
// 1. Where nothing improves the score, the best change that does not undo one of the last ten is made all the
//    same (tabu search); after 20 such steps without a better network the climb ends.
// 2. Each restart turns edges of the best network whose direction does not change the score, takes all edges of
//    a few random columns away, and climbs again.
// Cost: for each step, a score for each column that could become or cease to be a parent of the changed ones;
// scores of a column with the same parents are kept. Draws from `seed` alone.
FoundNetwork climb_network(const NetworkRows& rows, const NetworkScore& rule,
                           const NetworkLimits& limits, const ClimbOptions& options,
                           StopSignal& stop);

}  // namespace branchline
