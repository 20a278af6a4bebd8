// What the tests share: columns over vectors, codes as plain numbers, reproducible random values.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "branchline/codes.hpp"
#include "branchline/types.hpp"

namespace test_data {

using namespace branchline;

inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();
inline constexpr std::array<int, 4> thread_counts{1, 2, 3, 7};

// A column over every `step`-th value of a vector; int32 values are categories.
template <class Value>
ColumnView view_of(const std::vector<Value>& values, std::int32_t n_categories = 0,
                   std::ptrdiff_t step = 1) {
    constexpr ValueType type = std::is_same_v<Value, float>    ? ValueType::float32
                               : std::is_same_v<Value, double> ? ValueType::float64
                                                               : ValueType::category;
    return {reinterpret_cast<const std::byte*>(values.data()),
            step * static_cast<std::ptrdiff_t>(sizeof(Value)), type, n_categories};
}

template <class CodeType>
CodeColumn codes_of(const std::vector<CodeType>& codes) {
    return {reinterpret_cast<const std::byte*>(codes.data()), static_cast<int>(sizeof(CodeType))};
}

inline std::vector<Code> plain(const EncodedColumn& column, std::size_t n_rows) {
    return visit_codes(column.view(),
                       [&](const auto* codes) { return std::vector<Code>(codes, codes + n_rows); });
}

// Normal values, some of them rounded so that they repeat, some of them missing.
template <class Float>
std::vector<Float> mixed_values(std::size_t n, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal(0, 3);
    std::vector<Float> values(n);
    for (Float& value : values) {
        const auto kind = generator() % 10;
        const double drawn = normal(generator);
        value = static_cast<Float>(kind == 0 ? missing : kind < 4 ? std::round(drawn) : drawn);
    }
    return values;
}

// A column's codes as plain numbers, with a few words less.
struct Coded {
    std::vector<Code> codes;
    std::vector<double> lowest, highest;
    int width = 0;

    bool operator==(const Coded&) const = default;
};

inline std::vector<Coded> plain(const std::vector<EncodedColumn>& columns, std::size_t n_rows) {
    std::vector<Coded> out;
    for (const EncodedColumn& column : columns) {
        out.push_back({plain(column, n_rows), column.lowest, column.highest, column.width});
    }
    return out;
}

template <class Value>
Coded code(const std::vector<Value>& values, std::size_t max_bins = 0,
           const std::vector<std::int64_t>& units = {}) {
    StopSignal stop;
    const std::vector<ColumnView> columns{view_of(values)};
    return plain(fit_codes(columns, values.size(), units, {max_bins, 1}, stop), values.size())[0];
}

}  // namespace test_data
