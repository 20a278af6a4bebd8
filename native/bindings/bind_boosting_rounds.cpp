#include "bag_inputs.hpp"
#include "boosting_inputs.hpp"
#include "branchline/boosting_rounds.hpp"
#include "interrupt.hpp"
#include "linear_inputs.hpp"

namespace branchline::bindings {

namespace {

using Numbers = std::optional<In<double>>;
using Classes = std::optional<In<std::uint32_t>>;
using Units = std::optional<In<std::int64_t>>;

// The rows to boost on: targets, and what each row or each drawn copy counts.
class BorrowedBoostingRows {
  public:
    BorrowedBoostingRows(Numbers target, Classes class_of_row, Units units, const BorrowedBag* bag,
                         Units validation, const BorrowedLinearColumns* linear)
        : target_(std::move(target)), class_of_row_(std::move(class_of_row)),
          units_(std::move(units)), validation_(std::move(validation)) {
        if (bag != nullptr) bag_ = *bag;
        if (linear != nullptr) linear_ = *linear;
        require(target_.has_value() != class_of_row_.has_value(),
                "numbers, or a class of each row");
        const std::size_t n = view().target.n_rows();
        require(!units_ || units_->shape(0) == n, "units for each row");
        require(!bag_ || bag_->n_rows() == n, "a bag of as many rows");
        require(!validation_ || validation_->shape(0) == n, "validation units for each row");
    }

    // For a table of this size.
    BoostingRows view(std::size_t n_rows, std::size_t n_columns) const {
        BoostingRows rows = view();
        if (linear_) rows.linear = linear_->view(n_rows, n_columns);
        return rows;
    }

    BoostingRows view() const {
        BoostingRows rows;
        rows.target = {span_of(target_), span_of(class_of_row_)};
        rows.units = span_of(units_);
        rows.validation = span_of(validation_);
        if (bag_) {
            rows.bag = bag_->rows();
            rows.rule = bag_->rule();
        }
        return rows;
    }

  private:
    Numbers target_;
    Classes class_of_row_;
    Units units_, validation_;
    std::optional<BorrowedBag> bag_;
    std::optional<BorrowedLinearColumns> linear_;
};

// How to boost: what trees must obey, how each is grown, and how many rounds there are.
struct BoostingPlan {
    BorrowedConstraints constraints;
    BoostingOptions options;
    BoostingRun run;
};

nb::dict boost(TreeBooster& booster, const LossRule& loss, const BorrowedBoostingRows& rows,
               const BoostingPlan& plan, const Written<double>& scores) {
    const auto& [constraints, options, run] = plan;
    const BoostingRows given = rows.view(booster.n_rows(), booster.n_columns());
    const std::size_t n_rows = given.target.n_rows();
    require(n_rows > 0 && n_rows % booster.n_rows() == 0, "a target for each row of each model");
    require(run.n_rounds > 0 && run.first_round >= 0, "at least one round");
    require_options(options);
    const auto limits = constraints.view(booster.n_columns());
    const auto to = written_span(scores, n_rows * loss.n_outputs(), "a score for each row");
    BoostedRounds boosted = without_lock([&](StopSignal& stop) {
        return boost_rounds(booster, loss, given, limits, plan.options, plan.run, to, stop);
    });
    nb::dict out = give_trees(std::move(boosted.trees));
    out["value"] = give(std::move(boosted.value));
    out["terms"] = give_terms(std::move(boosted.terms));
    out["validation_loss"] = give(std::move(boosted.validation_loss));
    out["n_rounds"] = boosted.n_rounds;
    return out;
}

}  // namespace

void add_boosting_rounds(nb::module_& module) {
    nb::class_<BoostingRun>(module, "BoostingRun", "How many rounds to boost, and how.")
        .def(nb::init<>())
        .def_rw("learning_rate", &BoostingRun::learning_rate)
        .def_rw("slope_l2", &BoostingRun::slope_l2)
        .def_rw("seed", &BoostingRun::seed)
        .def_rw("first_round", &BoostingRun::first_round)
        .def_rw("n_rounds", &BoostingRun::n_rounds)
        .def_rw("seconds", &BoostingRun::seconds)
        .def_rw("keeps_trees", &BoostingRun::keeps_trees);
    nb::class_<BorrowedBoostingRows>(module, "BoostingRows", "The rows to boost on.")
        .def(nb::init<Numbers, Classes, Units, const BorrowedBag*, Units,
                      const BorrowedLinearColumns*>(),
             nb::arg("target").noconvert().none(), nb::arg("class_of_row").noconvert().none(),
             nb::arg("units").noconvert().none(), nb::arg("bag").none(),
             nb::arg("validation").noconvert().none(), nb::arg("linear").none());
    nb::class_<BoostingPlan>(module, "BoostingPlan", "Constraints, how trees grow, and rounds.")
        .def(nb::init<BorrowedConstraints, BoostingOptions, BoostingRun>(), nb::arg("constraints"),
             nb::arg("options"), nb::arg("run"));
    module.def("boost_rounds", &boost, nb::arg("booster"), nb::arg("loss"), nb::arg("rows"),
               nb::arg("plan"), nb::arg("scores").noconvert(),
               "Boost several rounds, and add them to the scores of each output.");
}

}  // namespace branchline::bindings
