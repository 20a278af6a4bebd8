"""as_table: which door each kind of data goes through, and what is turned away."""

import subprocess
import sys
from pathlib import Path

import narwhals
import numpy as np
import pandas
import polars
import pyarrow
import pytest
import scipy.sparse

from branchline.errors import DataError, KindError, ParameterError
from branchline.table import Column, ColumnType, Table, as_table


def test_a_table_is_returned_as_it_is():
    table = as_table({"a": [1, 2]})
    assert as_table(table) is table


def test_kinds_are_applied_to_anything_even_a_table():
    table = as_table({"a": [1, 2, 1]})
    changed = as_table(table, kinds={"a": "category"})
    assert changed["a"].categories == (1, 2)
    assert changed["a"].values.tolist() == [0, 1, 0]
    assert as_table(np.ones((3, 2)), kinds={"x1": "category"})["x1"].kind == "category"


def test_names_name_columns_that_have_none():
    matrix = np.ones((3, 2))
    table = as_table(matrix, names=["a", "b"])
    assert table.names == ("a", "b")
    assert table.schema.named
    assert table.matrix is matrix


def test_names_and_kinds_go_together():
    table = as_table([[1, 2]], names=["a", "b"], kinds={"b": "category"})
    assert table["b"].categories == (2.0,)


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (["a"], ParameterError),
        ("ab", ParameterError),
        ([1, 2], ParameterError),
        (["a", "a"], DataError),
    ],
)
def test_names_that_do_not_fit_are_refused(names, kind):
    with pytest.raises(kind):
        as_table(np.ones((3, 2)), names=names)


@pytest.mark.parametrize(
    ("series", "repair"),
    [
        (pandas.Series([1.0, 2.0]), "X = X.to_frame()"),
        (pandas.Index([1, 2]), "X = X.to_frame()"),
        (polars.Series([1.0, 2.0]), "X = X.to_frame()"),
        (pyarrow.array([1.0]), 'X = {"x": X}'),
        (pyarrow.chunked_array([[1.0]]), 'X = {"x": X}'),
        (narwhals.from_native(polars.Series([1.0]), series_only=True), "X = X.to_frame()"),
        ([1.0, 2.0], "X = [[value] for value in X]  # one column; for one row: X = [X]"),
        (["a", "b"], "X = [[value] for value in X]  # one column; for one row: X = [X]"),
        (np.array([1.0, 2.0]), None),
    ],
)
def test_one_dimension_is_refused_with_a_repair(series, repair):
    with pytest.raises(DataError, match="Expected 2D array, got 1D array instead") as caught:
        as_table(series)
    assert caught.value.code == "D006"
    assert "Reshape your data" in str(caught.value)
    expected = repair or "X = X.reshape(-1, 1)  # one column; for one row: X.reshape(1, -1)"
    assert caught.value.repair.python == expected


def test_an_empty_list_has_no_rows():
    with pytest.raises(DataError, match="there are no rows") as caught:
        as_table([])
    assert caught.value.repair.python is None


def test_the_repair_of_a_pyarrow_array_runs_as_printed():
    scope = {"X": pyarrow.array([1.0, None])}
    exec('X = {"x": X}', scope)
    assert as_table(scope["X"])["x"].to_list() == [1.0, None]


@pytest.mark.parametrize(
    ("data", "repair"),
    [
        (3, None),
        (None, None),
        ({1, 2}, None),
        (b"abc", None),
        ("some.csv", "import branchline\nX = branchline.read_table('some.csv')"),
        (Path("some.csv"), "import branchline\nX = branchline.read_table('some.csv')"),
        (iter([[1, 2]]), "X = list(X)"),
    ],
)
def test_what_is_no_table_is_refused_by_its_type(data, repair):
    with pytest.raises(KindError, match="not a table") as caught:
        as_table(data)
    assert type(data).__qualname__ in caught.value.message
    assert "NumPy array" in caught.value.message
    assert caught.value.repair.python == repair


@pytest.mark.parametrize(
    "lazy", [polars.LazyFrame({"a": [1]}), narwhals.from_native(polars.LazyFrame({"a": [1]}))]
)
def test_a_lazy_frame_must_be_collected(lazy):
    with pytest.raises(KindError, match="lazy") as caught:
        as_table(lazy)
    assert caught.value.code == "K005"
    assert caught.value.repair.python == "X = X.collect()"


def test_a_narwhals_frame_is_what_it_wraps():
    native = pandas.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    assert as_table(narwhals.from_native(native)).schema == as_table(native).schema


def test_any_frame_that_offers_an_arrow_stream_is_read():
    class Frame:
        def __arrow_c_stream__(self, requested_schema=None):
            return polars.DataFrame({"a": [1, None]}).__arrow_c_stream__(requested_schema)

    assert as_table(Frame())["a"].to_list() == [1, None]


def test_objects_that_look_like_arrays_are_read_as_arrays():
    class Looks:
        def __array__(self, dtype=None, copy=None):
            return np.array([[1.0, 2.0]])

    class Strange:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("not on this device")

    class OnlyDlpack:
        array = np.ones((2, 2))

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    assert as_table(Looks()).shape == (1, 2)
    assert as_table(OnlyDlpack()).shape == (2, 2)
    with pytest.raises(KindError, match="not on this device"):
        as_table(Strange())


def test_a_list_of_columns_is_a_table():
    column = Column("a", ColumnType("numeric", "float"), np.ones(2))
    assert as_table([column], names=["b"]).names == ("b",)
    assert Table([column]).shape == (2, 1)


def test_the_constructor_takes_whatever_as_table_takes():
    assert Table(np.ones((2, 3))).shape == (2, 3)
    assert Table(scipy.sparse.eye_array(3)).sparse is not None
    assert Table({"a": ["x"]}, kinds={"b": "category"}, names=["b"]).names == ("b",)


def test_numbers_are_read_without_loading_frame_libraries():
    code = (
        "import sys, numpy as np\n"
        "from branchline.table._convert import as_table\n"
        "as_table(np.ones((2, 2))); as_table([{'a': 'x'}]); as_table({'a': [1, None]})\n"
        "print([m for m in ('pandas', 'polars', 'pyarrow', 'sklearn') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
