// Which neighboring distinct values share a bin; the rule is stated in branchline/codes.hpp.
//
// A *run* is a stretch of sorted rows with one value. Runs are not listed: a bin's end is found by
// jumping to the row in which its share of the weight ends and looking how far that row's run goes.
// Cost: about a binary search for each bin.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace branchline {

// Sorted rows that have weights. `before[i]` is the weight of rows 0..i−1 (one entry more than there
// are rows); empty when every row counts once.
template <class Row>
struct WeighedRows {
    std::span<const Row> rows;
    std::span<const std::int64_t> before;

    std::int64_t weight_before(std::size_t row) const {
        return before.empty() ? static_cast<std::int64_t>(row) : before[row];
    }
    std::int64_t weight_of(std::size_t begin, std::size_t end) const {
        return weight_before(end) - weight_before(begin);
    }

    // The row in which the cumulated weight passes `weight`; the number of rows when none does.
    std::size_t row_at(std::int64_t weight) const {
        if (before.empty()) return std::min(rows.size(), static_cast<std::size_t>(weight));
        const auto after = std::upper_bound(before.begin() + 1, before.end(), weight);
        return static_cast<std::size_t>(after - before.begin()) - 1;
    }

    // The ends of a row's run, found by steps that double, then halve.
    std::size_t run_begin(std::size_t row) const {
        std::size_t reach = 1;
        while (reach <= row && are_equal(row, row - reach)) reach *= 2;
        std::size_t inside = row - reach / 2, lowest = reach <= row ? row - reach + 1 : 0;
        while (lowest < inside) {
            const std::size_t middle = lowest + (inside - lowest) / 2;
            if (are_equal(row, middle))
                inside = middle;
            else
                lowest = middle + 1;
        }
        return inside;
    }

    std::size_t run_end(std::size_t row) const {
        std::size_t reach = 1;
        while (row + reach < rows.size() && are_equal(row, row + reach)) reach *= 2;
        std::size_t inside = row + reach / 2, outside = std::min(row + reach, rows.size());
        while (inside + 1 < outside) {
            const std::size_t middle = inside + (outside - inside) / 2;
            (are_equal(row, middle) ? inside : outside) = middle;
        }
        return outside;
    }

    bool are_equal(std::size_t a, std::size_t b) const { return rows[a].key == rows[b].key; }
};

// Writes the row at which each bin begins, and after these the number of rows.
// Requires: weights >= 1 with a sum below 2^53; max_bins >= 1.
template <class Row>
void quantile_bins(const WeighedRows<Row>& rows, std::size_t max_bins,
                   std::vector<std::uint32_t>& starts);

}  // namespace branchline
