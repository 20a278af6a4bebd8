#include "svm/linear_cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace branchline {

namespace {

constexpr std::size_t panel = 32;
constexpr double least_pivot = 1e-14;  // of a diagonal of ones
constexpr double no_step = 1e150;      // in place of a pivot that vanishes

}  // namespace

void LinearCholesky::factor(std::vector<double>&& upper, std::size_t width) {
    upper_ = std::move(upper);
    width_ = width;
    scale();
    for (std::size_t first = 0; first < width_; first += panel) {
        const std::size_t last = std::min(first + panel, width_);
        factor_panel(first, last);
        update_below(first, last);
    }
}

void LinearCholesky::scale() {
    scale_.resize(width_);
    for (std::size_t k = 0; k < width_; ++k) {
        const double size = upper_[k * width_ + k];
        scale_[k] = size > 0 ? 1.0 / std::sqrt(size) : 0.0;
    }
    for (std::size_t k = 0; k < width_; ++k) {
        double* line = upper_.data() + k * width_;
        for (std::size_t l = k; l < width_; ++l) line[l] *= scale_[k] * scale_[l];
    }
}

// Rows first..last−1 of the factor, all that is left of earlier rows already taken off.
void LinearCholesky::factor_panel(std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
        double* line = upper_.data() + k * width_;
        const double pivot = line[k] > least_pivot ? std::sqrt(line[k]) : no_step;
        line[k] = pivot;
        for (std::size_t l = k + 1; l < width_; ++l) line[l] /= pivot;
        for (std::size_t j = k + 1; j < last; ++j) {
            double* other = upper_.data() + j * width_;
            const double factor = line[j];
            for (std::size_t l = j; l < width_; ++l) other[l] -= factor * line[l];
        }
    }
}

void LinearCholesky::update_below(std::size_t first, std::size_t last) {
    for (std::size_t j = last; j < width_; ++j) {
        double* line = upper_.data() + j * width_;
        for (std::size_t k = first; k < last; k += 4) {  // panels before the last are whole fours
            const double* one = upper_.data() + k * width_;
            const double *two = one + width_, *three = two + width_, *four = three + width_;
            const double a = one[j], b = two[j], c = three[j], d = four[j];
            for (std::size_t l = j; l < width_; ++l) {
                line[l] -= (a * one[l] + b * two[l]) + (c * three[l] + d * four[l]);
            }
        }
    }
}

void LinearCholesky::solve(std::span<double> side) const {
    for (std::size_t k = 0; k < width_; ++k) side[k] *= scale_[k];
    for (std::size_t k = 0; k < width_; ++k) {
        const double* line = upper_.data() + k * width_;
        side[k] /= line[k];
        for (std::size_t l = k + 1; l < width_; ++l) side[l] -= line[l] * side[k];
    }
    for (std::size_t k = width_; k-- > 0;) {
        const double* line = upper_.data() + k * width_;
        double left = side[k];
        for (std::size_t l = k + 1; l < width_; ++l) left -= line[l] * side[l];
        side[k] = left / line[k];
    }
    for (std::size_t k = 0; k < width_; ++k) side[k] *= scale_[k];
}

}  // namespace branchline
