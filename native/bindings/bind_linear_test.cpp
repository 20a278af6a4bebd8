#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "branchline/linear_test.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

// The table of a linear tree: borrowed arrays that live as long as this object.
struct LinearTable {
    LinearTable(In<std::uint16_t> codes_in, In<std::uint32_t> n_codes_in,
                In<std::uint8_t> is_category_in, In<std::int32_t> own_term_in, In<double> matrix_in,
                In<double> target_in, In<double> weight_in)
        : codes(std::move(codes_in)), n_codes(std::move(n_codes_in)),
          is_category(std::move(is_category_in)), own_term(std::move(own_term_in)),
          matrix(std::move(matrix_in)), target(std::move(target_in)), weight(std::move(weight_in)) {
        const std::size_t n_rows = target.shape(0), n_columns = n_codes.shape(0);
        require(weight.shape(0) == n_rows, "a weight for each row");
        require(codes.shape(0) == n_rows * n_columns, "a code for each row and column");
        require(is_category.shape(0) == n_columns, "a kind for each column");
        require(own_term.shape(0) == n_columns, "a term for each column");
        require(n_rows == 0 || matrix.shape(0) % n_rows == 0, "terms for each row");
    }

    In<std::uint16_t> codes;
    In<std::uint32_t> n_codes;
    In<std::uint8_t> is_category;
    In<std::int32_t> own_term;
    In<double> matrix, target, weight;
};

}  // namespace

void add_linear_test(nb::module_& module) {
    nb::class_<LinearTable>(module, "LinearTable",
                            "Codes, terms and target of the rows of a linear tree.")
        .def(nb::init<In<std::uint16_t>, In<std::uint32_t>, In<std::uint8_t>, In<std::int32_t>,
                      In<double>, In<double>, In<double>>(),
             nb::arg("codes").noconvert(), nb::arg("n_codes").noconvert(),
             nb::arg("is_category").noconvert(), nb::arg("own_term").noconvert(),
             nb::arg("matrix").noconvert(), nb::arg("target").noconvert(),
             nb::arg("weight").noconvert());
    nb::class_<LinearTestOptions>(module, "LinearTestOptions", "Limits of a test of linear models.")
        .def(nb::init<double, double, double, int>(), nb::arg("ridge"), nb::arg("min_weight"),
             nb::arg("min_category"), nb::arg("n_threads"));
    nb::class_<LinearTest>(module, "LinearTest",
                           "The test of a node whose branches have the best linear models.")
        .def_ro("column", &LinearTest::column, "The column; −1: there is no test.")
        .def_ro("node_error", &LinearTest::node_error, "The error of one model for the node.")
        .def_ro("error", &LinearTest::error, "The errors of the models of both branches.")
        .def_ro("missing_left", &LinearTest::missing_left,
                "Whether missing values go to the first branch.")
        .def_ro("left_code", &LinearTest::left_code, "The last code of the first branch.")
        .def_ro("right_code", &LinearTest::right_code,
                "The first code of the second branch; 0: none.")
        .def_prop_ro(
            "left_categories",
            [](const LinearTest& test) {
                return give(std::vector<std::uint16_t>(test.left_categories));
            },
            nb::rv_policy::move, "The codes of categories that take the first branch.")
        .def_prop_ro(
            "right_categories",
            [](const LinearTest& test) {
                return give(std::vector<std::uint16_t>(test.right_categories));
            },
            nb::rv_policy::move,
            "The codes of categories that take the second branch; others go with missing values.");
    module.def(
        "find_linear_test",
        [](const LinearTable& table, const In<std::uint32_t>& rows, const In<std::int32_t>& terms,
           const LinearTestOptions& options) {
            const auto target = span_of(table.target);
            const auto matrix = span_of(table.matrix);
            const std::size_t n_terms = target.empty() ? 0 : matrix.size() / target.size();
            const LinearTestColumns columns{span_of(table.codes), span_of(table.n_codes),
                                            span_of(table.is_category), span_of(table.own_term)};
            const LinearTestRows data{matrix, target, span_of(table.weight), n_terms};
            return without_lock([&](StopSignal& stop) {
                return find_linear_test(columns, data, span_of(rows), span_of(terms), options,
                                        stop);
            });
        },
        nb::arg("table"), nb::arg("rows").noconvert(), nb::arg("terms").noconvert(),
        nb::arg("options"), "The test whose two branches have the linear models of least error.");
}

}  // namespace branchline::bindings
