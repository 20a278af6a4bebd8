#include <cmath>

#include "bag_inputs.hpp"
#include "columns.hpp"
#include "interrupt.hpp"
#include "trees_view.hpp"

namespace branchline::bindings {

namespace {

using Units = std::optional<In<std::int64_t>>;

// n_trees −1: all that follow the first.
TreeRange range_of(const ForestWalker& walker, std::int64_t first_tree, std::int64_t n_trees) {
    const auto all = static_cast<std::int64_t>(walker.n_trees());
    require(first_tree >= 0 && first_tree < all && n_trees >= -1, "trees that there are");
    return {static_cast<std::size_t>(first_tree),
            static_cast<std::size_t>(n_trees < 0 ? all - first_tree : n_trees)};
}

Out<double> average(const ForestWalker& walker, const nb::list& columns,
                    const In<std::int32_t>& n_categories, int n_threads, std::int64_t first_tree,
                    std::int64_t n_trees) {
    const Columns borrowed(columns, n_categories);
    const TreeRange trees = range_of(walker, first_tree, n_trees);
    std::vector<double> of_row(borrowed.n_rows() * walker.width());
    without_lock([&](StopSignal& stop) {
        walker.average(borrowed.views(), trees, of_row, n_threads, stop);
    });
    return give(std::move(of_row));
}

Out<double> sum(const ForestWalker& walker, const nb::list& columns,
                const In<std::int32_t>& n_categories, int n_threads, std::int64_t first_tree,
                std::int64_t n_trees, std::size_t n_outputs) {
    require(n_outputs > 0, "at least one output");
    const Columns borrowed(columns, n_categories);
    const TreeRange trees = range_of(walker, first_tree, n_trees);
    std::vector<double> of_row(borrowed.n_rows() * n_outputs * walker.width());
    without_lock([&](StopSignal& stop) {
        walker.sum(borrowed.views(), trees, n_outputs, of_row, n_threads, stop);
    });
    return give(std::move(of_row));
}

// For a few rows: the check for infinities and the walk in one call; None when there are some.
// visit(columns) returns the numbers of the rows.
template <class Visit>
std::optional<Out<double>> for_few(const FloatMatrix& matrix, Visit&& visit) {
    const std::size_t n_rows = matrix.shape(0);
    require(n_rows <= ForestWalker::few_rows, "at most 64 rows");
    const std::vector<ColumnView> columns = columns_of(matrix);
    const bool is_float = matrix.dtype() == nb::dtype<float>();
    for (std::size_t row = 0; row < n_rows; ++row) {
        for (const ColumnView& column : columns) {
            if (std::isinf(is_float ? value_at<float>(column, row) : value_at<double>(column, row)))
                return std::nullopt;
        }
    }
    return give(visit(columns));
}

std::optional<Out<double>> average_of_few(const ForestWalker& walker, const FloatMatrix& matrix) {
    return for_few(matrix, [&](std::span<const ColumnView> columns) {
        std::vector<double> of_row(matrix.shape(0) * walker.width());
        walker.average_few(columns, {0, walker.n_trees()}, of_row);
        return of_row;
    });
}

std::optional<Out<double>> sum_of_few(const ForestWalker& walker, const FloatMatrix& matrix,
                                      std::size_t n_outputs) {
    require(n_outputs > 0, "at least one output");
    return for_few(matrix, [&](std::span<const ColumnView> columns) {
        std::vector<double> of_row(matrix.shape(0) * n_outputs * walker.width());
        StopSignal never;
        walker.sum(columns, {0, walker.n_trees()}, n_outputs, of_row, 1, never);
        return of_row;
    });
}

Out<std::int32_t> find_leaves(const ForestWalker& walker, const nb::list& columns,
                              const In<std::int32_t>& n_categories, int n_threads) {
    const Columns borrowed(columns, n_categories);
    std::vector<std::int32_t> leaf_of_row(borrowed.n_rows() * walker.n_trees());
    without_lock([&](StopSignal& stop) {
        walker.find_leaves(borrowed.views(), leaf_of_row, n_threads, stop);
    });
    return give(std::move(leaf_of_row));
}

// Targets of the rows that trees were grown on, borrowed from Python: classes, or sums of numbers.
class BorrowedBagTargets {
  public:
    BorrowedBagTargets(const std::optional<In<std::uint32_t>>& class_of_row,
                       const Units& sums_of_row, const Units& units)
        : class_of_row_(class_of_row), sums_of_row_(sums_of_row), units_(units) {}

    BagTargets view(std::size_t n_rows) const {
        require(class_of_row_.has_value() != sums_of_row_.has_value(), "classes or sums of rows");
        require(!units_ || units_->shape(0) == n_rows, "units for each row");
        return {span_of(class_of_row_), span_of(sums_of_row_), span_of(units_)};
    }
    bool are_numbers() const { return sums_of_row_.has_value(); }

  private:
    std::optional<In<std::uint32_t>> class_of_row_;
    Units sums_of_row_, units_;
};

nb::tuple out_of_bag(const ForestWalker& walker, const nb::list& columns,
                     const In<std::int32_t>& n_categories, const BorrowedBag& bag,
                     std::uint64_t first_tree, const BorrowedBagTargets& given, int n_threads) {
    const Columns borrowed(columns, n_categories);
    const std::size_t n_rows = borrowed.n_rows(), width = walker.width();
    require(bag.n_rows() == n_rows, "a bag of as many rows");
    const BagTargets targets = given.view(n_rows);
    std::vector<double> sums(n_rows * width);
    std::vector<std::int64_t> n_votes(n_rows);
    std::vector<std::int64_t> of_leaves(walker.n_leaves() *
                                        (width + (given.are_numbers() ? 1 : 0)));
    without_lock([&](StopSignal& stop) {
        std::vector<Bag> bags;
        for (std::size_t t = 0; t < walker.n_trees(); ++t) {
            bags.emplace_back(bag.rows(), bag.rule(), first_tree + t);
        }
        walker.out_of_bag(borrowed.views(), bags, targets, {sums, n_votes, of_leaves}, n_threads,
                          stop);
    });
    return nb::make_tuple(give(std::move(sums)), give(std::move(n_votes)),
                          give(std::move(of_leaves)));
}

}  // namespace

void add_forest_walker(nb::module_& module) {
    nb::class_<BorrowedTrees>(module, "TreesView", "Fitted trees as arrays.")
        .def(nb::init<In<std::int64_t>, In<std::uint8_t>, In<std::int32_t>, In<double>,
                      In<std::uint8_t>, In<std::uint8_t>, In<std::int64_t>, In<double>,
                      std::size_t>(),
             nb::arg("n_nodes").noconvert(), nb::arg("kind").noconvert(),
             nb::arg("feature").noconvert(), nb::arg("threshold").noconvert(),
             nb::arg("missing_left").noconvert(), nb::arg("pool").noconvert(),
             nb::arg("n_codes").noconvert(), nb::arg("leaf_value").noconvert(), nb::arg("width"));
    nb::class_<BorrowedBagTargets>(module, "BagTargets",
                                   "Class or fixed-point sums of each row, and units.")
        .def(nb::init<const std::optional<In<std::uint32_t>>&, const Units&, const Units&>(),
             nb::arg("class_of_row").noconvert().none(), nb::arg("sums_of_row").noconvert().none(),
             nb::arg("units").noconvert().none());
    nb::class_<ForestWalker>(module, "ForestWalker", "A fitted forest, ready for rows to go down.")
        .def(
            "__init__",
            [](ForestWalker* self, const BorrowedTrees& trees, int n_threads) {
                const ForestView forest = trees.view();
                without_lock(
                    [&](StopSignal& stop) { new (self) ForestWalker(forest, n_threads, stop); });
            },
            nb::arg("trees"), nb::arg("n_threads") = 1)
        .def_prop_ro("n_trees", &ForestWalker::n_trees)
        .def_prop_ro("n_nodes", &ForestWalker::n_nodes)
        .def_prop_ro("nbytes", &ForestWalker::n_bytes)
        .def("average", &average, nb::arg("columns"), nb::arg("n_categories").noconvert(),
             nb::arg("n_threads"), nb::arg("first_tree") = 0, nb::arg("n_trees") = -1,
             "The mean over trees of the leaf values; row after row.")
        .def("sum", &sum, nb::arg("columns"), nb::arg("n_categories").noconvert(),
             nb::arg("n_threads"), nb::arg("first_tree"), nb::arg("n_trees"), nb::arg("n_outputs"),
             "Sums over trees of the leaf values, tree t in output t % n_outputs; row after row.")
        .def("average_of_few", &average_of_few, nb::arg("matrix").noconvert(),
             "As average, of up to 64 rows at once; None when a number is infinite.")
        .def("sum_of_few", &sum_of_few, nb::arg("matrix").noconvert(), nb::arg("n_outputs"),
             "As sum, of up to 64 rows at once; None when a number is infinite.")
        .def("find_leaves", &find_leaves, nb::arg("columns"), nb::arg("n_categories").noconvert(),
             nb::arg("n_threads"), "The place of each row's leaf in each tree; row after row.")
        .def("out_of_bag", &out_of_bag, nb::arg("columns"), nb::arg("n_categories").noconvert(),
             nb::arg("bag"), nb::arg("first_tree"), nb::arg("targets"), nb::arg("n_threads"),
             "What trees predict for rows they have not seen: sums, votes, leaves.");
}

}  // namespace branchline::bindings
