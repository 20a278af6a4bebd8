// Least squares of one response on a few columns, from their covariances.
#pragma once

#include <array>
#include <cmath>
#include <span>
#include <stdexcept>

namespace branchline::node_tests {

inline constexpr std::size_t most_fitted = 8;

struct Fit {
    std::array<double, most_fitted> weights{};
    double explained = 0;  // of the response's variance
};

// Solves C w = c by Cholesky, C the covariances of `chosen` among m columns, c those with the response.
// A diagonal raised by 1e−9 keeps columns that are copies of each other apart.
inline Fit fit_few(std::span<const double> covariance, std::size_t m,
                   std::span<const std::size_t> chosen, std::span<const double> with_response) {
    const std::size_t n = chosen.size();
    if (n > most_fitted) throw std::invalid_argument("more columns than are fitted");
    std::array<double, most_fitted * most_fitted> root{};
    Fit fit;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = covariance[chosen[i] * m + chosen[j]] * (i == j ? 1 + 1e-9 : 1);
            for (std::size_t k = 0; k < j; ++k) sum -= root[i * n + k] * root[j * n + k];
            if (i == j && !(sum > 0)) return {};
            root[i * n + j] = i == j ? std::sqrt(sum) : sum / root[j * n + j];
        }
        double sum = with_response[chosen[i]];
        for (std::size_t k = 0; k < i; ++k) sum -= root[i * n + k] * fit.weights[k];
        fit.weights[i] = sum / root[i * n + i];
        fit.explained += fit.weights[i] * fit.weights[i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) fit.weights[i] -= root[k * n + i] * fit.weights[k];
        fit.weights[i] /= root[i * n + i];
    }
    return fit;
}

}  // namespace branchline::node_tests
