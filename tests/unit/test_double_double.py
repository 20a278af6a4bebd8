"""Pairs of floats against fractions, and the triangle of products that plain floats would lose."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline._double_double import (
    added,
    divided,
    multiplied,
    pair_of,
    pivoted_cholesky,
    root,
    subtracted,
)

SEEDS = st.integers(0, 2**32 - 1)


def pairs(seed, n=20):
    random = np.random.default_rng(seed)
    high = random.standard_normal(n) * 10.0 ** random.integers(-8, 9, n)
    return high, high * random.standard_normal(n) * 2.0**-54


def exact(pair):
    return [Fraction(float(a)) + Fraction(float(b)) for a, b in zip(*pair, strict=True)]


@given(SEEDS)
def test_sums_products_and_quotients_have_thirty_digits(seed):
    one, other = pairs(seed), pairs(seed + 1)
    for do, operator in (
        (added, Fraction.__add__),
        (subtracted, Fraction.__sub__),
        (multiplied, Fraction.__mul__),
        (divided, Fraction.__truediv__),
    ):
        for found, a, b in zip(exact(do(one, other)), exact(one), exact(other), strict=True):
            right = operator(a, b)
            unit = abs(a) + abs(b) if do in (added, subtracted) else abs(right)
            assert abs(found - right) <= unit * Fraction(1, 2**100)


@given(SEEDS)
def test_a_root_squared_is_the_number(seed):
    one = pairs(seed)
    positive = np.abs(one[0]), np.where(one[0] < 0, -one[1], one[1])
    for found, right in zip(exact(root(positive)), exact(positive), strict=True):
        assert abs(found * found - right) <= right * Fraction(1, 2**99)


def products(rows):
    """The products of all pairs of columns, summed as fractions."""
    columns = [[Fraction(float(x)) for x in column] for column in rows.T]
    sums = [[sum(a * b for a, b in zip(u, v, strict=True)) for v in columns] for u in columns]
    high = np.array([[float(x) for x in row] for row in sums])
    low = [
        [float(x - Fraction(h)) for x, h in zip(*p, strict=True)]
        for p in zip(sums, high, strict=True)
    ]
    return high, np.array(low)


@pytest.mark.parametrize("apart", [1.0, 1e-4, 1e-8, 1e-11])
def test_the_triangle_has_the_singular_values_of_the_rows(apart):
    random = np.random.default_rng(3)
    rows = random.standard_normal((40, 5))
    rows[:, 3] = rows[:, 0] + rows[:, 1] + apart * rows[:, 3]
    triangle, taken, left = pivoted_cholesky(products(rows), 4, 2.0**-84)
    assert sorted(taken) == [0, 1, 2, 3]
    found = np.linalg.svd(triangle[:, :4], compute_uv=False)
    right = np.linalg.svd(np.linalg.qr(rows[:, :4], mode="r"), compute_uv=False)
    np.testing.assert_allclose(found, right, rtol=1e-9 + 1e-15 / apart)
    solved = np.linalg.lstsq(rows[:, :4], rows[:, 4], rcond=None)[1]
    np.testing.assert_allclose(left, solved, rtol=1e-9 + 1e-16 / apart)


def test_a_column_that_others_make_up_is_no_direction():
    random = np.random.default_rng(0)
    rows = random.integers(-9, 10, (60, 12)).astype(float)
    rows[:, 5] = rows[:, 1] - 2 * rows[:, 2]
    rows[:, 7] = 0.0
    triangle, taken, _ = pivoted_cholesky(products(rows), 12, 2.0**-84)
    assert len(taken) == 10
    assert 7 not in taken
    np.testing.assert_allclose(triangle.T @ triangle, rows.T @ rows, atol=1e-9)


def test_nothing_varies():
    triangle, taken, left = pivoted_cholesky(pair_of(np.diag([0.0, 0.0, 5.0])), 2, 2.0**-84)
    assert triangle.shape == (0, 3)
    assert len(taken) == 0
    assert left.tolist() == [5.0]
