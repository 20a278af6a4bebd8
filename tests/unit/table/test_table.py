"""The table: stores, selection, names, targets."""

import datetime

import numpy as np
import pandas
import pytest
import scipy.sparse

from branchline.errors import DataError, ParameterError
from branchline.table import Column, ColumnType, Table, as_table

FLOAT = ColumnType("numeric", "float")
MATRIX = np.array([[1.0, 2.0, 3.0], [4.0, np.nan, 6.0]])


def stores():
    yield as_table(MATRIX, names=["a", "b", "c"])
    yield as_table(scipy.sparse.csr_array(MATRIX), names=["a", "b", "c"])
    yield as_table({"a": [1.0, 4.0], "b": [2.0, None], "c": [3.0, 6.0]})


@pytest.mark.parametrize("table", list(stores()), ids=["matrix", "sparse", "columns"])
class TestEveryStore:
    def test_shape_and_names(self, table):
        assert table.shape == (2, 3)
        assert len(table) == 2
        assert table.names == ("a", "b", "c")
        assert repr(table) == "Table(2 rows × 3 columns; a: numeric, b: numeric, c: numeric)"

    def test_the_numbers_come_out(self, table):
        np.testing.assert_array_equal(table.to_numpy(), MATRIX)
        assert table.to_dicts() == [{"a": 1, "b": 2, "c": 3}, {"a": 4, "b": None, "c": 6}]

    def test_rows_are_taken_by_position_mask_slice_or_list(self, table):
        for which in (1, [1], np.array([False, True]), slice(1, None), -1):
            np.testing.assert_array_equal(table.rows(which).to_numpy(), MATRIX[1:])
            np.testing.assert_array_equal(table[which].to_numpy(), MATRIX[1:])
        assert table.rows([]).shape == (0, 3)
        assert table[[0, 0, 1], ...].shape == (3, 3)

    def test_columns_are_selected_and_dropped_by_name(self, table):
        assert table[["c", "a"]].names == ("c", "a")
        np.testing.assert_array_equal(table.select(["c", "a"]).to_numpy(), MATRIX[:, [2, 0]])
        assert table.drop("b").names == ("a", "c")
        assert table.drop(["a", "b"]).names == ("c",)
        assert table.select(["a"]).schema.named

    def test_columns_get_other_names_without_a_copy(self, table):
        other = table.with_names(["x", "y", "z"])
        assert other.names == ("x", "y", "z")
        np.testing.assert_array_equal(other["y"].numbers(), MATRIX[:, 1])
        assert table.names == ("a", "b", "c")
        assert not table.with_names(["x", "y", "z"], named=False).schema.named

    @pytest.mark.parametrize("names", [["x"], "xyz", ["x", "y", 3]])
    def test_names_must_fit(self, table, names):
        with pytest.raises(ParameterError) as caught:
            table.with_names(names)
        assert caught.value.code == "P005"

    def test_names_must_differ(self, table):
        with pytest.raises(DataError, match="Two columns are called 'x'"):
            table.with_names(["x", "y", "x"])

    def test_an_unknown_column_is_named_with_a_hint(self, table):
        for ask in (table.column, table.drop, lambda name: table.select([name])):
            with pytest.raises(DataError, match=r"There is no column 'aa'\. Did you mean 'a'") as e:
                ask("aa")
            assert e.value.code == "D003"

    def test_the_target_is_split_off(self, table):
        inputs, target = table.split_target("b")
        assert inputs.names == ("a", "c")
        np.testing.assert_array_equal(target, [2.0, np.nan])


def test_targets_are_names_numbers_or_booleans():
    table = as_table(
        {
            "name": ["x", "y"],
            "whole": [1, 2],
            "truth": [True, False],
            "hole": ["x", None],
            "half": [1, None],
        }
    )
    targets = {name: table.split_target(name)[1] for name in table.names}
    assert targets["name"].dtype.kind == "U"
    assert targets["whole"].dtype == np.int64
    assert targets["truth"].dtype == bool
    assert targets["hole"].tolist() == ["x", None]
    np.testing.assert_array_equal(targets["half"], [1.0, np.nan])


def test_columns_must_agree():
    with pytest.raises(DataError, match="has 3 rows, but 'a' has 2"):
        Table([Column("a", FLOAT, np.ones(2)), Column("b", FLOAT, np.ones(3))])
    with pytest.raises(DataError, match="Two columns are called"):
        Table([Column("a", FLOAT, np.ones(2)), Column("a", FLOAT, np.ones(2))])


def test_a_wide_table_is_described_shortly():
    words = repr(as_table(np.ones((1, 20))))
    assert words.endswith("x2: numeric, … 17 more)")


def test_categories_come_out_as_codes_with_nan_for_missing():
    table = as_table({"a": ["y", None, "x"]})
    np.testing.assert_array_equal(table.to_numpy()[:, 0], [1, np.nan, 0])


def test_a_sparse_table_beyond_the_budget_is_not_made_dense(monkeypatch):
    monkeypatch.setenv("BRANCHLINE_MEMORY", "1000")
    table = as_table(scipy.sparse.csr_array((1000, 1000)))
    with pytest.raises(DataError, match="dense copy") as caught:
        table.to_numpy()
    assert caught.value.code == "D030"
    assert table.column("x5").numbers().sum() == 0


def test_notebooks_show_the_look():
    assert "branchline-look" in as_table({"a": [1]})._repr_html_()


def test_columns_give_floats_for_learners_and_python_values_for_people():
    table = as_table({"a": [1, None], "b": [1.5, None], "c": ["x", None]})
    np.testing.assert_array_equal(table["a"].numbers(), [1.0, np.nan])
    assert table["b"].numbers() is table["b"].values
    assert [column.to_list() for column in table.columns] == [[1, None], [1.5, None], ["x", None]]
    with pytest.raises(TypeError, match="is a category"):
        table["c"].numbers()
    assert table["a"].take([0]).missing.tolist() == [False]


@pytest.mark.parametrize("table", list(stores()), ids=["matrix", "sparse", "columns"])
def test_columns_are_chosen_once_each_and_rows_by_one_list(table):
    assert table.select("b").names == ("b",)
    with pytest.raises(DataError) as caught:
        table.select(["a", "a"])
    assert caught.value.code == "D005"
    with pytest.raises(IndexError, match="2 dimensions"):
        table.rows(np.array([[0, 1], [1, 0]]))


def test_columns_can_be_compared_without_looking_into_them():
    table = as_table({"a": [1.0, 2.0]})
    assert table["a"] == table["a"]
    assert table["a"] != table["a"].take([0, 1])


def test_a_table_is_an_array_to_numpy() -> None:
    assert np.asarray(Table({"a": [1, 2], "b": [0.5, None]})).dtype == np.float64
    mixed = np.asarray(Table({"a": [1, 2], "b": ["x", None]}))
    assert mixed.tolist() == [[1, "x"], [2, None]]


def test_dates_come_out_as_dates_in_their_zone() -> None:
    moments = pandas.to_datetime(["2020-01-01 00:00"]).tz_localize("Europe/Brussels")
    cell = Table(pandas.DataFrame({"t": moments}))["t"].to_list()[0]
    assert cell.isoformat() == "2020-01-01T00:00:00+01:00"
    assert Table({"d": [datetime.date(2020, 1, 2), None]})["d"].to_list() == [
        datetime.date(2020, 1, 2),
        None,
    ]
