#include <nanobind/stl/pair.h>

#include "branchline/node_tests.hpp"
#include "give_tree.hpp"
#include "grow_inputs.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

// The numeric columns that tests are made of, borrowed from Python for as long as this object lives.
class BorrowedNumbers {
  public:
    BorrowedNumbers(const nb::list& values, const In<std::int64_t>& places,
                    const In<double>& middle, const In<double>& range) {
        const std::size_t n = values.size();
        require(places.shape(0) == n && middle.shape(0) == n && range.shape(0) == n,
                "a place, a middle and a range for each column");
        for (std::size_t c = 0; c < n; ++c) {
            const char* expected = "numbers must be contiguous float64 arrays";
            const auto& array = arrays_.emplace_back(array_in<In<double>>(values[c], expected));
            require(array.shape(0) == arrays_.front().shape(0), "columns of different lengths");
            require(span_of(range)[c] > 0 && span_of(places)[c] >= 0, "a range above 0");
            numbers_.push_back({span_of(array), static_cast<std::uint32_t>(span_of(places)[c]),
                                span_of(middle)[c], span_of(range)[c]});
        }
    }

    std::span<const NumberColumn> view() const { return numbers_; }
    void require_rows(std::size_t n_rows) const {
        require(arrays_.empty() || arrays_.front().shape(0) == n_rows, "a number for each row");
    }

  private:
    std::vector<In<double>> arrays_;
    std::vector<NumberColumn> numbers_;
};

nb::dict give_made(std::vector<MadeColumn>&& made) {
    std::vector<std::int64_t> size, columns, groups;
    std::vector<double> first, second, scale;
    for (const MadeColumn& one : made) {
        size.push_back(static_cast<std::int64_t>(one.columns.size()));
        columns.insert(columns.end(), one.columns.begin(), one.columns.end());
        groups.insert(groups.end(), {one.group_a, one.group_b});
        first.insert(first.end(), one.first.begin(), one.first.end());
        second.insert(second.end(), one.second.begin(), one.second.end());
        scale.insert(scale.end(), one.scale.begin(), one.scale.end());
    }
    nb::dict out;
    out["size"] = give(std::move(size));
    out["columns"] = give(std::move(columns));
    out["groups"] = give(std::move(groups));
    out["first"] = give(std::move(first));
    out["second"] = give(std::move(second));
    out["scale"] = give(std::move(scale));
    return out;
}

void require_call(const NodeTestInput& input, std::span<const std::uint32_t> rows,
                  const GrowOptions& options, const NodeTestOptions& tests) {
    require(!rows.empty() && options.n_threads > 0, "at least one row and one thread");
    const bool of_numbers = options.criterion == TreeCriterion::variance;
    require(of_numbers != input.target.is_classification(), "a criterion that fits the target");
    require(options.missing != MissingPolicy::fractional, "rows that are not shared");
    require(tests.n_columns >= 2 && tests.n_columns <= 8, "2 to 8 columns");
    for (const std::uint32_t row : rows) {
        require(row < input.keys.size(), "a row out of range");
        require(input.target.units.empty() || input.target.units[row] > 0, "units above 0");
    }
}

void add_options(nb::module_& module) {
    nb::enum_<NodeTestKind>(module, "NodeTestKind", "Tests that are made node by node.")
        .value("projection", NodeTestKind::projection)
        .value("centers", NodeTestKind::centers)
        .value("lookahead", NodeTestKind::lookahead);
    nb::class_<NodeTestOptions>(module, "NodeTestOptions")
        .def(nb::init<>())
        .def_rw("kind", &NodeTestOptions::kind)
        .def_rw("n_columns", &NodeTestOptions::n_columns)
        .def_rw("n_random", &NodeTestOptions::n_random)
        .def_rw("lookahead", &NodeTestOptions::lookahead)
        .def_rw("seed", &NodeTestOptions::seed);
}

}  // namespace

void add_node_tests(nb::module_& module) {
    add_options(module);
    nb::class_<BorrowedNumbers>(module, "NodeNumbers", "Numeric columns that tests are made of.")
        .def(nb::init<const nb::list&, const In<std::int64_t>&, const In<double>&,
                      const In<double>&>(),
             nb::arg("values"), nb::arg("places").noconvert(), nb::arg("middle").noconvert(),
             nb::arg("range").noconvert());
    module.def(
        "grow_by_nodes",
        [](const BorrowedGrowColumns& columns, const BorrowedNumbers& numbers,
           const std::pair<In<std::uint64_t>, In<std::uint32_t>>& keys_and_rows,
           const BorrowedGrowTarget& target, const GrowOptions& options,
           const NodeTestOptions& tests) {
            const auto& [keys, rows] = keys_and_rows;
            target.require_rows(columns.n_rows());
            numbers.require_rows(columns.n_rows());
            require(keys.shape(0) == columns.n_rows(), "a key for each row");
            const NodeTestInput input{columns.view(), numbers.view(), span_of(keys), target.view()};
            require_call(input, span_of(rows), options, tests);
            TreeOfNodes grown = without_lock([&](StopSignal& stop) {
                return grow_by_nodes(input, span_of(rows), options, tests, stop);
            });
            nb::dict out = give_tree(std::move(grown.tree), 0);
            out["threshold"] = give(std::move(grown.threshold));
            out["made"] = give_made(std::move(grown.made));
            return out;
        },
        nb::arg("columns"), nb::arg("numbers"), nb::arg("keys_and_rows"), nb::arg("target"),
        nb::arg("options"), nb::arg("tests"),
        "Grow a tree whose tests are made node by node; its arrays by name.");
}

}  // namespace branchline::bindings
