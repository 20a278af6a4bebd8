// Machines for all pairs of classes, solved and finished in one call: their biases, what is certain of
// them, and the slopes of their probabilities.
//
// 1. Rows stand class by class. The machine of the classes a < b learns from the rows of a (labels +1)
//    and of b (−1); machines are in the order (0, 1), (0, 2), …, (1, 2), …
// 2. b = −(mean gradient of the variables that are free by more than rounding); of none, −(the middle of
//    what optimality allows).
// 3. primal = ½‖w‖² + Σ C_i max(0, 1 − y_i (f_i + b)), or squared slack; where a duality gap is left,
//    at the b that makes it least. dual = −D(β) (svm.hpp).
// 4. Slopes (sigmoid.hpp) from scores of rows left out, score − β S² / copies, of the first rows by rank.
//
// Threads over machines; same bits for any number of them. Draws no random numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "branchline/svm.hpp"

namespace branchline {

struct PairRows {
    std::span<const std::uint32_t> ends;  // of the rows of each class; none is empty
    std::span<const double> costs;        // of each row's slack, above 0
    std::span<const double> weights;      // of each row, for probabilities
    std::span<const double> copies;       // that each row stands for
    std::span<const std::uint32_t> rank;  // of each row, rising within a class
    std::size_t most_ranked = 1000;       // rows of a machine that its probabilities learn from
    bool is_squared = false;              // slack
    std::size_t n_classes() const { return ends.size(); }
    std::size_t n_rows() const { return ends.empty() ? 0 : ends.back(); }
};

struct PairMachines {
    // Of each machine. Slopes are NaN on a side without rows.
    std::vector<double> bias, quadratic, primal, dual, violation, slope_below, slope_above;
    std::vector<std::int64_t> n_steps;
    std::vector<std::uint8_t> is_done;
    std::vector<std::uint8_t>
        lacks_spans;  // whether slopes wait for spans, which were not solved for
    // Of the rows of each machine, one machine after the other.
    std::vector<double> beta, score;
    // Those with β ≠ 0 alone: the row and β of each, and where each machine ends among them.
    std::vector<std::uint32_t> support_row;
    std::vector<double> support_beta;
    std::vector<std::int64_t> support_end;
    std::vector<std::uint8_t> is_wrong;  // of each row: by a machine of its own class
};

template <class Real>
PairMachines solve_pairs(const KernelForm& form, const PointRows<Real>& rows, const PairRows& pairs,
                         const SvmOptions& options, StopSignal& stop);
template <class Real>
PairMachines solve_pairs(const GivenGram<Real>& gram, const PairRows& pairs,
                         const SvmOptions& options, StopSignal& stop);

// Machines of all pairs as they predict.
struct PairModel {
    std::span<const std::uint32_t> ends;  // of the support vectors of each class, class by class
    // A row for each support vector, a column for each class but its own, in their order.
    std::span<const double> coefficients;
    std::span<const double> bias;  // of each machine
    std::size_t n_classes() const { return ends.size(); }
    std::size_t n_support() const { return ends.empty() ? 0 : ends.back(); }
};

// The score of each row by each machine, f = b + Σ (of the first class) + Σ (of the second): a row of
// them for each row of `kernel`, which has its kernel values with all support vectors.
std::vector<double> pair_scores(const PairModel& model, std::span<const double> kernel,
                                int n_threads, StopSignal& stop);

// A score of each class, a row of them for each row: its wins, and below ½ for how sure they are.
std::vector<double> class_scores_of_pairs(const PairModel& model, std::span<const double> kernel,
                                          int n_threads, StopSignal& stop);
std::vector<double> class_scores_of_pairs(std::span<const double> pair_scores,
                                          std::size_t n_classes);

}  // namespace branchline
