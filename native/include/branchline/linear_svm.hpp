// Linear support vector machines: flat margins on encoded rows, each with a certificate.
//
// The problem: minimize over weights w and a constant b that is free (or absent)
//
//     P(w, b) = ½‖w‖² + Σ_i C_i ℓ(max(0, u_i − f_i, f_i − v_i)),    f_i = w·x_i + b,
//
// with ℓ(r) = r or ℓ(r) = r². Row i is *content* where u_i ≤ f_i ≤ v_i. A class of +1 has u = 1 and
// v = ∞, one of −1 has u = −∞ and v = −1; a number y has u = y − ε and v = y + ε.
//
// The dual: maximize over one number β_i per row
//
//     D(β) = Σ_i (β_i > 0 ? u_i β_i : v_i β_i) − ½‖Σ_i β_i x_i‖² [− Σ_i β_i² / 4C_i]
//
// with |β_i| ≤ C_i (not for squares), β_i ≤ 0 where u_i = −∞, β_i ≥ 0 where v_i = ∞, and, where b is
// there, Σ_i β_i = 0. Every D(β) is below every P(w, b): the *gap* of a fit is P − D, both added up
// from w, b and a feasible β when it ends.
//
// Solvers:
//   newton    squares, few columns: Newton steps on P, Cholesky factors, exact line search
//   gradients squares, many columns: the same steps by conjugate gradients
//   interior  no squares, few columns: a predictor-corrector interior point method
//   descent   many columns: dual coordinate descent (Hsieh et al., 2008); Σ β = 0 is held by an
//             augmented Lagrangian whose multiplier is b
//
// Same bits for any number of threads. Columns that no row uses are left out while it works.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "branchline/stop_signal.hpp"

namespace branchline {

// Rows of numbers, borrowed: all cells row after row, or the stored cells of compressed rows with
// columns that ascend within each row.
struct LinearMatrix {
    std::size_t n_rows = 0, n_columns = 0;
    std::span<const double> values;
    bool is_sparse = false;
    std::span<const std::int64_t> starts;   // n_rows + 1
    std::span<const std::int32_t> columns;  // one a stored cell
};

// Where rows are content, and what each costs otherwise: one stretch of n_rows an output.
struct LinearTask {
    std::span<const double> lower, upper;  // u and v
    std::span<const double> penalty;       // C, above 0
};

enum class LinearSolver : int { automatic, newton, gradients, interior, descent };

struct LinearOptions {
    bool squared = true;
    bool fit_intercept = true;
    LinearSolver solver = LinearSolver::automatic;
    double tolerance = 1e-4;  // the gap wanted, as a share of P
    std::size_t max_iter = 1000;
    std::uint64_t seed = 0;
};

// Of one output.
struct LinearFit {
    std::vector<double> weights;  // one per column
    double bias = 0;
    std::vector<double> dual;  // β, feasible
    double objective = 0, gap = 0;
    std::size_t n_iter = 0;
    LinearSolver solver = LinearSolver::automatic;
};

// Fits every output of a task. Requires lower <= upper, one of them finite, and penalties above 0.
// Cost: newton and interior, 5 to 50 times (stored cells × cells of a row + columns³); the others,
// some hundred passes. Threads over outputs, or over blocks of rows. Draws: the order of rows.
std::vector<LinearFit> fit_linear_svm(const LinearMatrix& matrix, const LinearTask& task,
                                      const LinearOptions& options, int n_threads,
                                      StopSignal& stop);

}  // namespace branchline
