#include <algorithm>
#include <numeric>
#include <random>

#include "branchline/column_keys.hpp"
#include "check.hpp"
#include "test_data.hpp"

namespace {

using namespace test_data;
using Words = std::vector<std::uint64_t>;
using Columns = std::vector<std::vector<std::uint16_t>>;

std::vector<std::uint16_t> drawn(std::uint16_t most, std::size_t n_rows, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::vector<std::uint16_t> codes(n_rows);
    for (auto& code : codes) code = static_cast<std::uint16_t>(generator() % (most + 1u));
    return codes;
}

Words keys_of(const Columns& columns, const Words& target, std::vector<std::int64_t> copies = {},
              int n_threads = 1) {
    std::vector<CodeColumn> views;
    for (const auto& codes : columns) views.push_back(codes_of(codes));
    StopSignal stop;
    return column_keys(views, {target, copies}, n_threads, stop);
}

template <class Values>
Values taken(const Values& values, const std::vector<std::size_t>& rows) {
    Values out;
    for (const std::size_t row : rows) out.push_back(values[row]);
    return out;
}

const check::Test by_content{"columns are known by content alone", [] {
    const std::size_t n_rows = 3000;
    const Columns columns{drawn(1, n_rows, 1), drawn(60'000, n_rows, 2), drawn(9, n_rows, 3)};
    Words target(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) target[row] = row % 3;
    const Words keys = keys_of(columns, target);
    check::equal(keys_of(columns, target, {}, 3), keys);
    check::that(keys[0] != keys[1] && keys[1] != keys[2] && keys[0] != keys[2], "keys");

    std::vector<std::size_t> order(n_rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937_64(4));
    Columns shuffled;
    for (const auto& codes : columns) shuffled.push_back(taken(codes, order));
    check::that(keys == keys_of(shuffled, taken(target, order)), "keys");

    const Words turned = keys_of({columns[2], columns[0], columns[1]}, target);
    check::that(turned == Words({keys[2], keys[0], keys[1]}), "keys");
}};

const check::Test counted{"copies count as rows of columns", [] {
    const Columns columns{drawn(3, 50, 1), drawn(3, 50, 2)};
    const Words target(50, 7);
    std::vector<std::int64_t> copies;
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < 50; ++row) {
        copies.push_back(1 + static_cast<std::int64_t>(row % 4));
        rows.insert(rows.end(), 1 + row % 4, row);
    }
    check::that(
        keys_of(columns, target, copies) ==
            keys_of({taken(columns[0], rows), taken(columns[1], rows)}, taken(target, rows)),
        "keys");
}};

const check::Test by_rows{"columns with the same codes for the same targets are told apart by rows",
                          [] {
    // The third column goes with the first, not with the second.
    const Columns columns{{0, 1, 0, 1, 0, 0}, {1, 0, 0, 1, 0, 0}, {0, 2, 0, 2, 3, 0}};
    const Words target{0, 0, 0, 0, 0, 0};
    const Words keys = keys_of(columns, target);
    check::that(keys[0] != keys[1], "keys");
    const Words turned = keys_of({columns[1], columns[2], columns[0]}, target);
    check::that(turned == Words({keys[1], keys[2], keys[0]}), "keys");
    const Words equal = keys_of({columns[0], columns[2], columns[0]}, target);
    check::that(equal[0] == equal[2] && equal[0] != equal[1], "keys");
}};

const check::Test thrice{"rows that are all there three times give columns the same ranks", [] {
    const Columns columns{drawn(1, 50, 1), drawn(1, 50, 2), drawn(1, 50, 3), drawn(9, 50, 4)};
    const Words target(50, 7);
    check::equal(keys_of(columns, target, std::vector<std::int64_t>(50, 3)),
                 keys_of(columns, target));
}};

}  // namespace
