// Learning codes: gather interleaved columns, sort each, number its values, write the codes back.
#include <algorithm>
#include <numeric>
#include <tuple>
#include <type_traits>

#include "branchline/codes.hpp"
#include "branchline/thread_pool.hpp"
#include "encode_categories.hpp"
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
    std::vector<std::uint32_t> run_start;
    std::vector<std::int64_t> run_weight;
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
const std::vector<Row>& sorted_rows(const ColumnView& column, std::size_t n_rows,
                                    Workspace& space) {
    auto& rows = std::get<std::vector<Row>>(space.rows);
    rows.resize(n_rows);
    std::size_t n_present = 0;
    for (std::size_t row = 0; row < n_rows; ++row) {
        const auto value = value_at<Float>(column, row);
        rows[n_present] = row_of<Row>(value, row);
        n_present += value == value;
    }
    rows.resize(n_present);
    sort_by_key(rows, std::get<std::vector<Row>>(space.spare));
    return rows;
}

// A run is a stretch of sorted rows with one value. run_start gets one extra entry, the end.
template <class Row>
void find_runs(const std::vector<Row>& rows, std::vector<std::uint32_t>& run_start) {
    run_start.resize(rows.size() + 1);
    std::size_t n_runs = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        run_start[n_runs] = static_cast<std::uint32_t>(i);
        n_runs += i == 0 || rows[i].key != rows[i - 1].key;
    }
    run_start[n_runs] = static_cast<std::uint32_t>(rows.size());
    run_start.resize(n_runs + 1);
}

template <class Row>
void weigh_runs(const std::vector<Row>& rows, std::span<const std::int64_t> units,
                Workspace& space) {
    const auto& start = space.run_start;
    space.run_weight.resize(start.size() - 1);
    for (std::size_t run = 0; run + 1 < start.size(); ++run) {
        space.run_weight[run] = start[run + 1] - start[run];
        if constexpr (requires { rows[0].row; }) {
            if (units.empty()) continue;
            std::int64_t weight = 0;
            for (std::size_t i = start[run]; i < start[run + 1]; ++i) weight += units[rows[i].row];
            space.run_weight[run] = weight;
        }
    }
}

template <class Row>
std::vector<std::uint32_t> bins_of_runs(const std::vector<Row>& rows,
                                        std::span<const std::int64_t> units, std::size_t max_bins,
                                        Workspace& space) {
    find_runs(rows, space.run_start);
    const std::size_t n_runs = space.run_start.size() - 1;
    if (max_bins != 0 && n_runs > max_bins) {
        weigh_runs(rows, units, space);
        return quantile_bins(space.run_weight, max_bins);
    }
    std::vector<std::uint32_t> bin_of_run(n_runs);
    std::iota(bin_of_run.begin(), bin_of_run.end(), 0u);
    return bin_of_run;
}

// The codes' number and ranges; the codes themselves are still to be written.
template <class Float, class Row>
EncodedColumn new_column(const std::vector<Row>& rows, const std::vector<std::uint32_t>& run_start,
                         const std::vector<std::uint32_t>& bin_of_run, std::size_t n_rows) {
    EncodedColumn column;
    column.n_codes = bin_of_run.empty() ? 0 : bin_of_run.back() + std::size_t{1};
    column.width = code_width(column.n_codes);
    column.codes = new_codes(n_rows, column.width);
    column.lowest.resize(column.n_codes);
    column.highest.resize(column.n_codes);
    for (std::size_t run = 0; run < bin_of_run.size(); ++run) {
        const std::uint32_t bin = bin_of_run[run];
        const bool is_first = run == 0 || bin_of_run[run - 1] != bin;
        const bool is_last = run + 1 == bin_of_run.size() || bin_of_run[run + 1] != bin;
        if (!is_first && !is_last) continue;
        const auto value = static_cast<double>(value_of<Float>(rows[run_start[run]].key));
        if (is_first) column.lowest[bin] = value;
        if (is_last) column.highest[bin] = value;
    }
    return column;
}

// Many codes: each row's code is written where the sort remembers its row.
template <class Float>
EncodedColumn rank_numbers(const ColumnView& view, std::size_t n_rows,
                           std::span<const std::int64_t> units, std::size_t max_bins,
                           Workspace& space) {
    const auto& rows = sorted_rows<KeyedRow<KeyFor<Float>>, Float>(view, n_rows, space);
    const auto bin_of_run = bins_of_runs(rows, units, max_bins, space);
    EncodedColumn column = new_column<Float>(rows, space.run_start, bin_of_run, n_rows);
    visit_new_codes(column, [&](auto* codes) {
        using CodeType = std::remove_pointer_t<decltype(codes)>;
        for (std::size_t run = 0; run < bin_of_run.size(); ++run) {
            for (std::size_t i = space.run_start[run]; i < space.run_start[run + 1]; ++i) {
                codes[rows[i].row] = static_cast<CodeType>(bin_of_run[run] + 1);
            }
        }
    });
    return column;
}

// Few codes and no weights: sorting keys alone and searching bins afterwards is twice as fast.
template <class Float>
EncodedColumn bin_numbers(const ColumnView& view, std::size_t n_rows, std::size_t max_bins,
                          Workspace& space) {
    const auto& rows = sorted_rows<BareKey<KeyFor<Float>>, Float>(view, n_rows, space);
    const auto bin_of_run = bins_of_runs(rows, {}, max_bins, space);
    EncodedColumn column = new_column<Float>(rows, space.run_start, bin_of_run, n_rows);
    search_codes<Float>(view, n_rows, {column.lowest, column.highest}, best_cpu_level(), column);
    return column;
}

template <class Float>
EncodedColumn encode_numbers(const ColumnView& view, std::size_t n_rows,
                             std::span<const std::int64_t> units, std::size_t max_bins,
                             Workspace& space) {
    const bool few = max_bins != 0 && max_bins <= 255 && units.empty();
    return few ? bin_numbers<Float>(view, n_rows, max_bins, space)
               : rank_numbers<Float>(view, n_rows, units, max_bins, space);
}

// Columns of a C-ordered matrix are interleaved: reading them one by one would fetch every cache
// line once per column. They are gathered together, block of rows by block of rows.
class Gathered {
  public:
    static constexpr std::size_t block_rows = 2048;
    static constexpr std::size_t max_bytes = std::size_t{256} << 20;

    Gathered(std::span<const ColumnView> columns, std::size_t n_rows, ThreadPool& pool)
        : columns_(columns.begin(), columns.end()), store_(columns.size()) {
        std::vector<std::size_t> interleaved;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            if (columns[c].stride != size_of(columns[c].type)) interleaved.push_back(c);
        }
        for (const std::size_t c : interleaved) {
            const auto size = static_cast<std::size_t>(size_of(columns[c].type));
            store_[c] = std::make_unique_for_overwrite<std::byte[]>(n_rows * size);
            columns_[c].data = store_[c].get();
            columns_[c].stride = size_of(columns[c].type);
        }
        if (interleaved.empty()) return;
        pool.run((n_rows + block_rows - 1) / block_rows, [&](std::size_t block, std::size_t) {
            const std::size_t begin = block * block_rows, end = std::min(n_rows, begin + block_rows);
            for (const std::size_t c : interleaved) copy(columns[c], columns_[c], begin, end);
        });
    }

    const ColumnView& operator[](std::size_t c) const { return columns_[c]; }

    static std::ptrdiff_t size_of(ValueType type) { return type == ValueType::float64 ? 8 : 4; }

  private:
    static void copy(const ColumnView& from, const ColumnView& to, std::size_t begin,
                     std::size_t end) {
        auto* out = const_cast<std::byte*>(to.data);  // our own store
        const auto size = static_cast<std::size_t>(size_of(from.type));
        for (std::size_t row = begin; row < end; ++row) {
            std::memcpy(out + row * size,
                        from.data + static_cast<std::ptrdiff_t>(row) * from.stride, size);
        }
    }

    std::vector<ColumnView> columns_;
    std::vector<std::unique_ptr<std::byte[]>> store_;
};

}  // namespace

std::vector<EncodedColumn> fit_codes(std::span<const ColumnView> columns, std::size_t n_rows,
                                     std::span<const std::int64_t> units,
                                     const FitCodesOptions& options, StopSignal& stop) {
    ThreadPool pool(options.n_threads, stop);
    std::vector<Workspace> spaces(pool.n_workers());
    std::vector<EncodedColumn> encoded(columns.size());
    const std::size_t chunk = std::max<std::size_t>(
        pool.n_workers(), Gathered::max_bytes / std::max<std::size_t>(1, n_rows * sizeof(double)));
    for (std::size_t begin = 0; begin < columns.size(); begin += chunk) {
        const std::size_t count = std::min(chunk, columns.size() - begin);
        const Gathered views(columns.subspan(begin, count), n_rows, pool);
        pool.run(count, [&](std::size_t c, std::size_t worker) {
            const ColumnView& view = views[c];
            EncodedColumn& column = encoded[begin + c];
            switch (view.type) {
                case ValueType::float32:
                    column = encode_numbers<float>(view, n_rows, units, options.max_bins,
                                                   spaces[worker]);
                    break;
                case ValueType::float64:
                    column = encode_numbers<double>(view, n_rows, units, options.max_bins,
                                                    spaces[worker]);
                    break;
                case ValueType::category: column = encode_categories(view, n_rows); break;
            }
        });
    }
    return encoded;
}

}  // namespace branchline
