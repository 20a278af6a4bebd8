"""The scale of a long column: that of ``fit_scales``, and the same bits in any order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from branchline._encoding._block import Options
from branchline._encoding._large_scales import fit_large_number
from branchline._encoding._number_block import fit_number
from branchline.table import Column
from large_tables import FLOAT

CELLS = st.floats(-1e12, 1e12) | st.sampled_from([0.0, -0.0, 1.0, np.nan, 1e300, -1e300, 5e-324])


@given(
    st.integers(1, 80).flatmap(lambda n: arrays(np.float64, n, elements=CELLS)),
    st.sampled_from(["standard", "range", "none"]),
    st.booleans(),
    st.integers(0, 1000),
)
def test_it_is_the_scale_of_the_whole_column(values, scale, is_weighted, seed):
    random = np.random.default_rng(seed)
    weights = random.integers(1, 4, len(values)).astype(float) if is_weighted else None
    ones = np.ones(len(values)) if weights is None else weights
    options = Options(scale=scale)
    found = fit_large_number(0, Column("x", FLOAT, values), weights, options)
    right = fit_number(0, Column("x", FLOAT, values), ones, options)
    assert (found is None) == (right is None)
    if found is None or right is None:
        return
    assert (found.exponent, found.has_indicator) == (right.exponent, right.has_indicator)
    numbers = [found.center, found.spread, found.fill], [right.center, right.spread, right.fill]
    np.testing.assert_allclose(*numbers, rtol=1e-12, atol=1e-15)
    order = random.permutation(len(values))
    mixed = None if weights is None else weights[order]
    assert fit_large_number(0, Column("x", FLOAT, values[order]), mixed, options) == found


@pytest.mark.parametrize("values", [np.full(5, np.nan), np.full(5, 3.0)])
def test_a_column_that_says_nothing_has_none(values):
    assert fit_large_number(0, Column("x", FLOAT, values), None, Options()) is None
