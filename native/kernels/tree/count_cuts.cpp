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
std::size_t cumulate(std::span<const ClassPair> cells, ClassPair* up_to, Code* code_of) {
    ClassPair sum;
    std::size_t n = 0;
    for (std::size_t code = 1; code < cells.size(); ++code) {
        const ClassPair cell = cells[code];
        sum += cell;
        up_to[n] = sum;
        code_of[n] = static_cast<Code>(code);
        n += cell.units() > 0;  // a code that is not here is written over
    }
    return n;
}

}  // namespace

void count_cuts(const GrowColumn& column, std::span<const RowIndex> rows,
                std::span<const ClassPair> units, CountedCuts& cuts) {
    count_codes(column, rows, units, cuts.cells);
    const std::size_t most = column.n_codes + cuts_of_block;
    if (cuts.code.size() < most) {
        cuts.code.resize(most);
        cuts.up_to.resize(most);
    }
    cuts.n_cuts = cumulate(cuts.cells, cuts.up_to.data(), cuts.code.data());
    if (cuts.n_cuts == 0) return;
    // A cut like the one before it is never better: blocks are filled up without a mark.
    ClassPair* end = cuts.up_to.data() + cuts.n_cuts;
    std::fill_n(end, cuts.n_padding(), end[-1]);
}

}  // namespace branchline::tree
