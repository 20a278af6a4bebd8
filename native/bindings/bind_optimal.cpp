#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "branchline/optimal_tree.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

class BorrowedTests {
  public:
    BorrowedTests(In<std::uint64_t> bits, In<std::uint32_t> first_test,
                  In<std::uint8_t> is_exclusive)
        : bits_(std::move(bits)), first_test_(std::move(first_test)),
          is_exclusive_(std::move(is_exclusive)) {
        const auto first = span_of(first_test_);
        require(first.size() == is_exclusive_.shape(0) + 1 && first[0] == 0, "families of tests");
        for (std::size_t f = 0; f + 1 < first.size(); ++f) {
            require(first[f] < first[f + 1], "a family without tests");
        }
    }

    OptimalTests view() const {
        return {span_of(bits_), span_of(first_test_), span_of(is_exclusive_)};
    }

    void require_rows(std::size_t n_rows) const {
        require(bits_.shape(0) == n_rows * view().n_words(), "bits of each row");
    }

  private:
    In<std::uint64_t> bits_;
    In<std::uint32_t> first_test_;
    In<std::uint8_t> is_exclusive_;
};

class BorrowedTarget {
  public:
    // Classes: the class of each row and, where errors differ, what they cost. Numbers: sums, squares.
    BorrowedTarget(std::optional<In<std::uint32_t>> class_of_row, std::optional<In<double>> units,
                   std::optional<In<double>> numbers, std::optional<In<double>> costs,
                   std::size_t n_classes, double square_scale)
        : class_of_row_(std::move(class_of_row)), units_(std::move(units)),
          numbers_(std::move(numbers)), costs_(std::move(costs)), n_classes_(n_classes),
          square_scale_(square_scale) {
        require(class_of_row_.has_value() == (n_classes > 0), "classes and their number");
        require(class_of_row_.has_value() != numbers_.has_value(), "either classes or numbers");
        require(!units_ || units_->shape(0) == n_rows(), "units of each row");
        require(!costs_ || costs_->shape(0) == n_classes * n_classes, "a square matrix of costs");
        for (const std::uint32_t k : span_of(class_of_row_)) require(k < n_classes, "a class");
        require(n_rows() > 0, "at least one row");
    }

    std::size_t n_rows() const {
        return class_of_row_ ? class_of_row_->shape(0) : numbers_->shape(0) / 2;
    }

    OptimalTarget view() const {
        const auto numbers = span_of(numbers_);
        const std::size_t n = numbers.size() / 2;
        return {span_of(class_of_row_), span_of(units_), numbers.first(n), numbers.subspan(n),
                span_of(costs_),        n_classes_,      square_scale_};
    }

  private:
    std::optional<In<std::uint32_t>> class_of_row_;
    std::optional<In<double>> units_, numbers_, costs_;
    std::size_t n_classes_;
    double square_scale_;
};

nb::dict give_result(OptimalResult&& result) {
    nb::dict out;
    out["tests"] = give(std::move(result.tests));
    out["value"] = result.value;
    out["bound"] = result.bound;
    out["is_proved"] = result.is_proved;
    out["n_nodes"] = result.n_nodes;
    return out;
}

}  // namespace

void add_optimal(nb::module_& module) {
    nb::class_<BorrowedTests>(module, "OptimalTests", "Yes-no tests of rows as bits, in families.")
        .def(nb::init<In<std::uint64_t>, In<std::uint32_t>, In<std::uint8_t>>(),
             nb::arg("bits").noconvert(), nb::arg("first_test").noconvert(),
             nb::arg("is_exclusive").noconvert());
    nb::class_<BorrowedTarget>(module, "OptimalTarget",
                               "Classes, or sums and squares, of each row.")
        .def(nb::init<std::optional<In<std::uint32_t>>, std::optional<In<double>>,
                      std::optional<In<double>>, std::optional<In<double>>, std::size_t, double>(),
             nb::arg("class_of_row").noconvert().none(), nb::arg("units").noconvert().none(),
             nb::arg("numbers").noconvert().none(), nb::arg("costs").noconvert().none(),
             nb::arg("n_classes"), nb::arg("square_scale"));
    nb::enum_<TreeShape>(module, "TreeShape", "Which trees are searched: all, or lists of rules.")
        .value("any", TreeShape::any)
        .value("list", TreeShape::list)
        .value("list_of_answers", TreeShape::list_of_answers);
    nb::class_<OptimalOptions>(module, "OptimalOptions")
        .def(nb::init<>())
        .def_rw("max_depth", &OptimalOptions::max_depth)
        .def_rw("leaf_penalty", &OptimalOptions::leaf_penalty)
        .def_rw("min_leaf_units", &OptimalOptions::min_leaf_units)
        .def_rw("time_limit", &OptimalOptions::time_limit)
        .def_rw("shape", &OptimalOptions::shape);
    module.def(
        "optimal_tree",
        [](const BorrowedTests& tests, const BorrowedTarget& target,
           const OptimalOptions& options) {
            tests.require_rows(target.n_rows());
            require(1 <= options.max_depth && options.max_depth <= 6, "a depth from 1 to 6");
            return give_result(without_lock([&](StopSignal& stop) {
                return optimal_tree(tests.view(), target.view(), options, stop);
            }));
        },
        nb::arg("tests"), nb::arg("target"), nb::arg("options"),
        "The tree of least cost among all trees of a depth; its tests as a heap.");
}

}  // namespace branchline::bindings
