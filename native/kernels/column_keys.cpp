#include "branchline/column_keys.hpp"

#include <algorithm>

#include "branchline/thread_pool.hpp"
#include "mix.hpp"

namespace branchline {

namespace {

using Word = std::uint64_t;
using Words = std::vector<Word>;

constexpr std::size_t least_cells = 1 << 16;  // for a thread

Word scramble(Word word) noexcept { return mix(word + golden); }

// The words of all codes, looked up where a code stands for several rows.
template <class Code>
Words words_of(const Code* codes, std::size_t n_rows) {
    const std::size_t n_codes = std::size_t{*std::max_element(codes, codes + n_rows)} + 1;
    if (4 * n_codes > n_rows) return {};
    Words words(n_codes);
    for (std::size_t code = 0; code < n_codes; ++code) words[code] = scramble(code);
    return words;
}

// Calls visit(row, word) for each row of a column.
template <class Visitor>
void visit_words(const CodeColumn& column, std::size_t n_rows, Visitor&& visit) {
    visit_codes(column, [&](const auto* codes) {
        const Words words = words_of(codes, n_rows);
        if (words.empty()) {
            for (std::size_t row = 0; row < n_rows; ++row) visit(row, scramble(codes[row]));
        } else {
            for (std::size_t row = 0; row < n_rows; ++row) visit(row, words[codes[row]]);
        }
    });
}

Word sum_of(const CodeColumn& column, const Words& counted) {
    Word sum = 0;
    visit_words(column, counted.size(),
                [&](std::size_t row, Word word) { sum += counted[row] * word; });
    return sum;
}

bool all_differ(Words sums) {
    std::sort(sums.begin(), sums.end());
    return std::adjacent_find(sums.begin(), sums.end()) == sums.end();
}

// What a row counts: its key, once for each copy.
Words counted(const Words& keys, const ColumnRows& rows) {
    Words all = keys;
    if (rows.copies.empty()) return all;
    for (std::size_t row = 0; row < all.size(); ++row) {
        all[row] *= static_cast<Word>(rows.copies[row]);
    }
    return all;
}

}  // namespace

std::vector<std::uint64_t> column_keys(std::span<const CodeColumn> columns, const ColumnRows& rows,
                                       int n_threads, StopSignal& stop) {
    const std::size_t n_rows = rows.target.size();
    Words sums(columns.size());
    if (n_rows == 0) return sums;
    ThreadPool pool(threads_for(n_rows * columns.size(), least_cells, n_threads), stop);
    Words keys(n_rows);
    std::transform(rows.target.begin(), rows.target.end(), keys.begin(), scramble);
    Words count = counted(keys, rows);
    pool.run(columns.size(),
             [&](std::size_t c, std::size_t) { sums[c] = sum_of(columns[c], count); });
    if (all_differ(sums)) return sums;
    Words added(n_rows);
    for (std::size_t c = 0; c < columns.size(); ++c) {
        stop.check();
        visit_words(columns[c], n_rows,
                    [&](std::size_t row, Word word) { added[row] += scramble(word ^ sums[c]); });
    }
    for (std::size_t row = 0; row < n_rows; ++row) keys[row] = scramble(keys[row] ^ added[row]);
    count = counted(keys, rows);
    pool.run(columns.size(), [&](std::size_t c, std::size_t) {
        sums[c] = scramble(sums[c]) + sum_of(columns[c], count);
    });
    return sums;
}

}  // namespace branchline
