#include "attributed_trees.hpp"
#include "boosting_inputs.hpp"
#include "columns.hpp"
#include "interrupt.hpp"
#include "linear_inputs.hpp"
#include "trees_view.hpp"

namespace branchline::bindings {

nb::dict give_terms(LinearTerms&& terms) {
    nb::dict out;
    out["n_terms"] = give(std::move(terms.n_terms));
    out["column"] = give(std::move(terms.column));
    out["slope"] = give(std::move(terms.slope));
    out["center"] = give(std::move(terms.center));
    out["low"] = give(std::move(terms.low));
    out["high"] = give(std::move(terms.high));
    return out;
}

namespace {

// Scores of all rows for an output, then for the next.
using ScoreRows = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void add_trees(const BorrowedTerms& terms, const In<double>& value,
               const In<std::int32_t>& leaf_of_row, const In<float>& z, const ScoreRows& scores,
               int n_threads) {
    const std::size_t n_outputs = scores.shape(0), n_rows = scores.shape(1);
    require(n_outputs > 0 && n_rows > 0 && leaf_of_row.shape(0) > 0 &&
                leaf_of_row.shape(0) % n_rows == 0,
            "a leaf for each row and tree");
    require(z.shape(0) % n_rows == 0, "a number for each row of each column");
    const LinearLeaves leaves{span_of(value), terms.view(), span_of(z), n_rows};
    require_aligned(scores);
    const std::span<double> to(scores.data(), n_outputs * n_rows);
    without_lock([&](StopSignal& stop) {
        add_linear_trees(leaves, span_of(leaf_of_row), n_outputs, to, n_threads, stop);
    });
}

// Terms with how cells become what they multiply.
struct ScaledTerms {
    BorrowedTerms terms;
    In<double> middle, half;

    TermScales scales() const { return {span_of(middle), span_of(half)}; }
};

void attribute(const BorrowedAttributedTrees& trees, const ScaledTerms& scaled,
               const nb::list& columns, const In<std::int32_t>& n_categories,
               const Written<double>& of_row, int n_threads) {
    const AttributedTrees model = trees.view();
    require(model.n_outputs > 0, "at least one output");
    const Columns borrowed(columns, n_categories);
    const std::size_t size = borrowed.n_rows() * model.n_outputs * (borrowed.views().size() + 1);
    const auto to = written_span(of_row, size, "room for each row");
    without_lock([&](StopSignal& stop) {
        attribute_terms(model, scaled.terms.view(), scaled.scales(), borrowed.views(), to,
                        n_threads, stop);
    });
}

}  // namespace

void add_linear_leaf_models(nb::module_& module) {
    nb::class_<BorrowedLinearColumns>(module, "LinearColumns", "Numbers that leaves may use.")
        .def(nb::init<In<float>, In<std::int32_t>>(), nb::arg("z").noconvert(),
             nb::arg("place").noconvert());
    nb::class_<BorrowedTerms>(module, "LinearTerms", "The terms of leaves that are sums.")
        .def(nb::init<In<std::int64_t>, In<std::uint32_t>, In<float>, In<float>, In<float>,
                      In<float>>(),
             nb::arg("first").noconvert(), nb::arg("column").noconvert(),
             nb::arg("slope").noconvert(), nb::arg("center").noconvert(),
             nb::arg("low").noconvert(), nb::arg("high").noconvert());
    module.def("add_linear_trees", &add_trees, nb::arg("terms"), nb::arg("value").noconvert(),
               nb::arg("leaf_of_row").noconvert(), nb::arg("z").noconvert(),
               nb::arg("scores").noconvert(), nb::arg("n_threads"),
               "Add to each row's scores what its leaves give it, tree after tree.");
    nb::class_<ScaledTerms>(module, "ScaledTerms", "Terms, and the scale of each column.")
        .def(nb::init<BorrowedTerms, In<double>, In<double>>(), nb::arg("terms"),
             nb::arg("middle").noconvert(), nb::arg("half").noconvert());
    module.def("attribute_terms", &attribute, nb::arg("trees"), nb::arg("terms"),
               nb::arg("columns"), nb::arg("n_categories").noconvert(),
               nb::arg("of_row").noconvert(), nb::arg("n_threads"),
               "Add the Shapley values of the terms of leaves to attributions.");
}

}  // namespace branchline::bindings
