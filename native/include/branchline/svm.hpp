// Quadratic programs of support vector machines, solved by sequential minimal optimization in blocks.
//
//   minimize  D(β) = ½ Σ_ij β_i β_j K(r_i, r_j) + ½ Σ_i ridge_i β_i² − Σ_i linear_i β_i
//   with      lower_i ≤ β_i ≤ upper_i,  and Σ β_i over each group as it is at the start
//
// Glossary. A variable i stands for a row r_i of the kernel matrix K; a regression has two variables
// per row, a classification one (β_i = y_i α_i). score = Σ_j β_j K(r_j, ·) of a row. gradient =
// score + ridge β − linear. violation = the largest gradient of a variable that may fall minus the least
// of one that may rise, in the worst group: 0 at the optimum. Without a sum constraint (has_sum false)
// it is the largest slope along a variable that may follow it.
//
// 1. At most `whole_set` variables, and all rows of K fit the memory: pairs chosen by the second-order
//    rule of Fan, Chen and Lin (2005), and where these zigzag, the equations of the free variables. A
//    row of K is computed when a pair needs it, with those of the worst violators.
// 2. Else a working set of the worst violators and of those that lately moved is solved by 1, then
//    the scores of all rows follow; rows of K are kept while there is room.
// 3. Before the end, scores are summed afresh from β, so that no rounding of many steps is left in them.
//
// The result does not depend on the number of threads. Polls the stop signal; draws no random numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "branchline/kernel_matrix.hpp"
#include "branchline/stop_signal.hpp"

namespace branchline {

struct SvmProblem {
    std::span<const std::uint32_t> row;  // of each variable; below the number of rows of K
    std::span<const double> linear, lower, upper;
    std::span<const double> ridge;        // empty: 0
    std::span<const std::uint8_t> group;  // 0 or 1; empty: one group
    std::span<const double> start;        // within the bounds; empty: 0
    std::size_t n_variables() const { return row.size(); }
    double ridge_of(std::size_t i) const { return ridge.empty() ? 0.0 : ridge[i]; }
    std::size_t group_of(std::size_t i) const { return group.empty() ? 0 : group[i]; }
};

struct SvmOptions {
    double tolerance = 1e-3;        // the violation to reach
    bool has_sum = true;            // whether sums of groups are held
    std::int64_t max_steps = -1;    // of pairs; −1: ten million, or a thousand a variable
    double time_budget = -1;        // seconds; negative: none
    std::size_t cache_bytes = 0;    // for rows of K that are computed
    std::size_t whole_set = 4096;   // up to as many variables, all are solved at once
    std::size_t working_set = 512;  // the most of larger problems, an eighth of their variables
    std::size_t whole_rows = 2048;  // the most support vectors whose equations are solved
    // Whether problems in double are solved to the last digits, and whether spans are wanted then.
    bool polishes = false, wants_spans = false;
    int n_threads = 1;
};

struct SvmSolution {
    std::vector<double> beta, score;  // of each variable
    // S_i² − ridge_i of variables with β_i ≠ 0, else 0: the score of a row that is left out is near
    // score − β S² (Vapnik and Chapelle 2000). Empty: not computed.
    std::vector<double> span;
    double violation = 0;
    std::int64_t n_steps = 0;
    bool is_done = false;  // false: steps or time ran out first
};

// A matrix that is there already: row-major, n × n, symmetric.
template <class Real>
struct GivenGram {
    const Real* values = nullptr;
    std::size_t n_rows = 0;
};

template <class Real>
SvmSolution solve_svm(const GivenGram<Real>& gram, const SvmProblem& problem,
                      const SvmOptions& options, StopSignal& stop);

// Several problems on the same rows or matrix, each on those of the rows that its variables name.
// One problem uses all threads; of several, each is solved by one.
template <class Real>
std::vector<SvmSolution> solve_svms(const KernelForm& form, const PointRows<Real>& rows,
                                    const std::vector<SvmProblem>& problems,
                                    const SvmOptions& options, StopSignal& stop);
template <class Real>
std::vector<SvmSolution> solve_svms(const GivenGram<Real>& gram,
                                    const std::vector<SvmProblem>& problems,
                                    const SvmOptions& options, StopSignal& stop);

}  // namespace branchline
