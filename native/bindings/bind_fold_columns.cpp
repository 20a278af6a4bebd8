#include "branchline/fold_columns.hpp"
#include "columns.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

using InResponses = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

}  // namespace

void add_fold_columns(nb::module_& module) {
    module.attr("MOST_FOLDED_ROWS") = most_folded_rows;
    module.def(
        "fold_columns",
        [](const FloatMatrix& matrix, const In<std::int32_t>& fold_of_row, std::size_t n_folds,
           const InResponses& responses, double farthest, int n_threads) {
            const std::vector<ColumnView> columns = columns_of(matrix);
            require(fold_of_row.shape(0) == matrix.shape(0), "a fold for each row");
            require(responses.shape(0) == matrix.shape(0), "responses for each row");
            require_aligned(responses);
            const FoldedRows rows{span_of(fold_of_row),
                                  n_folds,
                                  {responses.data(), responses.size()},
                                  responses.shape(1)};
            FoldColumns made = without_lock([&](StopSignal& stop) {
                return fold_columns(columns, rows, farthest, n_threads, stop);
            });
            return nb::make_tuple(give(std::move(made.shares)), give(std::move(made.spreads)),
                                  give(std::move(made.ranges)), give(std::move(made.moved)),
                                  give(std::move(made.exponents)),
                                  give(std::move(made.is_complete)),
                                  give(std::move(made.has_far_rows)));
        },
        nb::arg("matrix").noconvert(), nb::arg("fold_of_row").noconvert(), nb::arg("n_folds"),
        nb::arg("responses").noconvert(), nb::arg("farthest"), nb::arg("n_threads"),
        "Shares, spreads and ranges of columns for all rows but each fold, and their moved "
        "values.");
}

}  // namespace branchline::bindings
