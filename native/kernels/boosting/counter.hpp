// Counting the rows of nodes into histograms.
//
// Large nodes: blocks are shared out among workers. Each counts into cells of its own, and into a
// histogram of its own where cells would overflow or do not serve; `collect` then sums what all workers
// have, bundle by bundle. Small nodes: shares of the bundles are shared out, and who counts one takes
// the cells at once (`count_share`, `take`), so nothing goes from core to core. All numbers are
// integers: who counted what does not matter.
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
        if (!words.scale().is_light) return count_heavy(rows, block, words, room);
        prepare(room, rows.size());
        if (room.n_in_cells + rows.size() > most_word_rows) empty_cells(room);
        room.n_in_cells += rows.size();
        spread(node, block, node_rows, words, room.words.data());
        count_block(node, block, node_rows, rows_.all, room, room.words.data());
    }

    // Counts a share of the bundles in all blocks. Requires: a light tree, and a node of at most
    // most_word_rows rows that count.
    void count_share(std::size_t node, const Share& share, const NodeRows& node_rows,
                     const RowWords& words, std::size_t worker) {
        Room& room = rooms_[worker];
        if (room.spread_node != node) {
            prepare(room, node_rows.n_rows(node));
            std::uint64_t* to = room.words.data();
            for (std::size_t block = 0; block < rows_.n_blocks(); ++block) {
                to += spread(node, block, node_rows, words, to);
            }
            room.spread_node = node;
        }
        const std::uint64_t* of_rows = room.words.data();
        for (std::size_t block = 0; block < rows_.n_blocks(); ++block) {
            count_block(node, block, node_rows, share, room, of_rows);
            of_rows += node_rows.rows(node, block).size();
        }
    }
    // Writes what this worker counted of a bundle to a packed histogram, and takes it from another.
    void take(std::size_t bundle, Histogram& to, std::size_t worker) {
        kernels_.take_words(cells_of(rooms_[worker], bundle), to.words_of(rows_, bundle),
                            rows_.bundles[bundle].n_bins, false);
    }
    void take_from(std::size_t bundle, Histogram& to, Histogram& from, std::size_t worker) {
        kernels_.take_words_from(cells_of(rooms_[worker], bundle), to.words_of(rows_, bundle),
                                 from.words_of(rows_, bundle), rows_.bundles[bundle].n_bins);
    }

    // Writes what all workers counted of a bundle. Call `finish` after all bundles.
    void collect(std::size_t bundle, Histogram& to, std::size_t worker) {
        if (to.is_packed()) {
            collect_words(bundle, to.words_of(rows_, bundle), rooms_[worker]);
        } else {
            collect_bins(bundle, to.bins_of(rows_, bundle));
        }
    }
    void finish() {
        for (Room& room : rooms_) {
            room.n_in_cells = 0;
            room.uses_histogram = false;
            room.spread_node = none;
        }
    }

  private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    struct Room {
        std::vector<std::uint64_t> cells, words;
        std::size_t n_in_cells = 0;
        std::size_t spread_node = none;  // whose words `words` has
        bool uses_histogram = false;
        Histogram histogram, spare;
    };

    std::size_t first_cell(std::size_t bundle) const {
        const std::size_t n_narrow = rows_.n_narrow;
        if (bundle <= n_narrow) return bundle * narrow_codes;
        return n_narrow * narrow_codes + rows_.first_bin[bundle] - rows_.first_bin[n_narrow];
    }
    std::uint64_t* cells_of(Room& room, std::size_t bundle) const {
        return room.cells.data() + first_cell(bundle);
    }
    void prepare(Room& room, std::size_t n_rows) const {
        if (room.cells.empty()) room.cells.resize(first_cell(rows_.bundles.size()));
        if (room.words.size() < n_rows) room.words.resize(n_rows);
    }
    void use_histogram(Room& room) const {
        room.uses_histogram = true;
        if (room.histogram.g.empty()) room.histogram = Histogram(rows_.n_bins(), false);
    }
    void empty_cells(Room& room) const {
        use_histogram(room);
        for (std::size_t b = 0; b < rows_.bundles.size(); ++b) {
            kernels_.take_cells(cells_of(room, b), room.histogram.bins_of(rows_, b), true);
        }
        room.n_in_cells = 0;
    }

    // Returns how many words there are.
    std::size_t spread(std::size_t node, std::size_t block, const NodeRows& node_rows,
                       const RowWords& words, std::uint64_t* to) const {
        const auto rows = node_rows.rows(node, block);
        const bool is_all = node_rows.is_all(node, block);
        kernels_.spread_words(words.words(rows_.first_row(block)), is_all ? nullptr : rows.data(),
                              rows.size(), to);
        return rows.size();
    }

    void count_block(std::size_t node, std::size_t block, const NodeRows& node_rows,
                     const Share& share, Room& room, const std::uint64_t* words) const {
        const auto rows = node_rows.rows(node, block);
        if (rows.empty()) return;
        const std::size_t first = rows_.first_row(block);
        const bool is_all = node_rows.is_all(node, block);
        for (const Tile& tile : share.tiles) {
            const Record& record = rows_.records[tile.record];
            const TileCodes codes{record.codes.data() + first * record.stride + tile.first,
                                  record.stride, tile.n_bundles};
            std::uint64_t* cells = cells_of(room, record.first + tile.first);
            if (is_all) {
                kernels_.count_all(codes, rows.size(), words, cells);
            } else {
                kernels_.count_rows(codes, rows.data(), rows.size(), words, cells);
            }
        }
        for (std::size_t b = std::max(share.first, rows_.n_narrow); b < share.end; ++b) {
            std::uint64_t* cells = cells_of(room, b);
            visit_codes(rows_.bundles[b].codes, [&](const auto* codes) {
                for (std::size_t i = 0; i < rows.size(); ++i) {
                    cells[codes[first + rows[i]]] += words[i];
                }
            });
        }
    }

    // Rows that count more than once: their sums do not fit words.
    void count_heavy(std::span<const std::uint16_t> rows, std::size_t block, const RowWords& words,
                     Room& room) const {
        use_histogram(room);
        const std::size_t first = rows_.first_row(block);
        const std::int64_t* g = words.g(first);
        const std::uint64_t* hn = words.hn(first);
        for (std::size_t b = 0; b < rows_.bundles.size(); ++b) {
            const Bins bins = room.histogram.bins_of(rows_, b);
            visit_codes(rows_.bundles[b].codes, [&](const auto* codes) {
                for (const std::uint16_t row : rows) {
                    const auto code = codes[first + row];
                    bins.g[code] += g[row];
                    bins.hn[code] += hn[row];
                }
            });
        }
    }

    void collect_bins(std::size_t bundle, Bins bins) {
        bool is_first = true;
        for (Room& room : rooms_) {
            if (room.n_in_cells > 0) {
                kernels_.take_cells(cells_of(room, bundle), bins, !is_first);
                is_first = false;
            }
            if (!room.uses_histogram) continue;
            Bins more = room.histogram.bins_of(rows_, bundle);
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
    void collect_words(std::size_t bundle, std::uint64_t* words, Room& own) {
        const std::size_t n = rows_.bundles[bundle].n_bins;
        const auto uses_histogram = [](const Room& room) { return room.uses_histogram; };
        if (std::any_of(rooms_.begin(), rooms_.end(), uses_histogram)) {
            if (own.spare.g.empty()) own.spare = Histogram(rows_.n_bins(), false);
            const Bins bins = own.spare.bins_of(rows_, bundle);
            collect_bins(bundle, bins);
            for (std::size_t i = 0; i < n; ++i) words[i] = word_of_sums({bins.g[i], bins.hn[i]});
            return;
        }
        bool is_first = true;
        for (Room& room : rooms_) {
            if (room.n_in_cells == 0) continue;
            kernels_.take_words(cells_of(room, bundle), words, n, !is_first);
            is_first = false;
        }
        if (is_first) std::fill_n(words, n, 0u);
    }

    const BlockedRows& rows_;
    const BoostingKernels& kernels_;
    std::vector<Room> rooms_;
};

}  // namespace branchline::boosting
