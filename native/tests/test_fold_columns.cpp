#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>

#include "branchline/fold_columns.hpp"
#include "check.hpp"

namespace {

using namespace branchline;

struct Rows {
    std::size_t n_rows, n_folds, n_outputs;
    std::vector<double> values, responses;  // one column
    std::vector<std::int32_t> folds;
};

Rows some_rows(std::size_t n_rows, double step, double missing, std::uint64_t seed) {
    std::mt19937_64 draws(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    Rows rows{n_rows, 5, 2, {}, {}, {}};
    for (std::size_t row = 0; row < n_rows; ++row) {
        const double value = 1e3 + (step > 0 ? std::round(normal(draws) / step) : normal(draws));
        const bool is_missing = uniform(draws) < missing;
        rows.values.push_back(is_missing ? std::numeric_limits<double>::quiet_NaN() : value);
        rows.folds.push_back(static_cast<std::int32_t>(row % rows.n_folds));
        for (std::size_t o = 0; o < rows.n_outputs; ++o) rows.responses.push_back(normal(draws));
    }
    return rows;
}

FoldColumns made_of(const Rows& rows, int n_threads = 1) {
    const ColumnView view{reinterpret_cast<const std::byte*>(rows.values.data()), 8,
                          ValueType::float64, 0};
    const std::vector<ColumnView> columns(70, view);
    StopSignal stop;
    return fold_columns(columns, {rows.folds, rows.n_folds, rows.responses, rows.n_outputs}, 1e5,
                        n_threads, stop);
}

std::vector<std::size_t> learned(const Rows& rows, std::size_t problem) {
    std::vector<std::size_t> kept;
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
        if (static_cast<std::size_t>(rows.folds[row]) != problem) kept.push_back(row);
    }
    return kept;
}

// The definition, word by word.
double share_of(const Rows& rows, std::size_t problem) {
    const auto kept = learned(rows, problem);
    std::vector<double> known;
    for (const auto row : kept) {
        if (!std::isnan(rows.values[row])) known.push_back(rows.values[row]);
    }
    std::sort(known.begin(), known.end());
    std::set<double> cuts;
    for (std::size_t i = 1; i < 8 && !known.empty(); ++i) cuts.insert(known[known.size() * i / 8]);
    std::vector<double> count(9), sums(9 * rows.n_outputs), mean(rows.n_outputs);
    for (const auto row : kept) {
        const double value = rows.values[row];
        const auto above =
            std::count_if(cuts.begin(), cuts.end(), [&](double c) { return c <= value; });
        const std::size_t group = std::isnan(value) ? 8 : static_cast<std::size_t>(above);
        count[group] += 1;
        for (std::size_t o = 0; o < rows.n_outputs; ++o) {
            const double response = rows.responses[row * rows.n_outputs + o];
            sums[group * rows.n_outputs + o] += response;
            mean[o] += response / static_cast<double>(kept.size());
        }
    }
    double total = 0, between = 0;
    for (std::size_t o = 0; o < rows.n_outputs; ++o) {
        for (const auto row : kept)
            total += std::pow(rows.responses[row * rows.n_outputs + o] - mean[o], 2);
        for (std::size_t g = 0; g < 9; ++g) {
            if (count[g] > 0)
                between +=
                    count[g] * std::pow(sums[g * rows.n_outputs + o] / count[g] - mean[o], 2);
        }
    }
    const auto filled = std::count_if(count.begin(), count.end(), [](double c) { return c > 0; });
    const double chance = static_cast<double>(filled - 1) / (static_cast<double>(kept.size()) - 1);
    return chance >= 1 ? 0 : std::clamp((between / total - chance) / (1 - chance), 0.0, 1.0);
}

double spread_of(const Rows& rows, std::size_t problem) {
    double mean = 0, squares = 0;
    const auto kept = learned(rows, problem);
    for (const auto row : kept) mean += rows.values[row] / static_cast<double>(kept.size());
    for (const auto row : kept) squares += std::pow(rows.values[row] - mean, 2);
    return std::sqrt(squares / static_cast<double>(kept.size()));
}

bool is_near(double one, double other, double tolerance) {
    return std::abs(one - other) <= tolerance * std::max(1.0, std::abs(other));
}

const check::Test are_those_of_the_definition{"fold columns: those of the definition", [] {
    for (const std::size_t n_rows : {7u, 60u, 161u, 500u}) {
        for (const double step : {0.0, 0.7, 5.0}) {
            for (const double missing : {0.0, 0.3}) {
                const Rows rows = some_rows(n_rows, step, missing, n_rows);
                const FoldColumns made = made_of(rows);
                for (std::size_t f = 0; f <= rows.n_folds; ++f) {
                    check::that(is_near(made.shares[f * 70 + 69], share_of(rows, f), 1e-10),
                                "the share");
                    if (!made.is_complete[69] || !(made.ranges[f * 70 + 69] > 0)) continue;
                    const double spread =
                        std::ldexp(made.spreads[f * 70 + 69], static_cast<int>(made.exponents[69]));
                    check::that(is_near(spread, spread_of(rows, f), 1e-10), "as it should be");
                }
            }
        }
    }
}};

const check::Test of_a_fold_with_nearly_all_of_the_spread{
    "fold columns: a fold with nearly all of the spread", [] {
    Rows rows = some_rows(50, 0.0, 0.0, 3);
    rows.values[10] = 1e9;  // fold 0 alone has it
    const FoldColumns made = made_of(rows);
    const double spread = std::ldexp(made.spreads[0], static_cast<int>(made.exponents[0]));
    check::that(is_near(spread, spread_of(rows, 0), 1e-6), "as it should be");
    check::that(made.has_far_rows[0] == 1, "as it should be");
    std::fill(rows.values.begin(), rows.values.end(), 2.5);
    rows.values[10] = 3;
    const FoldColumns constant = made_of(rows);
    check::that(constant.ranges[0] == 0, "as it should be");  // without fold 0 nothing varies
    check::that(constant.ranges[70] > 0, "as it should be");
}};

const check::Test do_not_depend_on_threads{"fold columns: the same for any number of threads", [] {
    const Rows rows = some_rows(60, 0.5, 0.1, 5);
    const FoldColumns one = made_of(rows, 1), three = made_of(rows, 3);
    check::that(one.shares == three.shares, "as it should be");
    check::that(one.spreads == three.spreads, "as it should be");
}};

const check::Test refuse_what_does_not_fit{"fold columns: what does not fit is refused", [] {
    Rows rows = some_rows(20, 0.0, 0.0, 7);
    rows.folds[3] = 5;
    bool has_thrown = false;
    try {
        made_of(rows);
    } catch (const std::invalid_argument&) {
        has_thrown = true;
    }
    check::that(has_thrown, "as it should be");
}};

}  // namespace
