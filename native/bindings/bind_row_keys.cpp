#include <nanobind/stl/optional.h>

#include "branchline/row_keys.hpp"
#include "columns.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

using InWords = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Columns of codes, each with the ranks of its codes or None.
class RankedColumns {
  public:
    RankedColumns(const nb::list& columns, const nb::list& ranks) : codes_(columns) {
        require(ranks.size() == columns.size(), "ranks or None for each column");
        for (std::size_t c = 0; c < ranks.size(); ++c) {
            views_.push_back({codes_.views()[c], {}});
            if (nb::handle(ranks[c]).is_none()) continue;
            const char* expected = "ranks must be contiguous uint64 arrays";
            ranks_.push_back(array_in<In<std::uint64_t>>(ranks[c], expected));
            require(ranks_.back().shape(0) > 0, "a column has no ranks");
            views_.back().ranks = span_of(ranks_.back());
        }
    }

    std::span<const RankedColumn> views() const { return views_; }
    std::size_t n_rows() const { return codes_.n_rows(); }

  private:
    CodeColumns codes_;
    std::vector<In<std::uint64_t>> ranks_;
    std::vector<RankedColumn> views_;
};

std::span<const std::uint64_t> words_of(const InWords& targets) {
    require_aligned(targets);
    return {targets.data(), targets.size()};
}

}  // namespace

void add_row_keys(nb::module_& module) {
    module.def(
        "content_keys",
        [](const nb::list& columns, const nb::list& ranks, const InWords& targets,
           const std::optional<In<std::int64_t>>& copies, int n_threads) {
            const RankedColumns borrowed(columns, ranks);
            const std::size_t n_rows = targets.shape(0);
            require(columns.size() == 0 || borrowed.n_rows() == n_rows, "targets for each row");
            require(!copies || copies->shape(0) == n_rows, "one number of copies for each row");
            const KeyedTarget target{words_of(targets), targets.shape(1), span_of(copies)};
            return give(without_lock([&](StopSignal& stop) {
                return content_keys(borrowed.views(), n_rows, target, n_threads, stop);
            }));
        },
        nb::arg("columns"), nb::arg("ranks"), nb::arg("targets").noconvert(),
        nb::arg("copies").noconvert().none(), nb::arg("n_threads"),
        "A hash of each row's content, for any order of rows and columns.");

    module.def(
        "matrix_keys",
        [](const FloatMatrix& matrix, const InWords& targets,
           const std::optional<In<std::int64_t>>& copies, int n_threads) {
            const std::vector<ColumnView> columns = columns_of(matrix);
            const std::size_t n_rows = matrix.shape(0);
            require(targets.shape(0) == n_rows, "targets for each row");
            require(!copies || copies->shape(0) == n_rows, "one number of copies for each row");
            require_aligned(matrix);
            const KeyedTarget target{words_of(targets), targets.shape(1), span_of(copies)};
            return give(without_lock([&](StopSignal& stop) {
                return matrix_keys(columns, n_rows, target, n_threads, stop);
            }));
        },
        nb::arg("matrix").noconvert(), nb::arg("targets").noconvert(),
        nb::arg("copies").noconvert().none(), nb::arg("n_threads"),
        "The content_keys of a matrix of numbers by its exact codes.");
}

}  // namespace branchline::bindings
