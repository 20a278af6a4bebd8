// Encoding new values with codes learned earlier.
#include <algorithm>
#include <stdexcept>

#include "branchline/codes.hpp"
#include "branchline/thread_pool.hpp"
#include "encode_categories.hpp"
#include "search_codes.hpp"

namespace branchline {

namespace {

template <class Float>
EncodedColumn apply_to_numbers(const ColumnView& view, std::size_t n_rows, const KnownCodes& known,
                               CpuLevel level) {
    EncodedColumn column;
    column.n_codes = known.lowest.size();
    column.width = code_width(column.n_codes);
    column.codes = new_codes(n_rows, column.width);
    search_codes<Float>(view, n_rows, known, level, column);
    return column;
}

}  // namespace

std::vector<EncodedColumn> apply_codes(std::span<const ColumnView> columns, std::size_t n_rows,
                                       std::span<const KnownCodes> known, CpuLevel level,
                                       int n_threads, StopSignal& stop) {
    if (known.size() != columns.size()) throw std::invalid_argument("codes of other columns");
    const auto levels = available_cpu_levels();
    if (std::find(levels.begin(), levels.end(), level) == levels.end()) {
        throw std::invalid_argument("this processor cannot run that level");
    }
    ThreadPool pool(n_threads, stop);
    std::vector<EncodedColumn> encoded(columns.size());
    pool.run(columns.size(), [&](std::size_t c, std::size_t) {
        const ColumnView& view = columns[c];
        switch (view.type) {
            case ValueType::float32:
                encoded[c] = apply_to_numbers<float>(view, n_rows, known[c], level);
                break;
            case ValueType::float64:
                encoded[c] = apply_to_numbers<double>(view, n_rows, known[c], level);
                break;
            case ValueType::category: encoded[c] = encode_categories(view, n_rows); break;
        }
    });
    return encoded;
}

}  // namespace branchline
