// Choosing among the tests that columns offer for a node.
#pragma once

#include "tree/look_at_column.hpp"

namespace branchline::tree {

// The mean gain of the tests that gain at all: C4.5 looks at the gain ratio of no test below it.
inline double average_gain(std::span<const ColumnVerdict> verdicts, double slack) {
    double sum = 0;
    int n_tests = 0;
    for (const ColumnVerdict& verdict : verdicts) {
        if (!verdict.test.is_test() || verdict.test.gain <= slack) continue;
        sum += verdict.test.gain;
        ++n_tests;
    }
    return n_tests > 0 ? sum / n_tests : 0;
}

// What tells how much chance can do in a node.
//   dimensions   the number of independent ways in which classes can differ from their shares: 1 for
//                two classes or a number, C − 1 for C equal classes. A test of one cut cannot follow
//                all of them, so the best of many cuts gains less beyond the mean of one.
//   rarer_share  the share of all classes but the commonest; 1 for numbers.
//   shrink       what chance multiples of a cut are multiplied by: dimensions^−0.55.
struct ChanceFacts {
    double rarer_share = 1, shrink = 1;

    // Of a threshold among some values. Columns of a node have the same number of values as a rule.
    double of_threshold(double values) const {
        if (values != last_values) {
            last_values = values;
            last = values > 2 ? shrink * 1.15 * std::pow(std::log(values - 1), 0.7) : 0;
        }
        return last;
    }

    mutable double last_values = -1, last = 0;
};

// With shares p, the covariance of class indicators has the trace 1 − Σp² and the squared trace
// Σp² − 2Σp³ + (Σp²)²; their ratio is the number of dimensions (Satterthwaite).
inline ChanceFacts chance_facts(const NodeFacts& facts, const GrowOptions& options) {
    if (is_of_numbers(options.criterion)) return {};
    double squares = 0, cubes = 0, largest = 0;
    for (const std::int64_t units : facts.content) {
        const double share = static_cast<double>(units) / static_cast<double>(facts.weight);
        squares += share * share;
        cubes += share * share * share;
        largest = std::max(largest, share);
    }
    const double trace = 1 - squares, squared_trace = squares - 2 * cubes + squares * squares;
    const double dimensions =
        squared_trace > 0 ? std::max(1.0, trace * trace / squared_trace) : 1.0;
    ChanceFacts chance;
    chance.rarer_share = 1 - largest;
    chance.shrink = std::pow(dimensions, -0.55);
    return chance;
}

// Of the variance between categories, what the best subset keeps: 2/π where the rows of the rarer
// classes in a category are many and so about normal; all of it where a category has at most one.
inline double kept_by_subset(const Candidate& test, double rows, const ChanceFacts& chance) {
    constexpr double of_normal = 0.6366197723675814;
    const auto singles = static_cast<double>(test.n_single_values);
    const double larger = static_cast<double>(test.n_values) - singles;
    if (larger < 1) return 1;
    const double rarer_rows = chance.rarer_share * (rows - singles) / larger;
    return of_normal + (1 - of_normal) * std::exp(-2 * rarer_rows * rarer_rows);
}

// What the best of many tests of a column gains by chance beyond what a single one does, as multiples
// of impurity / (N − 1) of the rows with a value, which is what a single binary test gains on average
// when it tells nothing. All were checked by simulation:
//   multiway   k − 2 (k categories)
//   subset     kept · (k − 2), and as much as all of it for categories of one row; then one standard
//              deviation, √k − √2, because the best of many categories is looked for
//   threshold  1.15 ln(v − 1)^0.7 (v values; within 0.3 up to 10⁴ values)
// The last two are divided by dimensions^0.55.
inline double chance_multiple(const Candidate& test, const GrowColumn& column, double rows,
                              const ChanceFacts& chance) {
    if (test.is_threshold) {
        const double values = std::min(rows, static_cast<double>(column.n_codes));
        return chance.of_threshold(values);
    }
    const auto values = static_cast<double>(test.n_values);
    if (test.is_multiway || values <= 2) return std::max(0.0, values - 2);
    const double kept = kept_by_subset(test, rows, chance);
    const auto singles = static_cast<double>(test.n_single_values);
    const double deviation = std::sqrt(values) - std::sqrt(2.0);
    return chance.shrink * (kept * (values - 2) + (1 - kept) * singles + deviation);
}

// What a test that tells nothing gains on average, as a multiple of impurity / (N − 1): 1 for variance
// and for deviances. A side's median is off by 1 / (2 f √n), f being the density there, which gains
// 1 / (4 f) in distances: of normal targets π/4 of their mean distance (uniform ones 1, Laplace's ½).
inline double chance_factor(TreeCriterion criterion) {
    return criterion == TreeCriterion::absolute_error ? 0.7853981633974483 : 1.0;
}

// Rows without a value take no part in the chance.
inline double chance_gain(const Candidate& test, const GrowColumn& column, const NodeFacts& facts,
                          const ChanceFacts& chance, const GrowOptions& options) {
    const double rows = static_cast<double>(test.known_weight) * options.unit;
    if (!options.correct_for_chance || rows <= 1) return 0;
    const double impurity =
        chance_factor(options.criterion) * test.known_badness / facts.impurity_weight;
    return impurity * chance_multiple(test, column, rows, chance) / (rows - 1);
}

// What it takes to describe a test and the leaves it adds, in bits (Quinlan and Rivest, 1989): the
// column, which of its tests, and ½ log2 N for each frequency of an added leaf.
inline double description_bits(const Candidate& test, const GrowColumn& column,
                               const NodeFacts& facts, double rows, double n_columns) {
    double bits = std::log2(n_columns);
    if (test.is_threshold) {
        bits += std::log2(std::max(2.0, std::min(rows, static_cast<double>(column.n_codes))) - 1);
    } else if (!test.is_multiway) {
        bits += static_cast<double>(test.n_values) - 1;
    }
    const auto n_classes = static_cast<double>(facts.content.size());
    return bits + (n_classes - 1) * (test.n_branches - 1) * std::log2(std::max(rows, 1.0)) / 2;
}

inline bool is_allowed(const Candidate& test, const NodeFacts& facts, const GrowOptions& options) {
    if (!test.is_test() || test.p_value > options.significance) return false;
    if (!std::isfinite(test.gain)) return false;  // a branch without any count above 0
    return options.split_on_zero_gain || test.gain > std::max(options.min_gain, facts.slack);
}

// Writes the scores, and returns the place of the best allowed verdict, or −1.
inline int choose(std::span<ColumnVerdict> verdicts, std::span<const int> column_of,
                  std::span<const GrowColumn> columns, const NodeFacts& facts,
                  const GrowOptions& options) {
    const double rows = static_cast<double>(facts.weight) * options.unit;
    const ChanceFacts chance =
        options.correct_for_chance ? chance_facts(facts, options) : ChanceFacts{};
    const auto n_varying = static_cast<double>(std::count_if(
        verdicts.begin(), verdicts.end(), [](const ColumnVerdict& v) { return v.varies; }));
    const double average = options.gain_ratio ? average_gain(verdicts, facts.slack) : 0;
    int best = -1;
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        Candidate& test = verdicts[i].test;
        if (!test.is_test()) continue;
        test.column = column_of[i];
        const GrowColumn& column = columns[static_cast<std::size_t>(test.column)];
        test.score = test.gain - chance_gain(test, column, facts, chance, options);
        if (options.description_length) {
            test.score = test.gain - description_bits(test, column, facts, rows, n_varying) / rows;
        }
        if (options.gain_ratio) {
            test.score = test.split_information > 0 ? test.score / test.split_information : 0;
        }
        // What is below zero must not look better for being expensive.
        test.score = test.score > 0 ? test.score / column.cost : test.score * column.cost;
        if (!is_allowed(test, facts, options)) continue;
        if (options.description_length && test.score <= facts.slack) continue;
        if (options.gain_ratio && average > 0 && test.gain < average - facts.slack) continue;
        if (best < 0) {
            best = static_cast<int>(i);
            continue;
        }
        const Candidate& so_far = verdicts[static_cast<std::size_t>(best)].test;
        const bool is_equal = std::abs(test.score - so_far.score) <= facts.slack;
        if (is_equal ? test.n_branches < so_far.n_branches : test.score > so_far.score) {
            best = static_cast<int>(i);
        }
    }
    return best;
}

}  // namespace branchline::tree
