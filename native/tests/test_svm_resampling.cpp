#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "branchline/svm_resampling.hpp"
#include "check.hpp"

namespace {

using namespace branchline;
using Vector = std::vector<double>;
using Rows = std::vector<std::uint32_t>;

constexpr SvmOptions exact{.tolerance = 1e-8};

// Two noisy classes on a line, and their matrix of exp(−(x − z)²).
struct Line {
    std::size_t n;
    Vector gram, labels;

    GivenGram<double> given() const { return {gram.data(), n}; }
};

Line line(std::size_t n, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    Vector x(n);
    Line made{n, Vector(n * n), Vector(n)};
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = 2 * normal(generator);
        made.labels[i] = x[i] + normal(generator) > 0 ? 1 : -1;
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j)
            made.gram[i * n + j] = std::exp(-std::pow(x[i] - x[j], 2));
    }
    return made;
}

Rows range(std::size_t first, std::size_t last) {
    Rows rows(last - first);
    std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(first));
    return rows;
}

// A problem on some rows, with all that it refers to.
struct Part {
    Rows rows;
    Vector labels, lower, upper, start;

    Part(const Line& all, Rows chosen, double cost) : rows(std::move(chosen)) {
        for (const std::uint32_t row : rows) {
            const double label = all.labels[row];
            labels.push_back(label);
            lower.push_back(std::min(0.0, cost * label));
            upper.push_back(std::max(0.0, cost * label));
        }
    }
    SvmProblem problem() const { return {rows, labels, lower, upper, {}, {}, start}; }
};

// f(x_row) of a machine on a part, solved from nothing.
double decision(const Line& all, const Part& part, const Vector& beta, std::uint32_t row) {
    Vector gradient(beta.size());
    double score = 0;
    for (std::size_t i = 0; i < beta.size(); ++i) {
        gradient[i] = -part.labels[i];
        for (std::size_t j = 0; j < beta.size(); ++j) {
            gradient[i] += beta[j] * all.gram[part.rows[i] * all.n + part.rows[j]];
        }
        score += beta[i] * all.gram[part.rows[i] * all.n + row];
    }
    return score + svm_bias(gradient, beta, part.lower, part.upper);
}

Vector solved(const Line& all, const Part& part) {
    StopSignal stop;
    return solve_svm(all.given(), part.problem(), exact, stop).beta;
}

const check::Test paths{"scores along a path are those of each C alone", [] {
    const Line all = line(60, 1);
    const Rows train = range(0, 40), test = range(40, 60);
    const Vector labels(all.labels.begin(), all.labels.begin() + 40), costs(40, 1.0);
    const Vector strengths{0.01, 0.3, 3, 3, 500};
    StopSignal stop;
    const auto answer =
        svm_paths<double>(all.given(), {{train, labels, costs, test}}, strengths, exact, stop)[0];
    check::equal(answer.decision.size(), strengths.size() * test.size());
    for (std::size_t c = 0; c < strengths.size(); ++c) {
        const Part part(all, train, strengths[c]);
        const Vector beta = solved(all, part);
        for (std::size_t k = 0; k < test.size(); ++k) {
            check::near(answer.decision[c * test.size() + k], decision(all, part, beta, test[k]),
                        2e-4);
        }
    }
}};

const check::Test path_threads{"paths do not depend on the number of threads", [] {
    const Line all = line(90, 2);
    const Rows test = range(0, 90);
    std::vector<Rows> parts;
    std::vector<Vector> labels;
    for (std::size_t fold = 0; fold < 7; ++fold) {
        parts.push_back(range(fold, 60 + 2 * fold));
        labels.emplace_back();
        for (const std::uint32_t row : parts.back()) labels.back().push_back(all.labels[row]);
    }
    const Vector costs(90, 1.0), strengths{0.1, 1, 10};
    std::vector<Vector> found;
    for (const int n_threads : {1, 2, 3}) {
        std::vector<PathProblem> problems;
        for (std::size_t fold = 0; fold < 7; ++fold) {
            const auto some = std::span(costs).first(parts[fold].size());
            problems.push_back({parts[fold], labels[fold], some, test});
        }
        SvmOptions options;
        options.n_threads = n_threads;
        StopSignal stop;
        found.emplace_back();
        for (const auto& one : svm_paths<double>(all.given(), problems, strengths, options, stop)) {
            found.back().insert(found.back().end(), one.decision.begin(), one.decision.end());
        }
    }
    check::equal(found[1], found[0]);
    check::equal(found[2], found[0]);
}};

const check::Test left_out{"leaving out a row gives the score of a machine without it", [] {
    const Line all = line(30, 3);
    Part part(all, range(0, 30), 2.0);
    part.start = solved(all, part);
    const Rows variables = range(0, 30);
    const Vector zero(30, 0.0);
    for (const int n_threads : {1, 2}) {
        SvmOptions options = exact;
        options.n_threads = n_threads;
        StopSignal stop;
        const Vector scores = svm_leave_one_out(all.given(), part.problem(), variables,
                                                {zero, zero, {}}, options, stop);
        for (std::uint32_t row = 0; row < 30; ++row) {
            Rows others = range(0, 30);
            others.erase(others.begin() + row);
            const Part without(all, others, 2.0);
            check::near(scores[row], decision(all, without, solved(all, without), row), 2e-4);
        }
    }
}};

const check::Test bias{"the bias is the mean of free gradients, or the middle of what is allowed",
                       [] {
    const Vector lower{-1, 0, 0}, upper{0, 1, 1};
    check::near(svm_bias(Vector{0.5, 1.5, 9}, Vector{-0.5, 0.5, 0}, lower, upper), -1.0, 1e-12);
    // At their bounds: the first may rise, the others fall.
    check::near(svm_bias(Vector{3, 1, 2}, Vector{-1, 1, 1}, lower, upper), -2.5, 1e-12);
}};

const check::Test refusals{"what cannot be solved is refused", [] {
    const Line all = line(6, 4);
    const Rows rows = range(0, 6), beyond{0, 6};
    const Vector costs(6, 1.0), two(2, 1.0), wrong{3.0, 1.0};
    StopSignal stop;
    using Refused = std::invalid_argument;
    const auto path = [&](const PathProblem& problem, const Vector& strengths) {
        return svm_paths<double>(all.given(), {problem}, strengths, exact, stop);
    };
    check::throws<Refused>([&] { path({rows, all.labels, costs, beyond}, two); });
    check::throws<Refused>([&] { path({beyond, two, two, rows}, two); });
    check::throws<Refused>([&] { path({rows, two, costs, rows}, two); });
    check::throws<Refused>([&] { path({rows, all.labels, costs, rows}, wrong); });
    check::throws<Refused>([&] { path({rows, all.labels, costs, rows}, Vector{0.0, 1.0}); });
    Part part(all, rows, 1.0);
    const auto leave = [&](const Rows& variables, const Vector& bounds) {
        return svm_leave_one_out(all.given(), part.problem(), variables, {bounds, bounds, {}},
                                 exact, stop);
    };
    check::throws<Refused>([&] { leave(Rows{0, 1}, two); });  // no solution to start from
    part.start = Vector(6, 0.0);
    check::throws<Refused>([&] { leave(Rows{0, 6}, two); });
    check::throws<Refused>([&] { leave(Rows{0}, two); });
    part.start = Vector(6, 7.0);
    check::throws<Refused>([&] { solve_svm(all.given(), part.problem(), exact, stop); });
    check::throws<Refused>([&] {
        const Vector few(5, 0.0);
        solve_svm(all.given(), {rows, few, few, few, {}, {}, {}}, exact, stop);
    });
}};

}  // namespace
