// The codes of all columns of a row side by side: a record. What a node asks of many columns is then
// answered by reading each row once, all columns with one instruction.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "branchline/grow_tree.hpp"
#include "forest/record_kernels.hpp"

namespace branchline::forest {

// Bytes that begin where the widest vectors like them to.
class RecordBytes {
  public:
    std::uint8_t* data() { return lines_.front().bytes; }
    const std::uint8_t* data() const { return lines_.front().bytes; }
    void resize(std::size_t n_bytes) { lines_.resize(n_bytes / sizeof(Line) + 1); }

  private:
    struct Line {
        alignas(max_record_bytes) std::uint8_t bytes[max_record_bytes];
    };
    std::vector<Line> lines_ = std::vector<Line>(1);
};

// Records of all rows. Made once, read by all threads.
class RecordTable {
  public:
    // Whether columns can be records: not too many, codes of one byte, places of 32 bits.
    static bool can_hold(std::span<const GrowColumn> columns, std::size_t n_rows) {
        const auto is_wide = [](const GrowColumn& column) { return column.codes.width != 1; };
        return columns.size() <= max_record_bytes &&
               n_rows < (std::size_t{1} << 32) / max_record_bytes &&
               std::none_of(columns.begin(), columns.end(), is_wide);
    }

    // Codes as they are, rows as they come.
    RecordTable(std::span<const GrowColumn> columns, std::size_t n_rows)
        : columns_(columns), stride_(std::max<std::size_t>(16, std::bit_ceil(columns.size()))),
          row_at_(n_rows) {
        bytes_.resize(n_rows * stride_);
        std::iota(row_at_.begin(), row_at_.end(), RowIndex{0});
    }
    // Bytes as the kernels of random thresholds want them: less one; rows of a class together.
    RecordTable(std::span<const GrowColumn> columns, const GrowTarget& target, std::size_t n_rows)
        : RecordTable(columns, n_rows) {
        less_ = 1;
        if (target.is_classification()) order_by_class(target);
        any_missing_ = std::any_of(columns.begin(), columns.end(), [&](const GrowColumn& column) {
            return std::memchr(column.codes.data, missing_code, n_rows) != nullptr;
        });
    }
    // Parts of the table, which may be filled by several threads.
    std::size_t n_blocks() const { return (row_at_.size() + block_rows - 1) / block_rows; }
    void fill(std::size_t block) {
        const std::size_t begin = block * block_rows;
        const std::size_t end = std::min(row_at_.size(), begin + block_rows);
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const auto* codes = reinterpret_cast<const std::uint8_t*>(columns_[c].codes.data);
            std::uint8_t* record = bytes_.data() + begin * stride_ + c;
            for (std::size_t i = begin; i < end; ++i, record += stride_) {
                *record = static_cast<std::uint8_t>(codes[row_at_[i]] - less_);
            }
        }
    }

    std::size_t stride() const { return stride_; }
    bool any_missing() const { return any_missing_; }
    const std::uint8_t* records() const { return bytes_.data(); }
    // The row of each record.
    std::span<const RowIndex> row_at() const { return row_at_; }

  private:
    static constexpr std::size_t block_rows = 512;  // their records stay in the nearest cache

    void order_by_class(const GrowTarget& target) {
        std::vector<std::size_t> place(target.n_classes + 1, 0);
        for (const std::uint32_t c : target.class_of_row) ++place[c + 1];
        std::partial_sum(place.begin(), place.end(), place.begin());
        for (RowIndex row = 0; row < row_at_.size(); ++row) {
            row_at_[place[target.class_of_row[row]]++] = row;
        }
    }

    std::span<const GrowColumn> columns_;
    std::size_t stride_;
    std::uint8_t less_ = 0;
    bool any_missing_ = false;
    std::vector<RowIndex> row_at_;
    RecordBytes bytes_;
};

}  // namespace branchline::forest
