// From scores to probabilities: p(s) = 1 / (1 + e^(−a s)), with one slope a below 0 and one above.
//
// Each slope minimizes the log loss of the rows on its side, by Newton's method in one number within
// bounds. Targets are Platt's (1999): (n₊ + 1) / (n₊ + 2) and 1 / (n₋ + 2) instead of 1 and 0, with n of
// both sides, so that slopes are finite. Slopes are searched in units of the side's mean |score|, from
// 0.001 (hardly more than ½) to 1000 (almost a step).
#pragma once

#include <cstdint>
#include <span>

namespace branchline {

// NaN on a side without rows, without weight or of infinite scores.
struct SigmoidSlopes {
    double below, above;
};

// Scores of rows that the model had not seen, whether each row is positive, and weights, 0 or more.
SigmoidSlopes fit_sigmoid(std::span<const double> scores, std::span<const std::uint8_t> is_positive,
                          std::span<const double> weights);

}  // namespace branchline
