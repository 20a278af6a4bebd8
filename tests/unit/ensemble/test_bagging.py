"""Bags: samples, out-of-bag answers, seeds."""

from typing import Any

import numpy as np
import pytest

from branchline import load_dataset
from branchline.baseline import MajorityClassifier, MeanRegressor
from branchline.ensemble import BaggingClassifier, BaggingRegressor, VotingClassifier
from branchline.ensemble._bagging import _seeded
from branchline.errors import BranchlineWarning
from branchline.tree import DecisionTreeRegressor, OneRule
from ensemble_members import Says, classes_table, numbers_table, small_tree


def test_the_mean_of_members_each_fitted_on_a_sample() -> None:
    X, y = numbers_table()
    model = BaggingRegressor(estimator=MeanRegressor(), n_estimators=40).fit(X, y)
    means = [member.mean_ for member in model.members_]
    np.testing.assert_allclose(model.predict(X), np.mean(means))
    # The means of bootstrap samples vary as the mean of n rows does: σ / √n.
    np.testing.assert_allclose(np.std(means), y.std() / np.sqrt(len(y)), rtol=0.35)


def test_out_of_bag_answers_by_hand() -> None:
    from branchline._validation import Owner, check_training_data
    from branchline.ensemble._training_rows import arrange_rows

    X, y = numbers_table()
    model = BaggingRegressor(estimator=DecisionTreeRegressor(prune=None), n_estimators=6).fit(X, y)
    data = check_training_data(X, y, None, task="regression", owner=Owner("model", None))
    rows = arrange_rows(data, is_weighted=False)
    drawn = np.array([rows.draw(0, member) for member in range(6)])[:, rows.place_of_input]
    said = np.array([member.predict(X) for member in model.members_])
    out = drawn == 0
    expected = np.array(
        [said[out[:, row], row].mean() if out[:, row].any() else np.nan for row in range(len(y))]
    )
    np.testing.assert_allclose(model.oob_prediction_, expected)
    known = ~np.isnan(expected)
    rest = ((y - expected)[known] ** 2).sum() / ((y[known] - y[known].mean()) ** 2).sum()
    np.testing.assert_allclose(model.oob_score_, 1 - rest)
    assert 0.3 < out.mean() < 0.44  # 1/e


@pytest.mark.parametrize("vote", ["soft", "hard"])
def test_out_of_bag_classes(vote: str) -> None:
    X, y = classes_table(120)
    model = BaggingClassifier(n_estimators=15, vote=vote).fit(X, y)
    known = ~np.isnan(model.oob_prediction_[:, 0])
    decided = model.classes_[model.oob_prediction_[known].argmax(axis=1)]
    np.testing.assert_allclose(np.mean(decided == y[known]), model.oob_score_)
    assert 0.4 < model.oob_score_ < model.score(X, y)
    np.testing.assert_allclose(model.oob_prediction_[known].sum(axis=1), 1)
    if vote == "hard":
        np.testing.assert_allclose(model.predict_proba(X) * 15 % 1 % (1 - 1e-9), 0, atol=1e-9)


def test_out_of_bag_scores_that_do_not_exist() -> None:
    X, y = numbers_table()
    assert BaggingRegressor(n_estimators=2).fit(X, [1.0] * len(y)).oob_score_ is None
    alone = BaggingRegressor(n_estimators=2).fit(X[:1], y[:1])
    assert alone.oob_score_ is None
    assert np.isnan(alone.oob_prediction_).all()
    assert alone.predict(X[:1]).tolist() == [y[0]]


def test_rows_of_weight_zero_are_not_out_of_bag() -> None:
    X, y = numbers_table()
    weight = np.arange(len(y)) % 3
    model = BaggingRegressor(n_estimators=3).fit(X, y, sample_weight=weight)
    assert len(model.oob_prediction_) == (weight > 0).sum()


def test_samples_of_one_class_make_constants() -> None:
    X, _ = classes_table(12)
    y = np.array(["rare"] + ["usual"] * 11)
    model = BaggingClassifier(estimator=small_tree(), n_estimators=12).fit(X, y)
    kinds = {type(member) for member in model.members_}
    assert MajorityClassifier in kinds
    assert len(kinds) == 2
    assert model.predict_proba(X).shape == (12, 2)


def test_every_member_has_seeds_of_its_own() -> None:
    inner = VotingClassifier(estimators=[("tree", small_tree(random_state=7))], random_state=7)
    seeds = [_seeded(inner, 0, member).get_params() for member in (0, 1)]
    assert seeds[0]["random_state"] == seeds[0]["tree__random_state"]
    assert seeds[0]["random_state"] != seeds[1]["random_state"]
    assert inner.get_params()["tree__random_state"] == 7
    assert isinstance(_seeded(MeanRegressor(), 0, 1), MeanRegressor)


def test_seeds_change_the_samples() -> None:
    X, y = numbers_table()
    first, again, other = (
        BaggingRegressor(n_estimators=3, random_state=seed).fit(X, y).predict(X)
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_many_members_are_not_all_listed_in_an_explanation() -> None:
    X, y = classes_table()
    model = BaggingClassifier(estimator=OneRule(), n_estimators=15).fit(X, y)
    notes = model.explain(X[:1]).notes
    assert len(notes) == 13
    assert notes[-1] == "and 3 more members"


def test_learners_without_weights_get_copies() -> None:
    X, y = numbers_table()

    class Counting(Says):
        def fit(self, X: Any, y: Any) -> "Counting":
            self.number = float(len(y))
            return self

    model = BaggingRegressor(estimator=Counting(), n_estimators=5).fit(X, y)
    sizes = {member.number for member in model.members_}
    assert len(sizes) > 1
    assert all(abs(size - len(y)) < 5 * np.sqrt(len(y)) for size in sizes)


def test_bagging_helps_full_trees() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 5))
    truth = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3]
    y = truth + rng.normal(size=300)
    tree = DecisionTreeRegressor(prune=None).fit(X[:200], y[:200])
    model = BaggingRegressor(estimator=tree, n_estimators=25).fit(X[:200], y[:200])
    parts = model.ambiguity(X[200:], y[200:])
    assert parts.error < 0.7 * np.mean((tree.predict(X[200:]) - y[200:]) ** 2)
    np.testing.assert_allclose(parts.error, parts.mean_error - parts.spread)


def test_one_class_is_a_constant() -> None:
    X, _ = classes_table()
    with pytest.warns(BranchlineWarning, match="only one class"):
        model = BaggingClassifier(n_estimators=2).fit(X, [True] * len(X))
    assert model.predict(X).all()


def test_no_probability_is_above_one() -> None:
    X = np.random.default_rng(0).normal(size=(10, 1))
    y = (X[:, 0] > 0).astype(int)
    assert BaggingClassifier(n_estimators=9).fit(X, y).predict_proba(X).max() == 1.0


def test_members_fitted_some_at_a_time_give_the_same_model(monkeypatch):
    X, y = load_dataset("iris").split_target("species")
    whole = BaggingClassifier(n_estimators=9).fit(X, y)
    monkeypatch.setattr("branchline.ensemble._bagging._NUMBERS_AT_ONCE", 1)
    parts = BaggingClassifier(n_estimators=9).fit(X, y)
    np.testing.assert_array_equal(whole.oob_prediction_, parts.oob_prediction_)
    np.testing.assert_array_equal(whole.predict_proba(X), parts.predict_proba(X))
