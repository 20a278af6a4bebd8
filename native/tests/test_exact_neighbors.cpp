// Exact distances, neighbors of one query with their ties, and what they vote for.
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "branchline/exact_neighbors.hpp"
#include "check.hpp"

namespace {

using namespace branchline;
using Vector = std::vector<double>;
using Places = std::vector<std::int64_t>;

// Points on a line at these places.
struct Line {
    Vector at{3, 1, -1, 4, 1};
    PointTable points() const { return {at.data(), at.size(), 1}; }
    Neighbors nearest(double query, std::size_t k) const {
        return neighbors_of_one(&query, points(), k, 1e-9, PointMetric::euclidean);
    }
};

NeighborsView view(const Neighbors& found) {
    return {found.first, found.point, found.tie_first, found.tie_end, found.distance};
}

const check::Test sums{"exact neighbors: distances of wide points, by either metric", [] {
    Vector a, b;
    double squares = 0, sizes = 0;
    for (int k = 0; k < 21; ++k) {
        a.push_back(k);
        b.push_back(k + (k % 3));
        squares += (k % 3) * (k % 3);
        sizes += k % 3;
    }
    const PointTable one{a.data(), 1, 21}, other{b.data(), 1, 21};
    const Places first{0};
    check::near(distances_of_pairs(one, other, first, first, PointMetric::euclidean)[0],
                std::sqrt(squares), 1e-12);
    check::near(distances_of_pairs(one, other, first, first, PointMetric::manhattan)[0], sizes,
                1e-12);
    const Places beyond{1};
    check::throws<std::invalid_argument>(
        [&] { distances_of_pairs(one, other, beyond, first, PointMetric::euclidean); });
}};

const check::Test ties{"exact neighbors: all that tie with the k-th are there, by number", [] {
    const Neighbors found = Line().nearest(0, 2);
    check::equal(found.point, Places{1, 2, 4});
    check::equal(found.distance, Vector{1, 1, 1});
    check::equal(found.tie_first, Places{0, 0, 0});
    check::equal(found.tie_end, Places{3, 3, 3});
    check::equal(Line().nearest(3.4, 2).point, Places{0, 3});
    check::throws<std::invalid_argument>([] { Line().nearest(0, 6); });
}};

const check::Test votes{"exact neighbors: rows that tie share what is left", [] {
    const std::vector<std::uint32_t> label{0, 1, 0, 1, 1};
    const Neighbors tied = Line().nearest(0, 2);
    const Vector shares = class_votes(view(tied), 2, false, label, 2);
    check::near(shares[0], 2.0 / 3, 1e-12);
    check::near(shares[1], 4.0 / 3, 1e-12);
    const Vector value{3, 1, -1, 4, 1};
    check::near(number_means(view(tied), 2, false, value)[0], 1.0 / 3, 1e-12);
    const Neighbors near = Line().nearest(3.25, 2);  // at 0.25 and 0.75
    check::near(class_votes(view(near), 2, true, label, 2)[1], 1.0 / 3, 1e-9);
    check::near(number_means(view(near), 2, true, value)[0], (3 + 4.0 / 3) / (4.0 / 3), 1e-12);
    check::throws<std::invalid_argument>([&] { class_votes(view(near), 3, true, label, 2); });
    check::throws<std::invalid_argument>([&] { class_votes(view(near), 2, true, label, 1); });
}};

}  // namespace
