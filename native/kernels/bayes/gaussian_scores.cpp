#include "branchline/gaussian_scores.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace branchline {

namespace {

constexpr std::size_t rows_at_once = 8;
// No square overflows; two classes that are both so far away are equally far.
constexpr double farthest = 1e150;

// The columns of one group in one class.
struct Group {
    const double* mean;
    const double* deviation;
    const double* steepness;
    const double* constant;
    double all_constants;
    std::size_t width;
};

// A block of rows of one group: value (column c, row r) stands at c · rows_at_once + r.
struct Block {
    std::vector<double> values;
    bool has_missing = false;
};

template <class Float>
void load(Block& block, std::span<const ColumnView> columns, std::size_t first,
          std::size_t n_rows) {
    const std::size_t count = std::min(rows_at_once, n_rows - first);
    bool has_missing = false;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        double* to = block.values.data() + c * rows_at_once;
        for (std::size_t r = 0; r < count; ++r) {
            to[r] = static_cast<double>(value_at<Float>(columns[c], first + r));
            has_missing |= to[r] != to[r];
        }
    }
    block.has_missing = has_missing;
}

// Σ z² without overflow, for rows that are beyond all floats otherwise; missing values add nothing.
double far_sum(const double* values, const Group& group) {
    double sum = 0.0;
    for (std::size_t c = 0; c < group.width; ++c) {
        const double value = values[c * rows_at_once];
        const double half = (0.5 * value - 0.5 * group.mean[c]) / group.deviation[c];
        const double distance = std::clamp(half, -farthest, farthest) * 2.0;
        const double square = value == value ? distance * distance : 0.0;
        sum = c == 0 ? square : sum + square;
    }
    return sum;
}

void sum_squares(const Block& block, const Group& group, double* sums) {
    for (std::size_t c = 0; c < group.width; ++c) {
        const double* values = block.values.data() + c * rows_at_once;
        const double mean = group.mean[c], steepness = group.steepness[c];
        for (std::size_t r = 0; r < rows_at_once; ++r) {
            const double z = (values[r] - mean) * steepness;
            sums[r] += z * z;
        }
    }
}

void sum_present_squares(const Block& block, const Group& group, double* sums) {
    for (std::size_t c = 0; c < group.width; ++c) {
        const double* values = block.values.data() + c * rows_at_once;
        const double mean = group.mean[c], steepness = group.steepness[c];
        for (std::size_t r = 0; r < rows_at_once; ++r) {
            const double z = (values[r] - mean) * steepness;
            sums[r] += values[r] == values[r] ? z * z : 0.0;
        }
    }
}

void add_group(const Block& block, const Group& group, double* scores, std::size_t count) {
    double sums[rows_at_once] = {};
    if (block.has_missing)
        sum_present_squares(block, group, sums);
    else
        sum_squares(block, group, sums);
    for (std::size_t r = 0; r < count; ++r) {
        const double* values = block.values.data() + r;
        if (!std::isfinite(sums[r])) sums[r] = far_sum(values, group);
        double score = sums[r] * -0.5 - group.all_constants;
        for (std::size_t c = 0; block.has_missing && c < group.width; ++c) {
            const double value = values[c * rows_at_once];
            if (value != value) score += group.constant[c];
        }
        scores[r] += score;
    }
}

}  // namespace

void add_gaussian_scores(std::span<const ColumnView> columns, std::size_t n_rows,
                         const GaussianCurves& curves, std::span<double> scores, StopSignal& stop) {
    const std::size_t n_columns = columns.size(), width = curves.group_width;
    if (n_columns == 0 || n_rows == 0) return;
    const std::size_t n_classes = scores.size() / n_rows,
                      n_groups = (n_columns + width - 1) / width;
    Block block{std::vector<double>(std::min(width, n_columns) * rows_at_once)};
    const bool is_float = columns[0].type == ValueType::float32;
    for (std::size_t first = 0; first < n_rows; first += rows_at_once) {
        stop.check();
        const std::size_t count = std::min(rows_at_once, n_rows - first);
        for (std::size_t g = 0; g < n_groups; ++g) {
            const std::size_t begin = g * width, size = std::min(width, n_columns - begin);
            const auto some = columns.subspan(begin, size);
            is_float ? load<float>(block, some, first, n_rows)
                     : load<double>(block, some, first, n_rows);
            for (std::size_t k = 0; k < n_classes; ++k) {
                const std::size_t at = k * n_columns + begin;
                const Group group{&curves.mean[at],
                                  &curves.deviation[at],
                                  &curves.steepness[at],
                                  &curves.constant[at],
                                  curves.group_constant[k * n_groups + g],
                                  size};
                add_group(block, group, &scores[k * n_rows + first], count);
            }
        }
    }
}

}  // namespace branchline
