// Keys of the rows of a matrix: exact codes in one store, then the hashes of row_keys.cpp.
#include <algorithm>
#include <array>
#include <type_traits>

#include "branchline/row_keys.hpp"
#include "branchline/thread_pool.hpp"
#include "gather_columns.hpp"

namespace branchline {

namespace {

// Up to this many rows, comparing all pairs of values is faster than sorting them.
constexpr std::size_t few_rows = 160;

// Writes the exact codes of a contiguous column: 1 + how many distinct values are smaller; 0 for NaN.
// Returns whether all values that are not NaN differ.
template <class Float>
bool rank_by_counting(const Float* values, std::size_t n_rows, std::uint8_t* codes) {
    // Counts are as wide as the values: so the compiler compares several at a time.
    using Count = std::conditional_t<sizeof(Float) == 4, std::int32_t, std::int64_t>;
    std::array<std::uint8_t, few_rows + 1> is_taken{};
    std::array<Count, few_rows> counts{};
    std::size_t n_present = 0;
    for (std::size_t row = 0; row < n_rows; ++row) {
        const Float value = values[row];
        Count smaller = 0;
        for (std::size_t other = 0; other < n_rows; ++other) smaller += values[other] < value;
        counts[row] = smaller;
        if (value == value) is_taken[static_cast<std::size_t>(smaller)] = 1;
        n_present += value == value;
    }
    std::uint8_t n_codes = 0;
    for (std::size_t rank = 0; rank < n_rows; ++rank) {
        n_codes = static_cast<std::uint8_t>(n_codes + is_taken[rank]);
        is_taken[rank] = n_codes;
    }
    for (std::size_t row = 0; row < n_rows; ++row) {
        const auto rank = static_cast<std::size_t>(counts[row]);
        codes[row] = values[row] == values[row] ? is_taken[rank] : std::uint8_t{0};
    }
    return n_codes == n_present;
}

// Rounding to single precision keeps the order: where no two rounded values are equal, their codes are
// those of the values, at half of the cost.
void rank_doubles(const double* values, std::size_t n_rows, std::uint8_t* codes) {
    std::array<float, few_rows> rounded;
    for (std::size_t row = 0; row < n_rows; ++row) rounded[row] = static_cast<float>(values[row]);
    if (rank_by_counting(rounded.data(), n_rows, codes)) return;
    rank_by_counting(values, n_rows, codes);
}

void rank_column(const ColumnView& column, std::size_t n_rows, std::uint8_t* codes) {
    if (column.type == ValueType::float32) {
        rank_by_counting(reinterpret_cast<const float*>(column.data), n_rows, codes);
    } else {
        rank_doubles(reinterpret_cast<const double*>(column.data), n_rows, codes);
    }
}

std::vector<std::uint8_t> rank_few_rows(std::span<const ColumnView> columns, std::size_t n_rows,
                                        int n_threads, StopSignal& stop) {
    ThreadPool pool(n_threads, stop);
    std::vector<std::uint8_t> codes(columns.size() * n_rows);
    GatheredColumns gathered(n_rows);
    const std::size_t at_once = GatheredColumns::at_once(n_rows, pool.n_workers());
    for (std::size_t begin = 0; begin < columns.size(); begin += at_once) {
        const std::size_t count = std::min(at_once, columns.size() - begin);
        stop.check();
        gathered.load(columns.subspan(begin, count), pool);
        for (std::size_t c = 0; c < count; ++c) {
            rank_column(gathered[c], n_rows, codes.data() + (begin + c) * n_rows);
        }
    }
    return codes;
}

}  // namespace

std::vector<std::uint64_t> matrix_keys(std::span<const ColumnView> columns, std::size_t n_rows,
                                       const KeyedTarget& target, int n_threads, StopSignal& stop) {
    std::vector<RankedColumn> ranked(columns.size());
    if (n_rows > few_rows) {
        const auto encoded = fit_codes(columns, n_rows, {}, {0, n_threads}, stop);
        for (std::size_t c = 0; c < ranked.size(); ++c) ranked[c].codes = encoded[c].view();
        return content_keys(ranked, n_rows, target, n_threads, stop);
    }
    const auto codes = rank_few_rows(columns, n_rows, n_threads, stop);
    for (std::size_t c = 0; c < ranked.size(); ++c) {
        ranked[c].codes = {reinterpret_cast<const std::byte*>(codes.data() + c * n_rows), 1};
    }
    return content_keys(ranked, n_rows, target, n_threads, stop);
}

}  // namespace branchline
