#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "branchline/bag.hpp"
#include "check.hpp"

namespace {

using namespace branchline;
using Counts = std::vector<std::uint32_t>;
using Integers = std::vector<std::int64_t>;

struct Rows {
    std::vector<std::uint64_t> keys;
    Integers copies, first;

    BagRows view() const { return {keys, copies, first}; }
    std::size_t size() const { return keys.size(); }
};

Rows distinct_rows(std::size_t n, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    Rows rows{std::vector<std::uint64_t>(n), {}, Integers(n, 0)};
    for (std::uint64_t& key : rows.keys) key = generator();
    return rows;
}

Counts counts_of(const Rows& rows, const BagRule& rule, std::uint64_t tree) {
    const Bag bag(rows.view(), rule, tree);
    Counts counts(rows.size());
    for (std::size_t row = 0; row < counts.size(); ++row) counts[row] = bag.count(row);
    return counts;
}

struct Moments {
    double mean = 0, variance = 0, share_out = 0;
};

Moments moments_of(const Counts& counts) {
    Moments moments;
    const auto n = static_cast<double>(counts.size());
    for (const std::uint32_t count : counts) {
        moments.mean += count / n;
        moments.share_out += (count == 0) / n;
    }
    for (const std::uint32_t count : counts) {
        moments.variance += (count - moments.mean) * (count - moments.mean) / n;
    }
    return moments;
}

// Of 100 000 draws the means are within 0.02 of what is expected: six standard errors.
constexpr std::size_t many = 100'000;

const check::Test poisson{"bootstrap draws are Poisson", [] {
    const Rows rows = distinct_rows(many, 1);
    for (const double rate : {0.1, 0.5, 1.0, 3.0}) {
        const Moments moments = moments_of(counts_of(rows, {BagKind::bootstrap, rate, 7}, 3));
        check::near(moments.mean, rate, 0.02 * std::sqrt(std::max(1.0, rate)));
        check::near(moments.variance, rate, 0.03 * std::max(1.0, rate));
        check::near(moments.share_out, std::exp(-rate), 0.01);
    }
}};

const check::Test each_count{"every number of draws is as frequent as Poisson says", [] {
    const Rows rows = distinct_rows(many, 2);
    std::vector<double> seen(6);
    for (const std::uint32_t count : counts_of(rows, {BagKind::bootstrap, 1, 7}, 0)) {
        if (count < seen.size()) seen[count] += 1.0 / many;
    }
    double expected = std::exp(-1.0);
    for (std::size_t k = 0; k < seen.size(); expected /= static_cast<double>(++k)) {
        check::near(seen[k], expected, 6 * std::sqrt(expected / many));
    }
}};

const check::Test subsample{"subsamples hold each row once or not at all", [] {
    const Rows rows = distinct_rows(many, 3);
    for (const double rate : {0.05, 0.5, 0.95}) {
        const Counts counts = counts_of(rows, {BagKind::subsample, rate, 7}, 3);
        check::near(moments_of(counts).mean, rate, 0.01);
        for (const std::uint32_t count : counts) check::that(count <= 1, "at most once");
    }
    check::equal(counts_of(rows, {BagKind::subsample, 1, 7}, 3), Counts(many, 1));
}};

const check::Test everything{"without draws every copy is held once", [] {
    Rows rows = distinct_rows(5, 4);
    check::equal(counts_of(rows, {BagKind::all, 1, 7}, 3), Counts(5, 1));
    rows.copies = {1, 2, 3, 4, 5};
    check::equal(counts_of(rows, {BagKind::all, 1, 7}, 3), Counts{1, 2, 3, 4, 5});
}};

const check::Test trees_differ{"trees and seeds draw independently", [] {
    const Rows rows = distinct_rows(many, 5);
    const Counts one = counts_of(rows, {BagKind::bootstrap, 1, 7}, 0);
    const std::vector<Counts> others{counts_of(rows, {BagKind::bootstrap, 1, 7}, 1),
                                     counts_of(rows, {BagKind::bootstrap, 1, 8}, 0)};
    for (const Counts& other : others) {
        double product = 0;
        for (std::size_t row = 0; row < many; ++row) {
            product += (one[row] - 1.0) * (other[row] - 1.0) / many;
        }
        check::near(product, 0, 0.02);  // the correlation
    }
}};

const check::Test order{"draws do not depend on the order of rows", [] {
    const Rows rows = distinct_rows(1000, 6);
    Rows turned = rows;
    std::reverse(turned.keys.begin(), turned.keys.end());
    Counts counts = counts_of(rows, {}, 4);
    std::reverse(counts.begin(), counts.end());
    check::equal(counts_of(turned, {}, 4), counts);
}};

const check::Test copies{"a row of weight k draws what k equal rows draw together", [] {
    constexpr std::size_t n = 300;
    Rows weighted = distinct_rows(n, 7), apart;
    for (std::size_t row = 0; row < n; ++row) {
        weighted.copies.push_back(static_cast<std::int64_t>(1 + row % 4));
        for (std::int64_t copy = 0; copy < weighted.copies.back(); ++copy) {
            apart.keys.push_back(weighted.keys[row]);
            apart.first.push_back(copy);
        }
    }
    for (const BagKind kind : {BagKind::all, BagKind::bootstrap, BagKind::subsample}) {
        const BagRule rule{kind, 0.5, 9};
        const Counts together = counts_of(weighted, rule, 2), singly = counts_of(apart, rule, 2);
        Counts summed(n);
        std::size_t place = 0;
        for (std::size_t row = 0; row < n; ++row) {
            for (std::int64_t copy = 0; copy < weighted.copies[row]; ++copy) {
                summed[row] += singly[place++];
            }
        }
        check::equal(together, summed);
    }
}};

const check::Test never_empty{"a tree whose draws hold no row is given all of them", [] {
    Rows rows = distinct_rows(3, 8);
    rows.copies = {2, 1, 1};
    bool any_full = false;
    for (std::uint64_t tree = 0; tree < 200; ++tree) {
        const Counts counts = counts_of(rows, {BagKind::bootstrap, 0.1, 7}, tree);
        check::that(std::accumulate(counts.begin(), counts.end(), 0u) > 0, "some row is held");
        any_full |= counts == Counts{2, 1, 1};
    }
    check::that(any_full, "of rates so low most bags are empty at first");
}};

}  // namespace
