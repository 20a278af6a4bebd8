// Relief: which columns differ between near rows of different targets, and agree between near rows of the
// same one. Unlike a score of each column alone, it sees columns that tell something only together.
//
// diff(f, a, b) is |a − b| / range for numbers, 0 or 1 for categories, and the mean difference of two random
// rows where a value is missing. The distance of two rows is the sum of their differences.
//
// Classes (ReliefF, Kononenko 1994). H are the near rows of a row's own class, M_c those of class c:
//   w_f(row) = − mean diff(f, row, H) + Σ_c P(c) / (1 − P(own)) · mean diff(f, row, M_c),
// and a column's score is the mean of w_f over the rows that are probed.
// Numbers (RReliefF, Robnik-Šikonja and Kononenko 1997): over near rows,
//   score_f = N_dy,df / N_dy − (N_df − N_dy,df) / (m − N_dy),
// with N the sums of mean differences of the target, of the column, and of their product over m probes.
// Near: the k nearest rows (of each class); or, for MultiSURF (Urbanowicz and others 2018), the rows nearer
// than mean − ½ standard deviation of all distances from the row.
//
// Differences are whole numbers (a range is `full_difference`), so that sums do not depend on their order.
// Nouns: a "probe" is a row whose neighborhood is looked at; "units" are whole weights: a row of weight 3
// is three neighbors, and two of them are its own neighbors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "branchline/stop_signal.hpp"

namespace branchline {

inline constexpr std::uint16_t full_difference = 60'000;
inline constexpr std::uint16_t missing_value = 0xFFFF;

// Rows of 16-bit values, one after the other: numbers from 0 to full_difference, or codes of categories.
struct ReliefTable {
    std::span<const std::uint16_t> values;
    std::size_t n_rows = 0;
    // How many columns there are, in this order: numbers, categories, numbers with missing values,
    // categories with missing values.
    std::array<std::size_t, 4> n_columns{};
    std::span<const std::uint16_t> expected;  // of each column: the difference to a missing value

    std::size_t width() const noexcept {
        return n_columns[0] + n_columns[1] + n_columns[2] + n_columns[3];
    }
};

struct ReliefTarget {
    std::span<const std::uint32_t> class_of_row;  // empty for numbers
    std::size_t n_classes = 0;
    std::span<const std::uint16_t> numbers;  // from 0 to full_difference; empty for classes
};

struct ReliefRows {
    std::span<const std::int64_t> units;    // empty: every row weighs 1
    std::span<const std::uint32_t> probes;  // the rows to look at
    std::size_t n_neighbors = 10;           // 0: MultiSURF
};

struct ReliefScores {
    std::vector<double> score;
    std::vector<double> squares;  // classes: the mean of w_f²; empty for numbers
};

// Requires: every span of the table's length, classes below n_classes. Cost: probes × rows × columns
// differences, about 0.1 ns each; memory for eight probes' distances on each thread. Threads do not change
// the result; draws nothing. Ties of distance go to the row that stands first.
ReliefScores relief_scores(const ReliefTable& table, const ReliefTarget& target,
                           const ReliefRows& rows, int n_threads, StopSignal& stop);

}  // namespace branchline
