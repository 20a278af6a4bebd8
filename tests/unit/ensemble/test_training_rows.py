"""Canonical rows, folds and bootstrap samples: what they may depend on, and what not."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.utils import check_random_state

from branchline._validation import Owner, check_training_data
from branchline.ensemble import _training_rows
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
        for mine, theirs in zip(first.deal(3, 5), other.deal(3, 5), strict=True):
            assert mine.tolist() == theirs.tolist()
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
    assert [fold.tolist() for fold in weighted.deal(4, 0)] == [
        fold.tolist() for fold in repeated.deal(4, 0)
    ]
    assert weighted.draw(0, 3).tolist() == repeated.draw(0, 3).tolist()


def test_folds_share_out_every_unit_and_every_class_evenly() -> None:
    frame = mixed_frame(90)
    y = target(frame, "classification")
    rows = arranged(frame, y, check_random_state(2).randint(1, 5, 90))
    folds = rows.deal(4, 7)
    assert (sum(folds) == rows.units).all()
    for one in range(3):
        sizes = [int(fold[rows.target.class_of_row == one].sum()) for fold in folds]
        assert max(sizes) - min(sizes) <= 1
    assert any((fold != other).any() for fold, other in zip(folds, rows.deal(4, 8), strict=True))


def test_a_row_of_fractional_weight_goes_to_one_fold_whole() -> None:
    frame = mixed_frame(30)
    rows = arranged(frame, target(frame, "classification"), np.linspace(0.1, 2.7, 30))
    folds = np.array(rows.deal(3, 0))
    assert ((folds == 0) | (folds == rows.units)).all()
    assert ((folds > 0).sum(axis=0) == 1).all()
    drawn = rows.draw(0, 0)
    assert (drawn % rows.units == 0).all()


def test_fewer_copies_than_folds() -> None:
    rows = arranged(pd.DataFrame({"a": [1, 2]}), [1.0, 2.0], task="regression")
    assert len(rows.deal(5, 0)) == 2
    single = arranged(pd.DataFrame({"a": [1]}), [1.0], task="regression")
    assert [fold.tolist() for fold in single.deal(5, 0)] == [[1]]


def test_bootstrap_samples_are_poisson_draws() -> None:
    rows = arranged(np.arange(4000.0)[:, None], np.arange(4000.0), task="regression")
    counts = rows.draw(3, 0)
    shares = [float((counts == k).mean()) for k in range(4)]
    np.testing.assert_allclose(shares, np.exp(-1) / np.array([1, 1, 2, 6]), atol=0.025)
    assert (counts != rows.draw(3, 1)).any()
    assert (counts != rows.draw(4, 0)).any()


def test_many_copies_are_drawn_at_once() -> None:
    matrix = np.arange(400.0)[:, None]
    rows = arranged(matrix, matrix[:, 0], np.full(400, 10**12), task="regression")
    off = (rows.draw(0, 0) - 10**12) / 10**6  # in standard deviations
    np.testing.assert_allclose([off.mean(), off.std()], [0, 1], atol=0.15)
    assert (rows.draw(0, 1) != rows.draw(0, 0)).mean() > 0.99
    mixed = arranged(matrix, matrix[:, 0], np.arange(1, 401) * 10, task="regression")
    assert (abs(mixed.draw(0, 0) - mixed.units) < 6 * np.sqrt(mixed.units)).all()


def test_an_empty_sample_becomes_all_rows() -> None:
    rows = arranged(pd.DataFrame({"a": [1]}), [1.0], task="regression")
    drawn = [int(rows.draw(0, member)[0]) for member in range(30)]
    assert min(drawn) == 1
    assert max(drawn) > 1


def test_large_sparse_tables_stay_sparse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_training_rows, "_DENSE_CELLS", 10)
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
