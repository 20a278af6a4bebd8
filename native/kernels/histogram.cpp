#include "histogram.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace branchline {

namespace {

// A code beyond the last would be counted outside the histogram. Cost: a pass without branches.
template <class CodeType>
void check_codes(const CodeType* codes, std::size_t n_rows, std::size_t n_codes) {
    if (n_codes >= std::numeric_limits<CodeType>::max()) return;
    CodeType highest = 0;
    for (std::size_t row = 0; row < n_rows; ++row) highest = std::max(highest, codes[row]);
    if (highest > n_codes) throw std::invalid_argument("a code is greater than n_codes");
}

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

// Takes the mean of all rows (rounded, so that sums stay exact) off the target. Otherwise a small
// difference between branches would drown in the rounding of large squares.
void centre(Histogram& histogram) {
    std::int64_t weight = 0, sum = 0;
    for (std::size_t code = 0; code <= histogram.n_codes; ++code) {
        weight += histogram.cell(code)[0];
        sum += histogram.cell(code)[1];
    }
    if (weight == 0) return;
    const std::int64_t mean = sum / weight;
    for (std::size_t code = 0; code <= histogram.n_codes; ++code) {
        std::int64_t* cell = histogram.cells.data() + code * histogram.width;
        cell[1] -= mean * cell[0];
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
        check_codes(codes, n_rows, column.n_codes);
        if (classify) {
            count_classes(codes, n_rows, target, out);
        } else {
            sum_target(codes, n_rows, target, out);
            centre(out);
        }
    });
    return out;
}

}  // namespace branchline
