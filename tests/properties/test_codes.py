"""Codes, by property: like their twin, and what must not matter does not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from branchline import _core
from branchline._codes import apply_codes, fit_codes
from branchline.table import Column, ColumnType, Table
from twins import codes as twin

THREADS = [1, 2, 3, 7]

singles = st.floats(width=32, allow_nan=True, allow_infinity=False)
few_values = st.integers(-9, 9).map(float) | st.just(np.nan) | st.just(-0.0)
columns = st.lists(singles, max_size=60) | st.lists(few_values | singles, max_size=200)
bins = st.sampled_from([0, 1, 2, 3, 5, 8, 20, 254, 255, 256, 1000])


def long_column(kind, seed, n_rows, digits):
    """Enough values for the radix sort; close ones differ only in the low bits of their keys."""
    generator = np.random.default_rng(seed)
    spread = np.round(generator.normal(size=n_rows), digits)
    close = 1.6e9 + generator.integers(0, 5000, n_rows) * 2.0**-20
    broken = np.where(generator.random(n_rows) < 0.2, -999.0, close)
    return {"spread": spread, "close": close, "broken by a sentinel": broken}[kind]


long_columns = st.builds(
    long_column,
    st.sampled_from(["spread", "close", "broken by a sentinel"]),
    st.integers(0, 2**32),
    st.integers(1000, 3000),
    st.integers(0, 16),
)


def code(values, units=None, max_bins=0, n_threads=1, dtype=np.float64):
    column = np.asarray(values, dtype=dtype)
    numeric = np.full(1, -1, dtype=np.int32)
    return _core.fit_codes([column], numeric, units, max_bins, n_threads)[0]


def weights_for(values, seed, most=9):
    return np.random.default_rng(seed).integers(1, most, len(values), endpoint=True)


def assert_same(seen, expected):
    for one, other in zip(seen, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@given(columns | long_columns, bins, st.sampled_from([np.float32, np.float64]))
def test_codes_equal_their_twin(values, max_bins, dtype):
    values = np.asarray(values, dtype=dtype)
    assert_same(code(values, None, max_bins, dtype=dtype), twin.fit_codes(values, None, max_bins))


@given(columns | long_columns, bins, st.integers(0, 99), st.sampled_from([1, 9, 10**6, 2**40]))
def test_weighted_codes_equal_their_twin(values, max_bins, seed, most):
    units = weights_for(values, seed, most)
    assert_same(code(values, units, max_bins), twin.fit_codes(values, units, max_bins))


@given(st.lists(st.integers(1, 30) | st.integers(1, 2**45), min_size=3, max_size=60), bins)
def test_bins_of_any_weights_equal_their_twin(weights, max_bins):
    values = np.arange(len(weights), dtype=np.float64)
    units = np.array(weights, dtype=np.int64)
    assert_same(code(values, units, max_bins), twin.fit_codes(values, units, max_bins))


@given(columns, columns, bins, st.sampled_from([np.float32, np.float64]))
def test_codes_of_new_values_equal_their_twin_on_every_processor_level(old, new, max_bins, dtype):
    _, lowest, highest = code(old, None, max_bins)
    new = np.asarray(new, dtype=dtype)
    expected = twin.apply_codes(new, lowest, highest)
    for level in _core.cpu_levels():
        numeric = np.full(1, -1, dtype=np.int32)
        (seen,) = _core.apply_codes([new], numeric, [lowest], [highest], level, 1)
        np.testing.assert_array_equal(seen, expected)


@given(st.lists(st.floats(-1e3, 1e3) | singles, min_size=2, max_size=20), st.booleans())
def test_codes_change_exactly_at_the_edges_in_both_widths(old, close):
    """Around each midpoint, floats of either width are compared as if they were exact numbers."""
    values = np.array(old)
    if close:  # neighbors, between which there is no number to be a midpoint
        next_single = np.nextafter(values.astype(np.float32), np.float32(9))
        values = np.concatenate([values, next_single, np.nextafter(values, 9)])
    _, lowest, highest = code(values)
    edges = [twin.midpoint(high, low) for high, low in zip(highest[:-1], lowest[1:], strict=True)]
    for dtype in (np.float32, np.float64):
        with np.errstate(over="ignore"):  # next to the largest float32
            near = np.array(edges).astype(dtype)
            around = np.concatenate([np.nextafter(near, -np.inf), near, np.nextafter(near, np.inf)])
        around = around[np.isfinite(around)].astype(dtype)
        expected = twin.apply_codes(around, lowest, highest)
        for level in _core.cpu_levels():
            numeric = np.full(1, -1, dtype=np.int32)
            (seen,) = _core.apply_codes([around], numeric, [lowest], [highest], level, 1)
            np.testing.assert_array_equal(seen, expected)


@given(columns | long_columns, bins)
def test_the_values_learned_from_get_the_same_codes_again(values, max_bins):
    table = Table.from_matrix(np.asarray(values, dtype=np.float64)[:, None])
    known = fit_codes(table, max_bins=max_bins)
    for level in _core.cpu_levels():
        again = apply_codes(known, table, cpu_level=level)
        np.testing.assert_array_equal(again.columns[0], known.columns[0])


@given(columns | long_columns, bins, st.integers(0, 99), st.booleans())
def test_the_order_of_rows_does_not_matter(values, max_bins, seed, weighted):
    values = np.asarray(values, dtype=np.float64)
    units = weights_for(values, seed) if weighted else None
    order = np.random.default_rng(seed).permutation(len(values))
    codes, *ranges = code(values, units, max_bins)
    shuffled, *same = code(values[order], units[order] if weighted else None, max_bins)
    np.testing.assert_array_equal(shuffled, codes[order])
    assert_same(same, ranges)


@given(columns | long_columns, bins, st.integers(0, 99))
def test_weight_k_is_k_copies(values, max_bins, seed):
    units = weights_for(values, seed, 4)
    codes, *ranges = code(values, units, max_bins)
    copies, *same = code(np.repeat(values, units), None, max_bins)
    np.testing.assert_array_equal(copies, np.repeat(codes, units))
    assert_same(same, ranges)


@given(st.lists(columns, min_size=1, max_size=9), bins, st.booleans())
def test_threads_and_layout_do_not_matter(drawn, max_bins, weighted):
    n_rows = min(len(values) for values in drawn)
    rows = np.array([values[:n_rows] for values in drawn]).T.reshape(n_rows, len(drawn))
    units = weights_for(rows, 0) if weighted else None
    expected = fit_codes(Table.from_matrix(rows), units=units, max_bins=max_bins)
    for layout in (np.ascontiguousarray(rows), np.asfortranarray(rows), rows[::-1][::-1]):
        for n_threads in THREADS:
            table = Table.from_matrix(layout)
            seen = fit_codes(table, units=units, max_bins=max_bins, n_threads=n_threads)
            assert_same(seen.columns, expected.columns)
            assert_same(seen.lowest, expected.lowest)
            assert_same(seen.highest, expected.highest)


@given(columns | long_columns, bins)
def test_float32_and_float64_of_the_same_values_get_the_same_codes(values, max_bins):
    values = np.asarray(values, dtype=np.float32)
    assert_same(
        code(values, None, max_bins, dtype=np.float32),
        code(values, None, max_bins, dtype=np.float64),
    )


@pytest.mark.parametrize(
    "transform",
    [lambda x: 3 * x - 7, lambda x: x**3, np.arctan, lambda x: np.exp(x / 50), np.cbrt],
    ids=["linear", "cube", "arctan", "exp", "cbrt"],
)
@given(values=st.lists(st.integers(-500, 500).map(float) | st.just(np.nan), max_size=80))
def test_monotone_transforms_leave_exact_codes_unchanged(transform, values):
    values = np.array(values, dtype=np.float64)
    np.testing.assert_array_equal(code(transform(values))[0], code(values)[0])
    down = code(-values)[0].astype(int)
    mirrored = np.where(np.isnan(values), 0, down.max(initial=0) + 1 - down)
    np.testing.assert_array_equal(mirrored, code(values)[0])


@given(columns | long_columns, bins, st.booleans())
def test_codes_rise_with_values_and_ranges_hold_them(values, max_bins, weighted):
    values = np.asarray(values, dtype=np.float64)
    codes, lowest, highest = code(values, weights_for(values, 1) if weighted else None, max_bins)
    present = np.isfinite(values)
    np.testing.assert_array_equal(codes == 0, ~present)
    order = np.argsort(values[present], kind="stable")
    assert (np.diff(codes[present][order].astype(int)) >= 0).all()
    assert (lowest[codes[present] - 1] <= values[present]).all()
    assert (highest[codes[present] - 1] >= values[present]).all()
    assert (highest[:-1] < lowest[1:]).all()
    assert set(codes[present].tolist()) == set(range(1, len(lowest) + 1))
    assert max_bins == 0 or len(lowest) <= max_bins


@given(st.integers(1, 3000), st.integers(1, 300), st.integers(0, 99))
def test_bins_of_distinct_values_differ_by_one_row_at_most(n_rows, max_bins, seed):
    values = np.random.default_rng(seed).permutation(n_rows).astype(float)
    sizes = np.bincount(code(values, None, max_bins)[0])[1:]
    assert len(sizes) == min(n_rows, max_bins)
    assert sizes.max() - sizes.min() <= 1


@given(st.lists(st.integers(1, 20), min_size=30, max_size=300), st.integers(2, 10))
def test_bins_weigh_about_the_same_when_no_value_is_heavy(weights, max_bins):
    units = np.array(weights, dtype=np.int64)
    share = units.sum() / max_bins
    if units.max() >= share:
        return
    codes = code(np.arange(len(units)), units, max_bins)[0]
    sums = np.bincount(codes, units)[1:]
    assert len(sums) == max_bins
    assert np.abs(sums - share).max() <= units.max()


@given(st.lists(st.integers(-2, 399), max_size=60), st.sampled_from([400, 254, 255, 256, 70_000]))
def test_category_codes_are_the_category_plus_one(values, n_categories):
    values = np.minimum(np.array(values, dtype=np.int32), n_categories - 1).astype(np.int32)
    names = tuple(str(place) for place in range(n_categories))
    column = Column("c", ColumnType("category", "string", names), values)
    codes = fit_codes(Table.from_columns([column])).columns[0]
    if n_categories <= 65_534:
        np.testing.assert_array_equal(codes, np.where(values < 0, 0, values + 1))
    assert codes.dtype == (np.uint8 if n_categories <= 255 else np.uint16)


cells = st.sampled_from([0.0, 0.0, 0.0, -0.0, 1.0, -1.0, np.nan]) | singles


@st.composite
def sparse_tables(draw):
    """Dense cells and the same as a sparse matrix, of which some stored cells are 0."""
    n_rows, n_columns = draw(st.integers(1, 40)), draw(st.integers(1, 5))
    flat = draw(st.lists(cells, min_size=n_rows * n_columns, max_size=n_rows * n_columns))
    dense = np.array(flat).reshape(n_rows, n_columns)
    held = sparse.csc_array(np.where(dense == 0, 7.0, dense))  # every cell is stored
    held.data[held.data == 7.0] = 0.0
    if draw(st.booleans()):
        held.eliminate_zeros()
    return np.where(dense == 7.0, 0.0, dense), held


@given(sparse_tables(), st.sampled_from([np.float32, np.float64]), st.integers(1, 3))
def test_codes_of_a_sparse_table_are_those_of_its_dense_columns(tables, dtype, n_threads):
    dense, held = (table.astype(dtype) for table in tables)
    seen = fit_codes(Table.from_sparse(held), n_threads=n_threads)
    expected = fit_codes(Table.from_matrix(dense))
    for part in ("columns", "lowest", "highest"):
        assert_same(getattr(seen, part), getattr(expected, part))
    assert [c.dtype for c in seen.columns] == [c.dtype for c in expected.columns]
    np.testing.assert_array_equal(seen.n_codes, expected.n_codes)


def test_many_values_of_a_sparse_column_are_sorted_like_dense_ones():
    generator = np.random.default_rng(0)
    dense = np.where(generator.random((5000, 3)) < 0.6, generator.normal(size=(5000, 3)), 0.0)
    seen, expected = fit_codes(Table(sparse.csr_array(dense))), fit_codes(Table(dense))
    assert_same(seen.columns, expected.columns)
    assert_same(seen.lowest, expected.lowest)


@pytest.mark.parametrize(
    ("rows", "starts"),
    [([0, 3], [0, 2]), ([0, -1], [0, 2]), ([0, 1], [1, 2]), ([0, 1], [0, 3, 2]), ([0, 1], [0, 1])],
)
def test_sparse_cells_out_of_place_are_refused(rows, starts):
    with pytest.raises(ValueError, match=r"row|starts"):
        _core.fit_sparse_codes(np.ones(2), np.array(rows, np.int32), np.array(starts), 3, 1)
