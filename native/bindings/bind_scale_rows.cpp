#include "arrays.hpp"
#include "branchline/scale_rows.hpp"
#include "columns.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

using OutCells = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The scales of columns as they are kept, for many calls.
class Kept {
  public:
    Kept(In<double> power, In<double> center, In<double> spread, In<double> fill, double largest)
        : power_(std::move(power)), center_(std::move(center)), spread_(std::move(spread)),
          fill_(std::move(fill)), largest_(largest) {
        for (const std::size_t length : {center_.shape(0), spread_.shape(0), fill_.shape(0)})
            require(length == power_.shape(0), "an entry for each column");
    }

    RowScales views() const {
        return {span_of(power_), span_of(center_), span_of(spread_), span_of(fill_), largest_};
    }

  private:
    In<double> power_, center_, spread_, fill_;
    double largest_;
};

using InWeights = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutSums = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
using OutTerms = nb::ndarray<double, nb::ndim<2>, nb::device::cpu>;

// Where the terms of columns stand, with their scales, for many calls.
class KeptTerms {
  public:
    KeptTerms(In<std::int64_t> place, In<std::int64_t> number, In<std::int64_t> indicator,
              Kept scales)
        : place_(std::move(place)), number_(std::move(number)), indicator_(std::move(indicator)),
          scales_(std::move(scales)) {
        const std::size_t length = scales_.views().power.size();
        for (const auto* array : {&place_, &number_, &indicator_})
            require(array->shape(0) == length, "an entry for each column");
        for (const std::int64_t one : span_of(place_)) {
            require(one >= 0, "places are from 0 on");
            n_columns_ = std::max(n_columns_, static_cast<std::size_t>(one) + 1);
        }
        for (const auto* array : {&number_, &indicator_})
            for (const std::int64_t one : span_of(*array))
                n_terms_ = std::max(n_terms_, static_cast<std::size_t>(one + 1));
    }

    void write(const FloatMatrix& matrix, OutTerms& out, bool marks_missing) const {
        const std::vector<ColumnView> columns = columns_of_places(matrix);
        require(out.shape(0) >= n_terms_, "a row for each term");
        const std::size_t n_rows = matrix.shape(0);
        require(out.shape(1) == n_rows && (n_rows < 2 || out.stride(1) == 1) && out.stride(0) >= 0,
                "terms of the same rows, side by side");
        scale_columns(columns, n_rows,
                      {span_of(place_), span_of(number_), span_of(indicator_), scales_.views(),
                       marks_missing},
                      {out.data(), static_cast<std::size_t>(out.stride(0))});
    }

    // The sums of weighted terms of each row.
    OutSums scores(const FloatMatrix& matrix, const InWeights& weights,
                   const In<double>& bias) const {
        const std::vector<ColumnView> columns = columns_of_places(matrix);
        require(weights.shape(0) == bias.shape(0) && weights.shape(1) == n_terms_,
                "a weight for each sum and term");
        const std::size_t n_rows = matrix.shape(0), n_sums = bias.shape(0);
        auto sums = std::make_unique_for_overwrite<double[]>(n_rows * n_sums);
        const ColumnTerms terms{span_of(place_), span_of(number_), span_of(indicator_),
                                scales_.views()};
        const TermWeights by{{weights.data(), weights.size()}, span_of(bias), n_terms_};
        without_lock([&](StopSignal&) {
            column_scores(columns, n_rows, terms, by, {sums.get(), n_rows * n_sums});
            return true;
        });
        double* data = sums.release();
        nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
        return OutSums(data, {n_rows, n_sums}, std::move(owner));
    }

  private:
    std::vector<ColumnView> columns_of_places(const FloatMatrix& matrix) const {
        std::vector<ColumnView> columns = columns_of(matrix);
        require(columns.size() >= n_columns_, "a column for each place");
        return columns;
    }

    In<std::int64_t> place_, number_, indicator_;
    Kept scales_;
    std::size_t n_columns_ = 0, n_terms_ = 0;
};

}  // namespace

void add_scale_rows(nb::module_& module) {
    nb::class_<Kept>(module, "RowScales", "The scales of columns of numbers.")
        .def(nb::init<In<double>, In<double>, In<double>, In<double>, double>(),
             nb::arg("power").noconvert(), nb::arg("center").noconvert(),
             nb::arg("spread").noconvert(), nb::arg("fill").noconvert(), nb::arg("largest"))
        .def(
            "scale",
            [](const Kept& scales, OutCells cells) {
                const RowScales views = scales.views();
                require(cells.shape(1) == views.power.size(), "a scale for each column");
                scale_rows({cells.data(), cells.size()}, views);
            },
            nb::arg("matrix").noconvert(), "Put rows on the scales, where they are.");
    nb::class_<KeptTerms>(module, "ColumnTerms", "The terms that columns of numbers become.")
        .def(nb::init<In<std::int64_t>, In<std::int64_t>, In<std::int64_t>, Kept>(),
             nb::arg("place").noconvert(), nb::arg("number").noconvert(),
             nb::arg("indicator").noconvert(), nb::arg("scales"))
        .def(
            "write",
            [](const KeptTerms& terms, const FloatMatrix& matrix, OutTerms out,
               bool marks_missing) { terms.write(matrix, out, marks_missing); },
            nb::arg("matrix").noconvert(), nb::arg("out").noconvert(), nb::arg("marks_missing"),
            "Write the terms of a matrix of numbers, a term in each row.")
        .def("scores", &KeptTerms::scores, nb::arg("matrix").noconvert(),
             nb::arg("weights").noconvert(), nb::arg("bias").noconvert(),
             "The sums of weighted terms of each row of a matrix of numbers.");
}

}  // namespace branchline::bindings
