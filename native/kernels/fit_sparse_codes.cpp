// Codes of sparse columns: stored cells are sorted, all others share the code of 0.
#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "branchline/codes.hpp"
#include "branchline/thread_pool.hpp"
#include "encode_categories.hpp"
#include "radix_sort.hpp"

namespace branchline {

namespace {

using Row = KeyedRow<std::uint64_t>;

// Scratch space of one worker.
struct Workspace {
    std::vector<Row> rows, spare;
};

struct StoredCells {
    std::span<const double> values;
    std::span<const std::int32_t> rows;
};

void check(const SparseCells& cells, std::size_t n_rows) {
    if (n_rows > max_rows) throw std::length_error("more rows than 32 bits can number");
    if (cells.starts.empty() || cells.starts.front() != 0 ||
        !std::is_sorted(cells.starts.begin(), cells.starts.end()) ||
        cells.values.size() != cells.rows.size() ||
        static_cast<std::size_t>(cells.starts.back()) != cells.values.size()) {
        throw std::invalid_argument("starts, values and rows do not fit each other");
    }
    for (const std::int32_t row : cells.rows) {
        if (row < 0 || static_cast<std::size_t>(row) >= n_rows) {
            throw std::invalid_argument("a cell is in no row");
        }
    }
}

StoredCells cells_of(const SparseCells& cells, std::size_t column) {
    const auto begin = static_cast<std::size_t>(cells.starts[column]);
    const auto count = static_cast<std::size_t>(cells.starts[column + 1]) - begin;
    return {cells.values.subspan(begin, count), cells.rows.subspan(begin, count)};
}

// The stored cells that are neither missing nor 0, by value.
const std::vector<Row>& sorted_rows(const StoredCells& stored, Workspace& space, StopSignal& stop) {
    stop.check();
    auto& rows = space.rows;
    rows.clear();
    for (std::size_t i = 0; i < stored.values.size(); ++i) {
        const double value = stored.values[i];
        if (value == value && value != 0) {
            rows.push_back({key_of(value), static_cast<RowIndex>(stored.rows[i])});
        }
    }
    const auto is_before = [](const Row& a, const Row& b) { return a.key < b.key; };
    const bool is_sorted = std::is_sorted(rows.begin(), rows.end(), is_before);
    if (!is_sorted) sort_by_key(rows, space.spare, stop);
    return rows;
}

bool has_zeros(const StoredCells& stored, std::size_t n_rows) {
    return stored.values.size() < n_rows ||
           std::find(stored.values.begin(), stored.values.end(), 0.0) != stored.values.end();
}

// The distinct values in order, 0 among them where there are zeros.
std::vector<double> distinct_values(const std::vector<Row>& rows, bool has_zero) {
    std::vector<double> values;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i > 0 && rows[i].key == rows[i - 1].key) continue;
        const auto value = value_of<double>(rows[i].key);
        if (has_zero && value > 0 && (values.empty() || values.back() < 0)) values.push_back(0);
        values.push_back(value);
    }
    if (has_zero && (values.empty() || values.back() < 0)) values.push_back(0);
    return values;
}

EncodedColumn encode(const StoredCells& stored, std::size_t n_rows, Workspace& space,
                     StopSignal& stop) {
    const auto& rows = sorted_rows(stored, space, stop);
    const bool has_zero = has_zeros(stored, n_rows);
    EncodedColumn column;
    column.lowest = distinct_values(rows, has_zero);
    column.highest = column.lowest;
    column.n_codes = column.lowest.size();
    column.width = code_width(column.n_codes);
    column.codes = new_codes(n_rows, column.width);
    const auto zero = std::lower_bound(column.lowest.begin(), column.lowest.end(), 0.0);
    const std::size_t code_of_zero =
        has_zero ? static_cast<std::size_t>(zero - column.lowest.begin()) + 1 : 0;
    visit_new_codes(column, [&](auto* codes) {
        using CodeType = std::remove_pointer_t<decltype(codes)>;
        std::fill_n(codes, n_rows, static_cast<CodeType>(code_of_zero));
        for (std::size_t i = 0; i < stored.values.size(); ++i) {
            if (stored.values[i] != stored.values[i]) codes[stored.rows[i]] = missing_code;
        }
        for (std::size_t i = 0, code = 0; i < rows.size(); ++i) {
            if (i == 0 || rows[i].key != rows[i - 1].key) ++code;
            if (code == code_of_zero) ++code;
            codes[rows[i].row] = static_cast<CodeType>(code);
        }
    });
    return column;
}

}  // namespace

std::vector<EncodedColumn> fit_sparse_codes(const SparseCells& cells, std::size_t n_rows,
                                            int n_threads, StopSignal& stop) {
    check(cells, n_rows);
    ThreadPool pool(n_threads, stop);
    std::vector<Workspace> spaces(pool.n_workers());
    std::vector<EncodedColumn> encoded(cells.starts.size() - 1);
    pool.run(encoded.size(), [&](std::size_t c, std::size_t worker) {
        encoded[c] = encode(cells_of(cells, c), n_rows, spaces[worker], stop);
    });
    return encoded;
}

}  // namespace branchline
