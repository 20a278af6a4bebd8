#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "branchline/linear_leaves.hpp"
#include "branchline/thread_pool.hpp"

namespace branchline {

namespace {

constexpr std::size_t block_rows = 4096, least_a_thread = 32768;

// What is asked of arrays before a loop trusts them.
void check(const LinearLeaves& leaves) {
    const TermsView& terms = leaves.terms;
    const std::size_t n_terms = terms.column.size();
    const bool are_alike = terms.slope.size() == n_terms && terms.center.size() == n_terms &&
                           terms.low.size() == n_terms && terms.high.size() == n_terms;
    if (!are_alike || terms.first.size() != leaves.value.size() + 1 || terms.first[0] != 0 ||
        terms.first.back() != static_cast<std::int64_t>(n_terms) ||
        !std::ranges::is_sorted(terms.first)) {
        throw std::out_of_range("terms for each leaf");
    }
    const std::size_t n_columns = leaves.n_rows > 0 ? leaves.z.size() / leaves.n_rows : 0;
    for (const std::uint32_t column : terms.column) {
        if (column >= n_columns && leaves.n_rows > 0) throw std::out_of_range("no such column");
    }
}

double value_of(const LinearLeaves& leaves, std::size_t leaf, std::size_t row) noexcept {
    const TermsView& terms = leaves.terms;
    double value = leaves.value[leaf];
    const auto end = static_cast<std::size_t>(terms.first[leaf + 1]);
    for (auto term = static_cast<std::size_t>(terms.first[leaf]); term < end; ++term) {
        const float z = leaves.z[terms.column[term] * leaves.n_rows + row];
        if (std::isnan(z)) continue;
        const double kept = std::clamp(z, terms.low[term], terms.high[term]);
        value += static_cast<double>(terms.slope[term]) *
                 (kept - static_cast<double>(terms.center[term]));
    }
    return value;
}

}  // namespace

void add_linear_leaves(const LinearLeaves& leaves, std::span<const std::int64_t> n_leaves,
                       std::span<const std::uint32_t> leaf_of_row, std::span<double> scores,
                       int n_threads, StopSignal& stop) {
    check(leaves);
    std::vector<std::size_t> first{0};
    for (const std::int64_t n : n_leaves)
        first.push_back(first.back() + static_cast<std::size_t>(n));
    if (first.back() != leaves.value.size()) throw std::out_of_range("a value for each leaf");
    const std::size_t n_rows = leaves.n_rows, n_blocks = (n_rows + block_rows - 1) / block_rows;
    ThreadPool pool(threads_for(scores.size(), least_a_thread, n_threads), stop);
    pool.run(n_blocks * n_leaves.size(), [&](std::size_t task, std::size_t) {
        const std::size_t tree = task / n_blocks, begin = task % n_blocks * block_rows;
        for (std::size_t row = begin; row < std::min(n_rows, begin + block_rows); ++row) {
            const std::size_t leaf = first[tree] + leaf_of_row[tree * n_rows + row];
            if (leaf >= first[tree + 1]) throw std::out_of_range("no such leaf");
            scores[tree * n_rows + row] += value_of(leaves, leaf, row);
        }
    });
}

void add_linear_trees(const LinearLeaves& leaves, std::span<const std::int32_t> leaf_of_row,
                      std::size_t n_outputs, std::span<double> scores, int n_threads,
                      StopSignal& stop) {
    check(leaves);
    const std::size_t n_rows = leaves.n_rows, n_blocks = (n_rows + block_rows - 1) / block_rows;
    if (n_rows == 0) return;
    const std::size_t n_trees = leaf_of_row.size() / n_rows;
    ThreadPool pool(threads_for(leaf_of_row.size(), least_a_thread, n_threads), stop);
    pool.run(n_blocks, [&](std::size_t block, std::size_t) {
        const std::size_t begin = block * block_rows;
        for (std::size_t row = begin; row < std::min(n_rows, begin + block_rows); ++row) {
            for (std::size_t tree = 0; tree < n_trees; ++tree) {
                const auto leaf = static_cast<std::size_t>(leaf_of_row[row * n_trees + tree]);
                if (leaf >= leaves.value.size()) throw std::out_of_range("no such leaf");
                scores[tree % n_outputs * n_rows + row] += value_of(leaves, leaf, row);
            }
        }
    });
}

}  // namespace branchline
