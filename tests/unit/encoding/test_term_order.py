"""The order of terms: like its formula, whatever the order of columns and the container."""

import numpy as np
import pytest
from scipy import sparse

from branchline._encoding._term_order import term_order
from branchline._row_keys import scramble


def hashes(matrix, classes):
    """The formula of the module, word by word."""
    bits = (matrix.astype(np.float32) + np.float32(0)).view(np.uint32).astype(np.uint64)
    rows = scramble(classes.astype(np.uint64))
    sums = (rows[:, None] * bits).sum(axis=0, dtype=np.uint64)
    if len(np.unique(sums)) == len(sums):
        return sums
    mixed = np.where(bits == 0, np.uint64(0), scramble(bits ^ sums))
    rows = scramble(rows ^ mixed.sum(axis=1, dtype=np.uint64))
    words = np.where(bits == 0, np.uint64(0), scramble(bits))
    return scramble(sums) + (rows[:, None] * words).sum(axis=0, dtype=np.uint64)


def numbers(kind, n_rows, n_terms, rng):
    if kind == "numbers":
        return rng.normal(size=(n_rows, n_terms))
    matrix = (rng.random((n_rows, n_terms)) < 0.3) * 1.0
    if kind == "indicators":
        # As many ones in each: the first sums of many are equal.
        matrix = rng.permuted(np.tile(np.arange(n_rows)[:, None] < n_rows // 3, n_terms), axis=0)
        return matrix * 1.0
    matrix[0, :] = -0.0
    return matrix * 1e300


@pytest.mark.parametrize("kind", ["numbers", "indicators", "huge"])
@pytest.mark.parametrize("shape", [(1, 1), (30, 7), (200, 90), (17, 300)])
def test_terms_stand_in_the_order_of_the_formula(kind, shape):
    rng = np.random.default_rng(0)
    matrix, classes = numbers(kind, *shape, rng), rng.integers(0, 3, shape[0])
    with np.errstate(over="ignore"):
        expected = np.argsort(hashes(matrix, classes), kind="stable")
    for given in (matrix, np.asfortranarray(matrix), sparse.csr_matrix(matrix)):
        np.testing.assert_array_equal(term_order(given, classes), expected)


def test_columns_may_come_in_any_order():
    rng = np.random.default_rng(1)
    matrix, order = rng.normal(size=(40, 12)), rng.permutation(12)
    classes = rng.integers(0, 2, 40)
    there = order[term_order(matrix[:, order], classes)]
    np.testing.assert_array_equal(there, term_order(matrix, classes))
