"""The rounds of a recommended gradient boosting: the curve, the mark, and when there is none."""

import numpy as np
import pytest

from branchline import load_dataset
from branchline.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from branchline.boosting._losses import CLASS_LOSSES, NUMBER_LOSSES
from branchline.ensemble import ThresholdClassifier
from branchline.report import report_document, report_html, report_markdown
from branchline.report._boosting_rounds import (
    _MEASURES,
    boosting_in,
    rounds_blocks,
    validated_rounds,
)
from branchline.tree import DecisionTreeRegressor

TITLE = "How many rounds are enough"


@pytest.fixture(scope="module")
def model(boosting):
    chosen = GradientBoostingClassifier(n_estimators="auto")
    return chosen.fit(boosting.problem.table, boosting.problem.target)


def _on_cars(cars, **settings):
    return GradientBoostingRegressor(**settings).fit(cars.problem.table, cars.problem.target)


def test_the_document_has_the_curve_and_the_kept_rounds(boosting, model):
    rounds = report_document(boosting, model=model)["model"]["rounds"]
    assert rounds["measure"] == "mean log loss"
    assert rounds["validation_loss"] == model.validation_loss_.tolist()
    assert rounds["kept"] == model.n_estimators_ == np.argmin(model.validation_loss_) + 1


def test_the_page_marks_the_kept_rounds(boosting, model):
    text = report_html(boosting, model=model)
    assert text.count(f"<figcaption><b>{TITLE}</b>") == 1
    assert text.count(f">{model.n_estimators_} rounds kept<") == 2  # wide and narrow
    assert f"its trees have {model.complexity().count:,} leaves" in text


def test_markdown_has_a_few_rounds_and_the_kept_one_in_bold(boosting, model):
    text = report_markdown(boosting, model=model).split(f"### {TITLE}")[1].split("###")[0]
    losses, kept = model.validation_loss_, model.n_estimators_
    assert f"| **{kept}** | **{losses[kept - 1]:.4g}** |" in text
    assert f"| 10 | {losses[9]:.4g} |" in text
    assert f"| {len(losses)} | {losses[-1]:.4g} |" in text
    assert "more rounds did not help" in text
    assert text.count("\n| ") < 15


def test_a_fixed_number_of_rounds_has_no_curve(cars):
    fixed = _on_cars(cars, n_estimators=20)
    assert validated_rounds(fixed) is None
    told = report_document(cars, model=fixed)["model"]
    assert told["rounds"] is None
    assert told["attributions"] is not None
    text = report_markdown(cars, model=fixed)
    assert "It was boosted in 20 rounds" in text
    assert TITLE not in text


def test_rounds_that_ended_too_early_are_told(cars):
    short = _on_cars(cars, n_estimators=5, early_stopping=True)
    assert validated_rounds(short).is_cut_short
    words = rounds_blocks(short)[1].words
    assert "It still fell when the 5 rounds ended" in words
    assert "did not help" not in words
    assert words.startswith("Half the mean squared error after each round")


def test_rounds_added_to_earlier_ones_have_no_curve(cars):
    added = _on_cars(cars, n_estimators=30, warm_start=True)
    added.set_params(n_estimators=200, early_stopping=True, patience=5)
    added.fit(cars.problem.table, cars.problem.target)
    assert added.validation_loss_ is not None
    assert validated_rounds(added) is None
    assert len(rounds_blocks(added)) == 1


def test_the_first_round_within_the_tolerance_is_a_kept_one(cars):
    loose = _on_cars(cars, n_estimators="auto", tol=0.05)
    judged = validated_rounds(loose)
    assert judged.kept < np.argmin(loose.validation_loss_) + 1
    assert judged.kept == loose.n_estimators_


def test_other_models_have_no_rounds(iris, cars):
    tree = DecisionTreeRegressor().fit(cars.problem.table, cars.problem.target)
    assert boosting_in(tree) is boosting_in(None) is None
    assert rounds_blocks(tree) == []
    assert validated_rounds(tree) is validated_rounds(None) is None
    told = report_document(iris)["model"]
    assert told["rounds"] is told["attributions"] is None


def test_a_threshold_does_not_hide_the_rounds(boosting):
    problem = boosting.problem
    inner = GradientBoostingClassifier(n_estimators=10, early_stopping=True)
    chosen = ThresholdClassifier(estimator=inner).fit(problem.table, problem.target)
    told = report_document(boosting, model=chosen)["model"]
    assert told["rounds"]["kept"] == chosen.member_.n_estimators_
    assert told["attributions"]["about"] == "log-odds of “bad”"


def test_every_loss_has_a_name_that_people_read():
    assert set(_MEASURES) == {*NUMBER_LOSSES, *CLASS_LOSSES}


def test_a_loss_of_ones_own_is_called_loss():
    class Own:
        def gradient_hessian(self, y, raw):
            return raw - y, np.ones_like(raw)

        def value(self, y, raw):
            return (raw - y) ** 2

    X, y = load_dataset("auto-mpg").split_target("mpg")
    own = GradientBoostingRegressor(loss=Own(), n_estimators=8, early_stopping=True).fit(X, y)
    assert validated_rounds(own).measure == "mean loss"
