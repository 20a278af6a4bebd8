import io

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from branchline import Table
from branchline.density import as_baskets, read_baskets
from branchline.errors import DataError, ParameterError


def test_blanks_copies_and_missing_items_do_not_count():
    baskets = as_baskets([["milk ", "milk", "", None, float("nan")], {"bread"}, ()])
    assert [baskets[place] for place in range(3)] == [("milk",), ("bread",), ()]


def test_items_are_numbered_by_how_often_they_occur():
    assert as_baskets([["a", "b", "c"], ["b", "c"], ["c"]]).items == ("a", "b", "c")


@pytest.mark.parametrize(
    "data",
    [
        np.array([[True, False], [True, True]]),
        sparse.csr_array(np.array([[1, 0], [3, 1]])),
        pd.DataFrame({"0": [True, True], "1": [False, True]}),
    ],
)
def test_matrices_of_yes_and_no(data):
    baskets = as_baskets(data)
    assert baskets[0] == ("0",)
    assert baskets[1] == ("1", "0")


def test_cells_of_a_table_are_items():
    ages = [*range(20, 60), None]
    table = Table({"age": ages, "town": ["Mons"] * 41, "n": [1] * 20 + [2] * 21})
    baskets = as_baskets(table)
    ages_of = [
        name for name, column in zip(baskets.items, baskets.columns, strict=True) if column == "age"
    ]
    assert sorted(ages_of) == ["29 < age ≤ 39", "39 < age ≤ 49", "age > 49", "age ≤ 29"]
    assert baskets[0] == ("age ≤ 29", "n = 1", "town = Mons")
    assert baskets[40] == ("n = 2", "town = Mons")


def test_dates_are_items_in_words():
    days = pd.date_range("2024-01-01", periods=40)
    names = as_baskets(pd.DataFrame({"day": days})).items
    assert "day ≤ 2024-01-10" in names


def test_a_text_instead_of_a_basket_is_refused():
    with pytest.raises(DataError, match="collection of items") as caught:
        as_baskets(["milk", ["bread"]])
    assert caught.value.code == "D650"


@pytest.mark.parametrize("weights", [[1], [0.5, 1], [-1, 1], [np.nan, 1]])
def test_weights_are_whole_numbers(weights):
    with pytest.raises(ParameterError) as caught:
        as_baskets([["a"], ["b"]], sample_weight=weights)
    assert caught.value.code == "P650"


def test_files_of_lines_and_of_pairs(tmp_path):
    lines = io.StringIO('milk; bread\n\n"salt; fine";milk\n')
    baskets = read_baskets(lines)
    assert sorted(baskets[0]) == ["bread", "milk"]
    assert sorted(baskets[1]) == ["milk", "salt; fine"]
    path = tmp_path / "sales.csv"
    path.write_text("order,product\n7,milk\n8,milk\n7,bread\n")
    pairs = read_baskets(path, basket_column="order", item_column="product")
    assert sorted(pairs[0]) == ["bread", "milk"]
    with pytest.raises(ParameterError) as caught:
        read_baskets(path, basket_column="order")
    assert caught.value.code == "P653"
