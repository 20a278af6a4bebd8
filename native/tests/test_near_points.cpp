#include <algorithm>
#include <random>
#include <vector>

#include "branchline/near_points.hpp"
#include "check.hpp"

namespace {

using namespace branchline;

struct Rows {
    std::size_t n_rows, n_columns;
    std::vector<float> values;
};

// Coordinates are multiples of 1/4, so products are exact and many distances tie.
Rows some_rows(std::size_t n_rows, std::size_t n_columns, std::uint64_t seed) {
    std::mt19937_64 draws(seed);
    std::uniform_int_distribution<int> quarters(-6, 6);
    Rows rows{n_rows, n_columns, {}};
    for (std::size_t cell = 0; cell < n_rows * n_columns; ++cell) {
        rows.values.push_back(static_cast<float>(quarters(draws)) / 4);
    }
    return rows;
}

double square_of(const Rows& a, std::size_t row, const Rows& b, std::size_t other) {
    double sum = 0;
    for (std::size_t column = 0; column < a.n_columns; ++column) {
        const double apart = static_cast<double>(a.values[row * a.n_columns + column]) -
                             static_cast<double>(b.values[other * b.n_columns + column]);
        sum += apart * apart;
    }
    return sum;
}

void check_rows(std::size_t n_points, std::size_t n_queries, std::size_t n_columns, std::size_t k) {
    const Rows points = some_rows(n_points, n_columns, 1),
               queries = some_rows(n_queries, n_columns, 2);
    const NearPoints near(points.values.data(), n_points, n_columns);
    StopSignal stop;
    const std::vector<double> errors(n_queries, 1e-3);
    const auto found = near.candidates(queries.values.data(), errors, k, 1, stop);
    const auto threaded = near.candidates(queries.values.data(), errors, k, 3, stop);
    check::equal(threaded.query, found.query);
    check::equal(threaded.point, found.point);
    std::vector<std::int64_t> query, point;
    for (std::size_t row = 0; row < n_queries; ++row) {
        std::vector<double> squares(n_points);
        for (std::size_t at = 0; at < n_points; ++at)
            squares[at] = square_of(queries, row, points, at);
        std::vector<double> sorted = squares;
        std::sort(sorted.begin(), sorted.end());
        for (std::size_t at = 0; at < n_points; ++at) {
            if (squares[at] > sorted[k - 1] + 2e-3) continue;
            query.push_back(static_cast<std::int64_t>(row));
            point.push_back(static_cast<std::int64_t>(at));
        }
    }
    check::equal(found.query, query);
    check::equal(found.point, point);
}

const check::Test all_candidates{"near points: the k nearest and all that tie with them", [] {
    check_rows(1000, 70, 5, 7);
    check_rows(1003, 300, 28, 1);
    check_rows(13, 5, 2, 13);
    check_rows(4000, 33, 1, 40);
}};

const check::Test no_columns{"near points: without columns all are equally near",
                             [] { check_rows(20, 3, 0, 4); }};

}  // namespace
