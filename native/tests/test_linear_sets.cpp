#include <cmath>
#include <random>

#include "branchline/linear_sets.hpp"
#include "check.hpp"

namespace {

using namespace branchline;
using Numbers = std::vector<double>;

const std::vector<std::int64_t> no_terms{};

const check::Test without_terms{"a set without terms predicts the larger class, or the mean", [] {
    const Numbers terms{}, classes{1, 1, 0}, weights{1, 1, 1}, new_class{0, 1}, new_weights{3, 1};
    const std::vector<std::int64_t> first{0, 0};
    StopSignal stop;
    const auto errors =
        linear_set_errors({terms, classes, weights}, {terms, new_class, new_weights},
                          {first, no_terms}, 1.0, 1, stop);
    check::equal(errors == Numbers{0.75}, true);
    const Numbers numbers{1, 2, 6}, new_number{4};
    const Numbers one{1};
    const auto squares = linear_set_errors({terms, numbers, weights}, {terms, new_number, one},
                                           {first, no_terms}, 0.0, 1, stop);
    check::equal(std::abs(squares[0] - 1.0) < 1e-12, true);
}};

const check::Test known_line{"a line through three points is found, also by two copies of a term",
                             [] {
    const Numbers terms{0, 1, 3, 0, 1, 3}, target{1, 3, 7}, weights{1, 2, 1};
    const Numbers new_terms{2, 5, 2, 5}, new_target{5, 12}, new_weights{1, 1};
    const std::vector<std::int64_t> first{0, 1, 3}, sets{0, 0, 1};
    StopSignal stop;
    const auto errors =
        linear_set_errors({terms, target, weights}, {new_terms, new_target, new_weights},
                          {first, sets}, 0.0, 1, stop);
    check::equal(std::abs(errors[0] - 0.5) < 1e-7, true);  // 5 and 11 against 5 and 12
    check::equal(std::abs(errors[1] - 0.5) < 1e-5, true);
}};

const check::Test any_threads{"errors do not depend on the number of threads", [] {
    std::mt19937_64 draw(1);
    std::normal_distribution<double> normal;
    const std::size_t n_rows = 60, n_terms = 40;
    Numbers terms(n_rows * n_terms), target(n_rows), weights(n_rows, 1.0);
    for (double& value : terms) value = normal(draw);
    for (std::size_t i = 0; i < n_rows; ++i) target[i] = terms[i] + normal(draw) > 0 ? 1 : 0;
    std::vector<std::int64_t> first{0}, sets;
    for (std::int64_t other = 1; other < 40; ++other) {
        sets.insert(sets.end(), {0, other});
        first.push_back(static_cast<std::int64_t>(sets.size()));
    }
    const LinearSetRows rows{terms, target, weights};
    StopSignal stop;
    const auto one = linear_set_errors(rows, rows, {first, sets}, 1.0, 1, stop);
    const auto four = linear_set_errors(rows, rows, {first, sets}, 1.0, 4, stop);
    check::equal(one == four, true);
    for (const double error : one) check::equal(error >= 0 && error < 0.5, true);
}};

}  // namespace
