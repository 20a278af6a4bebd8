// Pearson's χ² test of independence between the branches of a test and the classes.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace branchline::tree {

// log Γ(a) for a > 0: Stirling's series, after moving up to where it is exact to machine precision.
// (std::lgamma writes a global variable, which threads must not.)
inline double log_gamma(double a) {
    double below = 0;
    for (; a < 15; ++a) below += std::log(a);
    const double square = 1 / (a * a);
    const double series =
        (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680))) / a;
    constexpr double half_log_two_pi = 0.91893853320467274178;
    return (a - 0.5) * std::log(a) - a + half_log_two_pi + series - below;
}

// The probability that χ² with `degrees` degrees of freedom is above `statistic`: the regularized
// upper incomplete gamma function Q(degrees/2, statistic/2), by its series below the mean and by its
// continued fraction (Lentz) above; both converge to machine precision there.
inline double chi_square_tail(double statistic, double degrees) {
    if (!(statistic > 0)) return 1;
    const double a = degrees / 2, x = statistic / 2;
    const double front = std::exp(a * std::log(x) - x - log_gamma(a));
    constexpr int most_terms = 10'000;
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int n = 1; n < most_terms && term > sum * 1e-16; ++n) {
            term *= x / (a + n);
            sum += term;
        }
        return 1 - front * sum;
    }
    constexpr double tiny = 1e-300;
    double b = x + 1 - a, c = 1 / tiny, d = 1 / b, fraction = d;
    for (int n = 1; n < most_terms; ++n) {
        const double an = -n * (n - a);
        b += 2;
        d = an * d + b;
        c = b + an / c;
        d = 1 / (std::abs(d) < tiny ? tiny : d);
        if (std::abs(c) < tiny) c = tiny;
        const double factor = c * d;
        fraction *= factor;
        if (std::abs(factor - 1) < 1e-15) break;
    }
    return front * fraction;
}

// The p-value of a table of weights, `n_columns` numbers a row; rows and columns of zeros do not
// count. 1 when there is nothing to test.
inline double independence_p_value(std::span<const double> table, std::size_t n_columns) {
    const std::size_t n_rows = table.size() / n_columns;
    std::vector<double> row(n_rows, 0), column(n_columns, 0);
    double total = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
        row[i / n_columns] += table[i];
        column[i % n_columns] += table[i];
        total += table[i];
    }
    std::size_t used_rows = 0, used_columns = 0;
    for (const double sum : row) used_rows += sum > 0;
    for (const double sum : column) used_columns += sum > 0;
    if (used_rows < 2 || used_columns < 2) return 1;
    double statistic = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
        const double expected = row[i / n_columns] * column[i % n_columns] / total;
        if (expected > 0) statistic += (table[i] - expected) * (table[i] - expected) / expected;
    }
    return chi_square_tail(statistic, static_cast<double>((used_rows - 1) * (used_columns - 1)));
}

}  // namespace branchline::tree
