"""Whole numbers that floats would round are names, whatever they come in; never merged."""

import io
from decimal import Decimal

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline import Table, read_table
from branchline._validation import Owner, check_target
from branchline.errors import DataError, KindError
from branchline.table.looking import likely_identifiers

IDS = [9_223_372_036_854_770_000 + place for place in range(40)]
LONG = [10**30 + place for place in range(40)]
HOLED = [*IDS, None]

CONTAINERS = {
    "list": {"a": IDS},
    "holed list": {"a": HOLED},
    "list with nan": {"a": [*IDS, float("nan")]},
    "long list": {"a": LONG},
    "int64": {"a": np.array(IDS)},
    "uint64": {"a": np.array(IDS, dtype=np.uint64)},
    "masked": {"a": np.ma.masked_equal(np.array(IDS), IDS[0])},
    "matrix": np.array([IDS]).T,
    "rows": [[value] for value in IDS],
    "records": [{"a": value} for value in IDS],
    "structured": np.array([(value,) for value in IDS], dtype=[("a", "i8")]),
    "pandas": pandas.DataFrame({"a": IDS}),
    "pandas Int64": pandas.DataFrame({"a": pandas.array(HOLED, dtype="Int64")}),
    "pandas object": pandas.DataFrame({"a": np.array(LONG, dtype=object)}),
    "pandas arrow": pandas.DataFrame({"a": pandas.array(HOLED, dtype="int64[pyarrow]")}),
    "polars": polars.DataFrame({"a": HOLED}),
    "polars Int128": polars.DataFrame({"a": polars.Series(LONG, dtype=polars.Int128)}),
    "polars Decimal": polars.DataFrame({"a": [Decimal(value) for value in LONG]}),
    "arrow": pyarrow.table({"a": HOLED}),
    "arrow decimal": pyarrow.table({"a": [Decimal(value) for value in LONG]}),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_long_identifiers_stay_different(container):
    table = Table(CONTAINERS[container])
    column = table.columns[0]
    assert column.kind == "category"
    present = [value for value in column.to_list() if value is not None]
    assert len(set(map(str, present))) == len(present) >= 39
    assert len(likely_identifiers(table)) == 1


@pytest.mark.parametrize("numbers", [IDS, LONG])
def test_long_identifiers_in_a_text_stay_different(numbers):
    table = read_table(io.StringIO("a,b\n" + "".join(f"{value},1\n" for value in numbers)))
    assert table["a"].to_list() == list(map(str, numbers))
    assert read_table(io.StringIO("a\n1\n"), kinds={"a": "numeric"})["a"].kind == "numeric"


@pytest.mark.parametrize("declared", ["numeric", "integer"])
def test_long_identifiers_in_arff_stay_different(declared):
    head = f"@relation r\n@attribute a {declared}\n@attribute b numeric\n@data\n"
    dense = read_table(io.StringIO(head + "".join(f"{value},1\n" for value in IDS)))
    assert dense["a"].to_list() == list(map(str, IDS))
    rows = "".join(f"{{0 {value}}}\n" for value in IDS) + "{1 3}\n"
    assert read_table(io.StringIO(head + rows))["a"].to_list() == [*map(str, IDS), "0"]


def test_long_labels_in_libsvm_are_refused():
    text = "".join(f"{value} 1:1\n" for value in IDS)
    with pytest.raises(DataError) as caught:
        read_table(io.StringIO(text))
    assert caught.value.code == "F100"


def test_numbers_that_floats_hold_stay_numbers():
    for values in ([10**18, 3], [2**53, -(2**53)], [2**63, 1], [2**70, 1]):
        assert Table({"a": values})["a"].kind == "numeric"
    holed = pandas.DataFrame({"a": pandas.array([1, None], dtype="Int64")})
    assert Table(holed)["a"].type.source == "integer"
    assert Table({"a": [IDS[0], 0.5]})["a"].kind == "numeric"  # a measurement


def test_a_masked_number_does_not_decide():
    hidden = np.ma.masked_greater(np.array([1, 2, IDS[1]]), 2**53)
    assert Table({"a": hidden})["a"].to_list() == [1, 2, None]


def test_asking_for_numbers_rounds_them():
    table = Table({"a": IDS}, kinds={"a": "numeric"})
    assert table["a"].type.source == "integer" or table["a"].type.source == "float"
    assert table["a"].kind == "numeric"


def test_a_sparse_matrix_is_refused():
    from scipy.sparse import csr_array

    with pytest.raises(KindError) as caught:
        Table(csr_array(np.array([[IDS[1], 0], [0, 1]])))
    assert caught.value.code == "K100"
    scope = {"X": csr_array(np.array([[IDS[1], 0], [0, 1]]))}
    exec(caught.value.repair.python, scope)
    assert Table(scope["X"]).columns[0].kind == "category"


def test_classes_are_not_merged_either():
    owner = Owner("Some", None)
    for y in (IDS, np.array(IDS), [*IDS[:-1], -1], [2**63 + 1, 2**63 + 2, -1], LONG):
        target = check_target(y, len(y), task="classification", owner=owner)
        assert target.n_classes == len(y)


def test_a_model_knows_the_numbers_again():
    fitted = Table({"a": IDS})
    again = fitted.schema.apply(Table({"a": IDS[:3]}))
    assert again["a"].to_list() == IDS[:3]
    assert fitted.schema.apply(Table({"a": list(map(str, IDS[:3]))}))["a"].to_list() == IDS[:3]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_no_two_integers_become_one(values):
    column = Table({"a": values})["a"]
    assert [int(value) for value in column.to_list()] == values
    if column.kind == "numeric":
        assert len(set(column.numbers().tolist())) == len(set(values))
