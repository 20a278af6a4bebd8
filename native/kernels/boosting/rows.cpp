#include "boosting/rows.hpp"

#include <bit>

namespace branchline::boosting {

namespace {

// Calls visit(first, end) for as few parts of n things as there can be of at most `most` each, of about
// equal size.
template <class Visit>
void share_out(std::size_t n, std::size_t most, Visit&& visit) {
    const std::size_t n_parts = (n + most - 1) / most;
    for (std::size_t p = 0; p < n_parts; ++p) visit(n * p / n_parts, n * (p + 1) / n_parts);
}

void lay_records(BlockedRows& rows) {
    share_out(rows.n_narrow, most_record_bundles, [&](std::size_t first, std::size_t end) {
        Record record{first, end - first, std::bit_ceil(end - first), {}};
        record.codes = AlignedBytes(rows.n_rows * record.stride);
        rows.records.push_back(std::move(record));
    });
}

void fill_block(const BlockedRows& rows, Record& record, std::size_t block) {
    const std::size_t first = rows.first_row(block), n = rows.rows_in(block);
    for (std::size_t k = 0; k < record.n_bundles; ++k) {
        const CodeColumn& column = rows.bundles[record.first + k].codes;
        const auto* codes = reinterpret_cast<const std::uint8_t*>(column.data) + first;
        std::uint8_t* to = record.codes.data() + first * record.stride + k;
        for (std::size_t row = 0; row < n; ++row) to[row * record.stride] = codes[row];
    }
}

// What looking at a bundle costs, about: its bins, and a little for each column.
std::size_t work_of(const Bundle& bundle) { return bundle.n_bins + 32 * bundle.columns.size(); }

}  // namespace

Share BlockedRows::share(std::size_t first, std::size_t end) const {
    Share share{first, end, {}};
    for (std::size_t r = 0; r < records.size(); ++r) {
        const std::size_t from = std::max(first, records[r].first);
        const std::size_t to = std::min(end, records[r].first + records[r].n_bundles);
        if (from >= to) continue;
        share_out(to - from, most_tile_bundles, [&](std::size_t begin, std::size_t stop) {
            share.tiles.push_back({r, from - records[r].first + begin, stop - begin});
        });
    }
    return share;
}

std::vector<Share> BlockedRows::shares(std::size_t n) const {
    std::size_t total = 0;
    for (const Bundle& bundle : bundles) total += work_of(bundle);
    std::vector<Share> out;
    std::size_t first = 0, done = 0;
    for (std::size_t b = 0; b < bundles.size(); ++b) {
        done += work_of(bundles[b]);
        if (done * n < total * (out.size() + 1)) continue;
        out.push_back(share(first, b + 1));
        first = b + 1;
    }
    return out;
}

BlockedRows make_blocked_rows(std::span<const GrowColumn> columns, std::size_t n_rows,
                              std::span<const std::uint64_t> keys, std::size_t block_rows,
                              int n_threads, StopSignal& stop, PartSums* parts) {
    BlockedRows rows;
    rows.parts = parts;
    rows.columns.assign(columns.begin(), columns.end());
    rows.n_rows = n_rows;
    rows.block_rows = block_rows;
    rows.keys.assign(keys.begin(), keys.end());
    ThreadPool pool(n_threads, stop);
    Bundles bundles = make_bundles(columns, n_rows, pool, parts == nullptr);
    rows.bundles = std::move(bundles.bundles);
    rows.of_column = std::move(bundles.of_column);
    rows.first_bin.push_back(0);
    for (const Bundle& bundle : rows.bundles) {
        rows.n_narrow += bundle.is_narrow();
        rows.first_bin.push_back(rows.first_bin.back() + bundle.n_bins);
    }
    lay_records(rows);
    rows.all = rows.share(0, rows.bundles.size());
    const std::size_t n_blocks = rows.n_blocks();
    pool.run(n_blocks * rows.records.size(), [&](std::size_t task, std::size_t) {
        fill_block(rows, rows.records[task / n_blocks], task % n_blocks);
    });
    return rows;
}

}  // namespace branchline::boosting
