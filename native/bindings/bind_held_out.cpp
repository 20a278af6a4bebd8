#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include "branches.hpp"
#include "branchline/held_out.hpp"
#include "columns.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

using Nodes = In<std::int32_t>;
using Numbers = In<double>;

// Held-out rows, borrowed for as long as the object lives.
class BorrowedRows {
  public:
    BorrowedRows(const nb::list& codes, const In<RowIndex>& rows, const Numbers& weight)
        : codes_(codes), rows_(rows), weight_(weight) {}

    HeldOutRows view() const {
        return {codes_.views(), codes_.n_rows(), span_of(rows_), span_of(weight_)};
    }

  private:
    CodeColumns codes_;
    In<RowIndex> rows_;
    Numbers weight_;
};

void add_classes(nb::module_& module) {
    nb::class_<CodedTree>(module, "CodedTree", "A checked copy of a tree in codes.")
        .def(
            "__init__",
            [](CodedTree* self, const In<std::uint8_t>& kind, const Nodes& feature,
               const Nodes& first_child, const Nodes& n_children, const Nodes& missing_branch,
               const In<Code>& left_code, const In<std::int64_t>& pool_offset, const Branches& pool,
               const Numbers& weight) {
                new (self)
                    CodedTree({span_of(kind), span_of(feature), span_of(first_child),
                               span_of(n_children), span_of(missing_branch), span_of(left_code),
                               span_of(pool_offset), view_of(pool), span_of(weight)});
            },
            nb::kw_only(), nb::arg("kind").noconvert(), nb::arg("feature").noconvert(),
            nb::arg("first_child").noconvert(), nb::arg("n_children").noconvert(),
            nb::arg("missing_branch").noconvert(), nb::arg("left_code").noconvert(),
            nb::arg("pool_offset").noconvert(), nb::arg("pool").noconvert(),
            nb::arg("weight").noconvert());

    nb::class_<BorrowedRows>(module, "HeldOutRows", "Codes; which rows, in which order; weights.")
        .def(nb::init<const nb::list&, const In<RowIndex>&, const Numbers&>(), nb::arg("codes"),
             nb::arg("rows").noconvert(), nb::arg("weight").noconvert());

    nb::class_<ClassLoss>(module, "ClassLoss", "The cost of a node's decision for a row's class.")
        .def(
            "__init__",
            [](ClassLoss* self, const In<std::uint32_t>& class_of_row,
               const In<std::int64_t>& decision, const Numbers& cost, std::size_t n_classes) {
                new (self)
                    ClassLoss{span_of(class_of_row), span_of(decision), span_of(cost), n_classes};
            },
            nb::arg("class_of_row").noconvert(), nb::arg("decision").noconvert(),
            nb::arg("cost").noconvert(), nb::arg("n_classes"), nb::keep_alive<1, 2>(),
            nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>());

    nb::enum_<NumberMeasure>(module, "NumberMeasure")
        .value("squared", NumberMeasure::squared)
        .value("absolute", NumberMeasure::absolute)
        .value("poisson", NumberMeasure::poisson);

    nb::class_<NumberLoss>(module, "NumberLoss", "What a row's numbers lose in a node.")
        .def(
            "__init__",
            [](NumberLoss* self, const Numbers& target, const Numbers& value, std::size_t n_outputs,
               NumberMeasure measure) {
                new (self) NumberLoss{span_of(target), span_of(value), n_outputs, measure};
            },
            nb::arg("target").noconvert(), nb::arg("value").noconvert(), nb::arg("n_outputs"),
            nb::arg("measure") = NumberMeasure::squared, nb::keep_alive<1, 2>(),
            nb::keep_alive<1, 3>());
}

}  // namespace

void add_held_out(nb::module_& module) {
    add_classes(module);

    module.def(
        "node_losses",
        [](const CodedTree& tree, const BorrowedRows& held_out, const HeldOutLoss& loss) {
            const HeldOutRows rows = held_out.view();
            auto lost =
                without_lock([&](StopSignal& stop) { return node_losses(tree, rows, loss, stop); });
            return std::pair(give(std::move(lost.passing)), give(std::move(lost.stayed)));
        },
        nb::arg("tree"), nb::arg("held_out"), nb::arg("loss"),
        "Loss at each node of the rows that pass it, and of those that stay in an inner one.");

    module.def(
        "losses_along_path",
        [](const CodedTree& tree, const BorrowedRows& held_out, const HeldOutLoss& loss,
           const Numbers& critical_beta, const Numbers& betas) {
            const HeldOutRows rows = held_out.view();
            const auto critical = span_of(critical_beta), grid = span_of(betas);
            auto lost = without_lock([&](StopSignal& stop) {
                return losses_along_path(tree, rows, loss, critical, grid, stop);
            });
            return std::tuple(give(std::move(lost.sum)), give(std::move(lost.sum_of_squares)),
                              give(std::move(lost.sum_of_squared_changes)));
        },
        nb::arg("tree"), nb::arg("held_out"), nb::arg("loss"), nb::arg("critical_beta").noconvert(),
        nb::arg("betas").noconvert(),
        "For each β, summed over the rows: the loss under T(β), its square, and the square of its "
        "change from the root's.");
}

}  // namespace branchline::bindings
