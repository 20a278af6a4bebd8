"""Everything that holds a curve draws itself: as SVG at every width, in words, numbers and PNG."""

import time

import numpy as np
import pytest

import branchline as bl
from branchline.assess import permutation_importance
from branchline.assess.curves import (
    calibration_curve,
    confusion,
    decision_curve,
    gain_curve,
    learning_curve,
    precision_recall_curve,
    roc_curve,
    staged_errors,
    validation_curve,
)
from branchline.assess.theory import (
    bias_variance_curve,
    sample_curves,
    sine_function,
    structural_risk,
)
from branchline.assess.uncertainty import NumberIntervals
from branchline.boosting import AdaBoostClassifier
from branchline.charts import Chart, Line, impurity_by_threshold, impurity_curves, margin_losses
from branchline.errors import DataError, ParameterError
from branchline.linear import (
    Lasso,
    LinearRegression,
    LogisticRegression,
    Ridge,
    coefficient_path,
)
from branchline.reproduce._selection_curve import SelectionCurve
from branchline.svm import SVCGrid
from branchline.tree import DecisionTreeRegressor
from unit.charts.drawing_checks import check_picture

X, Y = bl.load_dataset("heart").split_target("disease")
Y = np.asarray(Y)
CARS, MPG = bl.load_dataset("auto-mpg").split_target("mpg")
HALF = np.arange(len(Y)) % 2 == 0


def outcome():
    found = bl.compare(
        bl.load_dataset("heart"),
        "disease",
        learners="naive_bayes,tree",
        n_folds=3,
        positive="present",
    )
    return found, found.outcome("naive_bayes")


@pytest.fixture(scope="module")
def pictures():
    found, predicted = outcome()
    gain = gain_curve(predicted)
    tree = bl.make("tree", task="classification").fit(X, Y)
    lasso, logistic = Lasso().fit(CARS, MPG), LogisticRegression().fit(X, Y)
    linear = LinearRegression().fit(CARS, MPG)
    grown = DecisionTreeRegressor(prune=None, max_leaf_nodes=4)
    forest = bl.make("forest", task="classification", n_estimators=10).fit(X.rows(HALF), Y[HALF])
    ada = AdaBoostClassifier(n_estimators=8).fit(X.rows(HALF), Y[HALF])
    rest = (X.rows(~HALF), Y[~HALF])
    curve = SelectionCurve((1, 5, 50), {"training": (0.3, 0.1, 0.0), "test": (0.5, 0.48, 0.52)})
    ends = np.array([1.0, 3.0, 2.0])
    intervals = NumberIntervals(0.9, ends, ends - 1, ends + 1, False, 40, 40.0, "folds")
    depth = {"parameter": "max_depth", "values": [1, 2, 30, None]}
    kernel = {"parameter": "criterion", "values": ["gini", "entropy"]}
    made = bl.make("tree", task="classification", prune=None)
    return {
        "comparison": found.draw(),
        "comparison by another metric": found.draw(metric="auc"),
        "roc": roc_curve(predicted).draw(),
        "precision": precision_recall_curve(predicted).draw(),
        "calibration": calibration_curve(predicted).draw(),
        "gain": gain.draw(),
        "lift": gain.draw(show="lift"),
        "decision": decision_curve(predicted).draw(),
        "confusion": confusion(predicted).draw(),
        "learning": learning_curve(made, X, Y, n_folds=3, sizes=[0.3, 1.0]).draw(),
        "validation": validation_curve(made, X, Y, n_folds=3, **depth).draw(),
        "validation of names": validation_curve(made, X, Y, n_folds=3, **kernel).draw(),
        "pruning": tree.pruning_path_.draw(),
        "importances": permutation_importance(tree, X, Y, n_repeats=1).draw(),
        "structural risk": structural_risk(X, Y, along="leaves", sizes=[1, 2, 4], n_folds=3).draw(),
        "bias and variance": bias_variance_curve(
            grown, sine_function(), over="max_leaf_nodes", values=[2, 8], n_rows=40, n_sets=4
        ).draw(),
        "samples": sample_curves(grown, sine_function(), n_rows=30, n_sets=12).draw(),
        "selection": curve.draw(),
        "lasso path": lasso.path_.draw(),
        "lasso errors": lasso.path_.draw(show="error"),
        "ridge errors": Ridge().fit(CARS, MPG).gcv_curve_.draw(),
        "ridge path": coefficient_path(Ridge(), CARS, MPG, values=[1.0, 10.0, 100.0]).draw(),
        "boosting": staged_errors(ada, X.rows(HALF), Y[HALF], eval_set=rest).draw(),
        "forest": staged_errors(forest, X.rows(HALF), Y[HALF], eval_set=rest).draw(),
        "impurities": impurity_curves(),
        "losses": margin_losses(),
        "entropy": impurity_by_threshold(X.column("age").numbers(), Y, name="age"),
        "weights": logistic.draw(),
        "odds ratios": logistic.odds_ratios().draw(),
        "summary": linear.summary().draw(),
        "coefficients": linear.draw(),
        "grid": SVCGrid(C=[1.0, 10.0], gamma=[0.1, 1.0]).fit(X, Y).draw(),
        "intervals": intervals.draw(truth=[1.5, 9.0, 2.0]),
    }


def test_every_figure_is_sound_at_every_width_and_theme(pictures) -> None:
    for name, chart in pictures.items():
        check_picture(chart)
        assert chart.title, name


def test_every_figure_has_words_and_numbers(pictures) -> None:
    for name, chart in pictures.items():
        assert len(chart.text) > 40, name
        assert len(chart.to_frame()) > 1, name
        assert len(chart.to_frame("polars").columns) >= 2, name


def test_every_figure_is_a_png_within_a_second(pictures, tmp_path) -> None:
    pytest.importorskip("resvg_py")
    for name, chart in pictures.items():
        begin = time.process_time()
        chart.save(tmp_path / "chart.png")
        assert time.process_time() - begin < 1.0, name
        assert (tmp_path / "chart.png").read_bytes()[:4] == b"\x89PNG", name


def test_every_figure_draws_on_axes_of_matplotlib(pictures) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    for chart in pictures.values():
        _, ax = pyplot.subplots()
        assert chart.on(ax) is ax
        pyplot.close("all")


def test_the_figures_hold_the_numbers_of_their_results(pictures) -> None:
    frame = pictures["intervals"].to_frame()
    assert "33 % of 3 rows are inside" not in frame
    assert "67 % of 3 rows are inside" in pictures["intervals"].note
    best = pictures["entropy"].marks[0].y.min()
    ages, classes = X.column("age").numbers(), Y == "present"
    slow = min(
        sum(side.mean() * entropy(classes[side].mean()) for side in (ages <= cut, ages > cut))
        for cut in np.unique(ages)[:-1]
    )
    assert best == pytest.approx(slow)


def entropy(share: float) -> float:
    return -sum(p * np.log2(p) for p in (share, 1 - share) if p > 0)


def test_staged_errors_are_those_of_staged_predictions() -> None:
    ada = AdaBoostClassifier(n_estimators=6).fit(X, Y)
    found = staged_errors(ada, X, Y)
    slow = [np.mean(one != Y) for one in ada.staged_predict(X)]
    np.testing.assert_allclose(found.errors["training rows"], slow)
    forest = bl.make("forest", task="regression", n_estimators=12).fit(CARS, MPG)
    told = staged_errors(forest, CARS, MPG)
    assert told.steps[-1] == 12
    means = np.mean([forest.tree(tree).predict(CARS) for tree in range(2)], axis=0)
    place = told.steps.tolist().index(2)
    assert told.errors["training rows"][place] == pytest.approx(np.mean((MPG - means) ** 2))
    residuals = np.asarray(MPG) - forest.oob_prediction_
    known = np.isfinite(residuals)
    assert told.errors["out of bag"][-1] == pytest.approx(np.mean(residuals[known] ** 2))
    with pytest.raises(ParameterError) as wrong:
        staged_errors(bl.make("ridge", task="regression").fit(CARS, MPG), CARS, MPG)
    assert wrong.value.code == "P532"


def test_weights_of_rows_follow_the_rounds() -> None:
    ada = AdaBoostClassifier(n_estimators=4).fit(X, Y)
    weights = np.full(len(Y), 1.0)
    amounts = ada._amounts_of(ada.estimator_weights_)
    before = np.zeros((len(Y), 2))
    for amount, votes in zip(amounts, (one.copy() for one in ada._staged_votes(X)), strict=True):
        member = (votes - before).argmax(axis=1)
        weights *= np.exp(amount * (ada.classes_[member] != Y))
        before = votes
    np.testing.assert_allclose(ada.row_weights(X, Y), weights / weights.mean())
    np.testing.assert_allclose(ada.row_weights(X, Y, n_rounds=0), 1.0)


def test_paths_are_fits_for_each_value() -> None:
    path = coefficient_path(Ridge(), CARS, MPG, values=[2.0, 50.0])
    for value, weights in zip(path.values, path.weights, strict=True):
        np.testing.assert_allclose(weights, Ridge(alpha=value).fit(CARS, MPG).weights_[0])
    assert len(coefficient_path(LogisticRegression(C=1.0), X, Y).values) == 40
    with pytest.raises(ParameterError) as wrong:
        coefficient_path(DecisionTreeRegressor(), CARS, MPG)
    assert wrong.value.code == "P533"


def test_a_threshold_needs_two_numbers() -> None:
    with pytest.raises(DataError) as wrong:
        impurity_by_threshold([1.0, 1.0], ["a", "b"])
    assert wrong.value.code == "D481"


def test_the_loss_of_a_wrong_class_falls_straight_down() -> None:
    loss = margin_losses().marks[0]
    at = np.flatnonzero(loss.x == 0.0)
    assert loss.y[at].tolist() == [1.0, 0.0]


def test_the_sample_of_faint_lines_in_a_legend_is_seen() -> None:
    chart = Chart((Line([0, 1], [0, 1], "fits", faint=True), Line([0, 1], [1, 0], "truth")))
    assert chart.to_svg().count('class="line faint') == 1
