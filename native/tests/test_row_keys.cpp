#include <map>
#include <numeric>
#include <stdexcept>

#include "branchline/row_keys.hpp"
#include "check.hpp"
#include "mix.hpp"
#include "test_data.hpp"

namespace {

using namespace test_data;
using Words = std::vector<std::uint64_t>;
using Columns = std::vector<std::vector<std::uint16_t>>;

struct Rows {
    Columns columns;
    Words target;
    std::vector<std::int64_t> copies;
};

// Codes up to `most`: of few codes many rows have each, of many codes few.
std::vector<std::uint16_t> codes_up_to(std::uint16_t most, std::size_t n_rows, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::vector<std::uint16_t> codes(n_rows);
    for (auto& code : codes) code = static_cast<std::uint16_t>(generator() % (most + 1u));
    return codes;
}

Rows some_rows(std::size_t n_rows) {
    Rows rows{
        {codes_up_to(1, n_rows, 1), codes_up_to(200, n_rows, 2), codes_up_to(60'000, n_rows, 3)},
        Words(n_rows),
        std::vector<std::int64_t>(n_rows)};
    for (std::size_t row = 0; row < n_rows; ++row) {
        rows.target[row] = row % 3;
        rows.copies[row] = 1 + static_cast<std::int64_t>(row % 5);
    }
    return rows;
}

Words keys_of(const Rows& rows, int n_threads = 1, std::span<const std::uint64_t> ranks = {}) {
    std::vector<RankedColumn> columns;
    for (const auto& codes : rows.columns) columns.push_back({codes_of(codes), ranks});
    StopSignal stop;
    return content_keys(columns, rows.target.size(), {rows.target, 1, rows.copies}, n_threads,
                        stop);
}

std::uint64_t scramble(std::uint64_t word) { return mix(word + golden); }

void add_target(const Rows& rows, Words& keys) {
    for (std::size_t row = 0; row < keys.size(); ++row) {
        keys[row] = scramble(keys[row] ^ scramble(rows.target[row]));
    }
}

// The formulas of the header, as they stand there; no column is constant, none equal.
Words formulas(const Rows& rows) {
    Words keys(rows.target.size());
    add_target(rows, keys);
    for (int round = 0; round < 2; ++round) {
        std::map<std::uint64_t, std::uint64_t> alike;
        Words next(keys.size());
        for (const auto& codes : rows.columns) {
            std::uint64_t sum = 0;
            for (std::size_t row = 0; row < keys.size(); ++row) {
                sum += scramble(scramble(codes[row]) ^ keys[row]) *
                       static_cast<std::uint64_t>(rows.copies[row]);
            }
            const std::uint64_t salt = scramble(sum + ++alike[sum]);
            for (std::size_t row = 0; row < keys.size(); ++row) {
                next[row] += scramble(scramble(codes[row]) ^ salt);
            }
        }
        keys = next;
        add_target(rows, keys);
    }
    return keys;
}

const check::Test as_written{"content keys are what their formulas say, for any threads", [] {
    for (const std::size_t n_rows : {40u, 300u, 9000u}) {
        const Rows rows = some_rows(n_rows);
        const Words expected = formulas(rows);
        for (const int n_threads : thread_counts) check::equal(keys_of(rows, n_threads), expected);
    }
}};

const check::Test useless_columns{"constant and equal columns change no key", [] {
    const Rows rows = some_rows(5000);
    Rows more = rows;
    more.columns.push_back(rows.columns[1]);
    more.columns.push_back(std::vector<std::uint16_t>(5000, 7));
    more.columns.push_back(rows.columns[2]);
    check::equal(keys_of(more), keys_of(rows));
}};

const check::Test column_order{"the order of columns changes no key", [] {
    const Rows rows = some_rows(500);
    Rows turned = rows;
    std::swap(turned.columns[0], turned.columns[2]);
    check::equal(keys_of(turned), keys_of(rows));
}};

const check::Test ranked{"ranks say what codes count as", [] {
    Rows rows = some_rows(3000);
    rows.columns = {codes_up_to(2, 3000, 4)};
    const Words swapped{0, 2, 1};
    const Words keys = keys_of(rows, 1, swapped);
    for (auto& code : rows.columns[0]) code = static_cast<std::uint16_t>(swapped[code]);
    check::equal(keys, keys_of(rows));
}};

const check::Test no_rank{"a code without a rank is refused", [] {
    const Rows rows = some_rows(100);
    const Words ranks{0, 1};
    check::throws<std::invalid_argument>([&] { keys_of(rows, 1, ranks); });
}};

const check::Test nothing{"rows without columns are known by their target, no rows have no keys",
                          [] {
    Rows rows = some_rows(6);
    rows.columns.clear();
    const Words keys = keys_of(rows);
    check::equal(keys[0], keys[3]);
    check::that(keys[0] != keys[1], "other targets have other keys");
    check::that(keys_of(Rows{}).empty(), "no rows");
}};

}  // namespace
