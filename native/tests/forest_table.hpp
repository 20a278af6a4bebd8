// A table of codes of one or of two bytes, for tests of forests.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "branchline/forest.hpp"
#include "test_data.hpp"

namespace test_data {

// Columns of numbers and categories, some with missing values, some of few values, and targets.
struct ForestTable {
    ForestTable(std::size_t rows, std::size_t n_columns, std::uint64_t seed,
                std::size_t classes = 2)
        : n_rows(rows), n_classes(classes), narrow(n_columns), wide(n_columns), values(n_columns),
          class_of(rows), sums(rows), keys(rows), first(rows, 0) {
        std::mt19937_64 generator(seed);
        for (std::size_t c = 0; c < n_columns; ++c) {
            const std::size_t n_codes = c % 4 == 3 ? 1 + generator() % 3 : 1 + generator() % 255;
            const bool has_holes = generator() % 3 == 0;
            for (std::size_t row = 0; row < rows; ++row) {
                const bool is_missing = has_holes && generator() % 8 == 0;
                const auto code = is_missing ? 0 : 1 + generator() % n_codes;
                narrow[c].push_back(static_cast<std::uint8_t>(code));
                wide[c].push_back(static_cast<std::uint16_t>(code));
            }
            const bool is_category = c % 5 == 4;
            std::normal_distribution<double> step(0, 3);
            double value = -50;
            for (std::size_t code = 1; code <= n_codes; ++code) {
                values[c].first.push_back(is_category ? static_cast<double>(code) : value);
                value += std::exp(step(generator));
                values[c].second.push_back(is_category ? static_cast<double>(code) : value);
                value += std::exp(step(generator));
            }
        }
        for (std::size_t row = 0; row < rows; ++row) {
            const bool is_high = narrow[0][row] > values[0].first.size() / 2;
            class_of[row] = static_cast<std::uint32_t>((is_high + generator() % 3 / 2) % classes);
            if (generator() % 5 == 0) {
                class_of[row] = static_cast<std::uint32_t>(generator() % classes);
            }
            sums[row] = static_cast<std::int64_t>(generator() % 1000 + 2000 * is_high) << 24;
            keys[row] = generator();
        }
    }

    ForestInput input(bool of_classes, bool on_records) {
        columns.clear();
        known.clear();
        for (std::size_t c = 0; c < narrow.size(); ++c) {
            GrowColumn column;
            column.codes = on_records ? codes_of(narrow[c]) : codes_of(wide[c]);
            column.n_codes = values[c].first.size();
            column.is_category = c % 5 == 4;
            columns.push_back(column);
            known.push_back({values[c].first, values[c].second});
        }
        ForestInput input;
        input.columns = columns;
        input.values = known;
        input.bag = {keys, copies, first};
        if (of_classes) {
            input.target.class_of_row = class_of;
            input.target.n_classes = n_classes;
        } else {
            input.target.sums_of_row = sums;
            input.target.n_outputs = 1;
        }
        return input;
    }

    std::size_t n_rows, n_classes;
    std::vector<std::vector<std::uint8_t>> narrow;
    std::vector<std::vector<std::uint16_t>> wide;
    std::vector<std::pair<std::vector<double>, std::vector<double>>> values;
    std::vector<std::uint32_t> class_of;
    std::vector<std::int64_t> sums;
    std::vector<std::uint64_t> keys;
    std::vector<std::int64_t> copies, first;
    std::vector<GrowColumn> columns;
    std::vector<KnownCodes> known;
};

}  // namespace test_data
