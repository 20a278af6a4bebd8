"""Sums of products: equal to fractions, and the same bits for any order of rows and any blocks."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from branchline._exact_products import ROWS_AT_ONCE, Cutter, ProductSums, exponents_of

SEEDS = st.integers(0, 2**32 - 1)


def terms(seed, n_rows, n_terms=4):
    random = np.random.default_rng(seed)
    size = 10.0 ** random.integers(-30, 31, n_terms)
    found = random.standard_normal((n_terms, n_rows)) * size[:, None]
    found[1] = random.integers(0, 2, n_rows)
    return found, np.arange(n_terms) == 1


def added(values, is_switch, n_slices, blocks):
    cutter = Cutter(exponents_of(np.abs(values).max(axis=1)), is_switch, n_slices)
    sums = ProductSums(cutter, cutter)
    for rows in blocks:
        slices = cutter.cut(values[:, rows])
        sums.add(slices, slices)
    return sums.total()


@given(SEEDS, st.integers(1, 60), st.integers(1, 60))
def test_they_are_the_sums_of_fractions(seed, n_rows, step):
    values, is_switch = terms(seed, n_rows)
    blocks = [slice(at, at + step) for at in range(0, n_rows, step)]
    high, low = added(values, is_switch, 3, blocks)
    for one in range(4):
        for other in range(4):
            right = sum(
                Fraction(float(a)) * Fraction(float(b))
                for a, b in zip(values[one], values[other], strict=True)
            )
            unit = n_rows * np.abs(values[one]).max() * np.abs(values[other]).max()
            apart = Fraction(float(high[one, other])) + Fraction(float(low[one, other])) - right
            assert abs(apart) <= Fraction(float(unit)) * Fraction(1, 2**60)


@given(SEEDS, st.integers(1, 300), st.integers(1, 300), st.integers(1, 3))
def test_neither_order_nor_blocks_change_a_bit(seed, n_rows, step, n_slices):
    values, is_switch = terms(seed, n_rows)
    whole = added(values, is_switch, n_slices, [slice(None)])
    mixed = values[:, np.random.default_rng(seed).permutation(n_rows)]
    parts = added(
        mixed, is_switch, n_slices, [slice(at, at + step) for at in range(0, n_rows, step)]
    )
    assert all(np.array_equal(a, b) for a, b in zip(whole, parts, strict=True))


@given(SEEDS, st.integers(1, 1100), st.integers(1, 3), st.integers(1, 3), st.integers(1, 30))
def test_the_core_adds_what_slices_add(seed, n_rows, n_slices, n_other, n_terms):
    values, is_switch = terms(seed, n_rows, max(2, n_terms))
    others, _ = terms(seed + 1, n_rows, 5)
    factor = np.random.default_rng(seed).random(n_rows)
    cutter = Cutter(exponents_of(np.abs(values).max(axis=1)), is_switch, n_slices)
    plain = Cutter(exponents_of(np.abs(others).max(axis=1)), np.zeros(5, dtype=bool), n_other)
    alike = Cutter(cutter.exponents, np.zeros(len(values), dtype=bool), n_slices)
    room = np.empty((len(values), n_rows + 3))
    room[:, :n_rows] = values
    pairs = [(ProductSums(a, b), ProductSums(a, b))
             for a, b in ((plain, cutter), (cutter, cutter), (alike, alike))]  # fmt: skip
    pairs[0][0].add(plain.cut(others), cutter.cut(values))
    pairs[0][1].add_rows(others, room[:, :n_rows])
    pairs[1][0].add(cutter.cut(values), cutter.cut(values))
    pairs[1][1].add_squares(room[:, :n_rows])
    slices = alike.cut(values * factor)
    pairs[2][0].add(slices, slices)
    pairs[2][1].add_squares(room[:, :n_rows], factor)
    for slow, fast in pairs:
        for right, found in zip(slow.total(), fast.total(), strict=True):
            np.testing.assert_array_equal(found, right)


def test_full_blocks_of_the_largest_slices_are_exact():
    # Its slices are 2^20, −2^20 and 2^20 of their units; a pair of floats holds the sum.
    values = np.full((2, ROWS_AT_ONCE), 1.0 - 2.0**-21 + 2.0**-42)
    values[1, ::2] *= -1.0
    cutter = Cutter(np.zeros(2, dtype=np.int64), np.zeros(2, dtype=bool), 3)
    largest = np.ldexp(cutter.cut(values)[::2, 0], cutter.bits[::2])
    assert largest.tolist() == [2.0**20, -(2.0**20), 2.0**20]
    sums = ProductSums(cutter, cutter)
    sums.add_squares(values)
    expected = Fraction(float(values[0, 0])) ** 2 * ROWS_AT_ONCE
    high, low = sums.total()
    assert Fraction(float(high[0, 0])) + Fraction(float(low[0, 0])) == expected
    many = [slice(None)] * 700  # more than are added before they are carried
    high, low = added(values, np.zeros(2, dtype=bool), 3, many)
    one = Fraction(float(values[0, 0])) ** 2 * ROWS_AT_ONCE * 700
    assert Fraction(float(high[0, 0])) + Fraction(float(low[0, 0])) == one
    assert high[0, 1] == low[0, 1] == 0.0


def test_a_switch_has_one_slice():
    cutter = Cutter(np.array([3, 1]), np.array([False, True]), 3)
    assert cutter.term.tolist() == [0, 0, 0, 1]
    assert cutter.bits.tolist() == [20, 41, 62, 0]
    slices = cutter.cut(np.array([[5.3, -1.7], [0.0, 1.0]]))
    np.testing.assert_allclose(slices[:3].sum(axis=0) * 8, [5.3, -1.7], rtol=2.0**-60)
    assert slices[3].tolist() == [0.0, 1.0]
