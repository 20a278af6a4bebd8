#include <vector>

#include "check.hpp"
#include "tree/chi_square.hpp"

namespace {

using branchline::tree::chi_square_tail;
using branchline::tree::independence_p_value;
using Table = std::vector<double>;

// Relative: small tails count too.
void same(double seen, double expected, double tolerance = 1e-12,
          check::Where where = check::Where::current()) {
    check::near(seen / expected, 1, tolerance, where);
}

const check::Test known_tails{"the tails of chi-square, below and above the mean", [] {
    same(chi_square_tail(3.841458820694124, 1), 0.05);
    same(chi_square_tail(0.5, 1), 0.47950012218695337);
    same(chi_square_tail(1e-8, 1), 0.9999202115440526);
    same(chi_square_tail(0.3, 7), 0.9998999626177479);
    same(chi_square_tail(7, 7), 0.42887985755305486);
    same(chi_square_tail(9, 7), 0.252656046496564);
    same(chi_square_tail(60, 7), 1.5095553022989154e-10);
    same(chi_square_tail(50, 100), 0.9999930466947524);
    same(chi_square_tail(101, 100), 0.45319222327636854);
    same(chi_square_tail(170, 100), 1.5887549983147087e-05);
}};

const check::Test two_degrees{"two degrees of freedom: the tail is exp(-x / 2)", [] {
    for (double x = 0.001; x < 1000; x *= 1.7) same(chi_square_tail(x, 2), std::exp(-x / 2));
}};

const check::Test extremes{"tails far out, of many degrees, and of no statistic at all", [] {
    same(chi_square_tail(100, 1), 1.5239706048320995e-23);
    same(chi_square_tail(1400, 3), 2.945619361016289e-303, 1e-10);
    same(chi_square_tail(1e5, 1e5), 0.4994052918952067, 1e-9);
    same(chi_square_tail(100'500, 1e5), 0.13185481160338378, 1e-9);
    check::equal(chi_square_tail(0, 3), 1.0);
    check::equal(chi_square_tail(-1e-17, 3), 1.0);  // rounding
    check::equal(chi_square_tail(1e6, 3), 0.0);
}};

const check::Test falling{"a larger statistic is never more probable", [] {
    for (const double degrees : {1.0, 2.0, 5.0, 40.0, 1000.0}) {
        double last = 1;
        for (double share = 0.05; share < 4; share += 0.01) {
            const double tail = chi_square_tail(share * degrees, degrees);
            check::that(tail <= last * (1 + 1e-12) && tail >= 0, "a tail that falls");
            last = tail;
        }
    }
}};

const check::Test tables{"independence in tables; rows and columns of zeros do not count", [] {
    same(independence_p_value(Table{10, 20, 30, 5}, 2), 1.5089565704354248e-05);
    same(independence_p_value(Table{2, 4, 6, 3, 3, 3, 8, 1, 0}, 3), 0.017446856933060896);
    const Table with_zeros{10, 0, 20, 0, 0, 0, 30, 0, 5};
    same(independence_p_value(with_zeros, 3), 1.5089565704354248e-05);
    same(independence_p_value(Table{2, 4, 3, 6}, 2), 1);  // independent
}};

const check::Test nothing_to_test{"one row or one class has nothing to test", [] {
    check::equal(independence_p_value(Table{3, 4}, 2), 1.0);
    check::equal(independence_p_value(Table{3, 4, 0, 0}, 2), 1.0);
    check::equal(independence_p_value(Table{3, 0, 5, 0}, 2), 1.0);
    check::equal(independence_p_value(Table{0, 0, 0, 0}, 2), 1.0);
}};

}  // namespace
