"""Rows in an order of their own: what it does not depend on, and what merging keeps."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from branchline import Table
from branchline._canonical_rows import canonical_rows
from branchline._validation import Owner, check_training_data, check_training_inputs
from common.tables import mixed_frame, target

OWNER = Owner("Model", None)


def canonical(X, y, weight=None, *, merge=True, task="classification"):
    data = check_training_data(X, y, weight, task=task, owner=OWNER)
    return canonical_rows(data, merge=merge)


def rows_of(data):
    """Return everything about the rows, as text."""
    cells = data.table.to_dicts()
    weights = data.weights.of_rows(data.table.n_rows)
    target_of = getattr(data.target, "class_of_row", getattr(data.target, "values", None))
    return [repr(row) for row in zip(cells, target_of, weights, strict=True)]


@pytest.mark.parametrize("merge", [True, False])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_order_of_rows_does_not_matter(task, merge):
    frame = mixed_frame(200)
    y = target(frame, task)
    expected = rows_of(canonical(frame, y, merge=merge, task=task))
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(200)
        found = canonical(frame.iloc[order], y[order], merge=merge, task=task)
        assert rows_of(found) == expected


def test_containers_do_not_matter():
    frame = mixed_frame(100)
    y = target(frame, "classification")
    expected = canonical(frame, y).table.to_pandas().astype(str)
    found = canonical(pl.from_pandas(frame), y).table.to_pandas().astype(str)
    assert expected["height"].tolist() == found["height"].tolist()
    assert expected["town"].tolist() == found["town"].tolist()


def test_copies_become_weights():
    X, y = np.array([[1.0], [2.0], [1.0], [1.0]]), np.array([0, 1, 0, 1])
    data = canonical(X, y)
    rows = {
        (float(x), int(c)): w
        for (x,), c, w in zip(
            data.table.matrix, data.target.class_of_row, data.weights.of_rows(3), strict=True
        )
    }
    assert rows == {(1.0, 0): 2.0, (2.0, 1): 1.0, (1.0, 1): 1.0}


def test_weight_k_is_k_copies_for_any_target():
    frame = mixed_frame(80)
    y = target(frame, "regression")
    copies = np.random.default_rng(0).integers(1, 4, 80)
    at = np.repeat(np.arange(80), copies)
    weighted = canonical(frame, y, copies, task="regression")
    repeated = canonical(frame.iloc[at], y[at], task="regression")
    assert rows_of(weighted) == rows_of(repeated)


def test_rows_that_differ_in_a_hole_or_a_name_are_not_merged():
    frame = pd.DataFrame({"x": [1.0, np.nan, 1.0, np.nan], "t": ["a", "a", None, "a"]})
    data = canonical(frame, [0, 0, 0, 0], task="regression")
    assert data.table.n_rows == 3
    assert sorted(data.weights.of_rows(3)) == [1.0, 1.0, 2.0]


def test_fractional_weights_are_added():
    data = canonical([[1.0], [1.0], [2.0]], [0, 0, 1], [0.5, 1.0, 1.5])
    assert data.table.n_rows == 2
    weights = data.weights.of_rows(2)
    assert weights[0] == pytest.approx(weights[1])


def test_without_a_target_rows_alone_count():
    data = canonical_rows(check_training_inputs([[1.0], [1.0], [2.0]], None), merge=True)
    assert data.table.n_rows == 2
    assert data.target is None


def test_a_large_sparse_table_stays_sparse_in_an_order_of_its_own():
    cells = sparse.random_array((5000, 1000), density=0.001, rng=np.random.default_rng(0))
    cells = cells.tocsr()
    y = np.arange(5000) % 3
    order = np.random.default_rng(1).permutation(5000)
    one, other = canonical(cells, y), canonical(cells[order], y[order])
    assert one.table.sparse is not None
    assert abs(one.table.sparse - other.table.sparse).max() == 0
    np.testing.assert_array_equal(one.target.class_of_row, other.target.class_of_row)


def test_scaling_a_column_by_a_power_of_two_keeps_the_order():
    X = np.random.default_rng(3).normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    np.testing.assert_array_equal(
        canonical(X, y).table.matrix * 4, canonical(Table(X * 4), y).table.matrix
    )
