"""Numbers that are hashed: of a matrix all at once, with the bits of one column after the other."""

import numpy as np
import pandas as pd
import pytest

from branchline import Table
from branchline.linear._hashed_numbers import N_BINS, constant_columns, edges_of
from branchline.linear._hashing import first_hashing


def cells(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(90, 40)) * 10.0 ** rng.integers(-3, 4, 40)
    X[:, 3], X[:, 5], X[:, 6] = 1.0, np.round(X[:, 5]), 0.0
    return X


def both(X, **options):
    """Hashings of a matrix, and of a frame of mixed columns with the same numbers."""
    matrix = Table(X, names=[f"x{place}" for place in range(X.shape[1])])
    frame = pd.DataFrame({name: matrix.column(name).numbers() for name in matrix.names})
    frame["kind"] = ["a", "b"] * (len(X) // 2)
    mixed = Table(frame)
    assert matrix.matrix is not None
    assert mixed.matrix is None
    found = []
    for table in (matrix, mixed):
        first = first_hashing(table, options.pop("n_features", 2**10), bins=False)
        found.append((table, first.learn(table, skip_constant=True)))
    return found


def with_missing():
    X = cells()
    X[::7, 4], X[:, 8] = np.nan, np.nan
    return X


@pytest.mark.parametrize("X", [cells(), with_missing()])
def test_scales_and_bins_of_a_matrix_are_those_of_its_columns(X):
    (_, whole), (_, one_by_one) = both(X)
    for name in ("used", "exponent", "scale", "edges"):
        expected = getattr(one_by_one, name)[: X.shape[1]]
        np.testing.assert_array_equal(getattr(whole, name), expected, err_msg=name)


def test_rows_of_a_matrix_are_encoded_as_one_column_after_the_other():
    X = cells()
    (table, hashing), (_, _) = both(X, n_features=16)  # so few places that many columns share one
    part = [np.concatenate(some) for some in zip(*hashing.parts(table), strict=True)]
    expected = np.zeros((len(X), hashing.n_features))
    np.add.at(expected, (part[0], part[2]), part[3])
    found = hashing.encode(table)
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-12, atol=1e-12)
    assert found.indices.dtype == found.indptr.dtype == np.int32


def test_columns_that_say_nothing_are_found():
    X = np.array([[1.0, np.nan, 2.0, np.nan], [1.0, np.nan, 3.0, 4.0]])
    assert constant_columns(X).tolist() == [True, True, False, False]


def test_bins_of_few_values_end_early():
    edges = edges_of(np.array([3.0, 1.0, 1.0, np.nan, 2.0]))
    assert edges.shape == (N_BINS,)
    assert edges[:3].tolist() == [1.0, 2.0, 3.0]
    assert np.isinf(edges[3:]).all()
