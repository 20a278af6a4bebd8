// A Cholesky factor A = L Lᵀ whose matrix gains and loses rows, one at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "svm/smo_kernels.hpp"

namespace branchline::svm {

// L column after column, so that every step runs along memory.
template <class Real>
class GrowingCholesky {
  public:
    explicit GrowingCholesky(const SmoKernels<Real>& kernels) : kernels_(kernels) {}

    std::size_t size() const { return size_; }
    // Room for rows; what was there is gone.
    void reserve(std::size_t most) {
        stride_ = padded(most);
        values_.resize(most * stride_);
        size_ = 0;
    }

    // Appends a row: its products with those that are there, and with itself. False, and nothing
    // appended, when it lies in their span to within `least` (a square). n² steps.
    bool append(std::vector<double>& products, double own, double least) {
        forward(products.data());
        const double rest = own - kernels_.dot(products.data(), products.data(), size_);
        if (!(rest > least)) return false;
        for (std::size_t k = 0; k < size_; ++k) column(k)[size_] = products[k];
        column(size_)[size_] = std::sqrt(rest);
        ++size_;
        return true;
    }

    // Takes row `place` away; the others move up. n² steps.
    void remove(std::size_t place) {
        for (std::size_t k = 0; k < size_; ++k) {
            double* values = column(k);
            std::copy(values + std::max(place + 1, k), values + size_,
                      values + std::max(place + 1, k) - 1);
        }
        --size_;
        // Each later column now begins one row too early: turn planes until it does not.
        for (std::size_t k = place; k < size_; ++k) {
            double *left = column(k) + k, *right = column(k + 1) + k;
            const double length = std::sqrt(left[0] * left[0] + right[0] * right[0]);
            kernels_.turn(left, right, left[0] / length, right[0] / length, size_ - k);
        }
    }

    // x := A⁻¹ x.
    void solve(double* x) const {
        forward(x);
        for (std::size_t k = size_; k-- > 0;) {
            const double* below = column(k) + k;
            x[k] = (x[k] - kernels_.dot(below + 1, x + k + 1, size_ - k - 1)) / below[0];
        }
    }

    // xᵀ A⁻¹ x; x is used up.
    double squared_length(std::vector<double>& x) const {
        forward(x.data());
        return kernels_.dot(x.data(), x.data(), size_);
    }

    // (A⁻¹)_kk, with room to work in.
    double inverse_diagonal(std::size_t k, std::vector<double>& room) const {
        room.assign(size_, 0.0);
        room[k] = 1;
        return squared_length(room);
    }

  private:
    double* column(std::size_t k) { return values_.data() + k * stride_; }
    const double* column(std::size_t k) const { return values_.data() + k * stride_; }

    // x := L⁻¹ x.
    void forward(double* x) const {
        for (std::size_t k = 0; k < size_; ++k) {
            const double* below = column(k) + k;
            x[k] /= below[0];
            kernels_.add_scaled(below + 1, -x[k], x + k + 1, size_ - k - 1);
        }
    }

    const SmoKernels<Real>& kernels_;
    std::size_t size_ = 0, stride_ = 0;
    std::vector<double> values_;
};

}  // namespace branchline::svm
