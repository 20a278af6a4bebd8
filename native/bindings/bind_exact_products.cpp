#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "branchline/exact_products.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

constexpr std::size_t most_rows = 8192, most_slices = 3;

using InRows = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;
using OutSums = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

OutSums give_matrix(std::vector<double>&& values, std::size_t n_columns) {
    auto owner = std::make_unique<std::vector<double>>(std::move(values));
    const std::size_t n_rows = n_columns == 0 ? 0 : owner->size() / n_columns;
    double* data = owner->data();
    nb::capsule capsule(owner.release(),
                        [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    return OutSums(data, {n_rows, n_columns}, std::move(capsule));
}

// How terms are cut, as it is kept for many calls.
class Cut {
  public:
    Cut(In<double> power, In<std::uint8_t> is_whole, std::size_t n_slices)
        : power_(std::move(power)), is_whole_(std::move(is_whole)), n_slices_(n_slices) {
        require(is_whole_.shape(0) == power_.shape(0), "an entry for each term");
        require(n_slices >= 1 && n_slices <= most_slices, "terms have one to three slices");
    }

    CutTerms views() const { return {span_of(power_), span_of(is_whole_), n_slices_}; }

  private:
    In<double> power_;
    In<std::uint8_t> is_whole_;
    std::size_t n_slices_;
};

TermRows rows_of(const InRows& rows, const CutTerms& terms,
                 const std::optional<In<double>>& factor) {
    require(rows.shape(0) == terms.n_terms(), "a row of numbers for each term");
    require(rows.shape(1) <= most_rows, "more rows than can be added exactly");
    require(rows.shape(1) < 2 || rows.stride(1) == 1, "numbers of a term stand side by side");
    require(rows.stride(0) >= 0, "terms stand in order");
    require(reinterpret_cast<std::uintptr_t>(rows.data()) % alignof(double) == 0,
            "an array is not aligned");
    require(!factor || factor->shape(0) == rows.shape(1), "a factor for each row");
    return {rows.data(), static_cast<std::size_t>(rows.stride(0)), span_of(factor)};
}

}  // namespace

void add_exact_products(nb::module_& module) {
    nb::class_<Cut>(module, "CutTerms", "How terms are cut into slices.")
        .def(nb::init<In<double>, In<std::uint8_t>, std::size_t>(), nb::arg("power").noconvert(),
             nb::arg("is_whole").noconvert(), nb::arg("n_slices"));
    module.def(
        "exact_products",
        [](const Cut& left, const InRows& left_rows, const Cut& right, const InRows& right_rows) {
            const CutTerms one = left.views(), other = right.views();
            const TermRows some = rows_of(left_rows, one, std::nullopt);
            const TermRows others = rows_of(right_rows, other, std::nullopt);
            const std::size_t n_rows = left_rows.shape(1);
            require(right_rows.shape(1) == n_rows, "the same rows on both sides");
            return give_matrix(without_lock([&](StopSignal&) {
                                   return exact_products(one, some, other, others, n_rows);
                               }),
                               other.size());
        },
        nb::arg("left"), nb::arg("left_rows").noconvert(), nb::arg("right"),
        nb::arg("right_rows").noconvert(),
        "Sums over rows of the products of left and right slices, without rounding.");
    module.def(
        "exact_squares",
        [](const Cut& terms, const InRows& rows, const std::optional<In<double>>& factor) {
            const CutTerms cut = terms.views();
            const TermRows some = rows_of(rows, cut, factor);
            return give_matrix(without_lock([&](StopSignal&) {
                                   return exact_squares(cut, some, rows.shape(1));
                               }),
                               cut.size());
        },
        nb::arg("terms"), nb::arg("rows").noconvert(), nb::arg("factor").noconvert().none(),
        "Sums over rows of the products of all pairs of slices, without rounding.");
}

}  // namespace branchline::bindings
