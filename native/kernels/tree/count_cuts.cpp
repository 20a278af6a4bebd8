#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "tree/counted_scan.hpp"

namespace branchline::tree {

namespace {

void count_codes(const GrowColumn& column, std::span<const RowIndex> rows,
                 std::span<const ClassPair> units, ClassPair* cell) {
    visit_codes(column.codes, [=](const auto* codes) {
        for (std::size_t i = 0; i < rows.size(); ++i) cell[codes[rows[i]]] += units[i];
    });
}

// Writes the codes that are there and what stands up to each, and makes the cells zero; returns how
// many codes there are.
std::size_t cumulate(std::span<ClassPair> cells, ClassPair* up_to, std::uint32_t* code_of) {
    ClassPair sum;
    std::size_t n = 0;
    for (std::size_t code = 1; code < cells.size(); ++code) {
        const ClassPair cell = std::exchange(cells[code], {});
        sum += cell;
        up_to[n] = sum;
        code_of[n] = static_cast<std::uint32_t>(code);
        n += cell.units() > 0;  // a code that is not here is written over
    }
    return n;
}

// The same where few of the codes are there: a bit for each says which.
constexpr std::size_t marked_codes = 256, codes_a_row = 6;

std::size_t count_marked(const GrowColumn& column, std::span<const RowIndex> rows,
                         std::span<const ClassPair> units, CountedCuts& cuts) {
    std::array<std::uint64_t, marked_codes / 64> marks{};
    ClassPair* cell = cuts.cells.data();
    visit_codes(column.codes, [&](const auto* codes) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::size_t code = codes[rows[i]];
            cell[code] += units[i];
            marks[code / 64] |= std::uint64_t{1} << (code % 64);
        }
    });
    marks[0] &= ~std::uint64_t{1};  // missing values
    ClassPair sum;
    std::size_t n = 0;
    for (std::size_t w = 0; w < marks.size(); ++w) {
        for (std::uint64_t bits = marks[w]; bits != 0; bits &= bits - 1) {
            const std::size_t code = 64 * w + static_cast<std::size_t>(std::countr_zero(bits));
            sum += std::exchange(cell[code], {});
            cuts.up_to[n] = sum;
            cuts.sign[n++] = static_cast<std::uint32_t>(code);
        }
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
    if (cuts.cells.size() <= column.n_codes) cuts.cells.resize(column.n_codes + 1);
    make_room(column.n_codes, cuts);
    if (column.n_codes < marked_codes && rows.size() * codes_a_row < column.n_codes) {
        cuts.n_cuts = count_marked(column, rows, units, cuts);
    } else {
        count_codes(column, rows, units, cuts.cells.data());
        const auto cells = std::span(cuts.cells).first(column.n_codes + 1);
        cuts.n_cuts = cumulate(cells, cuts.up_to.data(), cuts.sign.data());
    }
    cuts.missing = std::exchange(cuts.cells[missing_code], {});
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
