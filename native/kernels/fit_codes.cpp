// Learning codes: gather interleaved columns, sort each (or look up its values, where they are few),
// number its values, write the codes back.
#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <type_traits>

#include "branchline/codes.hpp"
#include "branchline/thread_pool.hpp"
#include "encode_categories.hpp"
#include "few_values.hpp"
#include "gather_columns.hpp"
#include "quantile_bins.hpp"
#include "radix_sort.hpp"
#include "search_codes.hpp"

namespace branchline {

namespace {

// Scratch space of one worker, kept from column to column: fresh pages cost more than the sort.
struct Workspace {
    std::tuple<std::vector<BareKey<std::uint32_t>>, std::vector<BareKey<std::uint64_t>>,
               std::vector<KeyedRow<std::uint32_t>>, std::vector<KeyedRow<std::uint64_t>>>
        rows, spare;
    std::tuple<FewValues<std::uint32_t>, FewValues<std::uint64_t>> few;
    std::vector<std::int64_t> weight_before;
    std::vector<std::uint32_t> bin_starts;
};

// What every column needs: the weights, how many bins, and a way to stop.
struct Task {
    std::span<const std::int64_t> units;
    std::size_t max_bins;
    StopSignal& stop;
};

template <class Float>
using KeyFor = decltype(key_of(Float{}));

template <class Row, class Float>
Row row_of(Float value, std::size_t row) {
    if constexpr (requires(Row r) { r.row; }) {
        return {key_of(value), static_cast<RowIndex>(row)};
    } else {
        return {key_of(value)};
    }
}

// Sorts the rows that have a value; the result stays in the workspace.
template <class Row, class Float>
const std::vector<Row>& sorted_rows(const ColumnView& column, std::size_t n_rows, const Task& task,
                                    Workspace& space) {
    task.stop.check();
    auto& rows = std::get<std::vector<Row>>(space.rows);
    rows.resize(n_rows);
    std::size_t n_present = 0;
    for (std::size_t row = 0; row < n_rows; ++row) {
        const auto value = value_at<Float>(column, row);
        rows[n_present] = row_of<Row>(value, row);
        n_present += value == value;
    }
    rows.resize(n_present);
    sort_by_key(rows, std::get<std::vector<Row>>(space.spare), task.stop);
    task.stop.check();
    return rows;
}

// One bin for each distinct value. `starts` gets one extra entry, the number of rows.
template <class Row>
void exact_bins(const std::vector<Row>& rows, std::vector<std::uint32_t>& starts) {
    starts.resize(rows.size() + 1);
    std::size_t n_bins = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        starts[n_bins] = static_cast<std::uint32_t>(i);
        n_bins += i == 0 || rows[i].key != rows[i - 1].key;
    }
    starts[n_bins] = static_cast<std::uint32_t>(rows.size());
    starts.resize(n_bins + 1);
}

template <class Row>
std::span<const std::int64_t> cumulate(const std::vector<Row>& rows,
                                       std::span<const std::int64_t> units, Workspace& space) {
    if constexpr (requires { rows[0].row; }) {
        if (units.empty()) return {};
        auto& before = space.weight_before;
        before.resize(rows.size() + 1);
        before[0] = 0;
        for (std::size_t i = 0; i < rows.size(); ++i)
            before[i + 1] = before[i] + units[rows[i].row];
        return before;
    }
    return {};
}

// The codes' number and ranges; the codes themselves are still to be written.
template <class Float, class Row>
EncodedColumn new_column(const std::vector<Row>& rows, const std::vector<std::uint32_t>& starts,
                         std::size_t n_rows) {
    EncodedColumn column;
    column.n_codes = starts.size() - 1;
    column.width = code_width(column.n_codes);
    column.codes = new_codes(n_rows, column.width);
    column.lowest.resize(column.n_codes);
    column.highest.resize(column.n_codes);
    for (std::size_t bin = 0; bin < column.n_codes; ++bin) {
        column.lowest[bin] = static_cast<double>(value_of<Float>(rows[starts[bin]].key));
        column.highest[bin] = static_cast<double>(value_of<Float>(rows[starts[bin + 1] - 1].key));
    }
    return column;
}

// Each row's code is written where the sort remembers its row.
template <class Float>
EncodedColumn rank_numbers(const ColumnView& view, std::size_t n_rows, const Task& task,
                           Workspace& space) {
    const auto& rows = sorted_rows<KeyedRow<KeyFor<Float>>, Float>(view, n_rows, task, space);
    auto& starts = space.bin_starts;
    if (task.max_bins == 0) {
        exact_bins(rows, starts);
    } else {
        using Row = KeyedRow<KeyFor<Float>>;
        const WeighedRows<Row> weighed{rows, cumulate(rows, task.units, space)};
        quantile_bins(weighed, task.max_bins, starts);
    }
    EncodedColumn column = new_column<Float>(rows, starts, n_rows);
    visit_new_codes(column, [&](auto* codes) {
        using CodeType = std::remove_pointer_t<decltype(codes)>;
        for (std::size_t bin = 0; bin < column.n_codes; ++bin) {
            for (std::size_t i = starts[bin]; i < starts[bin + 1]; ++i) {
                codes[rows[i].row] = static_cast<CodeType>(bin + 1);
            }
        }
    });
    return column;
}

// Keys are sorted alone; the bin of each value is searched afterwards. For few codes, no weights.
template <class Float>
EncodedColumn bin_numbers(const ColumnView& view, std::size_t n_rows, const Task& task,
                          Workspace& space) {
    const auto& rows = sorted_rows<BareKey<KeyFor<Float>>, Float>(view, n_rows, task, space);
    quantile_bins(WeighedRows<BareKey<KeyFor<Float>>>{rows, {}}, task.max_bins, space.bin_starts);
    EncodedColumn column = new_column<Float>(rows, space.bin_starts, n_rows);
    search_codes<Float>(view, n_rows, {column.lowest, column.highest}, best_cpu_level(), column);
    return column;
}

template <class Float>
EncodedColumn encode_numbers(const ColumnView& view, std::size_t n_rows, const Task& task,
                             Workspace& space) {
    auto& few_values = std::get<FewValues<KeyFor<Float>>>(space.few);
    if (task.max_bins == 0 && few_values.template look_at<Float>(view, n_rows)) {
        return few_values.template encode<Float>();
    }
    // Writing codes in the order of values is faster while they stay in the cache.
    constexpr std::size_t many_rows = std::size_t{1} << 19;
    const bool few = task.max_bins != 0 && task.max_bins <= 255 && task.units.empty();
    return few && n_rows > many_rows ? bin_numbers<Float>(view, n_rows, task, space)
                                     : rank_numbers<Float>(view, n_rows, task, space);
}

EncodedColumn encode_column(const ColumnView& view, std::size_t n_rows, const Task& task,
                            Workspace& space) {
    switch (view.type) {
        case ValueType::float32: return encode_numbers<float>(view, n_rows, task, space);
        case ValueType::float64: return encode_numbers<double>(view, n_rows, task, space);
        case ValueType::category: break;
    }
    return encode_categories(view, n_rows);
}

}  // namespace

std::vector<EncodedColumn> fit_codes(std::span<const ColumnView> columns, std::size_t n_rows,
                                     std::span<const std::int64_t> units,
                                     const FitCodesOptions& options, StopSignal& stop) {
    if (n_rows > max_rows) throw std::length_error("more rows than 32 bits can number");
    ThreadPool pool(options.n_threads, stop);
    const Task task{units, options.max_bins, stop};
    std::vector<Workspace> spaces(pool.n_workers());
    std::vector<EncodedColumn> encoded(columns.size());
    GatheredColumns gathered(n_rows);
    const std::size_t at_once = GatheredColumns::at_once(n_rows, pool.n_workers());
    for (std::size_t begin = 0; begin < columns.size(); begin += at_once) {
        const std::size_t count = std::min(at_once, columns.size() - begin);
        gathered.load(columns.subspan(begin, count), pool);
        pool.run(count, [&](std::size_t c, std::size_t worker) {
            encoded[begin + c] = encode_column(gathered[c], n_rows, task, spaces[worker]);
        });
    }
    return encoded;
}

}  // namespace branchline
