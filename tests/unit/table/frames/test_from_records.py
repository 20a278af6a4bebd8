"""Lists of dictionaries, dictionaries of columns, lists of rows; and how cells are understood."""

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from zoneinfo import ZoneInfo

import numpy as np
import pandas
import polars
import pyarrow
import pytest

from branchline.errors import DataError, KindError
from branchline.table import as_table


def cells(*values):
    return as_table({"c": list(values)})["c"]


def test_records_have_the_union_of_keys_in_first_seen_order():
    table = as_table([{"b": 1, "a": "x"}, {"c": 2.5}, {"a": None, "b": 3}])
    assert table.names == ("b", "a", "c")
    assert table.to_dicts() == [
        {"b": 1, "a": "x", "c": None},
        {"b": None, "a": None, "c": 2.5},
        {"b": 3, "a": None, "c": None},
    ]
    assert table.schema.named


def test_records_must_all_be_dictionaries_and_have_keys():
    with pytest.raises(KindError, match="row 1 is a list"):
        as_table([{"a": 1}, [2]])
    with pytest.raises(DataError, match=r"shape=\(2, 0\)"):
        as_table([{}, {}])


def test_columns_of_a_dictionary_may_be_anything_with_one_value_a_row():
    table = as_table(
        {
            "list": [1, None],
            "tuple": ("x", "y"),
            "array": np.array([1.5, 2.5], dtype=np.float32),
            "pandas": pandas.Series([True, None], dtype="boolean"),
            "index": pandas.Index(["u", "v"]),
            "extension": pandas.Categorical(["lo", "hi"], ["lo", "mid", "hi"], ordered=True),
            "polars": polars.Series([date(2020, 1, 1), None]),
            "arrow": pyarrow.array(["q", None]),
            "range": range(2),
        }
    )
    assert table["array"].values.dtype == np.float32
    assert table["pandas"].to_list() == [True, None]
    assert table["index"].to_list() == ["u", "v"]
    assert table["extension"].categories == ("lo", "mid", "hi")
    assert table["extension"].type.source == "ordered"
    assert table["polars"].to_list() == [date(2020, 1, 1), None]
    assert table["arrow"].to_list() == ["q", None]
    assert table["range"].to_list() == [0, 1]


@pytest.mark.parametrize("column", ["text", 3, {"x": 1}, None])
def test_a_column_that_is_no_sequence_is_refused(column):
    with pytest.raises(KindError, match="Column 'a' is a"):
        as_table({"a": column})


def repaired(X):
    """The table that the printed repair makes of X."""
    with pytest.raises((DataError, KindError)) as caught:
        as_table(X)
    scope = {"X": X}
    exec(caught.value.repair.python, scope)
    return as_table(scope["X"])


def test_a_flat_list_is_repaired_as_a_list():
    assert repaired([1.0, 2.0, 3.0]).shape == (3, 1)
    assert repaired(("a", "b")).shape == (2, 1)
    assert repaired([[[1, 2], [3, 4]]]).shape == (1, 4)
    with pytest.raises(DataError, match="Expected 2D array") as caught:
        as_table([1, 2])
    assert "for one row: X = [X]" in caught.value.repair.python


def test_an_empty_list_has_no_rows():
    with pytest.raises(DataError, match="the list is empty, so there are no rows") as caught:
        as_table([])
    assert (caught.value.code, caught.value.repair.python) == ("D006", None)


def test_a_dictionary_of_single_values_is_one_row():
    assert repaired({"a": 1, "b": "x"}).to_dicts() == [{"a": 1, "b": "x"}]
    assert repaired({"a": np.float64(2.5)}).to_dicts() == [{"a": 2.5}]
    assert repaired({"a": [1, 2], "b": "x"})["b"].to_list() == ["x", "x"]
    assert repaired({"a": {"r": 1, "s": 2}})["a"].to_list() == [1, 2]
    assert repaired({"a": {3}})["a"].to_list() == [3]


def test_a_column_of_other_objects_is_dropped_from_the_container_at_hand():
    assert repaired({"a": [1, 2], "b": [[1], [2]]}).names == ("a",)
    assert repaired({1: [1, 2], 2: np.array([b"\xff", b"a"])}).n_columns == 1
    assert repaired([{"a": 1, "b": {2}}, {"a": 3}]).to_dicts() == [{"a": 1}, {"a": 3}]
    assert repaired([["x", {1}], ["y", {2}]])["x0"].to_list() == ["x", "y"]


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(DataError, match="has 1 rows") as caught:
        as_table({"a": [1, 2], "b": [1]})
    assert caught.value.code == "D004"
    assert caught.value.column == "b"


def test_an_empty_dictionary_has_no_columns():
    with pytest.raises(DataError, match=r"shape=\(0, 0\)"):
        as_table({})


def test_names_that_are_no_texts_are_written_out_and_columns_go_by_position():
    table = as_table({0: [1], 1: [2]})
    assert (table.names, table.schema.named) == (("x0", "x1"), False)
    table = as_table({("a", 1): [1], "b": [2]})
    assert (table.names, table.schema.named) == (("('a', 1)", "b"), False)
    with pytest.raises(DataError, match="Two columns are called '1'"):
        as_table({1: [1], "1": [2]})


def test_rows_of_numbers_are_a_matrix():
    table = as_table([[1, 2.5], (3, 4), np.array([5, 6])])
    assert table.matrix.dtype == np.float64
    assert table.shape == (3, 2)
    assert as_table(((1, 2), (3, 4))).shape == (2, 2)


def test_numbers_beside_text_in_rows_stay_numbers():
    table = as_table([[1, "a"], [2, "b"], [None, None]])
    assert table["x0"].to_list() == [1, 2, None]
    assert table["x1"].to_list() == ["a", "b", None]


def test_rows_of_different_lengths_are_refused_by_position():
    with pytest.raises(DataError, match="row 0 has 2 cells, row 1 has 3") as caught:
        as_table([[1, 2], [1, 2, 3], [1, 2]])
    assert caught.value.code == "D008"
    assert caught.value.rows == (1,)
    with pytest.raises(DataError, match="sequences of different lengths"):
        as_table([[[1], [2, 3]], [[1], [2]]])


def test_whole_numbers_with_holes_keep_a_mask():
    column = cells(1, None, 3)
    assert column.values.dtype == np.int64
    assert column.missing.tolist() == [False, True, False]
    assert cells(1, 2).missing is None


@pytest.mark.parametrize(
    "values", [(1, 2.5), (True, 2), (True, 0.5), (Decimal("1.5"), None), (Fraction(1, 2), 3)]
)
def test_numbers_of_several_types_are_real(values):
    column = cells(*values)
    assert column.values.dtype == np.float64
    expected = [np.nan if value is None else float(value) for value in values]
    np.testing.assert_array_equal(column.values, expected)


def test_numbers_too_large_for_a_column_become_floats():
    assert cells(2**70, 1).values.tolist() == [float(2**70), 1.0]
    assert cells(10**400, 0.5, None).values.tolist()[:2] == [np.inf, 0.5]
    assert cells(np.uint64(2**63), 1).values[0] == 2.0**63


@pytest.mark.parametrize(
    "missing", [None, float("nan"), np.float32("nan"), pandas.NA, pandas.NaT, np.ma.masked]
)
def test_every_way_to_say_missing_is_understood_in_every_family(missing):
    for value in ("x", 2.5, True, date(2020, 1, 1), datetime(2020, 1, 1), timedelta(1), time(1)):
        column = cells(value, missing)
        assert column.is_missing.tolist() == [False, True], (value, missing)
        assert column.type.source == cells(value).type.source
    assert cells(1, missing).is_missing.tolist() == [False, True]


def test_only_missing_cells_make_a_numeric_column():
    assert cells(None, None).kind == "numeric"
    assert cells(None, float("nan"), pandas.NA).is_missing.all()


def test_booleans_are_a_category_of_false_and_true():
    column = cells(True, None, False, np.True_)
    assert column.categories == (False, True)
    assert column.type.source == "boolean"
    assert column.values.tolist() == [1, -1, 0, 1]


def test_text_is_sorted_by_code_point_and_the_empty_text_is_a_value():
    column = cells("é", "z", "", "a", "Z", "😀", "\uffff", None)
    assert column.categories == ("", "Z", "a", "z", "é", "\uffff", "😀")
    assert column.to_list() == ["é", "z", "", "a", "Z", "😀", "\uffff", None]


def test_the_order_of_rows_does_not_change_the_categories():
    rng = np.random.default_rng(0)
    words = [f"w{place}" for place in range(50)]
    shuffled = [words[place] for place in rng.permutation(50)]
    assert cells(*words).type == cells(*shuffled).type


def test_special_texts_are_plain_texts():
    class Color(StrEnum):
        RED = "red"

    column = cells(np.str_("blue"), Color.RED, "red", "\ud800")
    assert column.categories == ("blue", "red", "\ud800")
    assert {type(name) for name in column.categories} == {str}


def test_mixtures_are_text_and_equal_texts_are_one_category():
    column = cells(1, "1", 1.0, True, "a", None, float("nan"), pandas.NA)
    assert column.categories == ("1", "True", "a")
    assert column.values.tolist() == [0, 0, 0, 1, 2, -1, -1, -1]
    assert cells("a", 2.5).categories == ("2.5", "a")
    assert cells(date(2020, 1, 1), "x").categories == ("2020-01-01", "x")


def test_dates_moments_durations_and_times_keep_their_meaning():
    assert cells(date(2020, 1, 1), None).type.source == "date"
    moments = cells(datetime(2020, 1, 1, 12), date(2020, 1, 2), None)
    assert moments.type.source == "datetime"
    assert moments.is_missing.tolist() == [False, False, True]
    assert cells(timedelta(hours=12)).numbers().tolist() == [0.5]
    assert cells(time(6, 0, 0, 1)).values.tolist() == [6 * 3600 * 10**9 + 1000]
    assert cells(np.datetime64("2020-01-01")).type.source == "datetime"
    assert cells(pandas.Timestamp("2020-01-01"), pandas.NaT).type.source == "datetime"


def test_moments_with_a_zone_are_kept_in_utc_with_the_zone_remembered():
    brussels = ZoneInfo("Europe/Brussels")
    column = cells(datetime(2020, 1, 1, 1, tzinfo=brussels), None)
    assert column.type.timezone == "Europe/Brussels"
    assert column.to_list()[0].isoformat() == "2020-01-01T01:00:00+01:00"
    mixed = cells(datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=brussels))
    assert mixed.type.timezone == "UTC"
    assert cells(datetime(2020, 1, 1, tzinfo=timezone(timedelta(hours=2)))).type.timezone == "UTC"


def test_moments_with_and_without_a_zone_do_not_mix():
    with pytest.raises(DataError, match="with a time zone and moments without") as caught:
        cells(datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 1, 1))
    assert caught.value.code == "D013"
    assert caught.value.rows == (1,)


@pytest.mark.parametrize("odd", [{"a": 1}, [1], object(), b"x", {1}])
def test_other_objects_are_refused_with_their_place(odd):
    with pytest.raises(KindError, match=r"argument must be .* string.* number") as caught:
        cells("x", odd)
    assert caught.value.code == "K004"
    assert caught.value.column == "c"
    assert caught.value.rows == (1,)


def test_durations_without_a_fixed_length_and_bytes_that_are_no_text_have_a_code():
    for data in ({"c": [np.timedelta64(1, "Y")]}, np.array([[b"\xff"]])):
        with pytest.raises(KindError) as caught:
            as_table(data)
        assert caught.value.code == "K004"
