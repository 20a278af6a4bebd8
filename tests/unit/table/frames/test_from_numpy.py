"""NumPy arrays and SciPy sparse matrices as tables."""

from datetime import date

import numpy as np
import pytest
import scipy.sparse

from branchline.errors import DataError, KindError
from branchline.table import as_table

BASE = np.arange(60, dtype=np.float64).reshape(6, 10)


@pytest.mark.parametrize(
    "matrix",
    [
        BASE,
        np.asfortranarray(BASE),
        BASE[::2, 1::3],
        BASE[::-1],
        BASE.T,
        BASE.astype(np.float32),
        BASE.view(np.matrix),
    ],
    ids=["C", "Fortran", "strided", "reversed", "transposed", "float32", "matrix"],
)
def test_floats_are_borrowed_not_copied(matrix):
    table = as_table(matrix)
    assert np.shares_memory(table.matrix, matrix)
    assert table.shape == matrix.shape
    assert table.matrix.dtype == matrix.dtype
    np.testing.assert_array_equal(table["x1"].values, np.asarray(matrix)[:, 1])


def test_read_only_and_memory_mapped_arrays_are_borrowed(tmp_path):
    locked = BASE.copy()
    locked.flags.writeable = False
    assert np.shares_memory(as_table(locked).matrix, locked)
    np.save(tmp_path / "m.npy", BASE)
    mapped = np.load(tmp_path / "m.npy", mmap_mode="r")
    assert np.shares_memory(as_table(mapped).matrix, mapped)


@pytest.mark.parametrize(
    "dtype", [np.int8, np.int64, np.uint16, bool, np.float16, np.longdouble, ">f8", ">f4", ">i4"]
)
def test_other_numbers_become_native_float64(dtype):
    matrix = np.array([[0, 1], [1, 0]]).astype(dtype)
    table = as_table(matrix)
    assert table.matrix.dtype == np.float64
    assert table.matrix.dtype.isnative
    np.testing.assert_array_equal(table.matrix, [[0, 1], [1, 0]])
    assert table["x0"].kind == "numeric"
    assert not table.schema.named


def test_a_long_double_beyond_float64_becomes_infinite_without_a_warning():
    huge = np.array([[np.longdouble("1e4000")]])
    assert as_table(huge).matrix[0, 0] == np.inf


def test_hidden_cells_of_a_masked_array_are_missing():
    whole = np.ma.MaskedArray([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]])
    np.testing.assert_array_equal(as_table(whole).matrix, [[1, np.nan], [3, 4]])
    records = np.ma.MaskedArray(
        [(1, 1.5, True, "2020-01-01", "a"), (2, 2.5, False, "2020-01-02", "b")],
        dtype=[("i", "i4"), ("f", "f4"), ("b", "?"), ("d", "M8[D]"), ("s", "U1")],
        mask=[(1, 1, 1, 1, 1), (0, 0, 0, 0, 0)],
    )
    table = as_table(records)
    assert [column.to_list() for column in table.columns] == [
        [None, 2],
        [None, 2.5],
        [None, False],
        [None, date(2020, 1, 2)],
        [None, "b"],
    ]
    assert table["f"].values.dtype == np.float32


def test_a_structured_array_has_named_columns():
    rows = np.array(
        [(1, 2.5, "b", b"y", True), (2, np.nan, "a", b"x", False)],
        dtype=[("i", ">i2"), ("f", ">f8"), ("s", "U2"), ("z", "S2"), ("b", "?")],
    )
    table = as_table(rows)
    assert table.schema.named
    assert [str(field.type) for field in table.schema] == [
        "numeric",
        "numeric",
        "category (2)",
        "category (2)",
        "category (2)",
    ]
    assert table["i"].values.dtype == np.int16
    assert table["i"].values.dtype.isnative
    assert table["s"].to_list() == ["b", "a"]
    assert table["z"].categories == ("x", "y")
    assert table["b"].type.source == "boolean"


def test_a_structured_array_must_have_simple_columns_in_one_dimension():
    nested = np.zeros(2, dtype=[("a", "f8", (3,))])
    with pytest.raises(DataError, match="'a' has 2 dimensions"):
        as_table(nested)
    with pytest.raises(KindError, match="'a' has the NumPy type"):
        as_table(np.zeros(2, dtype=[("a", [("b", "f8")])]))
    with pytest.raises(DataError, match="one dimension"):
        as_table(np.zeros((2, 2), dtype=[("a", "f8")]))
    with pytest.raises(DataError, match="0 feature"):
        as_table(np.zeros(2, dtype=[]))


def test_objects_are_read_column_by_column():
    cells = np.array(
        [[1, "b", 2.5, True, None], [None, "a", float("nan"), None, None]], dtype=object
    )
    table = as_table(cells)
    assert [field.type.source for field in table.schema] == [
        "integer",
        "string",
        "float",
        "boolean",
        "float",
    ]
    assert table["x0"].to_list() == [1, None]
    assert table["x1"].categories == ("a", "b")
    assert table["x4"].is_missing.all()
    assert not table.schema.named


@pytest.mark.parametrize("dtype", ["U3", "S3", np.dtypes.StringDType()])
def test_text_arrays_are_categories_with_sorted_names(dtype):
    text = np.array([["b", "1"], ["a", "2"], ["b", "1"]]).astype(dtype)
    table = as_table(text)
    assert table["x0"].categories == ("a", "b")
    assert table["x0"].values.tolist() == [1, 0, 1]
    assert table["x1"].categories == ("1", "2")


@pytest.mark.parametrize(
    ("unit", "source", "kept"),
    [
        ("Y", "date", "D"),
        ("W", "date", "D"),
        ("D", "date", "D"),
        ("h", "datetime", "s"),
        ("s", "datetime", "s"),
        ("ms", "datetime", "ms"),
        ("us", "datetime", "us"),
        ("ns", "datetime", "ns"),
        ("25s", "datetime", "s"),
        ("ps", "datetime", "ns"),
    ],
)
def test_moments_keep_their_unit_or_the_next_finer_one(unit, source, kept):
    moments = np.array([["1970-01-01", "NaT"], ["NaT", "1970-01-01"]], dtype=f"M8[{unit}]")
    column = as_table(moments)["x0"]
    assert (column.type.source, column.type.unit) == (source, kept)
    assert column.is_missing.tolist() == [False, True]
    assert column.numbers()[0] == 0.0


def test_moments_are_days_to_learners():
    moments = np.array([["2020-01-02T12:00"]], dtype="M8[ns]")
    days = (np.datetime64("2020-01-02") - np.datetime64("1970-01-01")).astype(int) + 0.5
    assert as_table(moments)["x0"].numbers()[0] == pytest.approx(days, abs=1e-9)


def test_durations_are_kept_unless_they_have_no_fixed_length():
    hours = np.array([[36], [np.timedelta64("NaT", "h")]], dtype="m8[h]")
    column = as_table(hours)["x0"]
    assert column.type.source == "duration"
    np.testing.assert_array_equal(column.numbers(), [1.5, np.nan])
    with pytest.raises(KindError, match="months"):
        as_table(np.array([[1]], dtype="m8[M]"))


def test_complex_numbers_are_refused_wherever_they_are():
    for data in (
        np.ones((2, 2), dtype=complex),
        scipy.sparse.csr_array(np.ones((2, 2), dtype=complex)),
        np.array([(1j,)], dtype=[("a", complex)]),
        np.array([[1j, "a"]], dtype=object),
        [[1j, 2]],
    ):
        with pytest.raises(DataError, match=r"^Complex data not supported") as caught:
            as_table(data)
        assert caught.value.code == "D007"


@pytest.mark.parametrize("n_rows", [0, 5])
def test_no_columns_is_an_error_and_no_rows_is_none(n_rows):
    pattern = rf"0 feature\(s\) \(shape=\({n_rows}, 0\)\) while a minimum of 1 is required\."
    for data in (np.ones((n_rows, 0)), scipy.sparse.csr_array((n_rows, 0))):
        with pytest.raises(DataError, match=pattern) as caught:
            as_table(data)
        assert caught.value.code == "D002"
    assert as_table(np.ones((0, 3))).shape == (0, 3)
    assert as_table(np.empty((0, 3), dtype=object)).shape == (0, 3)


def test_other_dimensions_are_refused():
    with pytest.raises(DataError, match="Found array with dim 3, while dim <= 2 is required") as e:
        as_table(np.ones((2, 2, 2)))
    scope = {"X": np.ones((2, 2, 2))}
    exec(e.value.repair.python, scope)
    assert as_table(scope["X"]).shape == (2, 4)
    with pytest.raises(DataError, match="got scalar array"):
        as_table(np.float64(3.0) * np.ones(()))
    with pytest.raises(DataError, match="dim 3"):
        as_table([[[1]]])


def test_the_repair_of_one_dimension_runs_as_printed():
    with pytest.raises(DataError) as caught:
        as_table(np.ones(4))
    scope = {"X": np.ones(4)}
    exec(caught.value.repair.python, scope)
    assert as_table(scope["X"]).shape == (4, 1)


def test_untyped_bytes_are_refused():
    with pytest.raises(KindError, match="NumPy type"):
        as_table(np.zeros((2, 2), dtype="V4"))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_sparse_matrices_of_any_format_stay_sparse(form, kind):
    dense = np.array([[0.0, 2.0], [np.nan, 0.0], [0.0, 0.0]])
    make = scipy.sparse.coo_array if kind == "array" else scipy.sparse.coo_matrix
    table = as_table(make(dense).asformat(form))
    assert table.sparse.format == "csc"
    assert table.matrix is None
    np.testing.assert_array_equal(table.to_numpy(), dense)
    assert table["x0"].is_missing.tolist() == [False, True, False]


@pytest.mark.parametrize("dtype", [np.int32, bool, np.float32])
def test_sparse_numbers_are_floats(dtype):
    table = as_table(scipy.sparse.eye_array(3, dtype=dtype).tocsr())
    expected = np.float32 if dtype is np.float32 else np.float64
    assert table.sparse.dtype == expected
    assert table["x1"].numbers().tolist() == [0.0, 1.0, 0.0]


def test_repeated_entries_of_a_sparse_matrix_are_summed_in_a_copy():
    given = scipy.sparse.csc_array(
        (np.ones(3), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2)
    )
    table = as_table(given)
    assert table.sparse.has_canonical_format
    assert given.nnz == 3
    assert table["x0"].numbers().tolist() == [0.0, 2.0]


def test_one_dimensional_and_strange_sparse_arrays_are_refused():
    with pytest.raises(DataError, match="1D"):
        as_table(scipy.sparse.coo_array(np.ones(3)))
