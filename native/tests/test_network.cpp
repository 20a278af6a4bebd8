#include <cmath>
#include <random>

#include "branchline/network_search.hpp"
#include "check.hpp"

namespace {

using namespace branchline;

struct Made {
    std::vector<std::uint16_t> levels;
    std::vector<std::uint32_t> n_levels;
    std::vector<std::int64_t> units;

    NetworkRows view() const { return {levels, n_levels, units, 1.0}; }
};

// A chain of columns, each a noisy copy of the one before.
Made chain(std::size_t n_columns, std::size_t n_rows) {
    std::mt19937_64 draw(1);
    Made made{std::vector<std::uint16_t>(n_columns * n_rows),
              std::vector<std::uint32_t>(n_columns, 2), std::vector<std::int64_t>(n_rows, 1)};
    for (std::size_t row = 0; row < n_rows; ++row) {
        auto level = static_cast<std::uint16_t>(draw() % 2);
        for (std::size_t column = 0; column < n_columns; ++column) {
            if (draw() % 8 == 0) level ^= 1U;
            made.levels[column * n_rows + row] = level;
        }
    }
    return made;
}

std::vector<std::uint8_t> anything(std::size_t n) {
    std::vector<std::uint8_t> allowed(n * n, 1);
    for (std::size_t at = 0; at < n; ++at) allowed[at * n + at] = 0;
    return allowed;
}

const check::Test climbs{"hill climbing finds the chain that the exact search finds", [] {
    const Made made = chain(6, 2000);
    const std::vector<std::uint8_t> allowed = anything(6), none(36, 0);
    StopSignal stop;
    const NetworkLimits limits{allowed, none, 3};
    const FoundNetwork exact = exact_network(made.view(), {}, limits, stop);
    const FoundNetwork climbed = climb_network(made.view(), {}, limits, {none, 2, 0}, stop);
    check::near(climbed.score, exact.score, 1e-6);
    for (std::size_t at = 0; at < 5; ++at) {
        check::that(exact.parents[at * 6 + at + 1] + exact.parents[(at + 1) * 6 + at] == 1,
                    "neighbors");
    }
}};

const check::Test counts{"a family that is counted by sorting has the score of counting in place",
                         [] {
    Made made = chain(3, 100);
    const double plain =
        FamilyScorer(made.view(), {})
            .score(0, FamilyScorer(made.view(), {}).of(std::vector<std::uint32_t>{1, 2}));
    made.n_levels = {9000, 2, 2};  // levels that no row has
    const NetworkRows rows = made.view();
    FamilyScorer scorer(rows, {});
    const double sparse = scorer.score(0, scorer.of(std::vector<std::uint32_t>{1, 2}));
    const double penalty = 0.5 * std::log(100.0) * 4;
    check::near(sparse + penalty * 8999, plain + penalty, 1e-6);
}};

const check::Test stops{"a search can be interrupted", [] {
    const Made made = chain(6, 50);
    const std::vector<std::uint8_t> allowed = anything(6), none(36, 0);
    StopSignal stop;
    stop.request();
    check::throws<Interrupted>([&] { exact_network(made.view(), {}, {allowed, none, 3}, stop); });
}};

}  // namespace
