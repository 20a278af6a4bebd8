"""Canonical rows, folds and bootstrap samples: what they may depend on, and what not."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.utils import check_random_state

from branchline._validation import Owner, check_training_data
from branchline.ensemble._training_rows import TrainingRows, arrange_rows
from common.tables import mixed_frame, target


def arranged(X: Any, y: Any, weight: Any = None, task: Any = "classification") -> TrainingRows:
    data = check_training_data(X, y, weight, task=task, owner=Owner("model", None))
    return arrange_rows(data, is_weighted=weight is not None)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_order_and_container_do_not_matter(task: str) -> None:
    frame = mixed_frame(60)
    y = target(frame, task)
    order = check_random_state(0).permutation(60)
    first = arranged(frame, y, task=task)
    for other in (
        arranged(frame.iloc[order], y[order], task=task),
        arranged(pl.from_pandas(frame), y, task=task),
    ):
        assert first.keys.tolist() == other.keys.tolist()
        assert first.answers.tolist() == other.answers.tolist()
        for mine, theirs in zip(first.folds.split(3, 5), other.folds.split(3, 5), strict=True):
            assert mine.test.tolist() == theirs.test.tolist()
        assert first.draw(5, 1).tolist() == other.draw(5, 1).tolist()


def test_rows_are_found_again() -> None:
    frame = pd.DataFrame({"a": [3, 1, 3, 2], "b": ["x", "y", "x", None]})
    rows = arranged(frame, ["p", "q", "p", "q"])
    assert rows.n_rows == 3
    assert sorted(rows.units.tolist()) == [1, 1, 2]
    again = rows.table.rows(rows.place_of_input)
    assert again.to_dicts() == [
        {"a": 3, "b": "x"},
        {"a": 1, "b": "y"},
        {"a": 3, "b": "x"},
        {"a": 2, "b": None},
    ]
    assert rows.answers[rows.place_of_input].tolist() == ["p", "q", "p", "q"]


def test_equal_inputs_of_different_classes_stay_apart() -> None:
    rows = arranged(pd.DataFrame({"a": [1, 1]}), ["p", "q"])
    assert rows.n_rows == 2


def test_weights_are_copies() -> None:
    frame = mixed_frame(40)
    y = target(frame, "classification")
    copies = check_random_state(1).randint(0, 4, 40)
    places = np.repeat(np.arange(40), copies)
    weighted, repeated = arranged(frame, y, copies), arranged(frame.iloc[places], y[places])
    assert weighted.units.tolist() == repeated.units.tolist()
    assert weighted.keys.tolist() == repeated.keys.tolist()
    assert [fold.test.tolist() for fold in weighted.folds.split(4)] == [
        fold.test.tolist() for fold in repeated.folds.split(4)
    ]
    assert weighted.draw(0, 3).tolist() == repeated.draw(0, 3).tolist()


def test_a_draw_counts_what_a_row_weighs() -> None:
    frame = mixed_frame(30)
    rows = arranged(frame, target(frame, "classification"), np.linspace(0.1, 2.7, 30))
    drawn = rows.draw(0, 0)
    assert (drawn % rows.units == 0).all()


def test_bootstrap_samples_are_poisson_draws() -> None:
    rows = arranged(np.arange(4000.0)[:, None], np.arange(4000.0), task="regression")
    counts = rows.draw(3, 0)
    shares = [float((counts == k).mean()) for k in range(4)]
    np.testing.assert_allclose(shares, np.exp(-1) / np.array([1, 1, 2, 6]), atol=0.025)
    assert (counts != rows.draw(3, 1)).any()
    assert (counts != rows.draw(4, 0)).any()


def test_copies_of_a_row_are_drawn_together() -> None:
    matrix = np.arange(400.0)[:, None]
    rows = arranged(matrix, matrix[:, 0], np.full(400, 10**12), task="regression")
    drawn = rows.draw(0, 0) / 10**12
    assert (drawn == np.rint(drawn)).all()
    assert (drawn == 0).mean() == pytest.approx(np.exp(-1), abs=0.08)


def test_many_copies_of_few_possible_rows_are_drawn_at_once() -> None:
    matrix = np.repeat([0.0, 1.0], 200)[:, None]
    y = np.arange(400.0)
    rows = arranged(matrix, y, np.full(400, 10**12), task="regression")
    off = (rows.draw(0, 0) - 10**12) / 10**6  # in standard deviations
    np.testing.assert_allclose([off.mean(), off.std()], [0, 1], atol=0.15)
    assert (rows.draw(0, 1) != rows.draw(0, 0)).mean() > 0.99
    mixed = arranged(matrix, y, np.arange(1, 401) * 10, task="regression")
    assert (abs(mixed.draw(0, 0) - mixed.units) < 6 * np.sqrt(mixed.units)).all()


def test_an_empty_sample_becomes_all_rows() -> None:
    rows = arranged(pd.DataFrame({"a": [1]}), [1.0], task="regression")
    drawn = [int(rows.draw(0, member)[0]) for member in range(30)]
    assert min(drawn) == 1
    assert max(drawn) > 1


def test_large_sparse_tables_stay_sparse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("branchline._canonical_rows._DENSE_CELLS", 10)
    matrix = sparse.random_array((40, 5), density=0.4, rng=np.random.default_rng(0), format="csr")
    y = np.arange(40.0)
    order = check_random_state(0).permutation(40)
    rows, other = (
        arranged(matrix, y, task="regression"),
        arranged(matrix[order], y[order], task="regression"),
    )
    assert rows.table.sparse is not None
    assert rows.answers.tolist() == other.answers.tolist()
    assert rows.answers[rows.place_of_input].tolist() == y.tolist()
    assert other.answers[other.place_of_input].tolist() == y[order].tolist()
    assert rows.draw(0, 0).tolist() == other.draw(0, 0).tolist()
