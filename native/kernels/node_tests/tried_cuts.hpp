// Columns in a few bins, for looking ahead: what is tried there.
//
// A number has at most 32 bins of about equal weight; a category a bin of its own when it is among the 32
// heaviest, else one that is shared. Bin 0 is for missing values.
#pragma once

#include <algorithm>

#include "node_tests/maker.hpp"

namespace branchline::node_tests {

inline constexpr std::size_t most_bins = 32;

struct BinnedColumn {
    std::vector<std::uint8_t> bin_of_row;
    std::vector<Code> last_code;  // of each bin of a number; the code of a category's bin
    std::size_t n_bins = 0;       // bin 0 not counted, a shared bin not counted
    bool is_category = false;
};

inline BinnedColumn bin_column(const GrowColumn& column,
                               std::span<const std::int64_t> units_of_code) {
    BinnedColumn binned;
    binned.is_category = column.is_category;
    binned.last_code.push_back(missing_code);
    std::int64_t left = 0;
    std::vector<Code> present;
    for (std::size_t code = 1; code < units_of_code.size(); ++code) {
        if (units_of_code[code] == 0) continue;
        present.push_back(static_cast<Code>(code));
        left += units_of_code[code];
    }
    if (column.is_category) {
        std::stable_sort(present.begin(), present.end(),
                         [&](Code a, Code b) { return units_of_code[a] > units_of_code[b]; });
        present.resize(std::min(present.size(), most_bins));
        binned.last_code.insert(binned.last_code.end(), present.begin(), present.end());
    } else {
        std::int64_t inside = 0;
        for (std::size_t i = 0; i < present.size(); ++i) {
            inside += units_of_code[present[i]];
            const std::size_t bins_left = most_bins - (binned.last_code.size() - 1);
            const bool is_full = static_cast<double>(inside) * static_cast<double>(bins_left) >=
                                 static_cast<double>(left);
            if (present.size() > most_bins && !is_full && i + 1 < present.size()) continue;
            binned.last_code.push_back(present[i]);
            left -= inside;
            inside = 0;
        }
    }
    binned.n_bins = binned.last_code.size() - 1;
    return binned;
}

inline BinnedColumn bin_rows(const GrowColumn& column, std::size_t n_rows,
                             const GrowTarget& target) {
    std::vector<std::int64_t> units(column.n_codes + 1, 0);
    return visit_codes(column.codes, [&](const auto* codes) {
        for (std::size_t row = 0; row < n_rows; ++row) {
            units[codes[row]] += units_of(target, static_cast<RowIndex>(row));
        }
        BinnedColumn binned = bin_column(column, units);
        const auto shared = static_cast<std::uint8_t>(binned.n_bins + 1);
        std::vector<std::uint8_t> bin_of_code(column.n_codes + 1, shared);
        bin_of_code[missing_code] = 0;
        std::size_t begin = 1;
        for (std::size_t bin = 1; bin <= binned.n_bins; ++bin) {
            const std::size_t last = binned.last_code[bin];
            if (column.is_category) begin = last;
            for (; begin <= last; ++begin) bin_of_code[begin] = static_cast<std::uint8_t>(bin);
        }
        for (std::size_t row = 0; row < n_rows; ++row) {
            binned.bin_of_row.push_back(bin_of_code[codes[row]]);
        }
        return binned;
    });
}

}  // namespace branchline::node_tests
