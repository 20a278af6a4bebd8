// Tests of the sort behind codes and copy numbers; part of test_codes.cpp.
#pragma once

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "radix_sort.hpp"
#include "test_data.hpp"

namespace {

using namespace test_data;

template <class Row>
void check_sorted(std::vector<Row> rows) {
    std::vector<Row> expected = rows, spare;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const Row& a, const Row& b) { return a.key < b.key; });
    StopSignal stop;
    sort_by_key(rows, spare, stop);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        check::equal(rows[i].key, expected[i].key);
        if constexpr (requires { rows[i].row; }) check::equal(rows[i].row, expected[i].row);
    }
}

template <class Float>
void check_sorts(const std::vector<Float>& values) {
    using Key = decltype(key_of(Float{}));
    std::vector<BareKey<Key>> bare;
    std::vector<KeyedRow<Key>> keyed;
    for (std::size_t i = 0; i < values.size(); ++i) {
        bare.push_back({key_of(values[i])});
        keyed.push_back({key_of(values[i]), static_cast<RowIndex>(i)});
    }
    check_sorted(bare);
    check_sorted(keyed);
}

const check::Test sorts_any_values{
    "sorting by key is stable and right for few and many values of any size", [] {
    std::mt19937_64 random(1);
    for (const std::size_t n : {0u, 1u, 2u, 1023u, 1024u, 5000u}) {
        std::vector<double> spread(n), close(n), sentinel(n), equal_values(n, 7.0);
        std::vector<float> singles(n);
        for (std::size_t i = 0; i < n; ++i) {
            spread[i] = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 99));
            close[i] = 1.6e9 + static_cast<double>(random() % 4096) * 0x1p-20;
            sentinel[i] = i % 7 == 0 ? -999.0 : close[i];
            singles[i] = static_cast<float>(spread[i] * (i % 2 == 0 ? 1 : -1));
        }
        for (const std::vector<double>& values : {spread, close, sentinel, equal_values})
            check_sorts(values);
        check_sorts(singles);
    }
}};

const check::Test keys_keep_order{"keys order floats like their values and can be undone", [] {
    const std::vector<double> ascending{
        -std::numeric_limits<double>::max(), -1e300, -1, -5e-324, 0, 5e-324, 2.3e-308, 1, 1e300,
        std::numeric_limits<double>::max()};
    for (std::size_t i = 0; i + 1 < ascending.size(); ++i) {
        check::that(key_of(ascending[i]) < key_of(ascending[i + 1]), "keys ascend");
        check::equal(value_of<double>(key_of(ascending[i])), ascending[i]);
    }
    check::equal(key_of(-0.0), key_of(0.0));
    check::equal(key_of(-0.0f), key_of(0.0f));
}};

}  // namespace
