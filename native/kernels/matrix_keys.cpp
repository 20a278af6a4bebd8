// Keys of the rows of a matrix: exact codes in one store, then the hashes of row_keys.cpp.
#include <algorithm>

#include "branchline/row_keys.hpp"
#include "key_kernels.hpp"

namespace branchline {

namespace {

// This many columns are ranked together: of a C-ordered matrix, a few cache lines of each row.
constexpr std::size_t columns_at_once = 32;

template <class Float>
void gather(std::span<const ColumnView> columns, std::size_t n_rows, double* values) {
    for (std::size_t row = 0; row < n_rows; ++row) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
            values[c * n_rows + row] = static_cast<double>(value_at<Float>(columns[c], row));
        }
    }
}

std::vector<std::uint8_t> rank_few_rows(std::span<const ColumnView> columns, std::size_t n_rows,
                                        StopSignal& stop) {
    const KeyKernels& kernels = key_kernels_for(best_cpu_level());
    std::vector<std::uint8_t> codes(columns.size() * n_rows);
    std::vector<double> values(columns_at_once * n_rows);
    for (std::size_t begin = 0; begin < columns.size(); begin += columns_at_once) {
        const auto some = columns.subspan(begin, std::min(columns_at_once, columns.size() - begin));
        stop.check();
        const bool is_single = some.front().type == ValueType::float32;  // as all of a matrix
        (is_single ? gather<float> : gather<double>)(some, n_rows, values.data());
        for (std::size_t c = 0; c < some.size(); ++c) {
            kernels.rank(values.data() + c * n_rows, n_rows, codes.data() + (begin + c) * n_rows);
        }
    }
    return codes;
}

std::vector<std::uint64_t> keys_of(std::span<const RankedColumn> columns, std::size_t n_rows,
                                   const KeyedTarget& target, int n_threads, StopSignal& stop) {
    if (target.n_outputs > 0) return content_keys(columns, n_rows, target, n_threads, stop);
    const auto bags = bags_of_values(columns, n_rows, stop);
    return content_keys(columns, n_rows, {bags, 1, target.copies}, n_threads, stop);
}

}  // namespace

std::vector<std::uint64_t> matrix_keys(std::span<const ColumnView> columns, std::size_t n_rows,
                                       const KeyedTarget& target, int n_threads, StopSignal& stop) {
    std::vector<RankedColumn> ranked(columns.size());
    if (n_rows > few_rows) {
        const auto encoded = fit_codes(columns, n_rows, {}, {0, n_threads}, stop);
        for (std::size_t c = 0; c < ranked.size(); ++c) ranked[c].codes = encoded[c].view();
        return keys_of(ranked, n_rows, target, n_threads, stop);
    }
    const auto codes = rank_few_rows(columns, n_rows, stop);
    for (std::size_t c = 0; c < ranked.size(); ++c) {
        ranked[c].codes = {reinterpret_cast<const std::byte*>(codes.data() + c * n_rows), 1};
    }
    return keys_of(ranked, n_rows, target, n_threads, stop);
}

}  // namespace branchline
