#include <nanobind/stl/optional.h>

#include "branchline/column_keys.hpp"
#include "columns.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

void add_column_keys(nb::module_& module) {
    module.def(
        "column_keys",
        [](const nb::list& columns, const In<std::uint64_t>& target,
           const std::optional<In<std::int64_t>>& copies, int n_threads) {
            const CodeColumns borrowed(columns);
            const std::size_t n_rows = target.shape(0);
            require(columns.size() == 0 || borrowed.n_rows() == n_rows, "a target for each row");
            require(!copies || copies->shape(0) == n_rows, "one number of copies for each row");
            const ColumnRows rows{span_of(target), span_of(copies)};
            return give(without_lock([&](StopSignal& stop) {
                return column_keys(borrowed.views(), rows, n_threads, stop);
            }));
        },
        nb::arg("columns"), nb::arg("target").noconvert(), nb::arg("copies").noconvert().none(),
        nb::arg("n_threads"),
        "A rank of each column by its content, for any order of rows and columns.");
}

}  // namespace branchline::bindings
