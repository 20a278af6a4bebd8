"""pandas, polars and pyarrow frames as tables."""

from datetime import date, datetime, time, timedelta
from decimal import Decimal

import numpy as np
import pandas
import polars
import pyarrow
import pytest

from branchline.errors import DataError, KindError
from branchline.table import as_table


def only(frame):
    """The single column of a frame, as a column of a table."""
    table = as_table(frame)
    assert table.n_columns == 1
    return table.columns[0]


# -- pandas --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_pandas_frame_in_one_block_is_borrowed(dtype):
    frame = pandas.DataFrame(np.ones((4, 3), dtype=dtype), columns=["a", "b", "c"])
    table = as_table(frame)
    assert np.shares_memory(table.matrix, frame["b"].to_numpy())
    assert table.matrix.dtype == dtype
    assert table.names == ("a", "b", "c")
    assert table.schema.named


def test_a_pandas_frame_of_floats_in_pieces_is_a_matrix_too():
    frame = pandas.DataFrame({"a": [1.0, 2.0]})
    frame["b"] = [3.0, np.nan]
    table = as_table(frame)
    np.testing.assert_array_equal(table.matrix, [[1, 3], [2, np.nan]])


@pytest.mark.parametrize(
    ("columns", "names", "named"),
    [
        (["a", "b"], ("a", "b"), True),
        ([0, 1], ("x0", "x1"), False),
        (pandas.RangeIndex(2), ("x0", "x1"), False),
        ([3, 5], ("3", "5"), False),
        (["a", 1], ("a", "1"), False),
        (pandas.MultiIndex.from_tuples([("a", 1), ("a", 2)]), ("('a', 1)", "('a', 2)"), False),
    ],
)
@pytest.mark.parametrize("value", [1.0, 1])
def test_only_texts_count_as_column_names(columns, names, named, value):
    table = as_table(pandas.DataFrame([[value, value]], columns=columns))
    assert table.names == names
    assert table.schema.named is named


@pytest.mark.parametrize("cell", [1.0, "x"])
def test_two_columns_of_one_name_are_refused(cell):
    with pytest.raises(DataError, match="Two columns are called 'a'") as caught:
        as_table(pandas.DataFrame([[cell, cell]], columns=["a", "a"]))
    assert caught.value.code == "D005"


def test_a_frame_without_columns_is_refused_and_one_without_rows_is_not():
    for frame in (
        pandas.DataFrame(index=range(3)),
        polars.DataFrame(),
        pyarrow.table({}),
    ):
        with pytest.raises(DataError, match=r"0 feature\(s\)"):
            as_table(frame)
    for frame in (
        pandas.DataFrame({"a": pandas.Series([], dtype="str"), "b": pandas.Series([], dtype=int)}),
        polars.DataFrame(schema={"a": polars.String, "b": polars.Int8}),
        pyarrow.schema([("a", pyarrow.string()), ("b", pyarrow.int8())]).empty_table(),
    ):
        table = as_table(frame)
        assert table.shape == (0, 2)
        assert [column.kind for column in table.columns] == ["category", "numeric"]


@pytest.mark.parametrize("dtype", ["object", "str", "string", "string[python]", "category"])
def test_text_of_pandas_is_a_category(dtype):
    column = only(pandas.DataFrame({"a": pandas.Series(["b", None, "", "a", "b"], dtype=dtype)}))
    assert column.kind == "category"
    assert column.categories == ("", "a", "b")
    assert column.to_list() == ["b", None, "", "a", "b"]
    assert column.type.source == ("category" if dtype == "category" else "string")


def test_declared_categories_of_pandas_keep_order_and_unused_names():
    declared = pandas.Categorical(["lo", None, "hi"], ["lo", "mid", "hi"], ordered=True)
    column = only(pandas.DataFrame({"a": declared}))
    assert column.categories == ("lo", "mid", "hi")
    assert column.type.source == "ordered"
    assert column.values.tolist() == [0, -1, 2]
    assert column.values.dtype == np.int32


def test_categories_may_be_numbers_and_other_things_become_text():
    column = only(pandas.DataFrame({"a": pandas.Categorical([3, 1], [3, 2, 1])}))
    assert column.categories == (3, 2, 1)
    assert {type(name) for name in column.categories} == {int}
    assert only(pandas.DataFrame({"a": pandas.Categorical([True, False])})).categories == (
        False,
        True,
    )
    binned = pandas.cut(pandas.Series([1, 9]), [0, 5, 10])
    assert only(binned.to_frame("a")).categories == ("(0, 5]", "(5, 10]")
    days = pandas.Series(pandas.to_datetime(["2020-01-01"])).astype("category")
    assert only(days.to_frame("a")).categories == ("2020-01-01 00:00:00",)


def test_categories_that_read_the_same_are_refused():
    frame = pandas.DataFrame({"a": pandas.Categorical([1, "1"], [1, "1"])})
    with pytest.raises(DataError, match="read the same, 1 and '1'") as caught:
        as_table(frame)
    assert caught.value.code == "D009"


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "uint64"])
def test_integers_of_pandas_keep_their_type(dtype):
    column = only(pandas.DataFrame({"a": pandas.Series([1, 2], dtype=dtype)}))
    assert column.values.dtype == dtype
    assert column.missing is None
    assert column.type.source == "integer"


def test_nullable_numbers_of_pandas_keep_their_holes():
    whole = only(pandas.DataFrame({"a": pandas.Series([1, None], dtype="Int16")}))
    assert whole.values.dtype == np.int16
    assert whole.missing.tolist() == [False, True]
    real = only(pandas.DataFrame({"a": pandas.Series([1.5, None], dtype="Float32")}))
    assert real.values.dtype == np.float32
    assert real.to_list() == [1.5, None]
    truth = only(pandas.DataFrame({"a": pandas.Series([True, None, False], dtype="boolean")}))
    assert truth.values.tolist() == [1, -1, 0]


def test_booleans_and_objects_of_pandas():
    assert only(pandas.DataFrame({"a": [True, False]})).type.source == "boolean"
    mixed = pandas.DataFrame({"a": pandas.Series([True, np.nan], dtype=object)})
    assert only(mixed).to_list() == [True, None]
    with pytest.raises(KindError, match="holds a list"):
        as_table(pandas.DataFrame({"a": [[1], [2]]}))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_moments_of_pandas_keep_unit_and_zone(unit):
    plain = pandas.Series(pandas.to_datetime(["2020-06-01 12:00", None])).astype(
        f"datetime64[{unit}]"
    )
    column = only(plain.to_frame("a"))
    assert (column.type.source, column.type.unit, column.type.timezone) == ("datetime", unit, None)
    assert column.to_list()[1] is None
    zoned = only(plain.dt.tz_localize("Europe/Brussels").to_frame("a"))
    assert (zoned.type.unit, zoned.type.timezone) == (unit, "Europe/Brussels")
    assert zoned.numbers()[0] == pytest.approx(column.numbers()[0] - 2 / 24)


def test_durations_sparse_columns_and_intervals_of_pandas():
    duration = only(pandas.DataFrame({"a": pandas.to_timedelta(["36h", None])}))
    assert duration.type.source == "duration"
    np.testing.assert_array_equal(duration.numbers(), [1.5, np.nan])
    sparse = pandas.DataFrame({"a": pandas.arrays.SparseArray([0.0, 1.0], fill_value=0)})
    assert as_table(sparse).sparse.nnz == 1
    assert as_table(sparse).names == ("a",)
    other = pandas.DataFrame({"a": pandas.arrays.SparseArray([np.nan, 1.0]), "b": ["x", "y"]})
    assert as_table(other)["a"].to_list() == [None, 1.0]
    intervals = pandas.DataFrame({"a": pandas.arrays.IntervalArray.from_tuples([(0, 1), None])})
    assert only(intervals).to_list() == ["(0.0, 1.0]", None]


def test_periods_are_refused_with_a_repair_that_runs():
    frame = pandas.DataFrame({"a": pandas.period_range("2020-01", periods=2, freq="M")})
    with pytest.raises(KindError, match="periods") as caught:
        as_table(frame)
    scope = {"X": frame}
    exec(caught.value.repair.python, scope)
    assert only(scope["X"]).type.source == "datetime"


@pytest.mark.parametrize(
    ("dtype", "cells", "source"),
    [
        ("int32[pyarrow]", [1, None], "integer"),
        ("double[pyarrow]", [1.5, None], "float"),
        ("bool[pyarrow]", [True, None], "boolean"),
        (pandas.ArrowDtype(pyarrow.string()), ["x", None], "string"),
        ("timestamp[us][pyarrow]", [datetime(2020, 1, 1), None], "datetime"),
        ("date32[day][pyarrow]", [date(2020, 1, 1), None], "date"),
    ],
)
def test_arrow_columns_of_pandas(dtype, cells, source):
    column = only(pandas.DataFrame({"a": pandas.Series(cells, dtype=dtype)}))
    assert column.type.source == source
    assert column.is_missing.tolist() == [False, True]


def test_complex_numbers_of_pandas_are_refused():
    with pytest.raises(DataError, match="Complex data not supported"):
        as_table(pandas.DataFrame({"a": [1j]}))


def test_row_labels_of_pandas_do_not_matter():
    frame = pandas.DataFrame({"a": ["x", "y"]}, index=[7, 7])
    assert only(frame).to_list() == ["x", "y"]


# -- polars --------------------------------------------------------------------------------------

POLARS_WHOLE = [
    polars.Int8,
    polars.Int16,
    polars.Int32,
    polars.Int64,
    polars.UInt8,
    polars.UInt16,
    polars.UInt32,
    polars.UInt64,
]


@pytest.mark.parametrize("dtype", POLARS_WHOLE)
def test_integers_of_polars_keep_their_type_and_holes(dtype):
    column = only(polars.DataFrame({"a": [1, None, 3]}, schema={"a": dtype}))
    assert str(column.values.dtype) == str(dtype()).lower()
    assert column.to_list() == [1, None, 3]
    assert only(polars.DataFrame({"a": [1]}, schema={"a": dtype})).missing is None


def test_numbers_of_polars_that_numpy_lacks_become_floats():
    frame = polars.DataFrame(
        {"d": [Decimal("1.5"), None], "i": [2**100, None], "n": [None, None]},
        schema={"d": polars.Decimal(5, 2), "i": polars.Int128, "n": polars.Null},
    )
    table = as_table(frame)
    assert [column.values.dtype for column in table.columns] == [np.float64] * 3
    assert table["d"].to_list() == [1.5, None]
    assert table["i"].to_list() == [2.0**100, None]
    assert table["n"].is_missing.all()


def test_floats_of_polars_are_borrowed_and_null_is_missing():
    series = polars.Series("a", [1.0, 2.0])
    assert np.shares_memory(only(series.to_frame()).values, series.to_numpy())
    column = only(
        polars.DataFrame({"a": polars.Series([1.0, None, float("nan")], dtype=polars.Float32)})
    )
    assert column.values.dtype == np.float32
    assert column.is_missing.tolist() == [False, True, True]


def test_text_categories_and_booleans_of_polars():
    cells = ["b", None, "", "a", "b"]
    text = only(polars.DataFrame({"a": cells}))
    assert (text.type.source, text.categories) == ("string", ("", "a", "b"))
    first_seen = polars.DataFrame({"a": polars.Series(cells, dtype=polars.Categorical)})
    category = only(first_seen)
    assert (category.type.source, category.categories) == ("category", ("", "a", "b"))
    declared = polars.Series(["hi", None], dtype=polars.Enum(["lo", "mid", "hi"]))
    enum = only(polars.DataFrame({"a": declared}))
    assert (enum.type.source, enum.categories) == ("ordered", ("lo", "mid", "hi"))
    assert enum.values.tolist() == [2, -1]
    truth = only(polars.DataFrame({"a": [True, None, False]}))
    assert truth.values.tolist() == [1, -1, 0]
    assert truth.values.dtype == np.int32
    assert text.to_list() == category.to_list() == cells


def test_moments_and_times_of_polars_keep_unit_and_zone():
    frame = polars.DataFrame(
        {
            "date": [date(2020, 1, 2), None],
            "moment": polars.Series([datetime(2020, 1, 2), None], dtype=polars.Datetime("ms")),
            "zoned": polars.Series(
                [datetime(2020, 1, 2), None], dtype=polars.Datetime("ns", "Europe/Brussels")
            ),
            "duration": polars.Series([timedelta(1), None], dtype=polars.Duration("us")),
            "time": [time(6), None],
        }
    )
    kinds = as_table(frame).schema
    assert [(f.type.source, f.type.unit, f.type.timezone) for f in kinds] == [
        ("date", "D", None),
        ("datetime", "ms", None),
        ("datetime", "ns", "Europe/Brussels"),
        ("duration", "us", None),
        ("time", "ns", None),
    ]
    assert as_table(frame)["time"].numbers()[0] == pytest.approx(0.25)
    assert all(column.is_missing.tolist() == [False, True] for column in as_table(frame).columns)


@pytest.mark.parametrize(
    ("series", "named"),
    [
        (polars.Series("a", [[1, 2]]), "List"),
        (polars.Series("a", [{"x": 1}]), "Struct"),
        (polars.Series("a", [b"x"]), "Binary"),
        (polars.Series("a", [object()], dtype=polars.Object), "Object"),
        (polars.Series("a", [[1, 2]], dtype=polars.Array(polars.Int8, 2)), "Array"),
    ],
)
def test_nested_columns_of_polars_are_refused_by_name(series, named):
    frame = polars.DataFrame([series, polars.Series("b", [1])])
    with pytest.raises(KindError, match=f"Column 'a' holds polars' {named}") as caught:
        as_table(frame)
    assert caught.value.column == "a"
    scope = {"X": frame, "polars": polars}
    exec(caught.value.repair.python, scope)
    assert as_table(scope["X"]).shape[0] == 1


def test_polars_frames_in_chunks_are_read_whole():
    part = polars.DataFrame({"a": ["x", None], "b": [1, None], "c": [1.5, 2.5]})
    table = as_table(polars.concat([part, part], rechunk=False))
    assert table["a"].to_list() == ["x", None] * 2
    assert table["b"].to_list() == [1, None] * 2
    assert table["c"].to_list() == [1.5, 2.5] * 2


# -- pyarrow -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "cells", "source", "unit"),
    [
        (pyarrow.int8(), [1, None], "integer", None),
        (pyarrow.uint64(), [1, None], "integer", None),
        (pyarrow.float16(), [1.5, None], "float", None),
        (pyarrow.float32(), [1.5, None], "float", None),
        (pyarrow.decimal128(5, 2), [Decimal("1.5"), None], "float", None),
        (pyarrow.bool_(), [True, None], "boolean", None),
        (pyarrow.string(), ["x", None], "string", None),
        (pyarrow.large_string(), ["x", None], "string", None),
        (pyarrow.string_view(), ["x", None], "string", None),
        (pyarrow.date32(), [date(2020, 1, 2), None], "date", "D"),
        (pyarrow.date64(), [date(1969, 12, 31), None], "date", "D"),
        (pyarrow.timestamp("s"), [datetime(2020, 1, 2), None], "datetime", "s"),
        (pyarrow.timestamp("ns", "UTC"), [datetime(2020, 1, 2), None], "datetime", "ns"),
        (pyarrow.duration("ms"), [timedelta(1), None], "duration", "ms"),
        (pyarrow.time32("s"), [time(6), None], "time", "s"),
        (pyarrow.time64("us"), [time(6), None], "time", "us"),
    ],
)
def test_types_of_arrow(kind, cells, source, unit):
    column = only(pyarrow.table({"a": pyarrow.array(cells, kind)}))
    assert (column.type.source, column.type.unit) == (source, unit)
    assert column.is_missing.tolist() == [False, True]
    assert column.type.timezone == getattr(kind, "tz", None)


def test_values_of_arrow():
    table = as_table(
        pyarrow.table(
            {
                "whole": pyarrow.array([1, None], pyarrow.int16()),
                "date": pyarrow.array([date(1969, 12, 31), None], pyarrow.date64()),
                "text": ["b", "a"],
                "empty": pyarrow.nulls(2),
            }
        )
    )
    assert table["whole"].values.dtype == np.int16
    assert table["date"].values[0] == -1
    assert table["text"].categories == ("a", "b")
    assert table["empty"].is_missing.all()


def test_dictionaries_of_arrow_are_declared_categories():
    coded = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([1, None, 2, 0], pyarrow.int8()),
        pyarrow.array(["z", None, "a", "unused"]),
        ordered=True,
    )
    column = only(pyarrow.table({"a": coded}))
    assert column.categories == ("z", "a", "unused")
    assert column.type.source == "ordered"
    assert column.to_list() == [None, None, "a", "z"]
    parts = pyarrow.chunked_array(
        [pyarrow.array(["b"]).dictionary_encode(), pyarrow.array(["a"]).dictionary_encode()]
    )
    assert only(pyarrow.table({"a": parts})).to_list() == ["b", "a"]
    numbers = pyarrow.array([3, 1, None]).dictionary_encode()
    assert only(pyarrow.table({"a": numbers})).categories == (3, 1)


def test_record_batches_and_chunks_of_arrow():
    batch = pyarrow.record_batch({"a": [1, 2], "b": ["x", None]})
    assert as_table(batch).shape == (2, 2)
    table = as_table(pyarrow.Table.from_batches([batch, batch]))
    assert table["b"].to_list() == ["x", None, "x", None]


@pytest.mark.parametrize(
    "kind", [pyarrow.list_(pyarrow.int8()), pyarrow.binary(), pyarrow.struct([("x", "int8")])]
)
def test_nested_columns_of_arrow_are_refused_by_name(kind):
    table = pyarrow.table({"a": pyarrow.nulls(1, kind), "b": [1]})
    with pytest.raises(KindError, match="Column 'a' holds Arrow's") as caught:
        as_table(table)
    scope = {"X": table}
    exec(caught.value.repair.python, scope)
    assert as_table(scope["X"]).names == ("b",)


def test_more_categories_than_learners_keep_are_allowed_here():
    many = [f"{place:06}" for place in range(70_000)]
    for frame in (pandas.DataFrame({"a": many}), polars.DataFrame({"a": many})):
        column = only(frame)
        assert len(column.categories) == 70_000
        np.testing.assert_array_equal(column.values, np.arange(70_000))
