#include "bag_inputs.hpp"

namespace branchline::bindings {

void add_bag(nb::module_& module) {
    nb::enum_<BagKind>(module, "BagKind", "How the rows of a tree are drawn.")
        .value("all", BagKind::all)
        .value("bootstrap", BagKind::bootstrap)
        .value("subsample", BagKind::subsample);
    nb::class_<BorrowedBag>(module, "Bag", "Which copies of rows each tree draws.")
        .def(
            "__init__",
            [](BorrowedBag* self, In<std::uint64_t> keys, std::optional<In<std::int64_t>> copies,
               In<std::int64_t> first_copy, BagKind kind, double rate, std::uint64_t seed) {
                new (self) BorrowedBag(std::move(keys), std::move(copies), std::move(first_copy),
                                       {kind, rate, seed});
            },
            nb::arg("keys").noconvert(), nb::arg("copies").noconvert().none(),
            nb::arg("first_copy").noconvert(), nb::arg("kind"), nb::arg("rate"), nb::arg("seed"))
        .def_prop_ro("kind", [](const BorrowedBag& self) { return self.rule().kind; })
        .def_prop_ro("rate", [](const BorrowedBag& self) { return self.rule().rate; })
        .def_prop_ro("seed", [](const BorrowedBag& self) { return self.rule().seed; })
        .def(
            "counts",
            [](const BorrowedBag& self, std::uint64_t tree) {
                const Bag bag(self.rows(), self.rule(), tree);
                std::vector<std::uint32_t> counts(self.n_rows());
                for (std::size_t row = 0; row < counts.size(); ++row) counts[row] = bag.count(row);
                return give(std::move(counts));
            },
            nb::arg("tree"), "How often a tree holds each row.");
}

}  // namespace branchline::bindings
