// What a column offers for a node, and what is needed to find it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "branchline/forest.hpp"

namespace branchline::forest {

// Between what means the values of a node's branches must stay (monotone constraints).
struct Bounds {
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
};

struct Offer {
    int column = -1;  // −1: no test
    bool is_category = false;
    bool missing_left = false;
    std::uint8_t fraction = midpoint_fraction;
    Code left_code = 0, right_code = 0;
    double gain = 0;
    double middle = 0;             // between the means of the branches; kept for constraints
    bool is_unsettled = false;     // a random threshold whose neighbors are not known yet
    double threshold = 0;          // as it was drawn
    double information = 0;        // Wehenkel's score; only when a score threshold is set
    std::int64_t left_weight = 0;  // for the entropy of the branches
    std::size_t n_values = 0;      // that the node holds of the column
};

// Whether tests are compared by more than their gain.
inline bool compares_more_than_gain(std::span<const GrowColumn> columns,
                                    const GrowOptions& options) {
    const bool any_cost = std::any_of(columns.begin(), columns.end(),
                                      [](const GrowColumn& column) { return column.cost != 1; });
    return any_cost || options.gain_ratio || options.description_length ||
           options.correct_for_chance;
}

// The codes that a node has of a column.
template <class Value>
struct RandomRange {
    Value before_lowest = std::numeric_limits<Value>::max();  // a missing value is never the lowest
    Value highest = 0;
    bool any_missing = false;

    Code lowest() const { return Code{before_lowest} + 1; }
    bool is_single() const { return lowest() == highest; }
};

// Codes of any number of rows, side by side.
class CodeScratch {
  public:
    template <class Value>
    Value* of(std::size_t n) {
        if (words_.size() < n) words_.resize(n);
        return reinterpret_cast<Value*>(words_.data());
    }

  private:
    std::vector<std::uint32_t> words_;
};

}  // namespace branchline::forest
