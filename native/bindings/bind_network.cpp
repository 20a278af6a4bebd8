#include <algorithm>

#include "arrays.hpp"
#include "branchline/network_search.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

// Rows of Python's arrays, borrowed for one call.
NetworkRows rows_of(const In<std::uint16_t>& levels, const In<std::uint32_t>& n_levels,
                    const In<std::int64_t>& units, double unit, bool may_miss) {
    const NetworkRows rows{span_of(levels), span_of(n_levels), span_of(units), unit};
    require(rows.n_columns() > 0 && rows.n_rows() > 0, "a row and a column");
    require(rows.levels.size() == rows.n_rows() * rows.n_columns(), "a level for each cell");
    require(unit > 0, "a unit above 0");
    require(std::all_of(rows.units.begin(), rows.units.end(), [](auto u) { return u >= 0; }),
            "units from 0");
    for (std::size_t column = 0; column < rows.n_columns(); ++column) {
        const std::uint32_t n = rows.n_levels[column];
        require(n >= 1 && n < missing_level, "1 to 65 534 levels");
        for (const std::uint16_t level : rows.column(column)) {
            require(level < n || (may_miss && level == missing_level), "levels below n_levels");
        }
    }
    return rows;
}

NetworkScore score_of(const nb::tuple& rule) {
    require(rule.size() == 2, "a rule is is_bdeu, sample_size");
    const NetworkScore score{nb::cast<bool>(rule[0]), nb::cast<double>(rule[1])};
    require(score.sample_size > 0, "a sample size above 0");
    return score;
}

NetworkLimits limits_of(const In<std::uint8_t>& allowed, const In<std::uint8_t>& required,
                        std::size_t max_parents, std::size_t n) {
    const NetworkLimits limits{span_of(allowed), span_of(required), max_parents};
    require(limits.allowed.size() == n * n && limits.required.size() == n * n, "n by n flags");
    for (std::size_t at = 0; at < n * n; ++at) {
        require(limits.allowed[at] || !limits.required[at], "required edges are allowed");
        require(at / n != at % n || !limits.allowed[at], "no column is its own parent");
    }
    return limits;
}

}  // namespace

void add_network(nb::module_& module) {
    module.def(
        "exact_network",
        [](const In<std::uint16_t>& levels, const In<std::uint32_t>& n_levels,
           const nb::tuple& weights, const nb::tuple& rule, const nb::tuple& limits) {
            const auto units = nb::cast<In<std::int64_t>>(weights[0]);
            const NetworkRows rows =
                rows_of(levels, n_levels, units, nb::cast<double>(weights[1]), false);
            require(rows.n_columns() <= most_exact_columns, "at most 20 columns");
            const auto allowed = nb::cast<In<std::uint8_t>>(limits[0]);
            const auto required = nb::cast<In<std::uint8_t>>(limits[1]);
            const NetworkLimits within =
                limits_of(allowed, required, nb::cast<std::size_t>(limits[2]), rows.n_columns());
            const NetworkScore score = score_of(rule);
            FoundNetwork found = without_lock(
                [&](StopSignal& stop) { return exact_network(rows, score, within, stop); });
            return nb::make_tuple(give(std::move(found.parents)), found.score);
        },
        nb::arg("levels").noconvert(), nb::arg("n_levels").noconvert(), nb::arg("weights"),
        nb::arg("rule"), nb::arg("limits"),
        "The network of the highest score: flags of parents, and the score.");
    module.def(
        "climb_network",
        [](const In<std::uint16_t>& levels, const In<std::uint32_t>& n_levels,
           const nb::tuple& weights, const nb::tuple& rule, const nb::tuple& limits,
           const nb::tuple& search) {
            const auto units = nb::cast<In<std::int64_t>>(weights[0]);
            const NetworkRows rows =
                rows_of(levels, n_levels, units, nb::cast<double>(weights[1]), false);
            const auto allowed = nb::cast<In<std::uint8_t>>(limits[0]);
            const auto required = nb::cast<In<std::uint8_t>>(limits[1]);
            const NetworkLimits within =
                limits_of(allowed, required, nb::cast<std::size_t>(limits[2]), rows.n_columns());
            const auto start = nb::cast<In<std::uint8_t>>(search[0]);
            require(start.shape(0) == within.allowed.size(), "a start of n by n flags");
            const NetworkScore score = score_of(rule);
            const ClimbOptions options{span_of(start), nb::cast<std::size_t>(search[1]),
                                       nb::cast<std::uint64_t>(search[2])};
            FoundNetwork found = without_lock([&](StopSignal& stop) {
                return climb_network(rows, score, within, options, stop);
            });
            return nb::make_tuple(give(std::move(found.parents)), found.score);
        },
        nb::arg("levels").noconvert(), nb::arg("n_levels").noconvert(), nb::arg("weights"),
        nb::arg("rule"), nb::arg("limits"), nb::arg("search"),
        "A network of a high score, by hill climbing: flags of parents, and the score.");
    module.def(
        "family_score",
        [](const In<std::uint16_t>& levels, const In<std::uint32_t>& n_levels,
           const nb::tuple& weights, const nb::tuple& rule, std::size_t child,
           const In<std::uint32_t>& parents) {
            const auto units = nb::cast<In<std::int64_t>>(weights[0]);
            const NetworkRows rows =
                rows_of(levels, n_levels, units, nb::cast<double>(weights[1]), false);
            require(child < rows.n_columns(), "a child below n_columns");
            for (const std::uint32_t each : span_of(parents)) {
                require(each < rows.n_columns() && each != child, "parents below n_columns");
            }
            FamilyScorer scorer(rows, score_of(rule));
            return scorer.score(child, scorer.of(span_of(parents)));
        },
        nb::arg("levels").noconvert(), nb::arg("n_levels").noconvert(), nb::arg("weights"),
        nb::arg("rule"), nb::arg("child"), nb::arg("parents").noconvert(),
        "The score of a column, given its parents.");
    module.def(
        "pair_gains",
        [](const In<std::uint16_t>& levels, const In<std::uint32_t>& n_levels,
           const nb::tuple& weights, std::int64_t given) {
            const auto units = nb::cast<In<std::int64_t>>(weights[0]);
            const NetworkRows rows =
                rows_of(levels, n_levels, units, nb::cast<double>(weights[1]), true);
            require(given < static_cast<std::int64_t>(rows.n_columns()), "a column or -1");
            PairGains found = without_lock([&](StopSignal&) { return pair_gains(rows, given); });
            return nb::make_tuple(give(std::move(found.gain)), give(std::move(found.weight)));
        },
        nb::arg("levels").noconvert(), nb::arg("n_levels").noconvert(), nb::arg("weights"),
        nb::arg("given"),
        "What each column tells of each other, on rows where both are known, and their weight.");
}

}  // namespace branchline::bindings
