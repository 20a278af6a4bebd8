#include "branchline/term_sums.hpp"

#include "key_kernels.hpp"

namespace branchline {

namespace {

constexpr std::size_t rows_between_checks = 1024;

// Calls visit(row, numbers) for each row.
template <class Visit>
void for_rows(const EncodedNumbers& numbers, StopSignal& stop, Visit&& visit) {
    for (std::size_t row = 0; row < numbers.n_rows; ++row) {
        if (row % rows_between_checks == 0) stop.check();
        visit(row, numbers.values + row * numbers.n_columns);
    }
}

}  // namespace

std::vector<std::uint64_t> bit_sums(const EncodedNumbers& numbers,
                                    std::span<const std::uint64_t> words, StopSignal& stop) {
    const auto add = key_kernels_for(best_cpu_level()).add_bits;
    std::vector<std::uint64_t> sums(numbers.n_columns);
    for_rows(numbers, stop, [&](std::size_t row, const double* values) {
        add(values, numbers.n_columns, words[row], sums.data());
    });
    return sums;
}

std::vector<std::uint64_t> word_sums(const EncodedNumbers& numbers,
                                     std::span<const std::uint64_t> words, StopSignal& stop) {
    const auto add = key_kernels_for(best_cpu_level()).add_words;
    std::vector<std::uint64_t> sums(numbers.n_columns);
    for_rows(numbers, stop, [&](std::size_t row, const double* values) {
        add(values, numbers.n_columns, words[row], sums.data());
    });
    return sums;
}

std::vector<std::uint64_t> row_sums(const EncodedNumbers& numbers,
                                    std::span<const std::uint64_t> words, StopSignal& stop) {
    const auto sum_of = key_kernels_for(best_cpu_level()).row_sum;
    std::vector<std::uint64_t> sums(numbers.n_rows);
    for_rows(numbers, stop, [&](std::size_t row, const double* values) {
        sums[row] = sum_of(values, numbers.n_columns, words.data());
    });
    return sums;
}

}  // namespace branchline
