#include <algorithm>

#include "tree/counted_scan.hpp"

namespace branchline::tree {

namespace {

void count_codes(const GrowColumn& column, std::span<const RowIndex> rows,
                 std::span<const ClassPair> units, std::vector<ClassPair>& cells) {
    cells.assign(column.n_codes + 1, {});
    ClassPair* cell = cells.data();
    visit_codes(column.codes, [=](const auto* codes) {
        for (std::size_t i = 0; i < rows.size(); ++i) cell[codes[rows[i]]] += units[i];
    });
}

// Writes the codes that are there and what stands up to each; returns how many there are.
std::size_t cumulate(std::span<const ClassPair> cells, ClassPair* up_to, std::uint32_t* code_of) {
    ClassPair sum;
    std::size_t n = 0;
    for (std::size_t code = 1; code < cells.size(); ++code) {
        const ClassPair cell = cells[code];
        sum += cell;
        up_to[n] = sum;
        code_of[n] = static_cast<std::uint32_t>(code);
        n += cell.units() > 0;  // a code that is not here is written over
    }
    return n;
}

std::size_t cumulate(std::span<const std::uint16_t> order, std::span<const ClassPair> units,
                     ClassPair* up_to, std::uint32_t* row_of) {
    ClassPair sum;
    std::size_t n = 0;
    for (const std::uint32_t item : order) {
        sum += units[item >> 1];
        up_to[n] = sum;
        row_of[n] = item >> 1;
        n += item & 1;  // a row that others follow in its code is written over
    }
    return n;
}

void make_room(std::size_t most_cuts, CountedCuts& cuts) {
    const std::size_t needed = most_cuts + cuts_of_block;
    if (cuts.up_to.size() >= needed) return;
    cuts.up_to.resize(needed);
    cuts.sign.resize(needed);
}

// A cut like the one before it is never better: blocks are filled up without a mark.
void fill_block(CountedCuts& cuts) {
    if (cuts.n_cuts == 0) return;
    ClassPair* end = cuts.up_to.data() + cuts.n_cuts;
    std::fill_n(end, cuts.n_padding(), end[-1]);
}

}  // namespace

void count_cuts(const GrowColumn& column, std::span<const RowIndex> rows,
                std::span<const ClassPair> units, CountedCuts& cuts) {
    count_codes(column, rows, units, cuts.cells);
    make_room(column.n_codes, cuts);
    cuts.missing = cuts.cells[missing_code];
    cuts.n_cuts = cumulate(cuts.cells, cuts.up_to.data(), cuts.sign.data());
    fill_block(cuts);
}

void order_cuts(const GrowColumn& column, std::span<const ClassPair> units, CountedCuts& cuts) {
    make_room(column.order.size(), cuts);
    cuts.missing = {};
    std::size_t n_missing = 0;
    visit_codes(column.codes, [&](const auto* codes) {
        for (const std::uint32_t item : column.order) {
            if (codes[item >> 1] != missing_code) break;
            cuts.missing += units[item >> 1];
            ++n_missing;
        }
    });
    cuts.n_cuts =
        cumulate(column.order.subspan(n_missing), units, cuts.up_to.data(), cuts.sign.data());
    fill_block(cuts);
}

}  // namespace branchline::tree

namespace branchline {

std::vector<std::uint16_t> order_rows(const GrowColumn& column, std::size_t n_rows) {
    constexpr std::size_t most_rows = std::size_t{1} << 15;
    if (column.is_category || n_rows > most_rows || n_rows > 2 * column.n_codes) return {};
    std::vector<std::uint16_t> place(column.n_codes + 2, 0), order(n_rows);
    visit_codes(column.codes, [&](const auto* codes) {
        for (std::size_t row = 0; row < n_rows; ++row) ++place[std::size_t{codes[row]} + 1];
        for (std::size_t c = 1; c < place.size(); ++c) {
            place[c] = static_cast<std::uint16_t>(place[c] + place[c - 1]);
        }
        for (std::size_t row = 0; row < n_rows; ++row) {
            order[place[codes[row]]++] = static_cast<std::uint16_t>(row << 1);
        }
    });
    for (const std::uint16_t end : place) {  // by now where the rows of each code end
        if (end > 0) order[end - std::size_t{1}] |= 1;
    }
    return order;
}

}  // namespace branchline
