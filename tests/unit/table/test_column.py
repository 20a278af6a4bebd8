"""What a column knows of its values: missing ones are marked by a mask, NaN or a code."""

import numpy as np
import pandas
import pytest

from branchline.table import Column, ColumnType, Table

INTEGER = ColumnType("numeric", "integer")


def masked(values, missing):
    return Column("x", INTEGER, np.array(values), np.array(missing, dtype=bool))


@pytest.mark.parametrize("under_the_mask", [0, 7, -3])
def test_what_stands_under_a_mask_has_no_meaning(under_the_mask):
    values = [7, under_the_mask, 7, under_the_mask]
    assert masked(values, [0, 1, 0, 1]).varies
    assert masked(values, [0, 1, 0, 1]).known.tolist() == [7, 7]
    assert not masked(values, [1, 1, 1, 1]).varies
    assert not masked([7, 7, 5], [0, 0, 1]).take([0, 1]).varies


@pytest.mark.parametrize("known", [0, 7])
def test_a_mask_and_nan_vary_alike(known):
    cells = [known, None, known, known]
    whole = Table(pandas.DataFrame({"x": pandas.array(cells, dtype="Int64")})).column("x")
    real = Table(pandas.DataFrame({"x": np.array(cells, dtype=np.float64)})).column("x")
    assert whole.varies
    assert real.varies
    assert not whole.take([0, 2, 3]).varies
    assert not real.take([0, 2, 3]).varies
    assert not real.take([1, 1]).varies


def test_categories_vary_by_name_and_by_missing_values():
    column = Table({"x": ["a", None, "a", "b"]}).column("x")
    assert column.varies
    assert column.take([0, 1]).varies
    assert not column.take([0, 2]).varies
    assert not column.take([1]).varies


@pytest.mark.parametrize(
    "names", [("a", "longer", "z"), (False, True), (1, 5, 7), (1.5, 2.0), ("a", 1, 2.5)]
)
@pytest.mark.parametrize("codes", [[0, 1, 1, 0], [1, -1, 0, -2], [1, 1], [], [-1, -1]])
def test_names_as_an_array_are_those_of_the_list(names, codes):
    kind = ColumnType("category", "category", names)
    column = Column("x", kind, np.array(codes, dtype=np.int32))
    found, cells = column.to_numpy(), column.to_list()
    expected = np.array(cells, dtype=None if cells else str)
    if any(code < 0 for code in codes):
        expected = np.array([*cells, "an object"], dtype=object)[:-1]
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()
