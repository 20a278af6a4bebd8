// The innermost loops of optimal trees, compiled once for each processor level.
//
// For a test i and all tests j > i, `both[s][j]` is statistic s of the rows where i and j hold. With the
// statistics of i, of j and of all rows, the costs a, b, c, d of the four leaves (i and j; i, not j; j, not
// i; neither) follow. The branch "i holds" split by j costs a + b, the branch "i fails" c + d; the branch
// "j holds" split by i costs a + c, the branch "j fails" b + d. The least of each is kept, the lowest test
// among equal ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "branchline/cpu_level.hpp"
#include "optimal/leaf_cost.hpp"

namespace branchline::optimal {

// Statistics and least costs of a node; `stride` is the number of tests, rounded up.
template <class Cost>
struct PairTable {
    using Raw = typename Cost::Raw;
    // As wide as Raw, so that both are compared and chosen in vectors.
    using Place = std::conditional_t<sizeof(Raw) == 4, std::int32_t, std::int64_t>;
    static constexpr Raw forbidden = std::numeric_limits<Raw>::max() / 8;

    std::size_t n_tests = 0, stride = 0;
    std::vector<Raw> all;              // by statistic
    std::vector<Raw> holds;            // statistic · stride + test
    std::vector<Raw> both;             // statistic · stride + test, of the current test
    std::vector<Raw> yes, no;          // least cost of each branch after a split
    std::vector<Place> yes_by, no_by;  // and the test that splits it; −1: none
    std::vector<Raw> yes_now, no_now;  // the same of the current test with each other one
    std::vector<Raw> heaviest;         // room for many classes
    Raw min_weight = 0;                // of a leaf; 0: any

    void resize(std::size_t tests, std::size_t n_statistics) {
        n_tests = tests;
        stride = (tests + 15) / 16 * 16;
        all.assign(n_statistics, 0);
        holds.assign(n_statistics * stride, 0);
        both.assign(n_statistics * stride, 0);
        yes_now.assign(stride, 0);
        no_now.assign(stride, 0);
    }
    void forget() {
        yes.assign(stride, forbidden);
        no.assign(stride, forbidden);
        yes_by.assign(stride, -1);
        no_by.assign(stride, -1);
    }
};

template <class Cost>
using ScorePairs = void (*)(const Cost& cost, PairTable<Cost>& table, std::size_t test);

template <class Cost>
ScorePairs<Cost> score_pairs_for(CpuLevel level);

// Bits of the rows of a node: words[test · n_words + word]; a word holds rows of one class.
struct BitView {
    const std::uint64_t* words;
    std::size_t n_tests, n_words;
    const std::size_t* first_word;  // of each class, and the number of words
    std::size_t n_classes;
};

// Counts for each class the rows where `test` and each later test hold: counts[class · stride + test].
using CountPairs = void (*)(const BitView& bits, std::size_t test, std::int32_t* counts,
                            std::size_t stride);

CountPairs count_pairs_for(CpuLevel level);

}  // namespace branchline::optimal
