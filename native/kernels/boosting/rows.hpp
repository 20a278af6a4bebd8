// The codes of a table in blocks of rows and records of columns.
#pragma once

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "branchline/boosting.hpp"

namespace branchline::boosting {

inline constexpr std::size_t most_record_columns = 64;  // a line of memory
inline constexpr std::size_t most_tile_columns = 16;    // their cells fit the first cache
inline constexpr std::size_t narrow_codes = 256;        // cells of a column of one byte

// Some columns of a record that are counted together.
struct Tile {
    std::size_t first = 0, n_columns = 0;  // places in the record
};

// Bytes that begin where a line of memory does, so that no record lies on two.
class AlignedBytes {
  public:
    AlignedBytes() = default;
    explicit AlignedBytes(std::size_t n)
        : bytes_(static_cast<std::uint8_t*>(::operator new(n, line))) {}
    std::uint8_t* data() { return bytes_.get(); }
    const std::uint8_t* data() const { return bytes_.get(); }

  private:
    static constexpr std::align_val_t line{64};
    struct Delete {
        void operator()(std::uint8_t* bytes) const { ::operator delete(bytes, line); }
    };
    std::unique_ptr<std::uint8_t, Delete> bytes_;
};

// Columns of one byte, row after row.
struct Record {
    std::vector<std::uint32_t> columns;
    std::vector<Tile> tiles;
    std::size_t stride = 0;  // bytes a row
    AlignedBytes codes;
};

struct BlockedRows {
    std::vector<GrowColumn> columns;
    std::size_t n_rows = 0, block_rows = 0;
    std::vector<std::uint64_t> keys;
    std::vector<Record> records;          // of the columns of one byte
    std::vector<std::uint32_t> wide;      // the other columns
    std::vector<std::uint32_t> cells_at;  // of each column: its place among those of one byte
    std::vector<std::size_t> first_bin;   // of each column in a histogram; at last their number

    std::size_t n_blocks() const { return (n_rows + block_rows - 1) / block_rows; }
    std::size_t first_row(std::size_t block) const { return block * block_rows; }
    std::size_t rows_in(std::size_t block) const {
        return std::min(block_rows, n_rows - first_row(block));
    }
    std::size_t n_bins() const { return first_bin.back(); }
    std::size_t bins_of(std::size_t column) const { return columns[column].n_codes + 1; }
    bool is_narrow(std::size_t column) const {
        return columns[column].codes.width == 1 && bins_of(column) <= narrow_codes;
    }
    std::size_t n_narrow() const { return columns.size() - wide.size(); }
};

// Requires what TreeBooster does.
BlockedRows make_blocked_rows(std::span<const GrowColumn> columns, std::size_t n_rows,
                              std::span<const std::uint64_t> keys, std::size_t block_rows,
                              int n_threads, StopSignal& stop);

}  // namespace branchline::boosting
