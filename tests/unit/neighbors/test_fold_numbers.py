"""All folds at once: the same shares, distances and choices as fold by fold."""

import numpy as np
import pandas as pd
import pytest

from branchline.neighbors import NearestNeighborsClassifier, NearestNeighborsRegressor
from branchline.neighbors import _choosing as choosing
from branchline.neighbors import _many_numbers as many_numbers
from branchline.neighbors._folded_columns import folded_columns
from branchline.neighbors._responses import explained_share
from branchline.table import as_table


def wide(n_rows=60, n_columns=300, seed=0, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)) * rng.uniform(0.1, 100, n_columns) + 1000
    y = np.arange(n_rows) % n_classes
    X[:, :5] += 20 * y[:, None]
    return X, y


def with_missing():
    X, y = wide()
    X[np.random.default_rng(1).random(X.shape) < 0.002] = np.nan
    return X, y


def with_ties():
    X, y = wide()
    return np.round(X / 50), y


def with_far_cells():
    X, y = wide()
    X[:, 7] = 3.0
    X[5, 7] = 4.0  # one row alone differs
    X[0, 8] = 1e12
    return X, y


def with_categories():
    X, y = wide()
    table = pd.DataFrame(X, columns=[f"x{at}" for at in range(X.shape[1])])
    table["level"] = np.array(list("abcabd"))[np.arange(len(y)) % 6]
    table["hole"] = np.where(np.arange(len(y)) % 5 == 0, None, "v")
    return table, y


def repeated():
    X, y = wide(20)
    return np.vstack([X] * 4), np.tile(y, 4)


TABLES = {
    "plain": wide,
    "three classes": lambda: wide(n_classes=3),
    "few rows": lambda: wide(7),
    "many rows": lambda: wide(200),
    "missing": with_missing,
    "ties": with_ties,
    "far": with_far_cells,
    "categories": with_categories,
    "repeated": repeated,
}


def slowly(monkeypatch):
    monkeypatch.setattr(choosing, "fold_squares", lambda *_: None)
    monkeypatch.setattr(many_numbers, "can_fold", lambda *_: False)


@pytest.mark.parametrize("name", list(TABLES))
@pytest.mark.parametrize("options", [{}, {"column_weights": None}, {"scale": "range"}])
def test_all_folds_at_once_choose_as_fold_by_fold(name, options, monkeypatch):
    X, y = TABLES[name]()
    fast = NearestNeighborsClassifier(**options).fit(X, y)
    slowly(monkeypatch)
    slow = NearestNeighborsClassifier(**options).fit(X, y)
    assert (fast.n_neighbors_, fast.weights_) == (slow.n_neighbors_, slow.weights_)
    np.testing.assert_allclose(fast.cv_curve_, slow.cv_curve_, rtol=1e-12)
    np.testing.assert_allclose(fast.column_weights_, slow.column_weights_, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(fast.predict_proba(X), slow.predict_proba(X), atol=1e-9)


def test_the_fast_way_is_taken_on_wide_tables():
    X, y = wide()
    seen = []
    original = choosing.fold_squares
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choosing, "fold_squares", lambda *a: seen.append(original(*a)) or seen[-1])
        NearestNeighborsClassifier().fit(X, y)
        NearestNeighborsClassifier(metric="manhattan").fit(X, y)
    assert seen[0].shape == (60, 60)
    assert seen[1] is None


@pytest.mark.parametrize("scale", ["sd", "none"])
def test_numbers_are_chosen_for_in_the_same_way(scale, monkeypatch):
    X, _ = wide()
    y = 1e6 + X[:, 0] + np.random.default_rng(3).normal(size=len(X))
    fast = NearestNeighborsRegressor(scale=scale).fit(X, y)
    slowly(monkeypatch)
    slow = NearestNeighborsRegressor(scale=scale).fit(X, y)
    assert fast.n_neighbors_ == slow.n_neighbors_
    # Running sums of targets around a million lose a few digits, in both ways.
    np.testing.assert_allclose(fast.cv_curve_, slow.cv_curve_, rtol=1e-7)
    np.testing.assert_allclose(fast.predict(X), slow.predict(X), rtol=1e-9)


def test_rows_in_any_order_choose_the_same():
    X, y = with_missing()
    one = NearestNeighborsClassifier().fit(X, y)
    order = np.random.default_rng(5).permutation(len(y))
    other = NearestNeighborsClassifier(n_jobs=2).fit(X[order], y[order])
    np.testing.assert_array_equal(one.cv_curve_, other.cv_curve_)
    np.testing.assert_array_equal(one.column_weights_, other.column_weights_)
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def test_shares_are_those_of_a_column_alone():
    X, y = with_missing()
    responses = np.eye(2)[y]
    fold_of_row = np.arange(len(y)) % 4
    found = folded_columns(as_table(X), responses, fold_of_row, 4, 1)
    for fold in range(5):
        kept = fold_of_row != fold
        for column in (0, 3, 50):
            values = X[kept, column]
            known = np.sort(values[~np.isnan(values)])
            cuts = np.unique(known[len(known) * np.arange(1, 8) // 8])
            groups = np.where(np.isnan(values), 0, 1 + np.searchsorted(cuts, values, "right"))
            expected = explained_share(groups, 9, responses[kept])
            assert found.shares[fold, column] == pytest.approx(expected, abs=1e-12)
            if found.is_complete[column]:
                spread = np.ldexp(found.spreads[fold, column], found.exponents[column])
                assert spread == pytest.approx(values.std(), rel=1e-10)
