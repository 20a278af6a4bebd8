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

// Upper halves are added, so that no sum of less than 2^32 rows overflows.
Word sum_of(const CodeColumn& column, const Words& keys, std::span<const std::int64_t> copies) {
    Word sum = 0;
    if (copies.empty()) {
        visit_words(column, keys.size(),
                    [&](std::size_t row, Word word) { sum += (keys[row] * word) >> 32; });
    } else {
        visit_words(column, keys.size(), [&](std::size_t row, Word word) {
            sum += ((keys[row] * word) >> 32) * static_cast<Word>(copies[row]);
        });
    }
    return sum;
}

// The number of different values below each.
Words ranks_of(const Words& values) {
    Words sorted = values, ranks;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    for (const Word value : values) {
        const auto place = std::lower_bound(sorted.begin(), sorted.end(), value);
        ranks.push_back(static_cast<Word>(place - sorted.begin()));
    }
    return ranks;
}

bool all_differ(const Words& ranks) {
    return ranks.empty() || *std::max_element(ranks.begin(), ranks.end()) + 1 == ranks.size();
}

}  // namespace

std::vector<std::uint64_t> column_keys(std::span<const CodeColumn> columns, const ColumnRows& rows,
                                       int n_threads, StopSignal& stop) {
    const std::size_t n_rows = rows.target.size();
    Words sums(columns.size());
    if (n_rows == 0) return sums;
    ThreadPool pool(threads_for(n_rows * columns.size(), least_cells, n_threads), stop);
    Words keys(n_rows);
    std::transform(rows.target.begin(), rows.target.end(), keys.begin(),
                   [](Word target) { return scramble(target) | 1; });
    const auto add_up = [&] {
        pool.run(columns.size(), [&](std::size_t c, std::size_t) {
            sums[c] = sum_of(columns[c], keys, rows.copies);
        });
    };
    add_up();
    Words ranks = ranks_of(sums);
    if (all_differ(ranks)) return ranks;
    Words added(n_rows);
    for (std::size_t c = 0; c < columns.size(); ++c) {
        stop.check();
        visit_words(columns[c], n_rows, [&](std::size_t row, Word word) {
            added[row] += scramble(word ^ scramble(ranks[c]));
        });
    }
    for (std::size_t row = 0; row < n_rows; ++row) {
        keys[row] = scramble(keys[row] ^ added[row]) | 1;
    }
    add_up();
    // First by the first sum: the second decides among those that are equal.
    const Words second = ranks_of(sums);
    for (std::size_t c = 0; c < columns.size(); ++c)
        ranks[c] = ranks[c] * columns.size() + second[c];
    return ranks_of(ranks);
}

}  // namespace branchline
