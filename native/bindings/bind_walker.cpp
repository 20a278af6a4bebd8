#include <nanobind/stl/optional.h>

#include <limits>

#include "branches.hpp"
#include "branchline/tree_walker.hpp"
#include "columns.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

using Nodes = In<std::int32_t>;

TreeWalker make_walker(const In<std::uint8_t>& kind, const Nodes& feature,
                       const In<double>& threshold, const Nodes& first_child,
                       const Nodes& n_children, const Nodes& missing_branch,
                       const In<std::int64_t>& pool_offset, const Branches& pool,
                       const In<double>& weight) {
    const TreeView tree{span_of(kind),        span_of(feature),    span_of(threshold),
                        span_of(first_child), span_of(n_children), span_of(missing_branch),
                        span_of(pool_offset), view_of(pool),       span_of(weight)};
    const std::size_t n = tree.kind.size();
    require(n > 0 && tree.feature.size() == n && tree.threshold.size() == n &&
                tree.first_child.size() == n && tree.n_children.size() == n &&
                tree.missing_branch.size() == n && tree.pool_offset.size() == n &&
                tree.weight.size() == n,
            "arrays of one length, one entry per node");
    return TreeWalker(tree);
}

Out<std::int32_t> walk(const TreeWalker& walker, std::span<const ColumnView> columns,
                       std::size_t n_rows, int n_threads) {
    std::vector<std::int32_t> node_of_row(n_rows);
    without_lock(
        [&](StopSignal& stop) { walker.find_leaves(columns, node_of_row, n_threads, stop); });
    return give(std::move(node_of_row));
}

template <class Value>
bool any_infinite(const FloatMatrix& matrix, std::span<const ColumnView> columns) {
    for (std::size_t row = 0; row < matrix.shape(0); ++row) {
        for (const ColumnView& column : columns) {
            const auto value = value_at<Value>(column, row);
            if (value - value != 0 && value == value) return true;
        }
    }
    return false;
}

// For a few rows: the check for infinities and the walk in one call; None when there are some.
std::optional<Out<std::int32_t>> find_leaves_of_few(const TreeWalker& walker,
                                                    const FloatMatrix& matrix) {
    const std::vector<ColumnView> columns = columns_of(matrix);
    const bool is_float = matrix.dtype() == nb::dtype<float>();
    if (is_float ? any_infinite<float>(matrix, columns) : any_infinite<double>(matrix, columns)) {
        return std::nullopt;
    }
    std::vector<std::int32_t> node_of_row(matrix.shape(0));
    StopSignal stop;
    walker.find_leaves(columns, node_of_row, 1, stop);
    return give(std::move(node_of_row));
}

}  // namespace

void add_walker(nb::module_& module) {
    nb::enum_<NodeKind>(module, "NodeKind", "What a node of a tree is.")
        .value("leaf", NodeKind::leaf)
        .value("threshold", NodeKind::threshold)
        .value("categories", NodeKind::categories);
    nb::class_<TreeWalker>(module, "TreeWalker", "A fitted tree, ready for rows to go down.")
        .def(
            "__init__",
            [](TreeWalker* self, const In<std::uint8_t>& kind, const Nodes& feature,
               const In<double>& threshold, const Nodes& first_child, const Nodes& n_children,
               const Nodes& missing_branch, const In<std::int64_t>& pool_offset,
               const Branches& pool, const In<double>& weight) {
                new (self) TreeWalker(make_walker(kind, feature, threshold, first_child, n_children,
                                                  missing_branch, pool_offset, pool, weight));
            },
            nb::arg("kind").noconvert(), nb::arg("feature").noconvert(),
            nb::arg("threshold").noconvert(), nb::arg("first_child").noconvert(),
            nb::arg("n_children").noconvert(), nb::arg("missing_branch").noconvert(),
            nb::arg("pool_offset").noconvert(), nb::arg("pool").noconvert(),
            nb::arg("weight").noconvert())
        .def_prop_ro("shares_rows", &TreeWalker::shares_rows)
        .def(
            "find_leaves",
            [](const TreeWalker& walker, const nb::list& columns,
               const In<std::int32_t>& n_categories, int n_threads) {
                const Columns borrowed(columns, n_categories);
                return walk(walker, borrowed.views(), borrowed.n_rows(), n_threads);
            },
            nb::arg("columns"), nb::arg("n_categories").noconvert(), nb::arg("n_threads"),
            "The node that each row ends in.")
        .def(
            "find_leaves_in_matrix",
            [](const TreeWalker& walker, const FloatMatrix& matrix, int n_threads) {
                return walk(walker, columns_of(matrix), matrix.shape(0), n_threads);
            },
            nb::arg("matrix").noconvert(), nb::arg("n_threads"),
            "The node that each row of a float matrix ends in.")
        .def("find_leaves_of_few", &find_leaves_of_few, nb::arg("matrix").noconvert(),
             "As find_leaves_in_matrix, at once; None when a number is infinite.")
        .def(
            "average",
            [](const TreeWalker& walker, const nb::list& columns,
               const In<std::int32_t>& n_categories, const In<double>& value, int n_threads) {
                const Columns borrowed(columns, n_categories);
                require(value.shape(0) > 0 && value.shape(0) % walker.n_nodes() == 0,
                        "values for each node");
                const std::size_t width = value.shape(0) / walker.n_nodes();
                std::vector<double> of_row(borrowed.n_rows() * width, 0.0);
                without_lock([&](StopSignal& stop) {
                    walker.average(borrowed.views(), span_of(value), of_row, n_threads, stop);
                });
                return give(std::move(of_row));
            },
            nb::arg("columns"), nb::arg("n_categories").noconvert(), nb::arg("value").noconvert(),
            nb::arg("n_threads"), "What each row gets, shared rows averaged; row after row.");
}

}  // namespace branchline::bindings
