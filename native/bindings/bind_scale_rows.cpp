#include "arrays.hpp"
#include "branchline/scale_rows.hpp"

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
}

}  // namespace branchline::bindings
