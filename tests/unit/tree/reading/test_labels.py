"""Words for nodes: questions, branches, conditions, values."""

import datetime

import numpy as np
import pytest

from branchline import Table
from branchline._trees._tree_arrays import Scale, TreeArrays
from branchline.table import ColumnType
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor
from branchline.tree.reading._labels import (
    Labels,
    join_names,
    quoted_name,
    short_number,
    threshold_words,
    weight_words,
)
from grown_trees import grow, grow_dataset


def labels(grown, decision=None):
    return Labels(*grown.words, decision)


def test_a_threshold_is_a_question_with_two_answers():
    words = labels(grow_dataset("iris", depth=1))
    assert words.question(0) == "petal_length ≤ 2.45"
    assert words.branches(0) == ["yes", "no or missing"]
    assert [words.condition(0, branch) for branch in (0, 1)] == [
        "petal_length ≤ 2.45",
        "petal_length > 2.45 or missing",
    ]
    assert words.value(1) == "setosa 100 % of 50"
    assert words.category_names(0) == [[], []]


def test_missing_values_may_have_a_branch_of_their_own():
    table = Table({"x": [1.0, 2.0, None, None], "c": ["a", "b", None, None]})
    for column, names in (("x", ["yes", "no", "missing"]), ("c", ["a", "b", "missing"])):
        grown = grow(table.select([column]), list("vuww"), missing="own", least=1)
        assert labels(grown).branches(0) == names
        assert labels(grown).condition(0, 2) == f"{column} is missing"


def test_presence_is_a_question_of_its_own():
    table = Table({"boat": [1.0, 7.0, 9.0, None, None, None]})
    words = labels(grow(table, list("aaabbb"), least=3))
    assert words.question(0) == "boat is present"
    assert words.branches(0) == ["yes", "no"]
    assert [words.condition(0, branch) for branch in (0, 1)] == [
        "boat is present",
        "boat is missing",
    ]


def test_a_branch_of_all_categories_is_that_of_present_values():
    table = Table({"boat": ["a", "b", "c", None, None, None]})
    pooled = TreeArrays(
        kind=np.array([2, 0, 0], dtype=np.uint8),
        feature=np.array([0, -1, -1], dtype=np.int32),
        threshold=np.zeros(3),
        first_child=np.array([1, -1, -1], dtype=np.int32),
        n_children=np.array([2, 0, 0], dtype=np.int32),
        missing_branch=np.array([1, -1, -1], dtype=np.int32),
        pool_offset=np.zeros(3, dtype=np.int64),
        pool=np.zeros(3, dtype=np.int32),
        content=np.array([[3, 3], [3, 0], [0, 3]], dtype=np.int64),
        spread=np.zeros((3, 0)),
        scale=Scale(),
    )
    words = Labels(pooled, table.schema, np.array(["u", "v"]))
    assert words.branches(0) == ["present", "missing"]
    assert [words.condition(0, branch) for branch in (0, 1)] == [
        "boat is present",
        "boat is missing",
    ]


def test_shares_of_rows_have_few_digits():
    assert [weight_words(each) for each in (253.40812, 2.207751, 3.0, 0.0004)] == [
        "253.4",
        "2.208",
        "3",
        "0.0004",
    ]


def test_categories_are_named_one_by_one_or_in_brackets():
    words = labels(grow_dataset("auto-mpg", depth=1))
    assert words.question(0) == "cylinders"
    assert words.branches(0) == ["3, 6, 8", "4, 5 or missing"]
    assert words.category_names(0) == [["3", "6", "8"], ["4", "5"]]
    assert words.condition(0, 1) == "cylinders in (4, 5) or missing"
    assert words.value(2) == "29.2589 (mean of 207)"
    tennis = labels(grow_dataset("tennis", multiway=True))
    assert tennis.condition(0, 2) == "outlook is sunny"


def test_several_outputs_have_several_means():
    X = Table({"x": [0.0, 1.0, 2.0, 3.0]})
    grown = grow(X, np.array([[1.0, 10], [1, 10], [2, 30], [2, 30]]), depth=1)
    assert labels(grown).value(2) == "2, 30 (means of 2)"


def test_a_decision_other_than_the_most_frequent_class_is_the_one_named():
    grown = grow_dataset("iris", depth=1)
    decision = np.array([0, 0, 2])
    assert labels(grown).value(2) == "versicolor 50 % of 100"
    assert labels(grown, decision).value(2) == "virginica 50 % of 100"


@pytest.mark.parametrize(
    ("source", "value", "words"),
    [
        ("date", 18_460.5, "2020-07-17"),
        ("datetime", 18_458.5, "2020-07-15T12:00:00"),
        ("duration", 1.25, "1.25 days"),
        ("float", 1_000_002.5, "1,000,002.5"),
        ("date", 1e300, "1\xa0×\xa010³⁰⁰ days"),
    ],
)
def test_thresholds_are_written_in_the_unit_of_their_column(source, value, words):
    assert threshold_words(ColumnType("numeric", source, unit="D"), value) == words


def test_a_date_is_cut_in_the_evening_of_the_day_shown():
    days = [datetime.date(2020, 7, day) for day in (15, 16, 18, 19)]
    model = DecisionTreeRegressor(prune=None).fit({"d": days}, [0.0, 0.0, 1.0, 1.0])
    words = Labels(model.tree_, model.schema_, None)
    assert words.condition(0, 1).startswith("d > 2020-07-17")


def test_long_lists_and_names_are_shortened():
    assert join_names(["a" * 40]) == "a" * 29 + "…"
    listed = join_names([f"name{number:02}" for number in range(99)])
    assert listed.endswith("name06, … 92 more")
    assert len(listed) < 80


def test_names_that_could_be_misread_are_quoted():
    names = ("plain", "a,b", "missing", "present", "", " x", "x\ny")
    assert [quoted_name(name) for name in names] == [
        "plain",
        "'a,b'",
        "'missing'",
        "'present'",
        "''",
        "' x'",
        "'x\\ny'",
    ]


def test_whole_and_large_numbers_keep_their_digits():
    numbers = (3.0, 12_345_678.4, 0.123456789, -2.5, 1e20)
    assert [short_number(number) for number in numbers] == [
        "3",
        "12,345,678",
        "0.123457",
        "−2.5",
        "1\xa0×\xa010²⁰",
    ]


def test_only_all_rows_are_100_percent():
    rows = {"x": [0.0] * 999 + [1.0]}
    model = DecisionTreeClassifier(min_samples_leaf=600).fit(rows, ["no"] * 999 + ["yes"])
    assert model.to_text() == "always: no > 99 % of 1,000"
    assert "(1,000 rows, > 99 %)" in model.rules().to_text()
