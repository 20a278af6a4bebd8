// Kernel matrices of rows of numbers, and weighted sums of their columns, a tile at a time.
//
//   linear      x·z                       polynomial  (γ x·z + c)^degree
//   rbf         exp(−γ ‖x − z‖²)          sigmoid     tanh(γ x·z + c)
//   laplacian   exp(−γ ‖x − z‖₁)
//
// Glossary. Points: rows that are packed once, to be multiplied with many others. Panel: as many
// points as fill 128 bytes per column, column after column. Tile: twelve rows times a panel; its sums
// stay in registers, and the kernel's function is applied while the tile is in a near cache.
//
// Rules.
// 1. Points are scaled by a power of two, so that the largest number is between 1 and 2: no scale
//    of the data makes a product infinite. What a result cannot hold becomes the largest it can.
// 2. rbf: ‖x − z‖² = ‖x‖² + ‖z‖² − 2 x·z, at least 0, of rows moved by a value of each column near
//    its mean (the nearest in the first 256 rows). Large offsets do not cancel then, and integers
//    stay integers. ‖x‖² is summed as x·z is: equal rows have distance 0 and a kernel of exactly 1.
// 3. Rows of nothing but 0 and 1 are kept as bits and multiplied by counting: exact, the same bits
//    as sums of products (they are not moved).
// 4. Columns are summed in their order, in strips of 256 that are added up. A value depends on its
//    two rows and on what they are moved and scaled by, never on the block, the tile or the thread.
//    K(x, z) and K(z, x) have the same bits.
//
// Error, with u half a unit in the last place (2^-24, 2^-53), s = min(d, 256) + ⌈d / 256⌉ and moved
// rows:
//   x·z         at most s u Σ |x_k z_k|
//   ‖x − z‖²    at most 2 (s + 2) u (‖x‖² + ‖z‖²); exact for integers, no sum reaching 2^24 (2^53)
//   ‖x − z‖₁    at most (s + 1) u ‖x − z‖₁
//   exp         3 u, relative; 0 below e^-87 (float) and e^-708 (double)
//   tanh        8 u, relative
//
// Numbers must be finite. Levels of processors with fused products (v3 and v4) give the same bits;
// the lowest level rounds products by themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "branchline/cpu_level.hpp"
#include "branchline/stop_signal.hpp"

namespace branchline {

enum class KernelKind : int { linear, polynomial, rbf, laplacian, sigmoid };

struct KernelForm {
    KernelKind kind = KernelKind::linear;
    double gamma = 1;
    double coef0 = 0;
    int degree = 1;

    // Throws std::invalid_argument unless the kind is known, gamma is finite (and not negative for
    // rbf and laplacian), coef0 is finite and the degree is at least 0.
    void check() const;
};

// A borrowed row-major matrix.
template <class Real>
struct PointRows {
    const Real* values = nullptr;
    std::size_t n_rows = 0, n_columns = 0;
};

// Rows packed for products with each other. Takes a copy; may be used by several threads at once.
template <class Real>
class KernelPoints {
  public:
    KernelPoints(const Real* matrix, std::size_t n_rows, std::size_t n_columns,
                 const KernelForm& form, CpuLevel level = best_cpu_level());
    ~KernelPoints();
    KernelPoints(KernelPoints&&) noexcept;
    KernelPoints& operator=(KernelPoints&&) noexcept;

    std::size_t n_rows() const noexcept;
    // What a value costs: columns, or words of 64 of them where all are bits.
    std::size_t n_steps() const noexcept;

    // out[i * stride + (j − first)] = K(row rows[i], row j) for first ≤ j < last. One thread.
    // Allocates half a megabyte and room for the rows, or 120 of them.
    void fill(std::span<const std::uint32_t> rows, std::size_t first, std::size_t last, Real* out,
              std::size_t stride) const;

    // K(row i, row i) of the rows from `first` on: the numbers that fill() writes.
    void diagonal(std::size_t first, std::span<double> out) const;
    void diagonal(std::span<double> out) const { diagonal(0, out); }

  private:
    struct Packed;
    std::unique_ptr<const Packed> packed_;
};

// How to run: threads over blocks of rows of `a`.
struct KernelRun {
    int n_threads;
    StopSignal& stop;
    CpuLevel level = best_cpu_level();
};

// A row of n_outputs coefficients for each row of b.
struct KernelCoefficients {
    std::span<const double> values;
    std::size_t n_outputs;
};

// The functions below move and scale by what b is, so that a row of `a` gets the same bits in any
// batch. All throw std::invalid_argument unless a and b have the same columns.

// out[i * b.n_rows + j] = K(a_i, b_j).
template <class Real>
void kernel_matrix(const KernelForm& form, const PointRows<Real>& a, const PointRows<Real>& b,
                   Real* out, const KernelRun& run);

// out[i * n_outputs + c] = Σ_j K(a_i, b_j) coefficients[j, c], summed in double; the kernel matrix
// is never there as a whole.
template <class Real>
void kernel_sums(const KernelForm& form, const PointRows<Real>& a, const PointRows<Real>& b,
                 const KernelCoefficients& coefficients, double* out, const KernelRun& run);

// out[i * b.n_rows + j] = ‖a_i − b_j‖², moved as for rbf.
template <class Real>
void squared_distances(const PointRows<Real>& a, const PointRows<Real>& b, Real* out,
                       const KernelRun& run);

// out[i] = exp(−γ squares[i]): rbf of squared distances that are there already.
template <class Real>
void rbf_of_distances(std::span<const Real> squares, double gamma, Real* out, const KernelRun& run);

}  // namespace branchline
