#include <nanobind/stl/optional.h>

#include <limits>

#include "branchline/grow_tree.hpp"
#include "columns.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

// The columns a tree is grown on, borrowed from Python for as long as this object lives.
class BorrowedGrowColumns {
  public:
    BorrowedGrowColumns(const nb::list& codes, const In<std::int64_t>& n_codes,
                        const In<bool>& is_category, const In<double>& cost,
                        const In<std::uint32_t>& fill_code)
        : codes_(codes) {
        const std::size_t n = codes_.views().size();
        require(n_codes.shape(0) == n && is_category.shape(0) == n && cost.shape(0) == n &&
                    fill_code.shape(0) == n,
                "n_codes, is_category, cost and fill_code for each column");
        for (std::size_t c = 0; c < n; ++c) {
            const std::int64_t last = span_of(n_codes)[c];
            require(last >= 0 && last < std::numeric_limits<Code>::max(), "n_codes out of range");
            require(span_of(cost)[c] > 0, "costs must be above 0");
            require(fill_code.data()[c] <= last, "fill_code out of range");
            columns_.push_back({codes_.views()[c],
                                static_cast<std::size_t>(last),
                                is_category.data()[c],
                                span_of(cost)[c],
                                fill_code.data()[c],
                                {}});
            check_codes(columns_.back());
        }
    }

    // One byte for each code of a category column, subset after subset.
    void give_subsets(std::size_t column, In<std::uint8_t> subsets) {
        require(column < columns_.size() && columns_[column].is_category &&
                    columns_[column].n_codes > 0 &&
                    subsets.shape(0) % columns_[column].n_codes == 0,
                "a byte for each category of each subset");
        columns_[column].given_subsets = span_of(subsets);
        subsets_.push_back(std::move(subsets));
    }

    std::span<const GrowColumn> view() const { return columns_; }
    std::size_t n_rows() const { return codes_.n_rows(); }

  private:
    void check_codes(const GrowColumn& column) const {
        visit_codes(column.codes, [&](const auto* codes) {
            for (std::size_t row = 0; row < codes_.n_rows(); ++row) {
                require(codes[row] <= column.n_codes, "a code above n_codes");
            }
        });
    }

    CodeColumns codes_;
    std::vector<GrowColumn> columns_;
    std::vector<In<std::uint8_t>> subsets_;
};

// The target a tree is grown for, borrowed from Python for as long as this object lives.
class BorrowedGrowTarget {
  public:
    using Units = std::optional<In<std::int64_t>>;

    BorrowedGrowTarget(std::optional<In<std::uint32_t>> class_of_row, Units sums_of_row,
                       Units units, std::optional<In<double>> class_factor, std::size_t n_classes,
                       std::size_t n_outputs, std::int64_t part_units)
        : class_of_row_(std::move(class_of_row)), sums_of_row_(std::move(sums_of_row)),
          units_(std::move(units)), class_factor_(std::move(class_factor)) {
        target_ = {span_of(class_of_row_),
                   span_of(sums_of_row_),
                   span_of(units_),
                   span_of(class_factor_),
                   n_classes,
                   n_outputs,
                   part_units};
        require(part_units >= 0, "part_units of at least 0");
        require((n_classes > 0) != (n_outputs > 0), "either classes or outputs");
        require(target_.class_factor.empty() || target_.class_factor.size() == n_classes,
                "a factor for each class");
        for (const std::uint32_t c : target_.class_of_row) {
            require(c < n_classes, "a class out of range");
        }
    }

    const GrowTarget& view() const { return target_; }
    void require_rows(std::size_t n_rows) const {
        require(target_.units.empty() || target_.units.size() == n_rows, "units for each row");
        const std::size_t length = target_.is_classification()
                                       ? target_.class_of_row.size()
                                       : target_.sums_of_row.size() / target_.n_outputs;
        require(length == n_rows, "a target for each row");
    }

  private:
    std::optional<In<std::uint32_t>> class_of_row_;
    Units sums_of_row_, units_;
    std::optional<In<double>> class_factor_;
    GrowTarget target_;
};

void add_options(nb::module_& module) {
    nb::class_<GrowOptions>(module, "GrowOptions")
        .def(nb::init<>())
        .def_prop_rw(
            "criterion", [](const GrowOptions& o) { return static_cast<int>(o.criterion); },
            [](GrowOptions& o, int value) { o.criterion = static_cast<TreeCriterion>(value); })
        .def_prop_rw(
            "missing", [](const GrowOptions& o) { return static_cast<int>(o.missing); },
            [](GrowOptions& o, int value) { o.missing = static_cast<MissingPolicy>(value); })
        .def_prop_rw(
            "subset_search", [](const GrowOptions& o) { return static_cast<int>(o.subset_search); },
            [](GrowOptions& o, int value) { o.subset_search = static_cast<SubsetSearch>(value); })
        .def_rw("gain_ratio", &GrowOptions::gain_ratio)
        .def_rw("multiway", &GrowOptions::multiway)
        .def_rw("share_rare_branches", &GrowOptions::share_rare_branches)
        .def_rw("cautious_thresholds", &GrowOptions::cautious_thresholds)
        .def_rw("correct_for_chance", &GrowOptions::correct_for_chance)
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
        .def_rw("n_threads", &GrowOptions::n_threads);
}

nb::dict give_tree(GrownTree&& tree) {
    nb::dict out;
    out["kind"] = give(std::move(tree.kind));
    out["feature"] = give(std::move(tree.feature));
    out["first_child"] = give(std::move(tree.first_child));
    out["n_children"] = give(std::move(tree.n_children));
    out["missing_branch"] = give(std::move(tree.missing_branch));
    out["left_code"] = give(std::move(tree.left_code));
    out["right_code"] = give(std::move(tree.right_code));
    out["pool_offset"] = give(std::move(tree.pool_offset));
    out["pool"] = give(std::move(tree.pool));
    out["content"] = give(std::move(tree.content));
    out["spread"] = give(std::move(tree.spread));
    return out;
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
    const bool of_numbers = options.criterion == TreeCriterion::variance;
    require(of_numbers != target.view().is_classification(), "a criterion that fits the target");
    for (const std::uint32_t row : span_of(rows)) {
        require(row < columns.n_rows(), "a row out of range");
        require(target.view().units.empty() || target.view().units[row] > 0, "units above 0");
    }
}

}  // namespace

void add_grow(nb::module_& module) {
    add_options(module);
    nb::class_<BorrowedGrowTarget>(module, "GrowTarget",
                                   "Class of each row, or fixed-point sums of each row, and units.")
        .def(nb::init<std::optional<In<std::uint32_t>>, std::optional<In<std::int64_t>>,
                      std::optional<In<std::int64_t>>, std::optional<In<double>>, std::size_t,
                      std::size_t, std::int64_t>(),
             nb::arg("class_of_row").noconvert().none(), nb::arg("sums_of_row").noconvert().none(),
             nb::arg("units").noconvert().none(), nb::arg("class_factor").noconvert().none(),
             nb::arg("n_classes"), nb::arg("n_outputs"), nb::arg("part_units") = 0);
    nb::class_<BorrowedGrowColumns>(module, "GrowColumns", "Coded columns to grow a tree on.")
        .def(nb::init<const nb::list&, const In<std::int64_t>&, const In<bool>&, const In<double>&,
                      const In<std::uint32_t>&>(),
             nb::arg("codes"), nb::arg("n_codes").noconvert(), nb::arg("is_category").noconvert(),
             nb::arg("cost").noconvert(), nb::arg("fill_code").noconvert())
        .def("give_subsets", &BorrowedGrowColumns::give_subsets, nb::arg("column"),
             nb::arg("subsets").noconvert());
    module.def(
        "grow_tree",
        [](const BorrowedGrowColumns& columns, const In<std::uint32_t>& rows,
           const BorrowedGrowTarget& target, const GrowOptions& options) {
            require_call(columns, rows, target, options);
            return give_tree(without_lock([&](StopSignal& stop) {
                return grow_tree(columns.view(), span_of(rows), target.view(), options, stop);
            }));
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
