"""Boosting on tables whose rows have times, groups or counts."""

import numpy as np
import pytest

from branchline import Table
from branchline.boosting import GradientBoostingClassifier, GradientBoostingRegressor


def numbers(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n_rows) / 5


def test_early_stopping_in_time_learns_from_most_rows():
    X, y = numbers(3000)
    new_X, new_y = numbers(2000, 1)
    model = GradientBoostingRegressor(early_stopping=True)
    plain = model.fit(Table(X), y).score(new_X, new_y)
    assert model.fit(Table(X).with_times(np.arange(3000)), y).score(new_X, new_y) > plain - 0.03


def test_counts_beyond_all_copies_are_boosted_as_smaller_ones():
    X = np.array([[a, b] for a in range(4) for b in range(3)], dtype=float)
    y = X[:, 0] + 2 * X[:, 1]
    counts = np.arange(100_000, 160_000, 5000)
    model = GradientBoostingRegressor(n_estimators="auto").fit(X, y, sample_weight=counts)
    assert model.score(X, y) > 0.99


@pytest.mark.parametrize("mark", ["with_groups", "with_times"])
def test_row_order_does_not_matter_with_marks(mark):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (120, 3)) + 0.0, rng.integers(0, 2, 120)
    marks = rng.integers(0, 12, 120)
    order = rng.permutation(120)
    model = GradientBoostingClassifier(early_stopping=True)
    first = model.fit(getattr(Table(X), mark)(marks), y).predict_proba(X)
    again = model.fit(getattr(Table(X[order]), mark)(marks[order]), y[order]).predict_proba(X)
    assert first.tolist() == again.tolist()


def test_the_search_for_rounds_counts_weights_as_copies():
    X, y = numbers(300)
    model = GradientBoostingRegressor(n_estimators="auto")
    weighted = model.fit(X, y, sample_weight=np.full(300, 3)).n_estimators_
    assert model.fit(np.repeat(X, 3, axis=0), np.repeat(y, 3)).n_estimators_ == weighted
