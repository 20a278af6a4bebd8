"""Neighbors and links of rows, against sorting all distances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline import _core
from branchline._row_distances._comparison import fit_comparison
from branchline._validation import check_training_inputs
from branchline.semi._row_graph import nearest, row_graph
from twins.few_labels import nearest_by_sorting


def compared(matrix: np.ndarray) -> tuple[object, np.ndarray]:
    data = check_training_inputs(matrix, None)
    return fit_comparison(data, np.ones(len(matrix)), "auto", "auto")


@given(
    seed=st.integers(0, 10_000),
    n_rows=st.integers(2, 60),
    n_columns=st.integers(1, 20),
    k=st.integers(1, 9),
    missing=st.booleans(),
)
def test_the_kernel_equals_sorting(
    seed: int, n_rows: int, n_columns: int, k: int, missing: bool
) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 4, (n_rows, n_columns)).astype(float)
    if missing:
        matrix[rng.random(matrix.shape) < 0.2] = np.nan
    form = _core.DistanceForm(0, n_columns, 3.0)
    k = min(k, n_rows - 1)
    places, found = _core.nearest_rows(form, matrix, None, k, 2)
    square = _core.row_distances(form, matrix, None, 1)
    expected = nearest_by_sorting(square, k)
    np.testing.assert_array_equal(places.reshape(n_rows, k), expected)
    np.testing.assert_array_equal(
        found.reshape(n_rows, k), np.take_along_axis(square, expected, axis=1)
    )
    others = np.ascontiguousarray(matrix[: max(k, n_rows // 2)])
    places, found = _core.nearest_rows(form, matrix, others, k, 1)
    cross = _core.row_distances(form, matrix, others, 1)
    expected = np.argsort(cross, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(places.reshape(n_rows, k), expected)


def test_more_neighbors_than_points_are_refused_by_the_kernel() -> None:
    form = _core.DistanceForm(0, 1, 1.0)
    rows = np.zeros((3, 1))
    with pytest.raises(ValueError, match="neighbors"):
        _core.nearest_rows(form, rows, None, 3, 1)


def test_links_are_symmetric_and_parts_without_a_label_are_linked() -> None:
    rng = np.random.default_rng(0)
    matrix = np.r_[rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 100]
    comparison, points = compared(matrix)
    is_labeled = np.arange(60) == 0
    graph, reach, n_linked = row_graph(comparison, points, is_labeled, 5)
    assert n_linked == 1
    assert (reach > 0).all()
    assert abs(graph - graph.T).max() == 0
    first = nearest(comparison, points, None, 5)
    own = np.repeat(np.arange(60), 5)
    assert (graph[own, first.places.ravel()] > 0).all()
    between = graph[:30][:, 30:]
    assert between.nnz == 1
