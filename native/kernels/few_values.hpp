// Columns that take few distinct values are ranked by hashing: a look at each cell instead of a sort.
//
// 1. Each value is looked up in a table of those seen so far, and numbered in order of appearance.
// 2. The distinct values are sorted, and the numbers of cells replaced by ranks.
// A column of too many values is given up as soon as they are seen.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "encode_categories.hpp"
#include "mix.hpp"
#include "radix_sort.hpp"

namespace branchline {

// Scratch space of one worker, kept from column to column.
template <class Key>
class FewValues {
  public:
    static constexpr std::size_t most = 4096;

    // Numbers the values of a column: 1, 2, … in order of appearance, 0 where they are missing.
    // Returns whether there are at most `most` of them; if not, nothing else may be asked.
    template <class Float>
    bool look_at(const ColumnView& column, std::size_t n_rows) {
        seen_.clear();
        number_in_.fill(0);
        number_of_row_.resize(n_rows);
        for (std::size_t row = 0; row < n_rows; ++row) {
            const auto value = value_at<Float>(column, row);
            if (value != value) {
                number_of_row_[row] = 0;
                continue;
            }
            const std::size_t place = find(key_of(value));
            if (number_in_[place] == 0 && !add(place, key_of(value))) return false;
            number_of_row_[row] = number_in_[place];
        }
        return true;
    }

    // The exact codes of the column that was looked at.
    template <class Float>
    EncodedColumn encode() const {
        std::vector<Key> sorted = seen_;
        std::sort(sorted.begin(), sorted.end());
        EncodedColumn column;
        column.n_codes = sorted.size();
        column.width = code_width(column.n_codes);
        column.codes = new_codes(number_of_row_.size(), column.width);
        for (const Key key : sorted) column.lowest.push_back(value_of<Float>(key));
        column.highest = column.lowest;
        visit_new_codes(column, [&](auto* codes) {
            using CodeType = std::remove_pointer_t<decltype(codes)>;
            const auto rank = ranks<CodeType>(sorted);
            for (std::size_t row = 0; row < number_of_row_.size(); ++row) {
                codes[row] = rank[number_of_row_[row]];
            }
        });
        return column;
    }

  private:
    static constexpr int bits = 13;
    static constexpr std::size_t n_places = std::size_t{1} << bits;

    // The place of a key, or the empty one where it belongs; half of all places stay empty.
    std::size_t find(Key key) const noexcept {
        auto place = static_cast<std::size_t>(std::uint64_t{key} * golden >> (64 - bits));
        while (number_in_[place] != 0 && key_in_[place] != key) place = (place + 1) % n_places;
        return place;
    }

    bool add(std::size_t place, Key key) {
        if (seen_.size() == most) return false;
        seen_.push_back(key);
        key_in_[place] = key;
        number_in_[place] = static_cast<std::uint16_t>(seen_.size());
        return true;
    }

    // The code of each number; 0 stays 0.
    template <class CodeType>
    std::vector<CodeType> ranks(const std::vector<Key>& sorted) const {
        std::vector<CodeType> rank(seen_.size() + 1);
        for (std::size_t code = 1; code <= sorted.size(); ++code) {
            rank[number_in_[find(sorted[code - 1])]] = static_cast<CodeType>(code);
        }
        return rank;
    }

    std::vector<Key> seen_;
    std::array<Key, n_places> key_in_{};
    std::array<std::uint16_t, n_places> number_in_{};
    std::vector<std::uint16_t> number_of_row_;
};

}  // namespace branchline
