"""AdaBoost: its formulas step by step, the bound on random data, stops, learners, warm starts."""

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import AdaBoostClassifier as TheirClassifier
from sklearn.linear_model import LinearRegression as TheirLinearRegression
from sklearn.linear_model import LogisticRegression as TheirLogisticRegression
from sklearn.tree import DecisionTreeClassifier as TheirTree

from branchline import load, load_dataset
from branchline.boosting import AdaBoostClassifier, AdaBoostRegressor
from branchline.boosting._adaboost_regressor import _weighted_median
from branchline.boosting._sequence_rows import draw
from branchline.errors import DataError, ModelFileError, NotFittedError, ParameterError
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor


def circles(n_rows: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return points whose class, inside or outside, no single test tells; one in ten is wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    inside = (X[:, :2] ** 2).sum(axis=1) < 1.4
    return X, np.where(inside ^ (rng.random(n_rows) < 0.1), "in", "out")


def messy(seed: int, n_classes: int, n_rows: int = 60) -> tuple[pd.DataFrame, np.ndarray]:
    """Return numbers, categories and holes, and classes that depend on them a little."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=n_rows).round(1),
            "n": rng.integers(0, 4, n_rows),
            "word": rng.choice(["a", "b", "c", "d"], n_rows),
        }
    )
    score = frame["x"] + (frame["word"] == "b") + rng.normal(size=n_rows)
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))
    frame.loc[rng.random(n_rows) < 0.2, "x"] = np.nan
    frame.loc[rng.random(n_rows) < 0.2, "word"] = None
    return frame, y


# -- the algorithm ------------------------------------------------------------------------------


def slow_adaboost(X: Any, y: np.ndarray, n_rounds: int) -> tuple[list[float], list[float]]:
    """Return α and ε of each round for two classes, as the textbook has them."""
    weight = np.full(len(y), 1 / len(y))
    alphas, errors = [], []
    for _ in range(n_rounds):
        stump = DecisionTreeClassifier(max_depth=1, prune=None, correct_for_chance=False)
        wrong = stump.fit(X, y, sample_weight=weight).predict(X) != y
        error = weight[wrong].sum()
        alpha = 0.5 * math.log((1 - error) / error)
        weight = weight * np.exp(np.where(wrong, alpha, -alpha))
        weight /= weight.sum()
        alphas.append(alpha)
        errors.append(error)
    return alphas, errors


def test_two_classes_as_the_textbook_has_them() -> None:
    X, y = circles()
    model = AdaBoostClassifier(n_estimators=20, max_bins=None).fit(X, y)
    alphas, errors = slow_adaboost(X, y, 20)
    np.testing.assert_allclose(model.estimator_errors_, errors, rtol=1e-6)
    np.testing.assert_allclose(model.estimator_weights_, alphas, rtol=1e-6)
    bound = np.cumprod(2 * np.sqrt(model.estimator_errors_ * (1 - model.estimator_errors_)))
    np.testing.assert_allclose(model.training_error_bound_, bound)
    envelope = np.exp(-2 * np.cumsum((0.5 - model.estimator_errors_) ** 2))
    np.testing.assert_allclose(model.error_bound_envelope_, envelope)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_amounts_are_those_of_samme(n_classes: int) -> None:
    frame, y = messy(0, n_classes, 200)
    model = AdaBoostClassifier(n_estimators=5, learning_rate=0.5).fit(frame, y)
    errors = model.estimator_errors_
    samme = 0.5 * (np.log((1 - errors) / errors) + np.log(n_classes - 1))
    expected = samme / 2 if n_classes == 2 else samme
    np.testing.assert_allclose(model.estimator_weights_, expected)


def test_as_good_as_theirs() -> None:
    X, y = circles(600)
    test_X, test_y = circles(2000, seed=1)
    ours = AdaBoostClassifier(n_estimators=60, max_bins=None).fit(X, y)
    theirs = TheirClassifier(TheirTree(max_depth=1), n_estimators=60).fit(X, y)
    # Ties between stumps and midpoints of thresholds differ, the first rounds do not.
    np.testing.assert_allclose(2 * ours.estimator_weights_[:5], theirs.estimator_weights_[:5])
    assert ours.score(test_X, test_y) >= theirs.score(test_X, test_y) - 0.01


@given(
    seed=st.integers(0, 10_000),
    n_classes=st.integers(2, 4),
    max_depth=st.integers(1, 3),
    learning_rate=st.sampled_from([1.0, 0.5, 0.1]),
    weighted=st.sampled_from(["no", "whole", "any"]),
)
def test_the_bound_holds_in_every_round(
    seed: int, n_classes: int, max_depth: int, learning_rate: float, weighted: str
) -> None:
    frame, y = messy(seed, n_classes)
    rng = np.random.default_rng(seed)
    weight = {
        "no": None,
        "whole": rng.integers(0, 4, len(y)),
        "any": rng.exponential(size=len(y)),
    }[weighted]
    model = AdaBoostClassifier(
        n_estimators=15, max_depth=max_depth, learning_rate=learning_rate
    ).fit(frame, y, sample_weight=weight)
    assert (model.training_error_ <= model.training_error_bound_ + 1e-12).all()
    envelope = model.error_bound_envelope_
    assert (envelope is None) == (len(model.classes_) > 2)
    if envelope is not None:
        assert (model.training_error_bound_ <= envelope + 1e-12).all()
    wrong = [said != y for said in model.staged_predict(frame)]
    shares = np.ones(len(y)) if weight is None else weight
    errors = [np.average(missed, weights=shares) for missed in wrong]
    np.testing.assert_allclose(model.training_error_, errors, atol=1e-9)


def test_probabilities_are_the_softmax_of_the_votes() -> None:
    X, y = circles()
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    margin = model.decision_function(X)
    said = np.array([np.where(tree.predict(X) == "out", 1, -1) for tree in model.estimators_])
    np.testing.assert_allclose(margin, model.estimator_weights_ @ said, atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-2 * margin)))
    assert (model.predict(X) == np.where(margin > 0, "out", "in")).all()


def test_several_classes_have_a_vote_each() -> None:
    X, y = load_dataset("iris").split_target("species")
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    votes = model.decision_function(X)
    assert votes.shape == (150, 3)
    np.testing.assert_allclose(votes.sum(axis=1), 0, atol=1e-9)
    odds = np.exp(votes - votes.max(axis=1, keepdims=True))
    np.testing.assert_allclose(model.predict_proba(X), odds / odds.sum(axis=1, keepdims=True))


def test_stages_end_where_predictions_are() -> None:
    X, y = circles()
    model = AdaBoostClassifier(n_estimators=6).fit(X, y)
    assert [len(list(stage(X))) for stage in (
        model.staged_predict, model.staged_predict_proba, model.staged_decision_function,
    )] == [6, 6, 6]  # fmt: skip
    assert np.array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    assert np.array_equal(list(model.staged_predict_proba(X))[-1], model.predict_proba(X))
    assert np.array_equal(list(model.staged_decision_function(X))[-1], model.decision_function(X))
    shorter = AdaBoostClassifier(n_estimators=3).fit(X, y)
    assert np.array_equal(list(model.staged_predict_proba(X))[2], shorter.predict_proba(X))


# -- when it ends -------------------------------------------------------------------------------


def test_a_member_without_error_decides_alone() -> None:
    X, y = np.arange(12.0)[:, None], np.repeat(["a", "b"], 6)
    model = AdaBoostClassifier().fit(X, y)
    assert model.n_estimators_ == 1
    assert model.estimator_errors_.tolist() == [0.0]
    assert model.training_error_bound_.tolist() == [0.0]
    # As if half a row of twelve were wrong.
    np.testing.assert_allclose(model.predict_proba(X)[0], [1 - 1 / 24, 1 / 24])


def test_a_late_member_without_error_outvotes_all_before_it() -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5 + [[0, 0]], dtype=float)
    y = X[:, 0].astype(int) ^ X[:, 1].astype(int)
    model = AdaBoostClassifier(n_estimators=1, warm_start=True).fit(X, y)
    assert model.estimator_errors_[0] > 0
    model.set_params(n_estimators=9, max_depth=2).fit(X, y)
    assert model.n_estimators_ == 2
    assert model.estimator_weights_[1] > model.estimator_weights_[0]
    assert model.score(X, y) == 1.0


def test_guessing_ends_it_but_the_first_is_kept() -> None:
    X, y = np.zeros((8, 1)), np.array([0, 1] * 4)
    model = AdaBoostClassifier().fit(X, y)
    assert model.n_estimators_ == 1
    assert model.estimator_errors_.tolist() == [0.5]
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    lopsided = AdaBoostClassifier().fit(np.zeros((8, 1)), np.array([0, 1, 1, 1] * 2))
    assert lopsided.n_estimators_ == 1  # the second round is even, and so guesses
    assert (lopsided.predict(X) == 1).all()


def test_one_class_makes_a_constant() -> None:
    with pytest.warns(UserWarning, match="only one class"):
        model = AdaBoostClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert model.predict([[3.0]]).tolist() == ["a"]
    assert model.predict_proba([[3.0]]).tolist() == [[1.0]]


# -- rows and weights ---------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [None, "neighbors", "tree"])
@pytest.mark.parametrize("kind", [AdaBoostClassifier, AdaBoostRegressor])
def test_row_order_and_copies_do_not_matter(kind: Any, estimator: Any) -> None:
    frame, y = messy(3, 3)
    copies = np.random.default_rng(0).integers(0, 3, len(y))
    rows = np.random.default_rng(1).permutation(np.repeat(np.arange(len(y)), copies))
    model = kind(estimator, n_estimators=4)
    weighted = model.fit(frame, y, sample_weight=copies).predict(frame)
    assert np.array_equal(weighted, model.fit(frame.iloc[rows], y[rows]).predict(frame))


def test_draws_follow_masses() -> None:
    mass = np.random.default_rng(0).exponential(size=500)
    counts = draw(mass, 7, 3)
    assert (np.abs(counts - mass) < 1).all()
    assert abs(counts.sum() - mass.sum()) < 1
    assert not np.array_equal(counts, draw(mass, 7, 4))
    many = np.mean([draw(mass, seed, 0) for seed in range(400)], axis=0)
    np.testing.assert_allclose(many, mass, atol=0.15)


# -- learners -----------------------------------------------------------------------------------


def test_a_given_stump_is_our_own() -> None:
    X, y = circles()
    own = AdaBoostClassifier(n_estimators=8, max_bins=None).fit(X, y)
    stump = DecisionTreeClassifier(max_depth=1, prune=None, correct_for_chance=False)
    given_one = AdaBoostClassifier(stump, n_estimators=8).fit(X, y)
    np.testing.assert_allclose(own.estimator_weights_, given_one.estimator_weights_, rtol=1e-6)
    assert np.array_equal(own.predict(X), given_one.predict(X))
    np.testing.assert_allclose(own.feature_importances_, given_one.feature_importances_, atol=1e-6)
    assert [tree.to_text() for tree in own.estimators_[:2]] == [
        tree.to_text() for tree in given_one.estimators_[:2]
    ]


def test_learners_of_other_libraries() -> None:
    frame = pd.DataFrame(circles()[0], columns=list("abc"))
    y = circles()[1]
    alone = TheirTree(max_depth=2, random_state=0).fit(frame, y)
    model = AdaBoostClassifier(TheirTree(max_depth=2, random_state=0), n_estimators=5)
    assert model.fit(frame, y).score(frame, y) > alone.score(frame, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(frame), model.predict(frame))
    with pytest.raises(ModelFileError):
        model.save("nowhere.branchline")
    regressor = AdaBoostRegressor(TheirLinearRegression(), n_estimators=3)
    assert regressor.fit(frame, frame["a"] * 2).score(frame, frame["a"] * 2) > 0.99
    with pytest.raises(AttributeError, match="no importances"):
        _ = AdaBoostClassifier(TheirLogisticRegression()).fit(frame, y).feature_importances_


@pytest.mark.parametrize("estimator", [None, "naive_bayes", "neighbors"])
def test_saved_members_predict_the_same(estimator: Any, tmp_path: Path) -> None:
    frame, y = messy(5, 3)
    model = AdaBoostClassifier(estimator, n_estimators=4).fit(frame, y)
    model.save(tmp_path / "model.branchline")
    loaded = load(tmp_path / "model.branchline")
    assert np.array_equal(loaded.predict_proba(frame), model.predict_proba(frame))
    assert np.array_equal(loaded.training_error_bound_, model.training_error_bound_)
    assert len(loaded.estimators_) == model.n_estimators_


@pytest.mark.parametrize(
    ("estimator", "words"),
    [("no such learner", "names a learner"), (DecisionTreeRegressor(), "must be a classifier")],
)
def test_learners_that_cannot_be_used_are_refused(estimator: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words) as caught:
        AdaBoostClassifier(estimator).fit(*circles(20))
    assert caught.value.code == "P151"


def test_a_class_is_no_learner() -> None:
    with pytest.raises(ParameterError, match="'estimator' parameter"):
        AdaBoostClassifier(DecisionTreeClassifier).fit(*circles(20))


class _Stranger(TheirTree):
    def predict(self, X: Any) -> Any:
        return np.full(len(X), "somewhere")


def test_members_that_say_strange_things_are_refused() -> None:
    with pytest.raises(DataError, match="'somewhere'") as caught:
        AdaBoostClassifier(_Stranger()).fit(*circles(30))
    assert caught.value.code == "D121"


# -- warm starts, reading, damage -----------------------------------------------------------------


@pytest.mark.parametrize("estimator", [None, "neighbors"])
@pytest.mark.parametrize("kind", [AdaBoostClassifier, AdaBoostRegressor])
def test_a_warm_start_is_a_longer_fit(kind: Any, estimator: Any) -> None:
    frame, y = messy(4, 2)
    y = y if kind is AdaBoostClassifier else y + frame["n"].to_numpy()
    whole = kind(estimator, n_estimators=6).fit(frame, y)
    grown = kind(estimator, n_estimators=2, warm_start=True).fit(frame, y)
    grown.set_params(n_estimators=6).fit(frame, y)
    assert np.array_equal(grown.estimator_weights_, whole.estimator_weights_)
    assert np.array_equal(grown.estimator_errors_, whole.estimator_errors_)
    assert np.array_equal(grown.predict(frame), whole.predict(frame))
    if estimator is None:
        np.testing.assert_allclose(grown.feature_importances_, whole.feature_importances_)


def test_warm_starts_that_cannot_be_are_refused() -> None:
    X, y = circles()
    model = AdaBoostClassifier(n_estimators=5, warm_start=True).fit(X, y)
    with pytest.raises(ParameterError, match="at least the 5") as caught:
        model.set_params(n_estimators=3).fit(X, y)
    assert caught.value.code == "P152"
    model.set_params(n_estimators=5).fit(X, y)
    with pytest.raises(ParameterError, match="the same as before") as caught:
        model.set_params(n_estimators=8).fit(X[:200], y[:200])
    assert caught.value.code == "P152"
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_shares_of_an_explanation_add_up_to_the_vote() -> None:
    X, y = load_dataset("german-credit").split_target("class")
    model = AdaBoostClassifier(n_estimators=20, max_depth=2).fit(X, y)
    for row in range(3):
        found = model.explain(X.rows([row]))
        margin = float(model.decision_function(X.rows([row]))[0])
        assert found.is_sum
        np.testing.assert_allclose(found.total, margin if found.prediction == "good" else -margin)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.get_depth() == 2


def test_damaged_values_are_refused() -> None:
    X, y = circles(60)
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    packed = dict(model._pack())
    for name, wrong in (
        ("member_weights", np.array([1.0, np.nan, 1.0])),
        ("member_errors", np.array([0.1, 0.2])),
        ("training_error", np.array([0.1, 0.2, 1.5])),
        ("error_bound_envelope", None),
        ("gains", np.array([-1.0, 0.0, 0.0])),
    ):
        with pytest.raises(ModelFileError):
            model._unpack({**packed, name: wrong}, model.schema_)


# -- numbers ------------------------------------------------------------------------------------


def slow_r2(X: Any, y: np.ndarray, n_rounds: int) -> tuple[list[float], list[float]]:
    """Return ln(1/β) and the mean loss of each round, as Drucker has them."""
    weight = np.full(len(y), 1 / len(y))
    amounts, losses = [], []
    for _ in range(n_rounds):
        tree = DecisionTreeRegressor(max_depth=3, prune=None, correct_for_chance=False)
        off = np.abs(tree.fit(X, y, sample_weight=weight).predict(X) - y)
        loss = off / off.max()
        mean = (weight * loss).sum()
        beta = mean / (1 - mean)
        weight = weight * beta ** (1 - loss)
        weight /= weight.sum()
        amounts.append(math.log(1 / beta))
        losses.append(mean)
    return amounts, losses


def test_numbers_as_drucker_has_them() -> None:
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = X[:, 0] ** 2 + X[:, 1] + 0.1 * X[:, 2]
    model = AdaBoostRegressor(n_estimators=6, max_depth=3, max_bins=None).fit(X, y)
    amounts, losses = slow_r2(X, y, 6)
    np.testing.assert_allclose(model.estimator_errors_, losses, rtol=1e-5)
    np.testing.assert_allclose(model.estimator_weights_, amounts, rtol=1e-5)


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_every_loss_improves_on_one_tree(loss: str) -> None:
    rng = np.random.default_rng(0)
    X, new = rng.uniform(size=(400, 5)), rng.uniform(size=(1000, 5))
    truth = [10 * np.sin(np.pi * one[:, 0] * one[:, 1]) + 5 * one[:, 2] for one in (X, new)]
    one_tree = DecisionTreeRegressor(max_depth=5, prune=None).fit(X, truth[0])
    model = AdaBoostRegressor(loss=loss).fit(X, truth[0])
    assert model.score(new, truth[1]) > one_tree.score(new, truth[1])
    stages = list(model.staged_predict(new))
    assert len(stages) == model.n_estimators_
    assert np.array_equal(stages[-1], model.predict(new))


def test_a_tree_without_error_decides_alone() -> None:
    X, y = np.arange(8.0)[:, None], np.repeat([1.5, -2.0], 4)
    model = AdaBoostRegressor().fit(X, y)
    assert model.n_estimators_ == 1
    assert np.array_equal(model.predict(X), y)


def test_the_weighted_median() -> None:
    said = np.array([[3.0, 1.0, 2.0], [5.0, 5.0, 0.0]])
    assert _weighted_median(said, np.array([1.0, 1.0, 1.0])).tolist() == [2.0, 5.0]
    assert _weighted_median(said, np.array([5.0, 1.0, 1.0])).tolist() == [3.0, 5.0]
    assert _weighted_median(said, np.array([0.1, 0.1, 9.0])).tolist() == [2.0, 0.0]


def test_stumps_may_set_a_single_row_apart_however_little_it_weighs() -> None:
    draws = np.random.default_rng(1)
    X, y = draws.normal(size=(12, 2)), draws.integers(0, 2, 12)
    ours = AdaBoostClassifier(n_estimators=8).fit(X, y)
    stump = TheirTree(max_depth=1)
    theirs = TheirClassifier(stump, n_estimators=8, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, atol=1e-9)


@pytest.mark.parametrize("n_rows", [1, 2, 40])
def test_votes_have_the_bits_of_the_last_round(n_rows):
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    y = np.searchsorted([-0.5, 0.5], X[:, 0] + random.normal(size=200) / 2)
    model = AdaBoostClassifier(n_estimators=60).fit(X, y)
    *_, last = model.staged_decision_function(X[:n_rows])
    assert model.decision_function(X[:n_rows]).tobytes() == last.tobytes()
