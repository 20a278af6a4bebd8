#include "attributed_trees.hpp"
#include "columns.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

Out<double> attributions(const BorrowedAttributedTrees& trees, const nb::list& columns,
                         const In<std::int32_t>& n_categories, int n_threads) {
    const Columns borrowed(columns, n_categories);
    const AttributedTrees model = trees.view();
    const std::size_t n_outputs = model.n_outputs;
    require(n_outputs <= model.trees.leaf_value.size(), "no more outputs than values of leaves");
    std::vector<double> of_row(borrowed.n_rows() * n_outputs * (borrowed.views().size() + 1));
    without_lock(
        [&](StopSignal& stop) { attribute(model, borrowed.views(), of_row, n_threads, stop); });
    return give(std::move(of_row));
}

}  // namespace

void add_attributions(nb::module_& module) {
    nb::class_<BorrowedAttributedTrees>(module, "AttributedTrees",
                                        "Trees whose outputs are shared out among columns.")
        .def(nb::init<BorrowedTrees, In<double>, std::size_t>(), nb::arg("trees"),
             nb::arg("leaf_cover").noconvert(), nb::arg("n_outputs"));
    module.def("attributions", &attributions, nb::arg("trees"), nb::arg("columns"),
               nb::arg("n_categories").noconvert(), nb::arg("n_threads"),
               "What each column adds to each output of each row, and the expectation last.");
}

}  // namespace branchline::bindings
