#include "arrays.hpp"
#include "branchline/drift.hpp"

namespace branchline::bindings {

namespace {

// Places of the numbers at which a detector said that the mean had changed.
template <class Detector>
Out<std::int64_t> places_of_changes(Detector& detector, const In<double>& values) {
    std::vector<std::int64_t> places;
    std::int64_t place = 0;
    for (const double value : span_of(values)) {
        if (detector.update(value)) places.push_back(place);
        ++place;
    }
    return give(std::move(places));
}

}  // namespace

void add_drift(nb::module_& module) {
    nb::class_<Adwin>(module, "Adwin", "A window as long as the mean of its numbers is constant.")
        .def(nb::init<double>(), nb::arg("delta"))
        .def(
            "update",
            [](Adwin& detector, const In<double>& values) {
                std::vector<std::int64_t> places;
                std::vector<double> windows;
                std::int64_t place = 0;
                for (const double value : span_of(values)) {
                    if (detector.update(value)) {
                        places.push_back(place);
                        for (const double number :
                             {detector.width(), detector.mean_before(), detector.mean()}) {
                            windows.push_back(number);
                        }
                    }
                    ++place;
                }
                return nb::make_tuple(give(std::move(places)), give(std::move(windows)));
            },
            nb::arg("values").noconvert(),
            "Adds numbers; places of those at which the window was cut, and after each cut its "
            "length, the mean that was cut off and the one that was kept.")
        .def_prop_ro("mean", &Adwin::mean)
        .def_prop_ro("width", &Adwin::width)
        .def_prop_ro("mean_before", &Adwin::mean_before)
        .def_prop_ro("nbytes", &Adwin::n_bytes);
    nb::class_<PageHinkley>(module, "PageHinkley", "Sums of deviations from the mean so far.")
        .def(
            "__init__",
            [](PageHinkley* self, double tolerance, double threshold, std::int64_t min_rows) {
                new (self) PageHinkley({tolerance, threshold, min_rows});
            },
            nb::arg("tolerance"), nb::arg("threshold"), nb::arg("min_rows"))
        .def("update", &places_of_changes<PageHinkley>, nb::arg("values").noconvert(),
             "Adds numbers; places of those at which the mean had changed.");
    nb::class_<Ddm>(module, "Ddm", "The share of ones against its lowest value.")
        .def(
            "__init__",
            [](Ddm* self, double warning, double threshold, std::int64_t min_rows) {
                new (self) Ddm({warning, threshold, min_rows});
            },
            nb::arg("warning"), nb::arg("threshold"), nb::arg("min_rows"))
        .def(
            "update",
            [](Ddm& detector, const In<double>& values) {
                std::vector<std::int64_t> changes, warnings;
                std::int64_t place = 0;
                for (const double value : span_of(values)) {
                    const int found = detector.update(value > 0.5);
                    if (found == 1) warnings.push_back(place);
                    if (found == 2) changes.push_back(place);
                    ++place;
                }
                return nb::make_tuple(give(std::move(changes)), give(std::move(warnings)));
            },
            nb::arg("values").noconvert(),
            "Adds zeros and ones; places of changes and of warnings.");
}

}  // namespace branchline::bindings
