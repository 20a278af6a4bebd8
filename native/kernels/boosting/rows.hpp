// The codes of a table in blocks of rows and records of bundles.
#pragma once

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "boosting/bundles.hpp"
#include "branchline/boosting.hpp"

namespace branchline::boosting {

inline constexpr std::size_t most_record_bundles = 64;  // a line of memory
inline constexpr std::size_t most_tile_bundles = 16;    // their cells fit the first cache

// Some bundles of a record that are counted together.
struct Tile {
    std::size_t record = 0;
    std::size_t first = 0, n_bundles = 0;  // places in the record
};

// Some bundles: what a task looks at. Those of one byte stand in `tiles`, too.
struct Share {
    std::size_t first = 0, end = 0;
    std::vector<Tile> tiles;
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

// Bundles of one byte, row after row.
struct Record {
    std::size_t first = 0, n_bundles = 0;
    std::size_t stride = 0;  // bytes a row
    AlignedBytes codes;
};

struct BlockedRows {
    std::vector<GrowColumn> columns;
    std::size_t n_rows = 0, block_rows = 0;
    std::vector<std::uint64_t> keys;
    std::vector<Bundle> bundles;  // those of one byte first
    std::vector<BundledColumn> of_column;
    std::size_t n_narrow = 0;
    std::vector<Record> records;         // of the bundles of one byte
    Share all;                           // all bundles
    std::vector<std::size_t> first_bin;  // of each bundle in a histogram; at last their number
    PartSums* parts = nullptr;           // where these are some rows of a table

    std::size_t n_blocks() const { return (n_rows + block_rows - 1) / block_rows; }
    std::size_t first_row(std::size_t block) const { return block * block_rows; }
    std::size_t rows_in(std::size_t block) const {
        return std::min(block_rows, n_rows - first_row(block));
    }
    std::size_t n_bins() const { return first_bin.back(); }
    std::size_t bins_of(std::size_t column) const { return columns[column].n_codes + 1; }

    // The bundles first … end − 1.
    Share share(std::size_t first, std::size_t end) const;
    // All bundles in n shares of about equal work.
    std::vector<Share> shares(std::size_t n) const;
};

// Requires what TreeBooster does.
BlockedRows make_blocked_rows(std::span<const GrowColumn> columns, std::size_t n_rows,
                              std::span<const std::uint64_t> keys, std::size_t block_rows,
                              int n_threads, StopSignal& stop, PartSums* parts = nullptr);

}  // namespace branchline::boosting
