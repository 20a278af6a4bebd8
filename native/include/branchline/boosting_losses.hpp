// Losses of gradient boosting: gradients and hessians by the raw scores, mean losses, predictions.
//
// y is a row's target (a number, or a class index), F its raw score, one for each output.
//   kind         loss of a row                                gradient          hessian
//   squared      (F − y)² / 2                                 F − y             1
//   absolute     |F − y|                                      sign(F − y)       1
//   huber        d²/2 up to δ, then δ(|d| − δ/2); d = F − y   clip(d, ±δ)       1
//   quantile     Σ_k max(q_k (y − F_k), (1 − q_k)(F_k − y))   −q_k or 1 − q_k   1
//   poisson      e^F − y F + y log y − y                      e^F − y           e^F
//   gamma        y e^−F + F − log y − 1                       1 − y e^−F        y e^−F
//   tweedie      a/(2−p) + b/(p−1) − y^(2−p)/((p−1)(2−p))     a − b             (2−p) a + (p−1) b
//                with a = e^((2−p)F), b = y e^((1−p)F), 1 < p < 2
//   logistic     log(1 + e^−m), m = (2y − 1) F                −(2y − 1)/(1+e^m) p (1 − p)
//   exponential  e^−m                                         −(2y − 1) e^−m    e^−m
//   softmax      log Σ_k e^(F_k) − F_y                        p_k − [k = y]     p_k(1 − p_k)K/(K−1)
// Where a loss is not differentiable its gradient is 0; hessians that vanish are replaced by 1.
// Poisson, gamma and tweedie are half deviances, so 0 is the best that can be reached.
//
// Why K/(K−1) for K classes: the true hessian of a row, H = diag(p) − p pᵀ, is not diagonal.
// Measured by D = diag(p_k (1 − p_k)), its curvatures (the eigenvalues of D⁻¹H) have the sum K,
// whatever p is, and one of them is 0: a constant added to all scores changes nothing. The others
// have the mean K/(K−1). So K/(K−1) · D is right on average over the directions that matter; it is
// exact for equal probabilities and for two classes, where it gives the steps of the logistic loss.
// (2 D is never below H, but up to twice too steep.)
//
// Numbers saturate: no gradient or hessian is beyond 2^127, no loss beyond 2^1000, and scores of
// any size (infinite ones too) give neither NaN nor infinity. Exponentials are our own, without
// branches and contraction: the bits are the same for every processor level, number of threads and
// split of rows. Logistic and softmax work in float32: scores (for softmax: their distances from
// the row's largest) are rounded to 24 bits, and e^x is at most 1 unit in the last place off.
// Everything else is in float64, exponentials and logarithms at most 2 units off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "branchline/part_sums.hpp"
#include "branchline/stop_signal.hpp"

namespace branchline {

enum class LossKind : int {
    squared = 0,
    absolute,
    huber,
    quantile,
    poisson,
    gamma,
    tweedie,
    logistic,
    exponential,
    softmax
};
inline constexpr std::size_t n_loss_kinds = 10;

// A loss with its parameters: δ of huber, q of each output of quantile, p of tweedie, else none.
class LossRule {
  public:
    // Throws std::invalid_argument for an unknown kind, for parameters that are too few, too many
    // or out of range, and for a number of outputs that the loss cannot have.
    LossRule(int kind, std::span<const double> parameters, std::size_t n_outputs);

    LossKind kind() const noexcept { return kind_; }
    std::span<const double> parameters() const noexcept { return parameters_; }
    std::size_t n_outputs() const noexcept { return n_outputs_; }
    bool has_classes() const noexcept { return kind_ >= LossKind::logistic; }
    bool has_constant_hessian() const noexcept { return kind_ <= LossKind::quantile; }

  private:
    LossKind kind_;
    std::vector<double> parameters_;
    std::size_t n_outputs_;
};

// One of the two: numbers for losses of regression, class indices for the others.
struct LossTarget {
    std::span<const double> numbers;
    std::span<const std::uint32_t> class_of_row;

    std::size_t n_rows() const noexcept {
        return numbers.empty() ? class_of_row.size() : numbers.size();
    }
};

// Where gradients go: output after output, as scores are. `hessian` may be empty when it is
// constant.
struct LossGradients {
    std::span<float> gradient;
    std::span<float> hessian;
};

// Writes the gradient and the hessian of every score; weights are not used.
// Requires: n_outputs · n_rows scores, output after output, none of them NaN.
// Throws std::invalid_argument when lengths differ or a class index is too large.
// Cost: one pass; with 256-bit vectors about 1 ns per score and thread for logistic, 2 for softmax.
// Threads over blocks of rows.
void loss_gradients(const LossRule& loss, const LossTarget& target, std::span<const double> scores,
                    const LossGradients& out, int n_threads, StopSignal& stop);

// Returns the weighted mean of the rows' losses. `units` is empty when every row counts once; a row
// of k units is exactly as k rows, one of 0 as none. Losses are rounded to multiples of 2^(e−52),
// where 2^e is the first power of two above the largest, and summed as integers: the mean does not
// depend on the order of rows, and is 2^(e−53) off at most.
// With `parts`, rows are some of a table's, and the mean is that of all.
// Requires: units of at least 0 with a sum up to 2^53. Throws as loss_gradients, and when all units
// are 0. Allocates 8 bytes per row.
double mean_loss(const LossRule& loss, const LossTarget& target,
                 std::span<const std::int64_t> units, std::span<const double> scores, int n_threads,
                 StopSignal& stop, PartSums* parts = nullptr);

enum class ScoreLink : int { exponential = 0, sigmoid = 1, softmax = 2 };

// Returns the predictions of scores, row after row: e^F; the probabilities of two classes, 1 − p and p; or
// those of n_outputs classes. Throws std::invalid_argument for an unknown link or number of scores.
std::vector<double> predictions_of_scores(int link, std::span<const double> scores,
                                          std::size_t n_outputs, int n_threads, StopSignal& stop);

}  // namespace branchline
