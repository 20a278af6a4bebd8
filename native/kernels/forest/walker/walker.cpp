#include <stdexcept>

#include "branchline/forest_walker.hpp"
#include "forest/walker/blocks.hpp"

namespace branchline {

namespace baseline {
extern const ForestKernels forest_kernels;
}
#if defined(__x86_64__)
namespace v3 {
extern const ForestKernels forest_kernels;
}
namespace v4 {
extern const ForestKernels forest_kernels;
}
#endif

const ForestKernels& forest_kernels_for(CpuLevel level) noexcept {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::forest_kernels;
    if (level == CpuLevel::v3) return v3::forest_kernels;
#endif
    static_cast<void>(level);
    return baseline::forest_kernels;
}

namespace {

// Up to here one row down all trees side by side is faster than all rows down one tree.
constexpr std::size_t most_side_by_side = 20;

void check_range(const CompactForest& forest, TreeRange trees) {
    if (trees.n < 1 || trees.first > forest.n_trees() || trees.n > forest.n_trees() - trees.first) {
        throw std::invalid_argument("at least one tree, and none beyond the last");
    }
}

void add_values(const CompactForest& forest, std::size_t first_leaf,
                std::span<const std::uint32_t> numbers, double* sums, std::size_t step) {
    const std::size_t width = forest.width;
    for (const std::uint32_t number : numbers) {
        const double* const value = forest.value_at(first_leaf + number);
        for (std::size_t i = 0; i < width; ++i) sums[i] += value[i];
        sums += step;
    }
}

void divide(std::span<double> sums, std::size_t n_trees) {
    for (double& sum : sums) sum /= static_cast<double>(n_trees);
}

// Adds what one row gets of each tree. In three passes: each waits for memory, but the reads of one
// pass do not wait for one another.
void add_places(const CompactForest& forest, TreeRange trees, std::span<const std::uint32_t> places,
                std::span<double> sums) {
    const ForestKernels& kernels = forest_kernels_for(best_cpu_level());
    std::vector<std::uint32_t> value(trees.n);
    for (std::size_t t = 0; t < trees.n; ++t) {
        kernels.number_leaves(forest.leaves_of(trees.first + t), {&places[t], 1}, &value[t]);
    }
    for (std::size_t t = 0; t < trees.n; ++t) {
        value[t] = forest.value_of_leaf[forest.first_leaf[trees.first + t] + value[t]];
    }
    const std::size_t width = forest.width, n_outputs = sums.size() / width;
    for (std::size_t t = 0; t < trees.n; ++t) {
        double* const to = &sums[(trees.first + t) % n_outputs * width];
        for (std::size_t i = 0; i < width; ++i) to[i] += forest.values[value[t] * width + i];
    }
}

// One row after another goes down all trees of a range, which are walked side by side. `step`: the
// numbers of a row.
void sum_side_by_side(const CompactForest& forest, std::span<const ColumnView> columns,
                      TreeRange range, std::size_t step, std::span<double> of_row) {
    const ForestKernels& kernels = forest_kernels_for(best_cpu_level());
    const std::size_t n_rows = of_row.size() / step;
    std::vector<std::uint32_t> codes(n_rows * forest.n_views), places(range.n);
    code_rows(forest, kernels, columns, 0, n_rows, codes.data());
    std::fill(of_row.begin(), of_row.end(), 0.0);
    forest.visit_trees(range, [&](auto trees) {
        for (std::size_t row = 0; row < n_rows; ++row) {
            kernels.descend_trees(trees, &codes[row * forest.n_views], places.data());
            add_places(forest, range, places, of_row.subspan(row * step, step));
        }
    });
}

}  // namespace

ForestWalker::ForestWalker(const ForestView& forest, int n_threads, StopSignal& stop)
    : forest_(std::make_unique<const CompactForest>(make_compact_forest(forest, n_threads, stop))) {
}
ForestWalker::~ForestWalker() = default;
ForestWalker::ForestWalker(ForestWalker&&) noexcept = default;

void ForestWalker::sum(std::span<const ColumnView> columns, TreeRange trees, std::size_t n_outputs,
                       std::span<double> of_row, int n_threads, StopSignal& stop) const {
    check_range(*forest_, trees);
    const std::size_t step = n_outputs * forest_->width, n_rows = of_row.size() / step;
    if (n_rows <= most_side_by_side && n_threads >= 1) {
        check_columns(*forest_, columns);
        return sum_side_by_side(*forest_, columns, trees, step, of_row);
    }
    const ForestKernels& kernels = forest_kernels_for(best_cpu_level());
    const auto visit = [&](std::size_t begin, std::size_t end, BlockRoom& room) {
        const auto sums = of_row.subspan(begin * step, (end - begin) * step);
        std::fill(sums.begin(), sums.end(), 0.0);
        const auto places = std::span(room.place_of_row).first(end - begin);
        for (std::size_t t = trees.first; t < trees.first + trees.n; ++t) {
            stop.check();
            walk_all_rows(*forest_, t, places.size(), room);
            kernels.number_leaves(forest_->leaves_of(t), places, room.number.data());
            add_values(*forest_, forest_->first_leaf[t],
                       std::span(room.number).first(places.size()),
                       sums.data() + t % n_outputs * forest_->width, step);
        }
    };
    for_each_block(*forest_, columns, n_rows, n_threads, stop, visit);
}

void ForestWalker::average(std::span<const ColumnView> columns, TreeRange trees,
                           std::span<double> of_row, int n_threads, StopSignal& stop) const {
    sum(columns, trees, 1, of_row, n_threads, stop);
    divide(of_row, trees.n);
}

void ForestWalker::average_few(std::span<const ColumnView> columns, TreeRange trees,
                               std::span<double> of_row) const {
    StopSignal never;
    average(columns, trees, of_row, 1, never);
}

void ForestWalker::find_leaves(std::span<const ColumnView> columns,
                               std::span<std::int32_t> leaf_of_row, int n_threads,
                               StopSignal& stop) const {
    const std::size_t n_trees = forest_->n_trees();
    const auto visit = [&](std::size_t begin, std::size_t end, BlockRoom& room) {
        for (std::size_t t = 0; t < n_trees; ++t) {
            stop.check();
            walk_all_rows(*forest_, t, end - begin, room);
            for (std::size_t row = begin; row < end; ++row) {
                leaf_of_row[row * n_trees + t] =
                    static_cast<std::int32_t>(room.place_of_row[row - begin] - root_place);
            }
        }
    };
    for_each_block(*forest_, columns, leaf_of_row.size() / n_trees, n_threads, stop, visit);
}

std::size_t ForestWalker::n_trees() const noexcept { return forest_->n_trees(); }
std::size_t ForestWalker::n_nodes() const noexcept { return forest_->n_nodes; }
std::size_t ForestWalker::n_leaves() const noexcept { return forest_->n_leaves; }
std::size_t ForestWalker::width() const noexcept { return forest_->width; }

std::size_t ForestWalker::n_bytes() const noexcept {
    const auto bytes = [](const auto& vector) { return vector.size() * sizeof vector[0]; };
    const CompactForest& f = *forest_;
    return bytes(f.narrow) + bytes(f.wide) + bytes(f.category_bits) + bytes(f.leaf_words) +
           bytes(f.value_of_leaf) + bytes(f.values) + bytes(f.edges) + bytes(f.tested) +
           bytes(f.n_codes) + bytes(f.first_node) + bytes(f.first_leaf) + bytes(f.first_word);
}

}  // namespace branchline
