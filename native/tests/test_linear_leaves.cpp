// Linear leaves of boosted trees: slopes by hand, what rows get, shares by the definition of Shapley.
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "branchline/linear_leaves.hpp"
#include "check.hpp"
#include "test_data.hpp"

namespace {

using namespace test_data;
using Numbers = std::vector<double>;
using Singles = std::vector<float>;

constexpr float missing = std::numeric_limits<float>::quiet_NaN();

// A tree of one test of column 0, two leaves; rows 0 to 5 end in the left one, 6 and 7 in the right one.
struct Stump {
    std::vector<std::int64_t> n_nodes{3}, units;
    std::vector<std::uint8_t> kind{1, 0, 0};
    std::vector<std::uint32_t> feature{0}, leaf_of_row{0, 0, 0, 0, 0, 0, 1, 1};
    std::vector<std::int32_t> place{0};
    Singles z{-1, -1, 0, 0, 1, 1, 0.5F, 0.5F};
    Singles gradients{3, 1, 1, -1, -1, -3, 1, -1}, hessians = Singles(8, 1);

    LinearTerms fit(const LinearRule& rule) const {
        Numbers sum_gradient(2), sum_hessian(2);
        for (std::size_t row = 0; row < z.size(); ++row) {
            const double weight = units.empty() ? 1 : static_cast<double>(units[row]);
            sum_gradient[leaf_of_row[row]] += weight * static_cast<double>(gradients[row]);
            sum_hessian[leaf_of_row[row]] += weight * static_cast<double>(hessians[row]);
        }
        const GrownView trees{n_nodes, kind, feature, sum_gradient, sum_hessian};
        const std::vector<BoostingTarget> targets{{gradients, hessians, units}};
        LinearTerms out;
        StopSignal stop;
        fit_linear_leaves(trees, targets, leaf_of_row, {z, place}, rule, out, stop);
        return out;
    }
};

const check::Test by_hand{"a slope is a ridge Newton step, shrunk by what chance would gain", [] {
    // Left: C = Σ d² = 4, b = Σ g d = −8. λ = 0: s = 2, Q = 16, n = 6, k = 1, Σ g² = 22:
    // φ = (22 − 16) / 4 = 1.5, so the slope is 2 (1 − 1.5 / 16). The right leaf has no spread.
    const LinearTerms terms = Stump().fit({});
    check::equal(terms.n_terms, std::vector<std::uint8_t>{1, 0});
    check::near(terms.slope.at(0), 2 * (1 - 1.5 / 16), 1e-6);
    check::equal(terms.center, Singles{0});
    check::equal(terms.low, Singles{-1});
    check::equal(terms.high, Singles{1});
    // λ = 6 = H: s = 8 / (4 + 4), Q = 8, φ = (22 − 8) / 4.
    LinearRule rule;
    rule.l2 = 6;
    rule.rate = 0.5;
    check::near(Stump().fit(rule).slope.at(0), 0.5 * (1 - 3.5 / 8), 1e-6);
}};

const check::Test by_weight{"a row of weight two is two rows; a row of weight zero is none", [] {
    Stump weighted, copied;
    weighted.units = {2, 1, 1, 1, 1, 1, 0, 1};
    for (auto* values : {&copied.z, &copied.gradients, &copied.hessians}) {
        values->push_back(values->front());
        values->erase(values->begin() + 6);
    }
    copied.leaf_of_row = {0, 0, 0, 0, 0, 0, 1, 0};
    const LinearTerms a = weighted.fit({}), b = copied.fit({});
    check::equal(a.slope, b.slope);
    check::equal(a.center, b.center);
}};

const check::Test chance{"slopes that are no more than chance are left out", [] {
    Stump stump;
    stump.gradients = {1, -1, 1, -1, 1, -1, 0, 0};
    check::equal(stump.fit({}).n_terms, std::vector<std::uint8_t>{0, 0});
}};

const check::Test none_known{"a column that is missing in a leaf has no slope there", [] {
    Stump stump;
    for (std::size_t row = 0; row < 6; ++row) stump.z[row] = missing;
    check::equal(stump.fit({}).n_terms, std::vector<std::uint8_t>{0, 0});
}};

// Two leaves: 1 + 2 (z − 0.5), z from 0 to 1; and 10.
struct Terms {
    std::vector<std::int64_t> first{0, 1, 1};
    std::vector<std::uint32_t> column{0};
    Singles slope{2}, center{0.5F}, low{0}, high{1};
    Numbers value{1, 10};

    TermsView view() const { return {first, column, slope, center, low, high}; }
};

const check::Test scores{"rows get constant and slopes; z is kept in range; missing adds nothing",
                         [] {
    const Terms terms;
    const Singles z{0.5F, 1, 9, -9, missing, 1};
    const LinearLeaves leaves{terms.value, terms.view(), z, z.size()};
    StopSignal stop;
    Numbers got(6, 100);
    add_linear_trees(leaves, std::vector<std::int32_t>{0, 0, 0, 0, 0, 1}, 1, got, 1, stop);
    check::equal(got, Numbers{101, 102, 102, 100, 101, 110});
    Numbers same(6, 100);
    add_linear_leaves(leaves, std::vector<std::int64_t>{2},
                      std::vector<std::uint32_t>{0, 0, 0, 0, 0, 1}, same, 1, stop);
    check::equal(same, got);
}};

template <class Body>
void refused(Body body) {
    try {
        body();
    } catch (const std::exception&) {
        return;
    }
    check::fail("was not refused");
}

const check::Test damaged{"leaves, terms and columns that are not there are refused", [] {
    StopSignal stop;
    Numbers to(1);
    const Singles z{0};
    const auto add = [&](const Terms& terms, std::int32_t leaf) {
        const LinearLeaves leaves{terms.value, terms.view(), z, 1};
        add_linear_trees(leaves, std::vector<std::int32_t>{leaf}, 1, to, 1, stop);
    };
    refused([&] { add({}, 2); });
    refused([&] { add({}, -1); });
    Terms terms;
    terms.column = {1};
    refused([&] { add(terms, 0); });
    terms = {};
    terms.first = {0, 2, 1};
    refused([&] { add(terms, 0); });
    terms = {};
    terms.slope.clear();
    refused([&] { add(terms, 0); });
}};

// x0 ≤ 0: a leaf with 2 x0 (cover 1); else x1 ≤ 0 (cover 1 and 2), its right leaf with 5 x1.
struct Attributed {
    std::vector<std::int64_t> n_nodes{5}, n_codes{0, 0}, first{0, 1, 1, 2};
    std::vector<std::uint8_t> kind{1, 0, 1, 0, 0}, missing_left{0, 0}, pool;
    std::vector<std::int32_t> feature{0, 1};
    Numbers threshold{0, 0}, leaf_value{0, 0, 0}, cover{1, 1, 2}, middle{0, 0}, half{1, 1};
    std::vector<std::uint32_t> column{0, 1};
    Singles slope{2, 5}, center{0, 0}, low{-9, -9}, high{9, 9};

    // What the terms give when only the columns of `known` (bits) are known.
    double game(unsigned known, double x0, double x1) const {
        const bool knows0 = (known & 1) != 0, knows1 = (known & 2) != 0;
        const double to_left = knows0 ? (x0 <= 0 ? 1.0 : 0.0) : 0.25;
        const double far = knows1 ? (x1 > 0 ? 1.0 : 0.0) : 2.0 / 3;
        return to_left * (knows0 ? 2 * x0 : 0) + (1 - to_left) * far * (knows1 ? 5 * x1 : 0);
    }
};

const check::Test shares{"shares of terms are the Shapley values of their game", [] {
    const Attributed made;
    const ForestView trees{made.n_nodes,   made.kind,         made.feature,
                           made.threshold, made.missing_left, made.pool,
                           made.n_codes,   made.leaf_value,   1};
    const TermsView terms{made.first, made.column, made.slope, made.center, made.low, made.high};
    for (const auto& [x0, x1] : {std::pair{-1.0, 2.0}, {1.0, 2.0}, {3.0, -1.0}, {-2.0, -2.0}}) {
        const Numbers a{x0}, b{x1};
        Numbers got(3);
        StopSignal stop;
        attribute_terms({trees, made.cover, 1}, terms, {made.middle, made.half},
                        std::vector<ColumnView>{view_of(a), view_of(b)}, got, 1, stop);
        const auto game = [&](unsigned known) { return made.game(known, x0, x1); };
        check::near(got[0], (game(1) - game(0) + game(3) - game(2)) / 2, 1e-12);
        check::near(got[1], (game(2) - game(0) + game(3) - game(1)) / 2, 1e-12);
        check::near(got[2], 0, 1e-12);
    }
}};

}  // namespace
