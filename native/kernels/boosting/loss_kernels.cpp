// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
#include "boosting/loss_kernels.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace branchline::boosting::BRANCHLINE_LEVEL {

namespace {

#include "boosting/exponentials.hpp"
#include "boosting/score_losses.hpp"

constexpr double most_loss = 0x1p1000;

template <class Loss>
const typename Loss::Target* target_of(const LossBlock& block) {
    if constexpr (std::is_same_v<typename Loss::Target, double>) {
        return block.numbers;
    } else {
        return block.class_of_row;
    }
}

double parameter_of(const LossBlock& block, std::size_t output) {
    return block.parameters == nullptr ? 0 : block.parameters[output];
}

template <class Loss>
void gradients_of(const LossBlock& block) {
    const auto* target = target_of<Loss>(block);
    for (std::size_t output = 0; output < block.n_outputs; ++output) {
        const double parameter = parameter_of(block, output);
        const double* score = block.scores + output * block.n_rows;
        float* gradient = block.gradient + output * block.n_rows;
        if (block.hessian == nullptr) {
            for (std::size_t i = 0; i < block.n; ++i) {
                gradient[i] = Loss::derivatives(target[i], score[i], parameter).gradient;
            }
            continue;
        }
        float* hessian = block.hessian + output * block.n_rows;
        for (std::size_t i = 0; i < block.n; ++i) {
            const Derivatives at = Loss::derivatives(target[i], score[i], parameter);
            gradient[i] = at.gradient;
            hessian[i] = at.hessian;
        }
    }
}

template <class Loss>
void values_of(const LossBlock& block, double* values) {
    const auto* target = target_of<Loss>(block);
    std::fill(values, values + block.n, 0.0);
    for (std::size_t output = 0; output < block.n_outputs; ++output) {
        const double parameter = parameter_of(block, output);
        const double* score = block.scores + output * block.n_rows;
        for (std::size_t i = 0; i < block.n; ++i) {
            const double sum = values[i] + Loss::value(target[i], score[i], parameter);
            values[i] = sum < most_loss ? sum : most_loss;
        }
    }
}

// Classes are worked through a few rows at a time, so that these rows stay in the nearest cache.
constexpr std::size_t few_rows = 256;

template <class Visit>
void for_few_rows(std::size_t n, Visit&& visit) {
    for (std::size_t begin = 0; begin < n; begin += few_rows) {
        visit(begin, std::min(few_rows, n - begin));
    }
}

// Finite even if scores are not.
void largest_scores(const LossBlock& block, std::size_t begin, std::size_t n, double* largest) {
    std::fill(largest, largest + n, -most_loss);
    for (std::size_t k = 0; k < block.n_outputs; ++k) {
        const double* score = block.scores + k * block.n_rows + begin;
        for (std::size_t i = 0; i < n; ++i) {
            largest[i] = score[i] > largest[i] ? score[i] : largest[i];
        }
    }
    for (std::size_t i = 0; i < n; ++i) largest[i] = bounded(largest[i], most_loss);
}

// Powers e^(F_k − largest) summed over the classes, those that are 1 (the largest) apart.
struct PowerSums {
    float ones[few_rows] = {}, others[few_rows] = {}, inverse[few_rows] = {};
};

// Powers are left where gradients will be.
void write_powers(const LossBlock& block, std::size_t begin, std::size_t n, PowerSums& sums) {
    double largest[few_rows];
    largest_scores(block, begin, n, largest);
    for (std::size_t k = 0; k < block.n_outputs; ++k) {
        const double* score = block.scores + k * block.n_rows + begin;
        float* powers = block.gradient + k * block.n_rows + begin;
        for (std::size_t i = 0; i < n; ++i) {
            const float power = exp32(static_cast<float>(score[i] - largest[i]), 0);
            powers[i] = power;
            sums.ones[i] += power == 1 ? power : 0;
            sums.others[i] += power == 1 ? 0 : power;
        }
    }
    for (std::size_t i = 0; i < n; ++i) sums.inverse[i] = 1 / (sums.ones[i] + sums.others[i]);
}

// p and 1 − p both keep their digits: where p is near 1, the rest is summed without it.
void softmax_gradients_of_few(const LossBlock& block, std::size_t begin, std::size_t n) {
    PowerSums sums;
    write_powers(block, begin, n, sums);
    const auto n_classes = static_cast<float>(block.n_outputs);
    const float factor = n_classes / (n_classes - 1);
    const std::uint32_t* class_of_row = block.class_of_row + begin;
    for (std::size_t k = 0; k < block.n_outputs; ++k) {
        float* gradient = block.gradient + k * block.n_rows + begin;
        float* hessian = block.hessian + k * block.n_rows + begin;
        for (std::size_t i = 0; i < n; ++i) {
            const float power = gradient[i];
            const float rest = power == 1 ? (sums.ones[i] - 1) + sums.others[i]
                                          : sums.ones[i] + (sums.others[i] - power);
            const float p = power * sums.inverse[i], not_p = rest * sums.inverse[i];
            gradient[i] = class_of_row[i] == k ? -not_p : p;
            hessian[i] = factor * p * not_p;
        }
    }
}

void softmax_gradients(const LossBlock& block) {
    for_few_rows(block.n, [&](std::size_t begin, std::size_t n) {
        softmax_gradients_of_few(block, begin, n);
    });
}

// The sum of e^(F_k − largest) over the classes.
void sum_powers(const LossBlock& block, std::size_t begin, std::size_t n, const double* largest,
                double* sum) {
    std::fill(sum, sum + n, 0.0);
    for (std::size_t k = 0; k < block.n_outputs; ++k) {
        const double* score = block.scores + k * block.n_rows + begin;
        for (std::size_t i = 0; i < n; ++i) sum[i] += exp64(score[i] - largest[i]);
    }
}

void softmax_values(const LossBlock& block, double* values) {
    for_few_rows(block.n, [&](std::size_t begin, std::size_t n) {
        double largest[few_rows], sum[few_rows];
        largest_scores(block, begin, n, largest);
        sum_powers(block, begin, n, largest, sum);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t row = begin + i;
            const double own = block.scores[block.class_of_row[row] * block.n_rows + row];
            const double value = positive_part(largest[i] - own) + log64(sum[i]);
            values[row] = value < most_loss ? value : most_loss;
        }
    });
}

void predict_exponential(const LossBlock& block, double* predictions) {
    for (std::size_t i = 0; i < block.n; ++i) predictions[i] = exp64(block.scores[i]);
}

void predict_sigmoid(const LossBlock& block, double* predictions) {
    for (std::size_t i = 0; i < block.n; ++i) {
        const double score = block.scores[i];
        const double odds = exp64(score > 0 ? -score : score);  // of the less probable class
        const double likely = 1 / (1 + odds), unlikely = odds / (1 + odds);
        predictions[2 * i] = score > 0 ? unlikely : likely;
        predictions[2 * i + 1] = score > 0 ? likely : unlikely;
    }
}

void predict_softmax(const LossBlock& block, double* predictions) {
    for_few_rows(block.n, [&](std::size_t begin, std::size_t n) {
        double largest[few_rows], sum[few_rows];
        largest_scores(block, begin, n, largest);
        sum_powers(block, begin, n, largest, sum);
        for (std::size_t k = 0; k < block.n_outputs; ++k) {
            const double* score = block.scores + k * block.n_rows + begin;
            double* out = predictions + begin * block.n_outputs + k;
            for (std::size_t i = 0; i < n; ++i) {
                out[i * block.n_outputs] = exp64(score[i] - largest[i]) / sum[i];
            }
        }
    });
}

void exp32_of_many(const float* x, std::size_t n, float* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = exp32(x[i]);
}

void exp64_of_many(const double* x, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = exp64(x[i]);
}

void log64_of_many(const double* x, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = log64(x[i]);
}

}  // namespace

LossKernels loss_kernels() {
    return {
        {gradients_of<Squared>, gradients_of<Absolute>, gradients_of<Huber>, gradients_of<Quantile>,
         gradients_of<Poisson>, gradients_of<Gamma>, gradients_of<Tweedie>, gradients_of<Logistic>,
         gradients_of<Exponential>, softmax_gradients},
        {values_of<Squared>, values_of<Absolute>, values_of<Huber>, values_of<Quantile>,
         values_of<Poisson>, values_of<Gamma>, values_of<Tweedie>, values_of<Logistic>,
         values_of<Exponential>, softmax_values},
        {predict_exponential, predict_sigmoid, predict_softmax},
        exp32_of_many,
        exp64_of_many,
        log64_of_many,
    };
}

}  // namespace branchline::boosting::BRANCHLINE_LEVEL
