#include <nanobind/stl/optional.h>

#include <limits>

#include "branchline/find_test.hpp"
#include "columns.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

std::vector<SearchColumn> search_columns(const CodeColumns& codes, const In<std::int64_t>& n_codes,
                                         const In<bool>& is_category) {
    require(n_codes.shape(0) == codes.views().size() && is_category.shape(0) == n_codes.shape(0),
            "n_codes and is_category for each column");
    std::vector<SearchColumn> columns;
    for (std::size_t c = 0; c < codes.views().size(); ++c) {
        const std::int64_t last = span_of(n_codes)[c];
        require(last >= 0 && last < std::numeric_limits<Code>::max(), "n_codes out of range");
        columns.push_back(
            {codes.views()[c], static_cast<std::size_t>(last), is_category.data()[c]});
    }
    return columns;
}

void add_search(nb::module_& module) {
    nb::class_<SearchOptions>(module, "SearchOptions")
        .def(nb::init<>())
        .def_prop_rw(
            "criterion", [](const SearchOptions& o) { return static_cast<int>(o.criterion); },
            [](SearchOptions& o, int value) { o.criterion = static_cast<Criterion>(value); })
        .def_rw("multiway", &SearchOptions::multiway)
        .def_rw("min_branch_units", &SearchOptions::min_branch_units)
        .def_rw("n_threads", &SearchOptions::n_threads);

    nb::class_<SearchTarget>(module, "SearchTarget",
                             "Class of each row, or fixed-point sum of each row, and units.")
        .def(
            "__init__",
            [](SearchTarget* self, const std::optional<In<std::uint32_t>>& class_of_row,
               const std::optional<In<std::int64_t>>& sum_of_row,
               const std::optional<In<std::int64_t>>& units, std::size_t n_classes) {
                require(n_classes <= std::numeric_limits<std::uint32_t>::max(),
                        "n_classes out of range");
                new (self) SearchTarget{span_of(class_of_row), span_of(sum_of_row), span_of(units),
                                        n_classes};
            },
            nb::arg("class_of_row").noconvert().none(), nb::arg("sum_of_row").noconvert().none(),
            nb::arg("units").noconvert().none(), nb::arg("n_classes"), nb::keep_alive<1, 2>(),
            nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>());

    nb::class_<FoundTest>(module, "FoundTest")
        .def_ro("column", &FoundTest::column)
        .def_ro("is_threshold", &FoundTest::is_threshold)
        .def_ro("left_code", &FoundTest::left_code)
        .def_ro("right_code", &FoundTest::right_code)
        .def_ro("n_branches", &FoundTest::n_branches)
        .def_ro("missing_branch", &FoundTest::missing_branch)
        .def_ro("gain", &FoundTest::gain)
        .def_prop_ro(
            "branch_of_code",
            [](const FoundTest& test) {
                return give(std::vector<std::int32_t>(test.branch_of_code));
            },
            nb::rv_policy::automatic, "A copy: the branch of each code, −1 for none.");

    module.def(
        "find_test",
        [](const nb::list& codes, const In<std::int64_t>& n_codes, const In<bool>& is_category,
           const SearchTarget& target, const SearchOptions& options) {
            const CodeColumns borrowed(codes);
            const auto columns = search_columns(borrowed, n_codes, is_category);
            const std::size_t n_rows = borrowed.n_rows();
            const std::size_t length =
                target.n_classes > 0 ? target.class_of_row.size() : target.sum_of_row.size();
            require(length == n_rows && (target.units.empty() || target.units.size() == n_rows),
                    "target and units for each row");
            return without_lock([&](StopSignal& stop) {
                return find_test(columns, n_rows, target, options, stop);
            });
        },
        nb::arg("codes"), nb::arg("n_codes").noconvert(), nb::arg("is_category").noconvert(),
        nb::arg("target"), nb::arg("options"), "The best test of a node that holds all rows.");
}

}  // namespace

void add_tree(nb::module_& module) {
    add_search(module);
}

}  // namespace branchline::bindings
