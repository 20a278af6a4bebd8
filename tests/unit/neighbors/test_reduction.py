"""Editing and condensing: which rows stay, in any order, and what the reports say."""

import numpy as np
import pandas as pd
import pytest

from branchline.errors import BranchlineWarning, NotFittedError, ParameterError
from branchline.neighbors import NearestNeighborsClassifier
from common.tables import mixed_frame, target

PLAIN = {"weights": "uniform", "scale": "none", "column_weights": None}


def two_groups(n_rows=120, seed=0):
    """Return two groups that hardly overlap, with three rows in the wrong one."""
    random = np.random.default_rng(seed)
    y = np.arange(n_rows) % 2
    X = random.normal(size=(n_rows, 2)) + 4.0 * y[:, None]
    y[[0, 2, 5]] = 1 - y[[0, 2, 5]]
    return X, y


def voted_down(X, y, k):
    """Return the rows that their k nearest others vote for another class (two classes, no ties)."""
    apart = np.linalg.norm(X[:, None] - X, axis=2)
    np.fill_diagonal(apart, np.inf)
    votes = y[np.argsort(apart, axis=1)[:, :k]].mean(axis=1)
    return np.flatnonzero((votes > 0.5) != y).tolist()


def test_editing_drops_what_its_nearest_others_vote_down():
    X, y = two_groups()
    model = NearestNeighborsClassifier(n_neighbors=1, **PLAIN).fit(X, y)
    edited = model.edit(n_neighbors=3)
    dropped = set(range(120)) - set(edited.row_numbers_.tolist())
    assert dropped == set(voted_down(X, y, 3)) == {0, 2, 5}
    assert model.rows_.n_rows == 120  # the model itself is as it was


def test_condensing_keeps_rows_that_decide_all_others_alike():
    X, y = two_groups(300, seed=1)
    edited = NearestNeighborsClassifier(n_neighbors=1, **PLAIN).fit(X, y).edit()
    condensed = edited.condense()
    assert 2 <= condensed.rows_.n_rows < edited.rows_.n_rows / 4
    kept = edited.row_numbers_
    np.testing.assert_array_equal(condensed.predict(X[kept]), y[kept])
    assert condensed.n_neighbors == condensed.n_neighbors_ == 1


def test_the_twin_of_condensing_keeps_the_same_rows():
    X, y = two_groups(60, seed=2)
    model = NearestNeighborsClassifier(n_neighbors=1, **PLAIN).fit(X, y)
    order = model.row_numbers_.tolist()
    store = [order[[y[row] for row in order].index(name)] for name in (0, 1)]
    changed = True
    while changed:
        changed = False
        for row in order:
            nearest = min(store, key=lambda kept: np.linalg.norm(X[kept] - X[row]))
            if row not in store and y[nearest] != y[row]:
                store.append(row)
                changed = True
    with pytest.warns(BranchlineWarning, match="edit"):
        condensed = model.condense()
    assert set(condensed.row_numbers_.tolist()) == set(store)


def test_the_order_of_rows_does_not_matter():
    frame = mixed_frame(200)
    y = target(frame, "classification")
    order = np.random.default_rng(0).permutation(200)
    options = {"n_neighbors": 5, "weights": "uniform"}
    reduced = []
    for rows in (np.arange(200), order):
        model = NearestNeighborsClassifier(**options).fit(frame.iloc[rows], y[rows])
        condensed = model.edit().condense()
        reduced.append(set(rows[condensed.row_numbers_].tolist()))
    assert reduced[0] == reduced[1]


def test_reports_count_rows_and_errors_left_out():
    X, y = two_groups()
    model = NearestNeighborsClassifier(n_neighbors=3, **PLAIN).fit(X, y)
    report = model.edit().reduction_
    wrong = len(voted_down(X, y, 3))
    assert report.error_before == pytest.approx(wrong / 120)
    assert (report.rows_before, report.rows_after) == (120, 120 - wrong)
    assert report.error_after <= report.error_before
    lines = str(report).splitlines()
    assert lines[0] == f"edited: {120 - wrong} of 120 rows kept ({100 * (120 - wrong) / 120:.0f} %)"
    assert lines[1].endswith("with 3 neighbors")
    assert model.reduction_ is None


def test_condensing_says_that_editing_comes_first():
    X, y = two_groups()
    model = NearestNeighborsClassifier(n_neighbors=1, **PLAIN).fit(X, y)
    with pytest.warns(BranchlineWarning, match=r"model.edit\(\).condense\(\)"):
        model.condense()
    assert model.edit().condense().reduction_.method == "condense"


def test_contradictory_rows_end_and_a_table_of_outliers_stays():
    X = pd.DataFrame({"x": [1.0, 1.0, 1.0, 2.0]})
    model = NearestNeighborsClassifier(n_neighbors=1, **PLAIN).fit(X, ["a", "b", "a", "b"])
    with pytest.warns(BranchlineWarning):
        assert model.condense().rows_.n_rows >= 2
    alone = NearestNeighborsClassifier(n_neighbors=1, **PLAIN).fit(X[2:], ["a", "b"])
    assert alone.edit(n_neighbors=1).rows_.n_rows == 2  # all rows err; none would be left


def test_the_distance_stays_that_of_all_rows():
    frame = mixed_frame()
    model = NearestNeighborsClassifier(n_neighbors=3).fit(frame, target(frame, "classification"))
    edited = model.edit()
    assert edited.space_ is model.space_
    distances = edited.kneighbors(frame[:5], 2)[0]
    assert (distances >= model.kneighbors(frame[:5], 2)[0] - 1e-12).all()


def test_what_cannot_judge_is_refused():
    X, y = two_groups()
    model = NearestNeighborsClassifier(n_neighbors=1, **PLAIN).fit(X, y)
    for count in (0, 1.5, "three"):
        with pytest.raises(ParameterError, match="edit") as caught:
            model.edit(n_neighbors=count)
        assert caught.value.code == "P041"
    for method in ("edit", "condense"):
        with pytest.raises(NotFittedError):
            getattr(NearestNeighborsClassifier(), method)()
