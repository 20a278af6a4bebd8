#include "give_tree.hpp"
#include "grow_inputs.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

void add_choices(nb::module_& module) {
    nb::enum_<TreeCriterion>(module, "TreeCriterion", "What tests of a tree are to lower.")
        .value("gini", TreeCriterion::gini)
        .value("entropy", TreeCriterion::entropy)
        .value("misclassification", TreeCriterion::misclassification)
        .value("variance", TreeCriterion::variance)
        .value("absolute_error", TreeCriterion::absolute_error)
        .value("poisson", TreeCriterion::poisson);
    nb::enum_<MissingPolicy>(module, "MissingPolicy", "Where missing values go.")
        .value("learned", MissingPolicy::learned)
        .value("own_branch", MissingPolicy::own_branch)
        .value("mode", MissingPolicy::mode)
        .value("fractional", MissingPolicy::fractional);
    nb::enum_<SubsetSearch>(module, "SubsetSearch", "How subsets of categories are searched.")
        .value("automatic", SubsetSearch::automatic)
        .value("one_vs_rest", SubsetSearch::one_vs_rest)
        .value("flip_flop", SubsetSearch::flip_flop)
        .value("greedy", SubsetSearch::greedy)
        .value("exact", SubsetSearch::exact);
}

void add_options(nb::module_& module) {
    nb::class_<GrowOptions>(module, "GrowOptions")
        .def(nb::init<>())
        .def_rw("criterion", &GrowOptions::criterion)
        .def_rw("missing", &GrowOptions::missing)
        .def_rw("subset_search", &GrowOptions::subset_search)
        .def_rw("gain_ratio", &GrowOptions::gain_ratio)
        .def_rw("multiway", &GrowOptions::multiway)
        .def_rw("share_rare_branches", &GrowOptions::share_rare_branches)
        .def_rw("cautious_thresholds", &GrowOptions::cautious_thresholds)
        .def_rw("correct_for_chance", &GrowOptions::correct_for_chance)
        .def_rw("sets_singles_aside", &GrowOptions::sets_singles_aside)
        .def_rw("description_length", &GrowOptions::description_length)
        .def_rw("split_on_zero_gain", &GrowOptions::split_on_zero_gain)
        .def_rw("max_depth", &GrowOptions::max_depth)
        .def_rw("max_leaves", &GrowOptions::max_leaves)
        .def_rw("min_split_units", &GrowOptions::min_split_units)
        .def_rw("min_leaf_units", &GrowOptions::min_leaf_units)
        .def_rw("min_impurity", &GrowOptions::min_impurity)
        .def_rw("min_gain", &GrowOptions::min_gain)
        .def_rw("significance", &GrowOptions::significance)
        .def_rw("unit", &GrowOptions::unit)
        .def_rw("exact_subsets", &GrowOptions::exact_subsets)
        .def_rw("keeps_leaves", &GrowOptions::keeps_leaves)
        .def_rw("n_threads", &GrowOptions::n_threads);
}

nb::dict give_test(ListedTest&& test) {
    nb::dict out;
    out["column"] = test.column;
    out["is_threshold"] = test.is_threshold;
    out["n_branches"] = test.n_branches;
    out["missing_branch"] = test.missing_branch;
    out["left_code"] = test.left_code;
    out["right_code"] = test.right_code;
    out["branch_of_code"] = give(std::move(test.branch_of_code));
    out["gain"] = test.gain;
    out["split_information"] = test.split_information;
    out["score"] = test.score;
    out["p_value"] = test.p_value;
    out["is_chosen"] = test.is_chosen;
    return out;
}

void require_call(const BorrowedGrowColumns& columns, const In<std::uint32_t>& rows,
                  const BorrowedGrowTarget& target, const GrowOptions& options) {
    target.require_rows(columns.n_rows());
    require(rows.shape(0) > 0 && options.n_threads > 0, "at least one row and one thread");
    const bool of_numbers = is_of_numbers(options.criterion);
    require(of_numbers != target.view().is_classification(), "a criterion that fits the target");
    const bool needs_values = of_numbers && options.criterion != TreeCriterion::variance;
    require(!needs_values || !target.view().values_of_row.empty(), "values for this criterion");
    for (const std::uint32_t row : span_of(rows)) {
        require(row < columns.n_rows(), "a row out of range");
        require(target.view().units.empty() || target.view().units[row] > 0, "units above 0");
    }
}

}  // namespace

void add_grow(nb::module_& module) {
    add_choices(module);
    add_options(module);
    nb::class_<BorrowedGrowTarget>(module, "GrowTarget",
                                   "Class of each row, or fixed-point sums of each row, and units.")
        .def(nb::init<std::optional<In<std::uint32_t>>, std::optional<In<std::int64_t>>,
                      std::optional<In<std::int64_t>>, std::optional<In<double>>, std::size_t,
                      std::size_t, std::int64_t, std::optional<In<std::int64_t>>>(),
             nb::arg("class_of_row").noconvert().none(), nb::arg("sums_of_row").noconvert().none(),
             nb::arg("units").noconvert().none(), nb::arg("class_factor").noconvert().none(),
             nb::arg("n_classes"), nb::arg("n_outputs"), nb::arg("part_units") = 0,
             nb::arg("values_of_row").noconvert().none() = nb::none());
    nb::class_<BorrowedGrowColumns>(module, "GrowColumns", "Coded columns to grow a tree on.")
        .def(nb::init<const nb::list&, const In<std::int64_t>&, const In<bool>&, const In<double>&,
                      const In<std::uint32_t>&>(),
             nb::arg("codes"), nb::arg("n_codes").noconvert(), nb::arg("is_category").noconvert(),
             nb::arg("cost").noconvert(), nb::arg("fill_code").noconvert())
        .def("give_subsets", &BorrowedGrowColumns::give_subsets, nb::arg("column"),
             nb::arg("subsets").noconvert())
        .def("make_multiway", &BorrowedGrowColumns::make_multiway, nb::arg("column"),
             "Test a category column with a branch for each category.")
        .def("order_rows", &BorrowedGrowColumns::order_rows,
             "Sort columns of few rows once, for many trees on these rows.");
    module.def(
        "grow_tree",
        [](const BorrowedGrowColumns& columns, const In<std::uint32_t>& rows,
           const BorrowedGrowTarget& target, const GrowOptions& options) {
            require_call(columns, rows, target, options);
            GrowOptions packing = options;
            packing.packs_contents = target.view().is_classification();
            GrownTree tree = without_lock([&](StopSignal& stop) {
                return grow_tree(columns.view(), span_of(rows), target.view(), packing, stop);
            });
            return give_tree(std::move(tree), target.view().width());
        },
        nb::arg("columns"), nb::arg("rows").noconvert(), nb::arg("target"), nb::arg("options"),
        "Grow a tree in codes; its arrays by name.");
    module.def(
        "list_tests",
        [](const BorrowedGrowColumns& columns, const In<std::uint32_t>& rows,
           const BorrowedGrowTarget& target, const GrowOptions& options) {
            require_call(columns, rows, target, options);
            auto listed = without_lock([&](StopSignal& stop) {
                return list_tests(columns.view(), span_of(rows), target.view(), options, stop);
            });
            nb::list out;
            for (ListedTest& test : listed) out.append(give_test(std::move(test)));
            return out;
        },
        nb::arg("columns"), nb::arg("rows").noconvert(), nb::arg("target"), nb::arg("options"),
        "The best test of each column in the node that holds the rows.");
}

}  // namespace branchline::bindings
