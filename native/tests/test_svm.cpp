#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "branchline/svm.hpp"
#include "check.hpp"
#include "svm_classes.hpp"

namespace {

using namespace svm_classes;

const check::Test optimal{"a classification ends at an optimum, small or in blocks", [] {
    for (const std::size_t n : {2, 3, 5, 8, 9, 40, 200, 700}) {
        for (const double cost : {0.1, 1.0, 100.0}) {
            auto made = classes<double>(n, cost, n);
            made.labels[0] = 1;
            made.labels[1] = -1;
            made.bound(cost);
            SvmOptions options;
            is_optimal(made, made.problem(), solve(made, made.problem(), options), 1e-3);
            options.whole_set = 64;
            options.working_set = 16;
            options.cache_bytes = 1 << 20;
            is_optimal(made, made.problem(), solve(made, made.problem(), options), 1e-3);
        }
    }
}};

const check::Test single{"kernel values in single precision have the same objective", [] {
    const auto wide = classes<double>(300, 1.0, 1);
    auto narrow = classes<float>(300, 1.0, 1);
    narrow.labels = wide.labels;
    narrow.bound(1.0);
    const auto seen = solve(narrow, narrow.problem());
    const auto expected = solve(wide, wide.problem());
    check::near(objective(wide, wide.problem(), seen.beta),
                objective(wide, wide.problem(), expected.beta), 0.02);
}};

const check::Test sources{"rows that are computed and a given matrix agree, at any size of cache",
                          [] {
    const auto made = classes<double>(400, 1.0, 2);
    const Vector expected = solve(made, made.problem()).beta;
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{40000}, std::size_t{1} << 24}) {
        for (const std::size_t whole : {std::size_t{32}, std::size_t{1536}}) {
            SvmOptions options;
            options.cache_bytes = bytes;
            options.whole_set = whole;
            options.working_set = 64;
            StopSignal stop;
            const auto found =
                solve_svms(made.form, made.rows_of_points(), {made.problem()}, options, stop)[0];
            is_optimal(made, made.problem(), found, 1e-3);
            check::near(objective(made, made.problem(), found.beta),
                        objective(made, made.problem(), expected), 0.02);
        }
    }
}};

// A problem on some of the rows.
struct Part {
    std::vector<std::uint32_t> rows;
    Vector linear, lower, upper;

    template <class Made>
    Part(const Made& made, std::vector<std::uint32_t> chosen) : rows(std::move(chosen)) {
        const SvmProblem whole = made.problem();
        for (const std::uint32_t row : rows) {
            linear.push_back(whole.linear[row]);
            lower.push_back(whole.lower[row]);
            upper.push_back(whole.upper[row]);
        }
    }
    SvmProblem problem() const { return {rows, linear, lower, upper, {}, {}, {}}; }
};

const check::Test together{"problems that share their points are solved as each alone", [] {
    const auto made = classes<double>(500, 2.0, 6);
    const auto range = [](std::uint32_t first, std::uint32_t last, std::uint32_t step) {
        std::vector<std::uint32_t> rows;
        for (std::uint32_t row = first; row < last; row += step) rows.push_back(row);
        return rows;
    };
    std::vector<std::uint32_t> two_runs = range(7, 120, 1), after = range(301, 450, 1);
    two_runs.insert(two_runs.end(), after.begin(), after.end());
    std::vector<std::uint32_t> backwards = range(0, 300, 1);
    std::reverse(backwards.begin(), backwards.end());
    const std::vector<Part> parts{Part(made, two_runs), Part(made, range(0, 500, 1)),
                                  Part(made, range(0, 500, 2)), Part(made, backwards)};
    std::vector<SvmProblem> problems;
    for (const Part& part : parts) problems.push_back(part.problem());
    for (const std::size_t whole : {std::size_t{16}, std::size_t{4096}}) {
        SvmOptions options{.tolerance = 1e-9, .cache_bytes = 1 << 22, .whole_set = whole};
        StopSignal stop;
        const auto found = solve_svms(made.form, made.rows_of_points(), problems, options, stop);
        for (std::size_t k = 0; k < problems.size(); ++k) {
            const auto alone =
                solve_svms(made.form, made.rows_of_points(), {problems[k]}, options, stop)[0];
            for (std::size_t i = 0; i < alone.beta.size(); ++i) {
                check::near(found[k].beta[i], alone.beta[i], 1e-5);
                check::near(found[k].score[i], alone.score[i], 1e-6);
            }
        }
    }
}};

const check::Test threads{"the number of threads does not change a bit", [] {
    const auto made = classes<double>(600, 3.0, 3);
    for (const std::size_t whole : {std::size_t{32}, std::size_t{1536}}) {
        std::vector<Vector> found;
        for (const int n_threads : {1, 2, 3}) {
            SvmOptions options;
            options.n_threads = n_threads;
            options.whole_set = whole;
            options.working_set = 64;
            options.cache_bytes = 1 << 22;
            found.push_back(solve(made, made.problem(), options).beta);
        }
        check::equal(found[1], found[0]);
        check::equal(found[2], found[0]);
    }
}};

const check::Test identity{"a matrix of ones on the diagonal alone, with unequal classes", [] {
    for (const std::size_t n : {2, 3, 5, 6, 17}) {
        auto made = classes<double>(n, 1.0, 1);
        std::fill(made.gram.begin(), made.gram.end(), 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            made.gram[i * n + i] = 1;
            made.labels[i] = i % 2 == 0 ? -1 : 1;
        }
        made.bound(1.0);
        is_optimal(made, made.problem(), solve(made, made.problem()), 1e-3);
    }
}};

const check::Test squared{"squared slack: a ridge and no upper bounds", [] {
    auto made = classes<double>(80, infinite, 4);
    const Vector ridge(80, 0.25);
    SvmProblem problem = made.problem();
    problem.ridge = ridge;
    is_optimal(made, problem, solve(made, problem), 1e-3);
}};

const check::Test no_sum{"without a sum each variable is at its own optimum", [] {
    const auto made = classes<double>(90, 1.0, 5);
    for (const std::size_t whole : {std::size_t{32}, std::size_t{1536}}) {
        SvmOptions options;
        options.has_sum = false;
        options.whole_set = whole;
        options.working_set = 16;
        const auto found = solve(made, made.problem(), options);
        check::that(found.is_done, "is done");
        const Vector score = scores(made, made.problem(), found.beta);
        for (std::size_t i = 0; i < made.n; ++i) {
            const double gradient = score[i] - made.labels[i];
            if (found.beta[i] < made.upper[i]) check::that(gradient >= -1.1e-3, "may rise");
            if (found.beta[i] > made.lower[i]) check::that(gradient <= 1.1e-3, "may fall");
        }
    }
}};

const check::Test groups{"sums of two groups are held", [] {
    const auto made = classes<double>(60, 1.0, 6);
    std::vector<std::uint8_t> group(60);
    Vector start(60), zero(60);
    double sums[2] = {0, 0};
    for (std::size_t i = 0; i < 60; ++i) {
        group[i] = made.labels[i] < 0;
        start[i] = 0.4 * made.labels[i];
        sums[group[i]] += start[i];
    }
    const SvmProblem problem{made.rows, zero, made.lower, made.upper, {}, group, start};
    for (const std::size_t whole : {std::size_t{32}, std::size_t{1536}}) {
        SvmOptions options;
        options.whole_set = whole;
        options.working_set = 16;
        const auto found = solve(made, problem, options);
        check::that(found.is_done, "is done");
        double seen[2] = {0, 0};
        for (std::size_t i = 0; i < 60; ++i) seen[group[i]] += found.beta[i];
        check::near(seen[0], sums[0], 1e-9);
        check::near(seen[1], sums[1], 1e-9);
        check::that(objective(made, problem, found.beta) < objective(made, problem, start),
                    "lower");
    }
}};

const check::Test early{"few steps or no time: not done, but within the bounds", [] {
    const auto made = classes<double>(500, 100.0, 7);
    SvmOptions few;
    few.max_steps = 5;
    SvmOptions short_time;
    short_time.time_budget = 1e-9;
    for (const SvmOptions& options : {few, short_time}) {
        const auto found = solve(made, made.problem(), options);
        check::that(!found.is_done, "is not done");
        check::that(found.violation > options.tolerance, "violates");
        for (std::size_t i = 0; i < made.n; ++i) {
            check::that(made.lower[i] <= found.beta[i] && found.beta[i] <= made.upper[i], "bound");
        }
    }
}};
}  // namespace
