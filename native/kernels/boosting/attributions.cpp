#include "branchline/attributions.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "boosting/attribution_paths.hpp"
#include "branchline/thread_pool.hpp"
#include "branchline/tree_walker.hpp"
#include "forest/walker/build.hpp"

namespace branchline {

namespace {

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

void check_model(const AttributedTrees& model) {
    check_forest(model.trees);
    const std::size_t width = model.trees.width;
    require(model.leaf_cover.size() == model.trees.leaf_value.size() / width,
            "a cover for each leaf");
    require(model.n_outputs >= 1, "at least one output");
    require(width == 1 ? model.n_outputs <= model.trees.n_nodes.size() : width == model.n_outputs,
            "a tree for each output, or an output for each value of a leaf");
}

// Which columns are tested. Others are ignored.
std::vector<std::size_t> tested_columns(const ForestView& trees) {
    std::vector<bool> is_tested(trees.n_codes.size(), false);
    for (const std::int32_t column : trees.feature) is_tested[static_cast<std::size_t>(column)] = 1;
    std::vector<std::size_t> tested;
    for (std::size_t column = 0; column < is_tested.size(); ++column) {
        if (is_tested[column]) tested.push_back(column);
    }
    return tested;
}

void check_tested(const ForestView& trees, std::span<const std::size_t> tested,
                  std::span<const ColumnView> columns) {
    require(columns.size() == trees.n_codes.size(), "as many columns as the trees know");
    for (const std::size_t column : tested) {
        const bool is_category = columns[column].type == ValueType::category;
        require(is_category == (trees.n_codes[column] > 0), "a test does not fit its column");
        require(columns[column].n_categories <= trees.n_codes[column] || !is_category,
                "a category test lacks branches");
    }
}

double cell_at(const ColumnView& column, std::size_t row) {
    if (column.type == ValueType::float64) return value_at<double>(column, row);
    if (column.type == ValueType::float32) return value_at<float>(column, row);
    const auto category = value_at<std::int32_t>(column, row);
    if (category >= column.n_categories) throw std::out_of_range("category out of range");
    return category;
}

// The room of one worker: for its rows, n_lanes at a time, what they hold and what they get.
struct WorkerRoom {
    std::vector<double> cells, sums, products, values;
    std::vector<std::int64_t> agrees, to_right;
    std::vector<std::uint32_t> open;

    void make_walk_room(const TreePaths& paths, std::size_t width) {
        const auto grow = [](auto& room, std::size_t size) {
            if (room.size() < size) room.resize(size);
        };
        grow(products, paths.n_depths * paths.n_points * n_lanes);
        grow(values, paths.n_depths * width * paths.n_points * n_lanes);
        grow(agrees, paths.n_depths * n_lanes);
        grow(to_right, paths.n_depths * n_lanes);
        grow(open, paths.n_depths);
    }

    WalkRoom walk_room() {
        return {products.data(), values.data(), agrees.data(), to_right.data(), open.data()};
    }
};

// Rows that are explained together: a tree's tables, once in the cache, serve all of them.
struct RowBlock {
    std::size_t first_row, n_rows,
        n_batches;  // of n_lanes rows; the last one may repeat its last row
};

class Attributor {
  public:
    Attributor(const AttributedTrees& model, std::span<const ColumnView> columns,
               std::span<double> of_row, int n_threads, StopSignal& stop)
        : model_(model), columns_(columns), of_row_(of_row), stop_(stop), pool_(n_threads, stop),
          rooms_(pool_.n_workers()), tested_(tested_columns(model.trees)),
          parts_(find_parts(model.trees)),
          add_attributions_(add_attributions_for(best_cpu_level())) {
        check_tested(model.trees, tested_, columns);
        const std::size_t a_row = model.n_outputs * (columns.size() + 1);
        require(of_row.size() % a_row == 0, "room for each row");
        n_rows_ = of_row.size() / a_row;
    }

    void run() {
        write_expectations();
        const std::size_t n_trees = model_.trees.n_nodes.size();
        for (std::size_t first = 0, end; first < n_trees; first = end) {
            end = end_of_group(first);
            make_group(first, end);
            add_group(first);
        }
    }

  private:
    std::size_t n_columns() const { return columns_.size(); }

    void write_expectations() {
        const std::size_t a_share = n_columns() + 1;
        std::vector<double> expected(model_.n_outputs);
        for (std::size_t tree = 0; tree + 1 < parts_.size(); ++tree) {
            add_expectation(tree, expected);
        }
        std::fill(of_row_.begin(), of_row_.end(), 0.0);
        for (std::size_t i = 0; i < n_rows_ * model_.n_outputs; ++i) {
            of_row_[i * a_share + n_columns()] = expected[i % model_.n_outputs];
        }
    }

    void add_expectation(std::size_t tree, std::vector<double>& expected) const {
        const std::size_t width = model_.trees.width;
        const auto covers = model_.leaf_cover;
        double cover = 0;
        std::vector<double> sums(width);
        for (std::size_t leaf = parts_[tree].leaf; leaf < parts_[tree + 1].leaf; ++leaf) {
            cover += covers[leaf];
            for (std::size_t k = 0; k < width; ++k) {
                sums[k] += covers[leaf] * model_.trees.leaf_value[leaf * width + k];
            }
        }
        for (std::size_t k = 0; k < width; ++k) expected[first_output(tree) + k] += sums[k] / cover;
    }

    std::size_t first_output(std::size_t tree) const {
        return model_.trees.width == 1 ? tree % model_.n_outputs : 0;
    }

    // Trees are made ready a few at a time, because their tables take far more room than they do.
    std::size_t end_of_group(std::size_t first) const {
        constexpr std::size_t most_nodes = 16'384;
        const std::size_t n_trees = model_.trees.n_nodes.size();
        std::size_t end = first + 1;
        while (end < n_trees && parts_[end + 1].node - parts_[first].node <= most_nodes) ++end;
        return end;
    }

    void make_group(std::size_t first, std::size_t end) {
        group_.resize(end - first);
        pool_.run(group_.size(), [&](std::size_t i, std::size_t) {
            group_[i] = make_paths(model_, parts_[first + i], parts_[first + i + 1]);
        });
    }

    void add_group(std::size_t first_tree) {
        const std::size_t size = batches_a_block() * n_lanes;
        pool_.run((n_rows_ + size - 1) / size, [&](std::size_t block, std::size_t worker) {
            const std::size_t begin = block * size, n = std::min(size, n_rows_ - begin);
            const RowBlock rows{begin, n, (n + n_lanes - 1) / n_lanes};
            WorkerRoom& room = rooms_[worker];
            read_cells(rows, room);
            room.sums.assign(rows.n_batches * sums_a_batch(), 0.0);
            for (std::size_t i = 0; i < group_.size(); ++i) {
                stop_.check();
                add_tree(group_[i], first_tree + i, rows, room);
            }
            add_to_rows(rows, room);
        });
    }

    std::size_t cells_a_batch() const { return n_columns() * n_lanes; }
    std::size_t sums_a_batch() const { return model_.n_outputs * n_columns() * n_lanes; }

    // Nothing that is computed depends on it.
    std::size_t batches_a_block() const {
        constexpr std::size_t most = 8, most_numbers = 32 * 1024;
        const std::size_t a_batch = cells_a_batch() + sums_a_batch() + 1;
        return std::clamp<std::size_t>(most_numbers / a_batch, 1, most);
    }

    void read_cells(const RowBlock& rows, WorkerRoom& room) const {
        room.cells.resize(rows.n_batches * cells_a_batch());
        for (const std::size_t column : tested_) {
            for (std::size_t i = 0; i < rows.n_batches * n_lanes; ++i) {
                const std::size_t row = rows.first_row + std::min(i, rows.n_rows - 1);
                room.cells[i / n_lanes * cells_a_batch() + column * n_lanes + i % n_lanes] =
                    cell_at(columns_[column], row);
            }
        }
    }

    void add_tree(const TreePaths& paths, std::size_t tree, const RowBlock& rows,
                  WorkerRoom& room) const {
        const ForestView& trees = model_.trees;
        room.make_walk_room(paths, trees.width);
        const BranchWalk walk{
            paths.branches.data(), paths.branches.size(),
            paths.n_points,        paths.factors.data(),
            paths.weights.data(),  trees.leaf_value.data() + parts_[tree].leaf * trees.width,
            trees.width,           trees.pool.data()};
        for (std::size_t batch = 0; batch < rows.n_batches; ++batch) {
            double* const sums = room.sums.data() + batch * sums_a_batch();
            add_attributions_(walk, room.cells.data() + batch * cells_a_batch(), n_columns(),
                              room.walk_room(), sums + first_output(tree) * n_columns() * n_lanes);
        }
    }

    void add_to_rows(const RowBlock& rows, const WorkerRoom& room) const {
        const std::size_t n_outputs = model_.n_outputs, a_share = n_columns() + 1;
        for (std::size_t i = 0; i < rows.n_rows; ++i) {
            const double* const sums =
                room.sums.data() + i / n_lanes * sums_a_batch() + i % n_lanes;
            double* const out = of_row_.data() + (rows.first_row + i) * n_outputs * a_share;
            for (std::size_t k = 0; k < n_outputs; ++k) {
                for (const std::size_t column : tested_) {
                    out[k * a_share + column] += sums[(k * n_columns() + column) * n_lanes];
                }
            }
        }
    }

    const AttributedTrees& model_;
    std::span<const ColumnView> columns_;
    std::span<double> of_row_;
    StopSignal& stop_;
    ThreadPool pool_;
    std::vector<WorkerRoom> rooms_;
    std::vector<std::size_t> tested_;
    std::vector<TreePart> parts_;
    AddAttributions add_attributions_;
    std::size_t n_rows_ = 0;
    std::vector<TreePaths> group_;
};

}  // namespace

void attribute(const AttributedTrees& model, std::span<const ColumnView> columns,
               std::span<double> of_row, int n_threads, StopSignal& stop) {
    check_model(model);
    Attributor(model, columns, of_row, n_threads, stop).run();
}

}  // namespace branchline
