// Counting the rows of nodes into histograms.
//
// Blocks are shared out among workers. Each counts into cells of its own, and into a histogram of its
// own where cells would overflow or do not serve; `collect` then sums what all workers have, column by
// column. All numbers are integers: who counted what does not matter.
#pragma once

#include <vector>

#include "boosting/histograms.hpp"
#include "boosting/node_rows.hpp"
#include "boosting/words.hpp"

namespace branchline::boosting {

class Counter {
  public:
    Counter(const BlockedRows& rows, const BoostingKernels& kernels)
        : rows_(rows), kernels_(kernels) {}

    void begin(std::size_t n_workers) { rooms_.resize(n_workers); }

    // Adds the rows of one block of a node.
    void count(std::size_t node, std::size_t block, const NodeRows& node_rows,
               const RowWords& words, std::size_t worker) {
        const auto rows = node_rows.rows(node, block);
        if (rows.empty()) return;
        Room& room = rooms_[worker];
        prepare(room);
        if (!words.scale().is_light) return count_heavy(rows, block, words, room);
        const std::size_t first = rows_.first_row(block);
        const bool is_all = node_rows.is_all(node, block);
        if (room.n_in_cells + rows.size() > most_word_rows) empty_cells(room);
        room.n_in_cells += rows.size();
        kernels_.spread_words(words.words(first), is_all ? nullptr : rows.data(), rows.size(),
                              room.words.data());
        std::uint64_t* cells = room.cells.data();
        for (const Record& record : rows_.records) {
            for (const Tile& tile : record.tiles) {
                const TileCodes codes{record.codes.data() + first * record.stride + tile.first,
                                      record.stride, tile.n_columns};
                if (is_all) {
                    kernels_.count_all(codes, rows.size(), room.words.data(), cells);
                } else {
                    kernels_.count_rows(codes, rows.data(), rows.size(), room.words.data(), cells);
                }
                cells += tile.n_columns * narrow_codes;
            }
        }
        for (const std::uint32_t column : rows_.wide) count_wide(column, rows, first, room);
    }

    // Writes what was counted of a column to its bins. Call `finish` after all columns.
    void collect(std::size_t column, Bins bins) {
        bool is_first = true;
        for (Room& room : rooms_) {
            if (room.n_in_cells > 0 && rows_.is_narrow(column)) {
                kernels_.take_cells(cells_of(room, column), bins, !is_first);
                is_first = false;
            }
            if (!room.uses_histogram) continue;
            Bins more = room.histogram.bins_of(rows_, column);
            if (is_first) {
                std::copy_n(more.g, more.n, bins.g);
                std::copy_n(more.hn, more.n, bins.hn);
            } else {
                kernels_.add(bins, more);
            }
            is_first = false;
            std::fill_n(more.g, more.n, 0);
            std::fill_n(more.hn, more.n, 0u);
        }
        if (!is_first) return;
        std::fill_n(bins.g, bins.n, 0);
        std::fill_n(bins.hn, bins.n, 0u);
    }
    void finish() {
        for (Room& room : rooms_) {
            room.n_in_cells = 0;
            room.uses_histogram = false;
        }
    }

  private:
    struct Room {
        std::vector<std::uint64_t> cells, words;
        std::size_t n_in_cells = 0;
        bool uses_histogram = false;
        Histogram histogram;
    };

    std::uint64_t* cells_of(Room& room, std::size_t column) const {
        return room.cells.data() + std::size_t{rows_.cells_at[column]} * narrow_codes;
    }
    void prepare(Room& room) const {
        if (!room.words.empty()) return;
        room.cells.resize(rows_.n_narrow() * narrow_codes);
        room.words.resize(most_word_rows);
    }
    void use_histogram(Room& room) const {
        room.uses_histogram = true;
        room.histogram.g.resize(rows_.n_bins());
        room.histogram.hn.resize(rows_.n_bins());
    }
    void empty_cells(Room& room) const {
        use_histogram(room);
        for (std::size_t c = 0; c < rows_.columns.size(); ++c) {
            if (!rows_.is_narrow(c)) continue;
            kernels_.take_cells(cells_of(room, c), room.histogram.bins_of(rows_, c), true);
        }
        room.n_in_cells = 0;
    }

    // A column of more than 255 codes.
    void count_wide(std::uint32_t column, std::span<const std::uint16_t> rows, std::size_t first,
                    Room& room) const {
        constexpr std::uint64_t h_mask = (std::uint64_t{1} << (word_g_shift - word_h_shift)) - 1;
        constexpr std::uint64_t n_mask = (std::uint64_t{1} << word_h_shift) - 1;
        use_histogram(room);
        const Bins bins = room.histogram.bins_of(rows_, column);
        visit_codes(rows_.columns[column].codes, [&](const auto* codes) {
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const auto code = codes[first + rows[i]];
                const std::uint64_t word = room.words[i];
                bins.g[code] += static_cast<std::int64_t>(word) >> word_g_shift;
                bins.hn[code] += ((word >> word_h_shift) & h_mask) << sum_h_shift | (word & n_mask);
            }
        });
    }

    // Rows that count more than once: their sums do not fit words.
    void count_heavy(std::span<const std::uint16_t> rows, std::size_t block, const RowWords& words,
                     Room& room) const {
        use_histogram(room);
        const std::size_t first = rows_.first_row(block);
        const std::int64_t* g = words.g(first);
        const std::uint64_t* hn = words.hn(first);
        for (std::size_t column = 0; column < rows_.columns.size(); ++column) {
            const Bins bins = room.histogram.bins_of(rows_, column);
            visit_codes(rows_.columns[column].codes, [&](const auto* codes) {
                for (const std::uint16_t row : rows) {
                    const auto code = codes[first + row];
                    bins.g[code] += g[row];
                    bins.hn[code] += hn[row];
                }
            });
        }
    }

    const BlockedRows& rows_;
    const BoostingKernels& kernels_;
    std::vector<Room> rooms_;
};

}  // namespace branchline::boosting
