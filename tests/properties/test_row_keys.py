"""Row keys, by property: like their twin for any table, and independent of threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline import _core
from branchline._codes import Codes, fit_codes
from branchline._row_keys import bag_of_ranks, content_keys, matrix_keys
from branchline.table import Column, Table
from branchline.table._column import FLOAT, ColumnType
from twins import row_keys as twin

WORDS = st.sampled_from([0, 1, 2**63, 2**64 - 1]) | st.integers(0, 2**64 - 1)


def numbers(n_rows):
    """Columns of numbers: few values, many values, holes, constants."""
    cell = st.sampled_from([0.0, 1.0, -1.5, np.nan]) | st.floats(width=32, allow_infinity=False)
    few = st.lists(st.sampled_from([0.0, 1.0]), min_size=n_rows, max_size=n_rows)
    return st.one_of(few, st.lists(cell, min_size=n_rows, max_size=n_rows))


def categories(n_rows):
    """Columns of names, in any order of the container, some of them missing or never seen."""
    names = st.permutations(["a", "b", "ä", "10", "9"])
    codes = st.lists(st.integers(-1, 4), min_size=n_rows, max_size=n_rows)
    return st.tuples(names, codes)


@st.composite
def tables(draw):
    """Return a table, targets and copies; some columns stand in the table twice."""
    n_rows = draw(st.sampled_from([1, 2, 5]) | st.integers(6, 80))
    drawn = draw(st.lists(numbers(n_rows) | categories(n_rows), min_size=1, max_size=6))
    drawn += draw(st.lists(st.sampled_from(drawn), max_size=3))
    columns = [column_of(f"c{place}", values) for place, values in enumerate(drawn)]
    n_outputs = draw(st.integers(0, 3))
    flat = draw(st.lists(WORDS, min_size=n_rows * n_outputs, max_size=n_rows * n_outputs))
    targets = np.array(flat, dtype=np.uint64).reshape(n_rows, n_outputs)
    copies = draw(st.none() | st.lists(st.integers(1, 9), min_size=n_rows, max_size=n_rows))
    return Table.from_columns(columns), targets, None if copies is None else np.array(copies)


def column_of(name, values):
    if isinstance(values, tuple):
        kind = ColumnType("category", "string", tuple(values[0]))
        return Column(name, kind, np.array(values[1], dtype=np.int32))
    return Column(name, FLOAT, np.array(values))


@given(tables(), st.integers(1, 3))
def test_keys_equal_their_twin(drawn, n_threads):
    table, targets, copies = drawn
    codes = fit_codes(table)
    seen = content_keys(table, codes, targets, copies, n_threads=n_threads)
    np.testing.assert_array_equal(seen, twin.content_keys(table, codes, targets, copies))


@given(st.integers(0, 2**32), st.booleans(), st.integers(0, 2))
def test_keys_of_many_rows_equal_their_twin(seed, weighted, n_outputs):
    generator = np.random.default_rng(seed)
    n_rows = int(generator.integers(4000, 9000))
    matrix = generator.integers(0, [1, 2, 300, 2**40, 2], (n_rows, 5)).astype(float)
    matrix[:, 4] = matrix[:, 1]
    table = Table.from_matrix(matrix)
    targets = generator.integers(0, 3, (n_rows, n_outputs)).astype(np.uint64)
    copies = generator.integers(1, 5, n_rows) if weighted else None
    codes = fit_codes(table)
    expected = twin.content_keys(table, codes, targets, copies)
    for n_threads in (1, 2, 5):
        seen = content_keys(table, codes, targets, copies, n_threads=n_threads)
        np.testing.assert_array_equal(seen, expected)


def test_columns_that_no_sum_tells_apart_are_told_apart_by_their_order():
    """Two columns that change places when rows do have one sum; the twin counts them."""
    table = Table.from_matrix(np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]]))
    codes, targets = fit_codes(table), np.zeros((3, 1), dtype=np.uint64)
    seen = content_keys(table, codes, targets, None)
    np.testing.assert_array_equal(seen, twin.content_keys(table, codes, targets, None))
    assert len(set(seen.tolist())) == 3


@pytest.mark.parametrize("n_outputs", [0, 2])
@pytest.mark.parametrize("n_rows", [0, 1, 3])
def test_rows_without_columns_have_keys_of_their_target(n_rows, n_outputs):
    nothing = np.zeros(0, dtype=np.int64)
    codes = Codes((), (), (), nothing, nothing.astype(bool), ())
    targets = np.arange(n_rows * n_outputs, dtype=np.uint64).reshape(n_rows, n_outputs)
    seen = content_keys(None, codes, targets, None)
    np.testing.assert_array_equal(seen, twin.content_keys(None, codes, targets, None))


BYTES = np.array([1, 2, 0], dtype=np.uint8)
THREE = np.zeros((3, 1), dtype=np.uint64)
RANKS = np.arange(3, dtype=np.uint64)


@pytest.mark.parametrize(
    ("columns", "ranks", "targets", "copies", "n_threads"),
    [
        ([BYTES], [], THREE, None, 1),
        ([BYTES], [RANKS[:2]], THREE, None, 1),
        ([BYTES], [RANKS[:0]], THREE, None, 1),
        ([BYTES], [BYTES], THREE, None, 1),
        ([BYTES], ["a"], THREE, None, 1),
        ([BYTES], [None], THREE[:2], None, 1),
        ([BYTES], [None], THREE, np.ones(2, np.int64), 1),
        ([BYTES, BYTES[:2]], [None, None], THREE, None, 1),
        ([BYTES.astype(np.int8)], [None], THREE, None, 1),
        ([None], [None], THREE, None, 1),
        ([BYTES], [None], THREE, None, 0),
    ],
)
def test_what_does_not_fit_is_refused(columns, ranks, targets, copies, n_threads):
    with pytest.raises((ValueError, TypeError, IndexError)):
        _core.content_keys(columns, ranks, targets, copies, n_threads)


@given(st.integers(0, 2**32), st.booleans(), st.sampled_from([1, 2, 70, 160, 161, 400]))
def test_keys_of_a_matrix_are_those_of_its_codes(seed, is_single, n_rows):
    """Also with missing values, ties, zeros of both signs and numbers beyond single precision."""
    generator = np.random.default_rng(seed)
    matrix = generator.normal(size=(n_rows, 6)) * [1, 1e-300, 1e300, 1e-12, 1, 1] + [
        0,
        0,
        0,
        1,
        0,
        0,
    ]
    matrix[:, 4] = np.round(matrix[:, 4])
    matrix[generator.random(matrix.shape) < 0.05] = np.nan
    matrix[generator.random(matrix.shape) < 0.05] *= 0.0
    with np.errstate(over="ignore"):
        matrix = matrix.astype(np.float32 if is_single else np.float64)
    matrix[np.isinf(matrix)] = 0.0
    table, targets = Table.from_matrix(matrix), np.arange(n_rows, dtype=np.uint64)[:, None] % 2
    copies = generator.integers(1, 5, n_rows)
    expected = content_keys(table, fit_codes(table), targets, copies)
    for order in "CF":
        seen = matrix_keys(np.asarray(matrix, order=order), targets, copies, n_threads=2)
        np.testing.assert_array_equal(seen, expected)


@pytest.mark.parametrize("n_rows", [1, 7, 160, 161, 700])
def test_without_a_target_the_bag_of_ranks_takes_its_place(n_rows):
    generator = np.random.default_rng(n_rows)
    matrix = np.round(generator.normal(size=(n_rows, 9)), 1)
    matrix[:, 2], matrix[:, 3] = 1.0, matrix[:, 0]
    matrix[generator.random(matrix.shape) < 0.1] = np.nan
    table, nothing = Table.from_matrix(matrix), np.zeros((n_rows, 0), dtype=np.uint64)
    codes = fit_codes(table)
    for copies in (None, generator.integers(1, 5, n_rows)):
        bags = bag_of_ranks(table, codes)[:, None]
        expected = content_keys(table, codes, bags, copies)
        np.testing.assert_array_equal(matrix_keys(matrix, nothing, copies), expected)
