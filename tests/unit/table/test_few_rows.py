"""A few rows in a known schema: the same table as by the common way, or none at all."""

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchline._validation import check_prediction_data
from branchline.errors import BranchlineError
from branchline.table import Schema, as_table, few_rows

ROWS = [
    {"age": 31.5, "visits": 2, "town": "Mons", "smoker": True, "note": "5"},
    {"age": None, "visits": 0, "town": "Liège", "smoker": False, "note": "x"},
    {"age": 40.0, "visits": 7, "town": None, "smoker": True, "note": ""},
]
MIXED = as_table(ROWS, texts="keep").schema
NUMBERS = as_table([{"a": 1.5, "b": 2}, {"a": 0.5, "b": 4}]).schema
PLAIN = as_table(np.ones((3, 2))).schema
CELLS = st.one_of(
    st.none(),
    st.floats(),
    st.integers(-(2**54), 2**54),
    st.booleans(),
    st.sampled_from(["Mons", "Liège", "5", "x", "", "yes", "True", "1", "Ath", "nan"]),
    st.sampled_from([np.float64(2.5), np.int64(3), np.bool_(True), np.str_("Mons"), 10**400]),
)


def seen(X: Any, schema: Schema) -> Any:
    """Return what the door makes of rows: cells, or the error; and what it warns of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            table = check_prediction_data(X, schema, owner="Tree").table
        except BranchlineError as error:
            return type(error), error.code, str(error), [str(one.message) for one in told]
    cells = {
        column.name: column.numbers().astype(float) if column.kind == "numeric" else column.values
        for column in table.columns
    }
    kinds = [column.kind for column in table.columns]
    return cells, kinds, table.schema.named, [str(one.message) for one in told]


def assert_same(X: Any, schema: Schema) -> None:
    short = seen(X, schema)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("branchline._validation._door.few_rows", lambda X, schema: None)
        common = seen(X, schema)
    assert short[1:] == common[1:]
    if isinstance(short[0], dict):
        assert list(short[0]) == list(common[0])
        for name, cells in short[0].items():
            np.testing.assert_array_equal(cells, common[0][name])
    else:
        assert short[0] is common[0]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.fixed_dictionaries(dict.fromkeys(MIXED.names, CELLS)), min_size=1, max_size=3))
def test_dictionaries_are_read_as_by_the_common_way(rows: list[dict[str, Any]]) -> None:
    assert_same(rows, MIXED)
    assert_same({name: [row[name] for row in rows] for name in MIXED.names}, MIXED)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.dictionaries(st.sampled_from(["a", "b", "c", "A"]), CELLS, min_size=1),
        min_size=1,
        max_size=2,
    )
)
def test_other_names_are_left_to_the_common_way(rows: list[dict[str, Any]]) -> None:
    assert_same(rows, NUMBERS)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_frames_are_read_as_by_the_common_way(data: st.DataObject) -> None:
    known = {
        "age": st.one_of(st.none(), st.floats()),
        "visits": st.integers(0, 2**54),
        "town": st.sampled_from(["Mons", "Liège", None, "Ath"]),
        "smoker": st.booleans(),
        "note": st.sampled_from(["5", "x", "", "y"]),
    }
    n_rows = data.draw(st.integers(1, 3))
    columns = {
        name: data.draw(st.lists(cells, min_size=n_rows, max_size=n_rows))
        for name, cells in known.items()
    }
    frame = pd.DataFrame(columns)
    if data.draw(st.booleans()):
        frame["town"] = frame["town"].astype("category")
    if data.draw(st.booleans()):
        frame["visits"] = frame["visits"].astype("Int64")
    assert_same(frame[data.draw(st.permutations(list(known)))], MIXED)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1.5, math.nan], "b": [2.0, 3.0]}),
        pd.DataFrame({"a": [1.5], "b": [2**53 + 2]}),
        pd.DataFrame({"a": [1.5], "b": [True]}),
        pd.DataFrame({"a": [1.5], "b": [math.inf]}),
        pd.DataFrame({"b": [1.5], "a": [2.0]}),
        pd.DataFrame({"a": [1.5], "b": ["2"]}),
        pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]),
        pd.DataFrame([[1.0, 2.0]]),
        pd.DataFrame({"a": pd.array([1.5], dtype="Float64"), "b": pd.array([None], "Int64")}),
        pd.DataFrame({"a": [1.5], "b": [2.5]}, dtype="float32"),
        pd.DataFrame({"a": pd.arrays.SparseArray([0.0]), "b": pd.arrays.SparseArray([1.0])}),
        pd.DataFrame({"a": [pd.Timestamp("2020-01-01")], "b": [1.0]}),
        pd.DataFrame({"a": [], "b": []}),
    ],
)
def test_frames_of_numbers(frame: pd.DataFrame) -> None:
    assert_same(frame, NUMBERS)
    assert_same(frame, as_table({"a": [1.5, 2.5], "b": [1.5, 2.5]}).schema)


@pytest.mark.parametrize(
    "X",
    [
        np.ones((1, 2)),
        np.ones((1, 2), dtype=np.float32)[:, ::-1],
        np.ones((1, 2), dtype=">f8"),
        np.ones((2, 2), dtype=int),
        np.full((1, 2), np.inf),
        np.full((1, 2), np.nan),
        np.ones((1, 3)),
        np.ones((0, 2)),
        np.ones(2),
        np.ma.masked_invalid([[1.0, np.nan]]),
        [[1.0, 2.0]],
        [],
        [{}],
        [{"a": 1.0, "b": [2.0]}],
        [{"a": 1.0, "b": {2.0}}],
        {"a": [1.0], "b": 2.0},
        {"a": [1.0], "b": [2.0, 3.0]},
        {"a": [], "b": []},
    ],
)
@pytest.mark.parametrize("schema", [PLAIN, NUMBERS, MIXED])
def test_arrays_lists_and_what_is_no_table(X: Any, schema: Schema) -> None:
    assert_same(X, schema)


def test_usual_rows_take_the_short_way() -> None:
    frame = pd.DataFrame(ROWS)
    assert few_rows(ROWS, MIXED) is not None
    assert few_rows(frame.iloc[:1], MIXED) is not None
    assert few_rows(np.ones((1, 2)), PLAIN) is not None
    assert few_rows(pd.DataFrame({"a": [1.0], "b": [2.0]}), NUMBERS) is not None
    assert few_rows(ROWS * 30, MIXED) is None
