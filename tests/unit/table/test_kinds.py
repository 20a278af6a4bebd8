"""Kinds: what texts are read as, and how kinds are changed afterwards."""

from datetime import date

import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_matrix

from branchline.errors import DataError, KindError, ParameterError
from branchline.table import Column, Table
from branchline.table._change_kinds import change_kinds
from branchline.table._kinds import columns_from_texts


def column_of(*texts: str | None, **options: object) -> Column:
    frame = pl.DataFrame({"x": pl.Series(texts, dtype=pl.String)})
    (column,) = columns_from_texts(frame, ["x"], **options)  # type: ignore[arg-type]
    return column


@pytest.mark.parametrize(
    ("texts", "source", "values"),
    [
        (["1", "-2", "+3"], "integer", [1, -2, 3]),
        (["007", None], "integer", [7, None]),
        (["9007199254740992", "-9223372036854775808"], "integer", [2**53, -(2**63)]),
        (["9007199254740993", "1"], "string", ["9007199254740993", "1"]),
        (["9" * 400, "1"], "string", ["9" * 400, "1"]),
        (["9007199254740993", "1.5"], "float", [2.0**53, 1.5]),
        (["9223372036854775808", "1"], "float", [2.0**63, 1.0]),
        (["1", "2.5"], "float", [1.0, 2.5]),
        ([".5", "1.", "1e3", "-1E-3"], "float", [0.5, 1.0, 1000.0, -0.001]),
        (["inf", "-Infinity", "1"], "float", [float("inf"), float("-inf"), 1.0]),
        (["true", "FALSE", None], "boolean", [True, False, None]),
        (["yes", "no"], "string", ["yes", "no"]),
        (["true", "1"], "string", ["true", "1"]),
        (["2020-02-29", None], "date", [date(2020, 2, 29), None]),
        (["2021-02-29", "2020-01-01"], "string", ["2021-02-29", "2020-01-01"]),
        (["2020-1-1"], "string", ["2020-1-1"]),
        (["1_000", "0x10"], "string", ["1_000", "0x10"]),
        (["1,5", "2"], "string", ["1,5", "2"]),
        (["١", "２"], "string", ["١", "２"]),
        ([None, None], "float", [None, None]),
        ([], "float", []),
    ],
)
def test_texts_are_read_as_the_first_kind_that_fits(
    texts: list[str | None], source: str, values: list[object]
) -> None:
    column = column_of(*texts)
    assert column.type.source == source
    assert column.to_list() == values


@pytest.mark.parametrize(
    ("text", "moment", "zone"),
    [
        ("2020-01-02T03:04:05", "2020-01-02T03:04:05", None),
        ("2020-01-02 03:04", "2020-01-02T03:04", None),
        ("2020-01-02 03:04:05.5", "2020-01-02T03:04:05.500000", None),
        ("2020-01-02T03:04:05.123456789", "2020-01-02T03:04:05.123456", None),
        ("2020-01-02T03:04:05Z", "2020-01-02T03:04:05", "UTC"),
        ("2020-01-02T03:04:05+02:00", "2020-01-02T01:04:05", "UTC"),
        ("2020-01-02 03:04:05 -0330", "2020-01-02T06:34:05", "UTC"),
        ("1969-12-31T23:59:59.999999", "1969-12-31T23:59:59.999999", None),
    ],
)
def test_moments_are_microseconds_since_1970(text: str, moment: str, zone: str | None) -> None:
    column = column_of(text, None)
    assert (column.type.source, column.type.unit, column.type.timezone) == ("datetime", "us", zone)
    assert column.values[0] == np.datetime64(moment, "us").astype(np.int64)
    assert column.is_missing.tolist() == [False, True]


@pytest.mark.parametrize(
    "texts",
    [
        ["2020-01-02T03:04Z", "2020-01-02T03:04"],
        ["2020-01-02", "2020-01-02T03:04"],
        ["2020-01-02T24:00"],
        ["2020-01-02T03:04:60"],
        ["2020-13-02T03:04"],
    ],
)
def test_mixed_or_impossible_moments_stay_text(texts: list[str]) -> None:
    assert column_of(*texts).type.source == "string"


def test_a_late_surprise_changes_the_kind_of_the_whole_column() -> None:
    numbers = [str(i) for i in range(1000)]
    assert column_of(*numbers, "2.5").type.source == "float"
    assert column_of(*numbers, "x").type.source == "string"
    assert column_of(*[None] * 1000, "x").to_list()[-1] == "x"
    assert column_of(*["2020-01-01"] * 1000, "soon").type.source == "string"


def test_category_names_are_sorted_by_code_point() -> None:
    assert column_of("b", "é", "a", "B", "😀", "z").categories == ("B", "a", "b", "z", "é", "😀")


def test_columns_called_words_stay_text_as_they_are() -> None:
    assert column_of("007", "7", None, words=["x"]).categories == ("007", "7")
    assert column_of(None, None, words=["x"]).categories == ()


# -- changing kinds -----------------------------------------------------------------------------


def changed(values: object, kind: str) -> Column:
    return change_kinds(Table({"x": values}), {"x": kind}).column("x")


def test_numbers_become_categories_named_by_them() -> None:
    whole = changed([3, 1, None, 3], "category")
    assert whole.categories == (1, 3)
    assert all(type(name) is int for name in whole.categories)
    assert whole.to_list() == [3, 1, None, 3]
    assert changed([2.5, float("nan"), 1.0], "category").categories == (1.0, 2.5)


def test_dates_become_categories_of_iso_texts() -> None:
    days = np.array(["2020-01-02", "NaT", "2019-01-01"], dtype="datetime64[D]")
    column = change_kinds(Table(pl.DataFrame({"x": days})), {"x": "category"})["x"]
    assert column.to_list() == ["2020-01-02", None, "2019-01-01"]


@pytest.mark.parametrize(
    ("values", "source", "expected"),
    [
        (["7", "10", None], "integer", [7, 10, None]),
        (["7", "1.5"], "float", [7.0, 1.5]),
        ([True, False, None], "integer", [1, 0, None]),
        (["9" * 30, "1"], "float", [1e30, 1.0]),
        (["9" * 5000, "1"], "float", [float("inf"), 1.0]),
    ],
)
def test_categories_named_by_numbers_become_numbers(
    values: list[object], source: str, expected: list[object]
) -> None:
    column = changed(values, "numeric")
    assert column.type.source == source
    assert column.to_list() == expected


def test_there_and_back_again() -> None:
    column = change_kinds(
        change_kinds(Table({"x": [3, None, 1]}), {"x": "category"}), {"x": "numeric"}
    )["x"]
    assert column.type.source == "integer"
    assert column.to_list() == [3, None, 1]


def test_only_names_in_use_must_be_numbers() -> None:
    table = Table({"x": ["1", "two", "3"], "y": [1, 2, 3]}).rows([0, 2])
    assert change_kinds(table, {"x": "numeric"})["x"].to_list() == [1, 3]


def test_names_that_are_no_numbers_are_shown() -> None:
    with pytest.raises(KindError) as caught:
        changed(["1", "low", "high", "low", None], "numeric")
    error = caught.value
    assert (error.code, error.column, error.rows, error.n_rows) == ("K002", "x", (1, 2, 3), 3)
    assert error.values == ("low", "high")


def test_nothing_to_change_gives_the_same_table() -> None:
    table = Table({"x": [1.0], "k": ["a"]})
    assert change_kinds(table, {"x": "numeric", "k": "category"}) is table
    assert change_kinds(table, {}) is table


@pytest.mark.parametrize("matrix", [np.array([[1.0, 2.0]]), csr_matrix([[1.0, 2.0]])])
def test_tables_over_a_matrix_can_be_changed(matrix: object) -> None:
    table = change_kinds(Table(matrix), {"x1": "category"})
    assert table["x1"].categories == (2.0,)
    assert not table.schema.named


def test_unknown_columns_and_kinds_are_errors() -> None:
    table = Table({"age": [1]})
    with pytest.raises(DataError, match="Did you mean 'age'"):
        change_kinds(table, {"agge": "category"})
    with pytest.raises(ParameterError, match="'ordinal'"):
        change_kinds(table, {"age": "ordinal"})
