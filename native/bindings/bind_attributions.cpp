#include "branchline/attributions.hpp"
#include "columns.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

Out<double> attributions(const nb::list& columns, const In<std::int32_t>& n_categories,
                         const In<std::int64_t>& n_nodes, const In<std::uint8_t>& kind,
                         const In<std::int32_t>& feature, const In<double>& threshold,
                         const In<std::uint8_t>& missing_left, const In<std::uint8_t>& pool,
                         const In<std::int64_t>& n_codes, const In<double>& leaf_value,
                         const In<double>& leaf_cover, std::size_t width, std::size_t n_outputs,
                         int n_threads) {
    const Columns borrowed(columns, n_categories);
    require(n_outputs <= leaf_value.shape(0), "no more outputs than values of leaves");
    const AttributedTrees model{
        {span_of(n_nodes), span_of(kind), span_of(feature), span_of(threshold),
         span_of(missing_left), span_of(pool), span_of(n_codes), span_of(leaf_value), width},
        span_of(leaf_cover),
        n_outputs};
    std::vector<double> of_row(borrowed.n_rows() * n_outputs * (borrowed.views().size() + 1));
    without_lock(
        [&](StopSignal& stop) { attribute(model, borrowed.views(), of_row, n_threads, stop); });
    return give(std::move(of_row));
}

}  // namespace

void add_attributions(nb::module_& module) {
    module.def("attributions", &attributions, nb::arg("columns"),
               nb::arg("n_categories").noconvert(), nb::arg("n_nodes").noconvert(),
               nb::arg("kind").noconvert(), nb::arg("feature").noconvert(),
               nb::arg("threshold").noconvert(), nb::arg("missing_left").noconvert(),
               nb::arg("pool").noconvert(), nb::arg("n_codes").noconvert(),
               nb::arg("leaf_value").noconvert(), nb::arg("leaf_cover").noconvert(),
               nb::arg("width"), nb::arg("n_outputs"), nb::arg("n_threads"),
               "What each column adds to each output of each row, and the expectation last.");
}

}  // namespace branchline::bindings
