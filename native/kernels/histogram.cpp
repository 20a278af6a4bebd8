#include "histogram.hpp"

namespace branchline {

namespace {

template <class CodeType>
void count_classes(const CodeType* codes, std::size_t n_rows, const SearchTarget& target,
                   Histogram& out) {
    for (std::size_t row = 0; row < n_rows; ++row) {
        const std::int64_t unit = target.units.empty() ? 1 : target.units[row];
        out.cells[codes[row] * out.width + target.class_of_row[row]] += unit;
    }
}

template <class CodeType>
void sum_target(const CodeType* codes, std::size_t n_rows, const SearchTarget& target,
                Histogram& out) {
    for (std::size_t row = 0; row < n_rows; ++row) {
        std::int64_t* cell = out.cells.data() + codes[row] * std::size_t{2};
        cell[0] += target.units.empty() ? 1 : target.units[row];
        cell[1] += target.sum_of_row[row];
    }
}

}  // namespace

Histogram count(const SearchColumn& column, std::size_t n_rows, const SearchTarget& target) {
    const bool classify = target.n_classes > 0;
    Histogram out;
    out.width = classify ? target.n_classes : 2;
    out.n_codes = column.n_codes;
    out.cells.assign((column.n_codes + 1) * out.width, 0);
    visit_codes(column.codes, [&](const auto* codes) {
        if (classify) {
            count_classes(codes, n_rows, target, out);
        } else {
            sum_target(codes, n_rows, target, out);
        }
    });
    return out;
}

}  // namespace branchline
