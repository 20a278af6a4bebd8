// All pairs of classes in one call: against the same problems one by one, and votes by hand.
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "branchline/svm_pairs.hpp"
#include "check.hpp"
#include "svm_classes.hpp"

namespace {

using namespace svm_classes;
using Words = std::vector<std::uint32_t>;

// Rows of three classes, and what goes with them.
struct Three {
    Classes<double> made = classes<double>(60, 1, 3);
    Words ends{15, 40, 60}, rank = made.rows;
    Vector ones = Vector(60, 1), costs = Vector(60, 2);

    PairRows rows(bool is_squared = false) const {
        return {ends, costs, ones, ones, rank, 1000, is_squared};
    }
    PairMachines solve(int n_threads, bool on_points, bool is_squared = false) const {
        SvmOptions options;
        options.tolerance = 1e-6;
        options.polishes = options.wants_spans = true;
        options.cache_bytes = 1 << 24;
        options.n_threads = n_threads;
        StopSignal stop;
        if (!on_points) return solve_pairs(made.given(), rows(is_squared), options, stop);
        return solve_pairs(made.form, made.rows_of_points(), rows(is_squared), options, stop);
    }
};

const check::Test optimal{"pairs: each machine is optimal, and its certificate holds", [] {
    const Three three;
    for (const bool is_squared : {false, true}) {
        const PairMachines found = three.solve(1, true, is_squared);
        check::equal(found.bias.size(), std::size_t{3});
        check::equal(found.beta.size(), std::size_t{40 + 35 + 45});
        std::size_t offset = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            check::that(found.is_done[k] == 1, "is done");
            check::that(found.primal[k] >= found.dual[k] - 1e-9, "the bound is below");
            check::near(found.primal[k], found.dual[k], 1e-4 * found.primal[k]);
            const std::size_t n = Words{40, 35, 45}[k];
            double sum = 0;
            for (std::size_t i = offset; i < offset + n; ++i) sum += found.beta[i];
            check::near(sum, 0, 1e-9);
            offset += n;
        }
        check::equal(found.support_row.size(), found.support_beta.size());
        check::equal(static_cast<std::size_t>(found.support_end.back()), found.support_row.size());
    }
}};

const check::Test same{"pairs: threads do not matter, and a given matrix gives the same", [] {
    const Three three;
    const PairMachines one = three.solve(1, true), two = three.solve(2, true);
    check::equal(one.beta, two.beta);
    check::equal(one.slope_above, two.slope_above);
    check::equal(one.is_wrong, two.is_wrong);
    const PairMachines given = three.solve(1, false);
    for (std::size_t k = 0; k < 3; ++k) check::near(given.bias[k], one.bias[k], 1e-9);
}};

const check::Test votes{"pairs: votes in tiles are those of plain sums", [] {
    constexpr std::size_t n_classes = 37, n_rows = 19, n_pairs = n_classes * (n_classes - 1) / 2;
    std::mt19937_64 generator(5);
    std::normal_distribution<double> normal;
    Words ends;
    for (std::uint32_t c = 0; c < n_classes; ++c)
        ends.push_back((ends.empty() ? 0 : ends.back()) + c % 4);
    const std::size_t n_support = ends.back();
    Vector coefficients(n_support * (n_classes - 1)), bias(n_pairs), kernel(n_rows * n_support);
    for (auto* values : {&coefficients, &bias, &kernel})
        for (double& value : *values) value = normal(generator);
    const PairModel model{ends, coefficients, bias};
    StopSignal stop;
    const Vector scores = pair_scores(model, kernel, 2, stop);
    const auto part = [&](std::size_t row, std::size_t own, std::size_t column) {
        double sum = 0;
        for (std::size_t j = own == 0 ? 0 : ends[own - 1]; j < ends[own]; ++j)
            sum += kernel[row * n_support + j] * coefficients[j * (n_classes - 1) + column];
        return sum;
    };
    std::size_t at = 0;
    for (std::size_t row = 0; row < n_rows; ++row) {
        std::size_t machine = 0;
        for (std::size_t a = 0; a < n_classes; ++a) {
            for (std::size_t b = a + 1; b < n_classes; ++b, ++machine, ++at)
                check::near(scores[at], bias[machine] + part(row, a, b - 1) + part(row, b, a),
                            1e-9);
        }
    }
    const Vector of_kernel = class_scores_of_pairs(model, kernel, 1, stop);
    check::equal(of_kernel, class_scores_of_pairs(model, kernel, 2, stop));
    check::equal(of_kernel, class_scores_of_pairs(scores, n_classes));
}};

const check::Test refused{"pairs: sizes that differ are refused", [] {
    const Three three;
    StopSignal stop;
    PairRows rows = three.rows();
    const Words empty{15, 15, 60};
    rows.ends = empty;
    check::throws<std::invalid_argument>(
        [&] { solve_pairs(three.made.given(), rows, SvmOptions{}, stop); });
    check::throws<std::invalid_argument>([] { class_scores_of_pairs(Vector(4), 3); });
}};

}  // namespace
