"""Tables as pandas, polars and Arrow again: same values, same holes, natural types."""

import sys
from datetime import date, datetime, time, timedelta

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import scipy.sparse
from pandas.testing import assert_frame_equal
from polars.testing import assert_frame_equal as assert_polars_equal

from branchline.errors import MissingExtra
from branchline.table import Column, ColumnType, Table, as_table


def mixed_polars():
    return polars.DataFrame(
        {
            "whole": polars.Series([1, None, 3], dtype=polars.Int8),
            "full": polars.Series([1, 2, 3], dtype=polars.UInt16),
            "real": polars.Series([1.5, None, 3.5], dtype=polars.Float32),
            "truth": [True, None, False],
            "sure": [True, True, False],
            "text": ["b", None, ""],
            "category": polars.Series(["b", None, "a"], dtype=polars.Categorical),
            "enum": polars.Series(["hi", None, "lo"], dtype=polars.Enum(["lo", "mid", "hi"])),
            "date": [date(2020, 1, 2), None, date(1969, 12, 31)],
            "moment": polars.Series(
                [datetime(2020, 1, 2, 3), None, datetime(1960, 1, 1)], dtype=polars.Datetime("ms")
            ),
            "zoned": polars.Series(
                [datetime(2020, 7, 2, 3), None, datetime(2020, 1, 1)],
                dtype=polars.Datetime("us", "Europe/Brussels"),
            ),
            "duration": polars.Series([timedelta(1), None, -timedelta(2)]),
            "time": [time(6, 7, 8, 9), None, time(0)],
        }
    )


def mixed_pandas():
    zoned = pandas.to_datetime(["2020-07-02 03:00", None]).tz_localize("Europe/Brussels")
    return pandas.DataFrame(
        {
            "int8": np.array([1, 2], dtype=np.int8),
            "nullable": pandas.array([1, None], dtype="Int32"),
            "nullable_full": pandas.array([1, 2], dtype="UInt8"),
            "float32": np.array([1.5, np.nan], dtype=np.float32),
            "float64": [np.nan, 2.5],
            "bool": [True, False],
            "boolean": pandas.array([None, True], dtype="boolean"),
            "text": ["b", None],
            "category": pandas.Categorical(["b", None], ["b", "a"]),
            "ordered": pandas.Categorical(["hi", None], ["lo", "hi"], ordered=True),
            "numbers": pandas.Categorical([3, 1], [3, 1, 2]),
            "moment": pandas.to_datetime(["2020-01-01", None]),
            "seconds": pandas.to_datetime(["2020-01-01", None]).as_unit("s"),
            "zoned": zoned,
            "duration": pandas.to_timedelta(["36h", None]),
            "time": pandas.Series([time(6), None], dtype=object),
        }
    )


def test_a_polars_frame_comes_back_unchanged():
    frame = mixed_polars()
    assert_polars_equal(as_table(frame).to_polars(), frame)


def test_a_pandas_frame_comes_back_unchanged():
    frame = mixed_pandas()
    assert_frame_equal(as_table(frame).to_pandas(), frame)


def test_a_polars_frame_comes_out_as_pandas_with_natural_types():
    frame = as_table(mixed_polars()).to_pandas()
    assert frame.dtypes.astype(str).to_dict() == {
        "whole": "Int8",
        "full": "uint16",
        "real": "float32",
        "truth": "boolean",
        "sure": "bool",
        "text": "str",
        "category": "category",
        "enum": "category",
        "date": "datetime64[s]",
        "moment": "datetime64[ms]",
        "zoned": "datetime64[us, Europe/Brussels]",
        "duration": "timedelta64[us]",
        "time": "object",
    }
    assert frame["enum"].cat.ordered
    assert frame["enum"].cat.categories.tolist() == ["lo", "mid", "hi"]
    assert not frame["category"].cat.ordered
    rows = mixed_polars().rows(named=True)
    for name in frame.columns:
        assert frame[name].isna().tolist() == [False, True, False] or not frame[name].isna().any()
        if name in {"date", "moment", "duration"}:
            continue
        for row, cell in zip(rows, frame[name], strict=True):
            assert row[name] is None or row[name] == cell
    assert frame["date"][0] == pandas.Timestamp("2020-01-02")
    assert frame["moment"][2] == pandas.Timestamp("1960-01-01")
    assert frame["duration"][2] == pandas.Timedelta(days=-2)


def test_frames_pass_from_library_to_library():
    table = as_table(mixed_polars())
    for other in (table.to_pandas(), table.to_arrow(), table.to_polars()):
        again = as_table(other)
        for name in table.names:
            if name == "date" and isinstance(other, pandas.DataFrame):
                continue  # pandas has no dates: they come back as moments
            assert again[name].to_list() == table[name].to_list(), name
            assert again[name].kind == table[name].kind


def test_an_arrow_table_comes_back_unchanged():
    given = pyarrow.table(
        {
            "whole": pyarrow.array([1, None], pyarrow.int16()),
            "real": pyarrow.array([1.5, None], pyarrow.float32()),
            "truth": [True, None],
            "text": ["b", None],
            "ordered": pyarrow.DictionaryArray.from_arrays(
                pyarrow.array([1, None], pyarrow.int32()), ["a", "b"], ordered=True
            ),
            "date": pyarrow.array([date(2020, 1, 2), None], pyarrow.date32()),
            "moment": pyarrow.array([datetime(2020, 1, 2), None], pyarrow.timestamp("s", "UTC")),
            "duration": pyarrow.array([timedelta(1), None], pyarrow.duration("ms")),
            "time": pyarrow.array([time(6), None], pyarrow.time32("ms")),
            "fine_time": pyarrow.array([time(6), None], pyarrow.time64("us")),
        }
    )
    assert as_table(given).to_arrow().equals(given)


def test_days_and_seconds_reach_libraries_that_have_neither():
    durations = np.array(
        [(2, 3), (np.timedelta64("NaT", "D"), 4)], dtype=[("d", "m8[D]"), ("s", "m8[s]")]
    )
    table = as_table(durations)
    assert table.to_polars()["d"].to_list() == [timedelta(2), None]
    assert table.to_polars()["s"].to_list() == [timedelta(seconds=3), timedelta(seconds=4)]
    assert table.to_arrow()["d"].to_pylist() == [timedelta(2), None]
    assert str(table.to_pandas()["d"].dtype) == "timedelta64[s]"
    moment = as_table(np.array([["2020-01-01T01"]], dtype="M8[h]"))
    assert moment.to_polars()["x0"].to_list() == [datetime(2020, 1, 1, 1)]
    assert moment.to_arrow()["x0"].to_pylist() == [datetime(2020, 1, 1, 1)]


def test_unseen_categories_come_out_as_missing():
    kind = ColumnType("category", "category", ("a", "b"))
    table = Table([Column("c", kind, np.array([0, -1, -2, 1], dtype=np.int32))])
    assert table.to_pandas()["c"].astype(object).tolist() == ["a", np.nan, np.nan, "b"]
    assert table.to_polars()["c"].to_list() == ["a", None, None, "b"]
    assert table.to_arrow()["c"].to_pylist() == ["a", None, None, "b"]


@pytest.mark.parametrize("source", ["string", "category", "ordered", "boolean"])
@pytest.mark.parametrize("n_rows", [0, 2])
def test_categories_without_any_name_come_out(source, n_rows):
    kind = ColumnType("category", source, ())
    table = Table([Column("c", kind, np.full(n_rows, -1, dtype=np.int32))])
    assert table.to_pandas()["c"].isna().sum() == n_rows
    assert table.to_polars()["c"].null_count() == n_rows
    assert table.to_arrow()["c"].null_count == n_rows


def test_numbers_made_categories_come_out_as_categories():
    table = as_table({"a": [3, 1, None]}, kinds={"a": "category"})
    frame = table.to_pandas()
    assert frame["a"].cat.categories.tolist() == [1, 3]
    assert table.to_polars()["a"].to_list() == ["3", "1", None]
    assert table.to_arrow()["a"].to_pylist() == [3, 1, None]


def test_a_matrix_comes_out_as_a_copy_under_its_names():
    matrix = np.array([[1.0, np.nan], [3.0, 4.0]])
    table = as_table(matrix)
    frame = table.to_pandas()
    assert frame.columns.tolist() == ["x0", "x1"]
    frame.iloc[0, 0] = 99.0
    assert matrix[0, 0] == 1.0
    assert table.to_polars().rows() == [(1.0, None), (3.0, 4.0)]
    assert table.to_arrow().to_pylist() == [{"x0": 1.0, "x1": None}, {"x0": 3.0, "x1": 4.0}]


def test_changing_a_pandas_frame_does_not_change_the_table():
    table = as_table({"a": np.array([1, 2]), "b": np.array([True, False])})
    frame = table.to_pandas()
    frame.loc[0, "a"] = 99
    assert table["a"].to_list() == [1, 2]


def test_a_sparse_table_comes_out_as_sparse_columns():
    table = as_table(scipy.sparse.eye_array(3, format="csr"))
    frame = table.to_pandas()
    assert frame.sparse.density == pytest.approx(1 / 3)
    np.testing.assert_array_equal(frame.to_numpy(), np.eye(3))
    assert list(frame.columns) == ["x0", "x1", "x2"]
    assert as_table(frame).sparse.nnz == 3
    assert table.to_polars()["x1"].to_list() == [0.0, 1.0, 0.0]


def test_strided_columns_come_out():
    wide = np.arange(12, dtype=np.int64).reshape(4, 3)
    table = as_table({"a": wide[:, 1], "b": wide[::-1, 0]})
    assert table.to_polars().rows() == [(1, 9), (4, 6), (7, 3), (10, 0)]
    assert table.to_arrow().num_rows == 4
    assert table.to_pandas()["b"].tolist() == [9, 6, 3, 0]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_library_that_is_not_installed_is_named(library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    method = {"pyarrow": "to_arrow"}.get(library, f"to_{library}")
    with pytest.raises(MissingExtra, match=library) as caught:
        getattr(as_table([[1.0]]), method)()
    assert caught.value.code == "X001"
    assert caught.value.repair.python == f"pip install {library}"


def test_category_names_of_several_types_become_texts_in_arrow():
    table = as_table(pandas.DataFrame({"x": pandas.Categorical([1, "a", None])}))
    assert table.to_arrow()["x"].to_pylist() == ["1", "a", None]
