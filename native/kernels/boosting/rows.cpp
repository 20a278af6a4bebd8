#include "boosting/rows.hpp"

#include <bit>

#include "branchline/thread_pool.hpp"

namespace branchline::boosting {

namespace {

// Shares n things out into as few parts of at most `most` as there can be, of about equal size.
std::vector<Tile> share_out(std::size_t n, std::size_t most) {
    const std::size_t n_parts = (n + most - 1) / most;
    std::vector<Tile> parts;
    for (std::size_t p = 0; p < n_parts; ++p) {
        const std::size_t first = n * p / n_parts;
        parts.push_back({first, n * (p + 1) / n_parts - first});
    }
    return parts;
}

void lay_records(BlockedRows& rows) {
    std::vector<std::uint32_t> narrow;
    for (std::uint32_t c = 0; c < rows.columns.size(); ++c) {
        rows.cells_at.push_back(static_cast<std::uint32_t>(narrow.size()));
        (rows.is_narrow(c) ? narrow : rows.wide).push_back(c);
    }
    for (const Tile& share : share_out(narrow.size(), most_record_columns)) {
        Record record;
        const auto first = narrow.begin() + static_cast<std::ptrdiff_t>(share.first);
        record.columns.assign(first, first + static_cast<std::ptrdiff_t>(share.n_columns));
        record.tiles = share_out(share.n_columns, most_tile_columns);
        record.stride = std::bit_ceil(share.n_columns);
        record.codes = AlignedBytes(rows.n_rows * record.stride);
        rows.records.push_back(std::move(record));
    }
}

void fill_block(const BlockedRows& rows, Record& record, std::size_t block) {
    const std::size_t first = rows.first_row(block), n = rows.rows_in(block);
    for (std::size_t k = 0; k < record.columns.size(); ++k) {
        const GrowColumn& column = rows.columns[record.columns[k]];
        const auto* codes = reinterpret_cast<const std::uint8_t*>(column.codes.data) + first;
        std::uint8_t* to = record.codes.data() + first * record.stride + k;
        for (std::size_t row = 0; row < n; ++row) to[row * record.stride] = codes[row];
    }
}

}  // namespace

BlockedRows make_blocked_rows(std::span<const GrowColumn> columns, std::size_t n_rows,
                              std::span<const std::uint64_t> keys, std::size_t block_rows,
                              int n_threads, StopSignal& stop) {
    BlockedRows rows;
    rows.columns.assign(columns.begin(), columns.end());
    rows.n_rows = n_rows;
    rows.block_rows = block_rows;
    rows.keys.assign(keys.begin(), keys.end());
    rows.first_bin.push_back(0);
    for (std::size_t c = 0; c < columns.size(); ++c) {
        rows.first_bin.push_back(rows.first_bin.back() + rows.bins_of(c));
    }
    lay_records(rows);
    ThreadPool pool(n_threads, stop);
    const std::size_t n_blocks = rows.n_blocks();
    pool.run(n_blocks * rows.records.size(), [&](std::size_t task, std::size_t) {
        fill_block(rows, rows.records[task / n_blocks], task % n_blocks);
    });
    return rows;
}

}  // namespace branchline::boosting
