"""Frames of any shape go into a table and come back out, and looks agree with plain counting."""

from datetime import date, datetime, timedelta

import numpy as np
import pandas
import polars
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from polars.testing import assert_frame_equal as assert_polars_equal

from branchline.table import Schema, as_table, look

QUICK = settings(max_examples=60, deadline=None)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
MOMENT = st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1))
DURATION = st.timedeltas(timedelta(days=-10_000), timedelta(days=10_000))


def whole(dtype):
    limits = np.iinfo(str(dtype()).lower())
    largest = 2**53  # floats hold whole numbers up to here; larger ones become categories
    return st.integers(max(int(limits.min), -largest), min(int(limits.max), largest))


def milliseconds(moment):
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


# A polars type with a strategy for its cells.
POLARS_TYPES = [
    *(
        (dtype, whole(dtype))
        for dtype in (polars.Int8, polars.Int32, polars.Int64, polars.UInt16, polars.UInt64)
    ),
    (polars.Float64, st.floats(allow_nan=False)),
    (polars.Float32, st.floats(allow_nan=False, width=32)),
    (polars.Boolean, st.booleans()),
    (polars.String, TEXT),
    (polars.Categorical, TEXT),
    (polars.Enum(["b", "", "a", "é"]), st.sampled_from(["b", "", "a", "é"])),
    (polars.Date, st.dates(date(1700, 1, 1), date(2200, 1, 1))),
    (polars.Datetime("us"), MOMENT),
    (polars.Datetime("ms"), MOMENT.map(milliseconds)),
    (polars.Datetime("ns", "UTC"), MOMENT),
    (polars.Duration("us"), DURATION),
    (polars.Time, st.times()),
]


@st.composite
def polars_frames(draw):
    n_rows = draw(st.integers(0, 8))
    names = draw(st.lists(TEXT, min_size=1, max_size=5, unique=True))
    series = []
    for name in names:
        dtype, cell = draw(st.sampled_from(POLARS_TYPES))
        cells = draw(st.lists(st.none() | cell, min_size=n_rows, max_size=n_rows))
        series.append(polars.Series(name, cells, dtype=dtype))
    return polars.DataFrame(series)


@st.composite
def pandas_frames(draw):
    frame = draw(polars_frames())
    columns = {}
    for name in frame.columns:
        cells = frame[name].to_list()
        columns[name] = draw(st.sampled_from(PANDAS_MAKERS))(cells)
    return pandas.DataFrame(columns, index=pandas.RangeIndex(frame.height))


def as_text(cells):
    return pandas.Series([None if cell is None else str(cell) for cell in cells], dtype="str")


def as_declared(cells):
    texts = as_text(cells)
    names = pandas.Index(sorted(set(texts.dropna()), reverse=True), dtype="str")
    return pandas.Series(pandas.Categorical(texts, names, ordered=len(names) % 2 == 1))


def as_lengths(cells):
    lengths = [None if cell is None else len(str(cell)) for cell in cells]
    return pandas.Series(lengths, dtype="Int16")


def as_reals(cells):
    return pandas.Series(
        [np.nan if cell is None else len(str(cell)) / 7 for cell in cells], dtype="float32"
    )


def as_truths(cells):
    truths = [None if cell is None else len(str(cell)) % 2 == 0 for cell in cells]
    return pandas.Series(truths, dtype="boolean" if None in truths else "bool")


def as_moments(cells):
    days = [pandas.NaT if cell is None else len(str(cell)) * 86_400 for cell in cells]
    return pandas.Series(pandas.to_datetime(days, unit="s")).astype("datetime64[us]")


PANDAS_MAKERS = [as_text, as_declared, as_lengths, as_reals, as_truths, as_moments]


@QUICK
@given(polars_frames())
def test_polars_frames_come_back_equal(frame):
    assert_polars_equal(as_table(frame, texts="raw").to_polars(), frame, check_exact=True)


@QUICK
@given(pandas_frames())
def test_pandas_frames_come_back_equal(frame):
    assert_frame_equal(as_table(frame, texts="raw").to_pandas(), frame, check_exact=True)


@QUICK
@given(polars_frames())
def test_arrow_and_records_hold_the_same_cells(frame):
    table = as_table(frame)
    for other in (as_table(table.to_arrow()), as_table(frame.to_dict(as_series=False))):
        for name in table.names:
            if frame[name].null_count() < frame.height:
                assert _cells(other[name]) == _cells(table[name])


def _cells(column):
    """Values that can be compared whatever the unit of time."""
    if column.type.is_time:
        days = np.where(column.is_missing, -(10.0**9), column.numbers())
        return np.round(days, 7).tolist()
    return column.to_list()


@QUICK
@given(polars_frames(), st.randoms(use_true_random=False))
def test_the_order_of_rows_never_changes_the_schema(frame, random):
    order = list(range(frame.height))
    random.shuffle(order)
    table = as_table(frame)
    shuffled = as_table(frame[order])
    assert shuffled.schema == table.schema
    for name in table.names:
        np.testing.assert_array_equal(shuffled[name].values, table[name].values[order])


@QUICK
@given(polars_frames(), st.randoms(use_true_random=False))
def test_a_schema_finds_its_columns_in_any_order_also_after_json(frame, random):
    table = as_table(frame)
    names = list(frame.columns)
    random.shuffle(names)
    schema = Schema.from_json(table.schema.to_json())
    applied = schema.apply(as_table(frame[names]))  # not select(): "*" means all there
    assert applied.names == table.names
    for name in table.names:
        np.testing.assert_array_equal(applied[name].values, table[name].values)


@QUICK
@given(polars_frames())
def test_a_look_counts_what_polars_counts(frame):
    seen = look(frame)
    assert seen.n_missing == sum(frame.null_count().row(0)) if frame.height else True
    for column in seen.columns:
        finite = frame[column.name].drop_nulls()
        if finite.dtype.is_float():
            finite = finite.filter(finite.is_finite())
        assert column.n_distinct == finite.n_unique()
    assert seen.n_repeated_rows == frame.height - frame.unique().height
    assert len(str(seen)) > 0
    assert seen.to_html().count("<tr>") == frame.width + 1


@QUICK
@given(
    st.lists(st.lists(st.floats(width=32), min_size=3, max_size=3), min_size=1, max_size=6),
    st.sampled_from(["C", "F"]),
)
def test_a_matrix_is_seen_as_it_is(rows, order):
    matrix = np.array(rows, order=order)
    table = as_table(matrix)
    assert np.shares_memory(table.matrix, matrix)
    np.testing.assert_array_equal(table.to_numpy(), matrix)
    np.testing.assert_array_equal(as_table(table.to_pandas()).to_numpy(), matrix)
