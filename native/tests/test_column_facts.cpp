#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "branchline/column_facts.hpp"
#include "check.hpp"

namespace {

using namespace branchline;
using Vector = std::vector<double>;

ColumnFacts facts_of(const Vector& values) {
    const ColumnView column{reinterpret_cast<const std::byte*>(values.data()), sizeof(double),
                            ValueType::float64, 0};
    StopSignal stop;
    return column_facts({&column, 1}, values.size(), stop);
}

const check::Test middles{"column facts: ends and middle values are those of sorted numbers", [] {
    std::mt19937_64 generator(3);
    std::normal_distribution<double> normal;
    const double missing = std::numeric_limits<double>::quiet_NaN();
    for (const std::size_t n : {1U, 2U, 5U, 4096U, 4097U, 20'000U, 20'001U}) {
        for (const double step : {0.0, 1.0, 100.0}) {
            Vector values;
            for (std::size_t i = 0; i < n; ++i) {
                const double value = normal(generator);
                values.push_back(step == 0.0 ? value : std::floor(value * step));
            }
            for (const bool has_missing : {false, true}) {
                Vector given = values;
                if (has_missing) given.insert(given.begin() + given.size() / 2, 3, missing);
                Vector sorted = values;
                std::sort(sorted.begin(), sorted.end());
                const ColumnFacts found = facts_of(given);
                check::equal(found.n_present[0], static_cast<std::int64_t>(n));
                check::equal(found.least[0], sorted.front());
                check::equal(found.most[0], sorted.back());
                check::equal(found.before[0], sorted[(n - 1) / 2]);
                check::equal(found.middle[0], sorted[n / 2]);
            }
        }
    }
}};

const check::Test sides{"column facts: two far sides have their middle between them", [] {
    Vector values(30'001, -1.0);
    std::fill(values.begin(), values.begin() + 15'000, 1.0);
    check::equal(facts_of(values).middle[0], -1.0);
    values.push_back(1.0);
    const ColumnFacts found = facts_of(values);
    check::equal(found.before[0], -1.0);
    check::equal(found.middle[0], 1.0);
    check::equal(found.mean[0], 0.0);
    check::equal(found.deviation[0], 1.0);
}};

const check::Test nothing{"column facts: a column without values has zeros", [] {
    const ColumnFacts found = facts_of(Vector(3, std::numeric_limits<double>::quiet_NaN()));
    check::equal(found.n_present[0], std::int64_t{0});
    check::equal(found.least[0], 0.0);
    check::equal(found.middle[0], 0.0);
}};

}  // namespace
