"""Tables over one matrix: the same bits as column after column."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from branchline import Table
from branchline._encoding._block import Options
from branchline._encoding._encoding import Encoding, fit_encoding
from branchline._encoding._number_matrix import contiguous_columns
from branchline._encoding._number_scales import weighted_median


def cells(n_rows=300, *, huge=False):
    """Numbers of all sizes; a constant column, one of few values, one mostly 0."""
    generator = np.random.default_rng(0)
    matrix = generator.normal(size=(n_rows, 20)) * 10.0 ** generator.integers(-5, 6, 20)
    matrix[:, 3] = 7.0
    matrix[:, 4] = generator.integers(0, 3, n_rows)
    matrix[:, 5] *= generator.random(n_rows) < 0.2
    matrix[:, 6] *= 1e290 if huge else 1.0
    matrix[:, 7] *= 1e-310 if huge else 1.0
    return matrix


@pytest.mark.parametrize("huge", [False, True])
@pytest.mark.parametrize("scale", ["standard", "range", "none"])
@pytest.mark.parametrize("store", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_numbers_are_scaled_as_each_block_scales_them(scale, store, huge):
    matrix = cells(huge=huge)
    weights = np.random.default_rng(1).integers(1, 4, len(matrix)).astype(float)
    table = Table(store(matrix))
    encoding, seen = fit_encoding(table, weights, Options(scale=scale))
    by_column = [block.encode(table.column(table.names[block.place])) for block in encoding.blocks]
    np.testing.assert_array_equal(seen, np.hstack(by_column))
    assert seen.flags.c_contiguous
    holes = matrix.copy()
    holes[::7, :9] = np.nan  # holes that training rows did not have take the median
    filled = Table(holes)
    by_column = [block.encode(filled.column(filled.names[b])) for b, block in places(encoding)]
    np.testing.assert_array_equal(encoding.encode(filled), np.hstack(by_column))


@pytest.mark.parametrize("huge", [False, True])
@pytest.mark.parametrize("scale", ["standard", "range", "none"])
def test_a_few_rows_are_scaled_with_the_bits_of_many(scale, huge):
    matrix = cells(huge=huge)
    matrix[::9, 2] = np.nan
    table = Table(matrix)
    encoding, seen = fit_encoding(table, np.ones(len(matrix)), Options(scale=scale))
    one_by_one = [encoding.encode(table.rows([at])) for at in range(len(matrix))]
    assert np.vstack(one_by_one).tobytes() == seen.tobytes()
    copy = pickle.loads(pickle.dumps(encoding))  # also after rows were scaled
    np.testing.assert_array_equal(copy.encode(table), seen)


def places(encoding: Encoding):
    return [(block.place, block) for block in encoding.blocks]


@pytest.mark.parametrize("store", [np.asarray, sparse.csc_array])
def test_columns_come_in_order_and_contiguous(store):
    matrix = cells(50)
    table = Table(store(matrix))
    found = list(contiguous_columns(table))
    assert [column.name for column in found] == list(table.names)
    for column, values in zip(found, matrix.T, strict=True):
        np.testing.assert_array_equal(column.values, values)
        assert column.values.flags.c_contiguous


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.0, 0.0, 1.0, -2.0, 3.5]), st.integers(1, 3)), min_size=1
    )
)
def test_a_weighted_median_is_that_of_copies(pairs):
    values, copies = (np.array(part, dtype=float) for part in zip(*pairs, strict=True))
    expected = np.median(np.repeat(values, copies.astype(int)))
    assert weighted_median(values, copies) == expected
    assert weighted_median(values, copies / 4) == expected
