// A Cholesky factor A = L Lᵀ whose matrix gains and loses rows, one at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "svm/smo_kernels.hpp"

namespace branchline::svm {

// L column after column, so that every step runs along memory.
class GrowingCholesky {
  public:
    GrowingCholesky() : kernels_(smo_kernels_for<double>(best_cpu_level())) {}

    std::size_t size() const { return size_; }
    void clear() { size_ = 0; }

    // Appends a row: its products with those that are there, and with itself. False, and nothing
    // appended, when it lies in their span to within `least` (a square). n² steps.
    bool append(std::vector<double>& products, double own, double least) {
        forward(products.data());
        const double rest = own - kernels_.dot(products.data(), products.data(), size_);
        if (!(rest > least)) return false;
        if (size_ == stride_) grow();
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

    // x := A⁻¹ x; x is 0 before `first`.
    void solve(double* x, std::size_t first = 0) const {
        forward(x, first);
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
        forward(room.data(), k);
        return kernels_.dot(room.data() + k, room.data() + k, size_ - k);
    }

  private:
    double* column(std::size_t k) { return values_.data() + k * stride_; }
    const double* column(std::size_t k) const { return values_.data() + k * stride_; }

    void grow() {
        const std::size_t wider = std::max<std::size_t>(16, 2 * stride_);
        std::vector<double> moved(wider * wider);
        for (std::size_t k = 0; k < size_; ++k) {
            std::copy(column(k) + k, column(k) + size_, moved.data() + k * wider + k);
        }
        values_.swap(moved);
        stride_ = wider;
    }

    // x := L⁻¹ x, which is 0 before `first`. Eight columns at a time: x goes by once for all of them.
    void forward(double* x, std::size_t first = 0) const {
        constexpr std::size_t at_once = 8;
        std::array<const double*, at_once> below;
        std::array<double, at_once> factor;
        for (std::size_t k = first; k < size_;) {
            const std::size_t end = std::min(size_, k + at_once), begin = k;
            for (; k < end; ++k) {
                for (std::size_t j = begin; j < k; ++j) x[k] -= x[j] * column(j)[k];
                x[k] /= column(k)[k];
                below[k - begin] = column(k) + end;
                factor[k - begin] = -x[k];
            }
            kernels_.add_rows(below.data(), factor.data(), end - begin, x + end, size_ - end);
        }
    }

    const SmoKernels<double>& kernels_;
    std::size_t size_ = 0, stride_ = 0;
    std::vector<double> values_;
};

}  // namespace branchline::svm
