// The arithmetic of losses on a block of rows, compiled once for each processor level.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "branchline/boosting_losses.hpp"
#include "branchline/cpu_level.hpp"

namespace branchline::boosting {

// n rows of a table of n_rows; scores, gradients and hessians of the next output are n_rows
// further.
struct LossBlock {
    const double* numbers = nullptr;
    const std::uint32_t* class_of_row = nullptr;
    const double* scores = nullptr;
    float* gradient = nullptr;
    float* hessian = nullptr;  // null: it is constant, and not needed
    const double* parameters = nullptr;
    std::size_t n = 0, n_rows = 0, n_outputs = 0;
};

struct LossKernels {
    using Gradients = void (*)(const LossBlock&);
    using Values = void (*)(const LossBlock&, double* values);
    using Predictions = void (*)(const LossBlock&, double* predictions);

    std::array<Gradients, n_loss_kinds> gradients;  // by LossKind
    std::array<Values, n_loss_kinds> values;
    std::array<Predictions, 3> predictions;  // by ScoreLink
    // For tests: what the kernels are made of.
    void (*exp32)(const float* x, std::size_t n, float* out);
    void (*exp64)(const double* x, std::size_t n, double* out);
    void (*log64)(const double* x, std::size_t n, double* out);
};

LossKernels loss_kernels_for(CpuLevel level);

}  // namespace branchline::boosting
