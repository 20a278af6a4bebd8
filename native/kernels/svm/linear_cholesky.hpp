// Cholesky factors of the systems that Newton and interior point steps solve.
//
// The matrix is first scaled to ones on its diagonal, so that columns of any size factor alike. A
// direction that others can stand for (its pivot vanishes) gets no step.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace branchline {

class LinearCholesky {
  public:
    // Factors the matrix whose upper triangle is given row after row; the storage is taken over.
    void factor(std::vector<double>&& upper, std::size_t width);

    // Replaces the right side by the solution.
    void solve(std::span<double> side) const;

    // Gives the storage back, for the next matrix.
    std::vector<double>&& release() noexcept { return std::move(upper_); }

  private:
    void scale();
    void factor_panel(std::size_t first, std::size_t last);
    void update_below(std::size_t first, std::size_t last);

    std::size_t width_ = 0;
    std::vector<double> upper_, scale_;
};

}  // namespace branchline
