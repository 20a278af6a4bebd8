"""Confusion, ranking, calibration and learning curves against what they must be."""

import numpy as np
import pytest
from sklearn import metrics as peer

from branchline import load_dataset
from branchline.assess import Outcome, permutation_importance
from branchline.assess.curves import (
    calibration_curve,
    confusion,
    learning_curve,
    precision_recall_curve,
    roc_curve,
    validation_curve,
)
from branchline.assess.curves._ranking import (
    _at_or_above,
    _drawn_precision_recall,
    _drawn_roc,
    _precision_recall,
    _roc,
)
from branchline.bayes import NaiveBayes
from branchline.errors import NotFittedError, ParameterError
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor, Stump


def scored(n_rows=300, strength=1.0, seed=0):
    """Return an outcome whose probabilities are true, and the chance of the positive class."""
    rng = np.random.default_rng(seed)
    chance = 1 / (1 + np.exp(-strength * rng.normal(size=n_rows)))
    truth = (rng.random(n_rows) < chance).astype(int)
    probabilities = np.column_stack([1 - chance, chance])
    return Outcome(truth, (chance > 0.5).astype(int), probabilities, ("n", "p"), 1), chance


def test_confusion_counts_as_scikit_learn_does_and_knows_its_price():
    outcome, _ = scored()
    found = confusion(outcome)
    expected = peer.confusion_matrix(outcome.truth, outcome.predicted)
    np.testing.assert_array_equal(found.counts, expected)
    assert found.accuracy.estimate == pytest.approx(np.trace(expected) / 300)
    assert found.total_cost == expected[0, 1] + expected[1, 0]
    assert found.recall(1).estimate == pytest.approx(expected[1, 1] / expected[1].sum())
    assert found.precision(1).estimate == pytest.approx(expected[1, 1] / expected[:, 1].sum())


def test_a_class_that_is_never_said_has_no_precision():
    found = confusion(Outcome(np.array([0, 1, 2]), np.array([0, 0, 0]), None, ("a", "b", "c")))
    assert found.precision(1) is None
    assert found.recall(2).estimate == 0
    assert "true ↓" in str(found)


def test_the_roc_curve_is_scikit_learns_and_its_band_holds_the_truth():
    outcome, chance = scored()
    found = roc_curve(outcome)
    assert found.area.estimate == pytest.approx(peer.roc_auc_score(outcome.truth, chance))
    assert found.area.low < found.area.estimate < found.area.high
    assert (found.low <= found.high).all()
    on_grid = np.interp(found.grid, found.x, found.y)
    assert ((on_grid >= found.low - 0.02) & (on_grid <= found.high + 0.02)).mean() > 0.95


def test_the_band_of_the_area_covers_the_true_area():
    _, chance = scored(100_000, seed=99)
    rng = np.random.default_rng(98)
    true_area = peer.roc_auc_score(rng.random(len(chance)) < chance, chance)
    found = [roc_curve(scored(150, seed=seed)[0], n_draws=100).area for seed in range(60)]
    covered = sum(area.low <= true_area <= area.high for area in found)
    assert covered >= 52  # 57 are expected; fewer than 52 come once in a hundred times


@pytest.mark.parametrize("curve", [roc_curve, precision_recall_curve])
def test_the_band_does_not_depend_on_row_order(curve):
    outcome, _ = scored(150)
    order = np.random.default_rng(0).permutation(150)
    one, other = curve(outcome), curve(outcome.rows(order))
    np.testing.assert_array_equal([one.low, one.high], [other.low, other.high])
    assert one.area == other.area


@pytest.mark.parametrize(
    ("curve", "drawn"), [(_roc, _drawn_roc), (_precision_recall, _drawn_precision_recall)]
)
def test_curves_from_counts_are_scikit_learns(curve, drawn):
    outcome, chance = scored(90)
    chance = chance.round(1)
    level = np.unique(-chance, return_inverse=True)[1]
    truth = outcome.truth.astype(bool)
    x, y, area = drawn(*(_at_or_above(level[side], level.max() + 1) for side in (truth, ~truth)))
    grid = np.linspace(0, 1, 73)
    np.testing.assert_allclose(np.interp(grid, x, y), np.interp(grid, *curve(truth, chance)))
    score = peer.roc_auc_score if curve is _roc else peer.average_precision_score
    assert area == pytest.approx(score(truth, chance))


def test_precision_against_recall():
    outcome, chance = scored()
    found = precision_recall_curve(outcome)
    expected = peer.average_precision_score(outcome.truth, chance)
    assert found.area.estimate == pytest.approx(expected)
    assert (np.diff(found.x) >= 0).all()


def test_without_probabilities_or_with_one_class_there_is_no_curve():
    outcome, _ = scored()
    assert roc_curve(Outcome(outcome.truth, outcome.predicted, None, ("n", "p"), 1)) is None
    one = Outcome(np.ones(5, int), np.ones(5, int), np.eye(2)[[1] * 5], ("n", "p"), 1)
    assert precision_recall_curve(one) is None
    assert calibration_curve(Outcome(outcome.truth, outcome.predicted, None, ("n", "p"))) is None


def test_true_probabilities_are_calibrated_and_bold_ones_are_not():
    outcome, chance = scored(2000)
    good = calibration_curve(outcome)
    assert not good.is_off
    assert good.error < 0.05
    bold = np.clip(0.5 + 2.5 * (chance - 0.5), 0.01, 0.99)
    said = Outcome(
        outcome.truth, outcome.predicted, np.column_stack([1 - bold, bold]), ("n", "p"), positive=1
    )
    assert calibration_curve(said).is_off
    assert good.n_rows.sum() == 2000


def test_learning_curves_rise_and_training_scores_fall():
    X, y = load_dataset("german-credit").split_target("class")
    curve = learning_curve(NaiveBayes(), X, y, sizes=[40, 1.0], n_folds=4, metric="auc")
    few, all_rows = curve.points
    assert all_rows.test.estimate > few.test.estimate
    assert few.train > all_rows.train
    assert "training" in str(curve)
    with pytest.raises(ParameterError) as caught:
        learning_curve(NaiveBayes(), X, y, sizes=[5000])
    assert caught.value.code == "P103"


def test_learning_curves_of_numbers_do_not_depend_on_the_order_of_rows():
    X, y = load_dataset("auto-mpg").split_target("mpg")
    order = np.random.default_rng(0).permutation(len(y))
    options = {"sizes": [0.5, 1.0], "n_folds": 3}
    one = learning_curve(Stump(task="regression"), X, y, **options)
    other = learning_curve(Stump(task="regression"), X.rows(order), y[order], **options)
    for first, second in zip(one.points, other.points, strict=True):
        assert first.test.estimate == pytest.approx(second.test.estimate, rel=1e-12)


def test_validation_curves_try_each_value():
    X, y = load_dataset("auto-mpg").split_target("mpg")
    tree = DecisionTreeRegressor(prune=None)
    curve = validation_curve(tree, X, y, parameter="max_leaf_nodes", values=[2, 12], n_folds=3)
    assert curve.metric == "rmse"
    assert curve.points[1].train < curve.points[0].train


# -- permutation importance ---------------------------------------------------------------------


def test_only_columns_that_tell_something_matter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = (X[:, 2] + 0.1 * rng.normal(size=400) > 0).astype(int)
    found = permutation_importance(DecisionTreeClassifier().fit(X, y), X, y)
    first = found.columns[0]
    assert (first.column, first.rank_low, first.rank_high) == ("x2", 1, 1)
    assert first.loss.low > 0.3
    assert all(one.loss.estimate == 0 for one in found.columns[1:])
    assert "rank" in str(found)


def test_importance_of_errors_counts_worsening_as_positive():
    X, y = load_dataset("auto-mpg").split_target("mpg")
    found = permutation_importance(DecisionTreeRegressor().fit(X, y), X, y, metric="mae")
    assert found.columns[0].loss.estimate > 0
    assert found.metric == "mae"


def test_importance_needs_a_fitted_model():
    with pytest.raises(NotFittedError):
        permutation_importance(Stump(), [[1.0], [2.0]], [0, 1])
