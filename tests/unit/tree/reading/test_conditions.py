"""Conditions: what satisfies them, how they combine, what they say."""

import math

import numpy as np
import pytest

from branchline import Table
from branchline._trees._tree_arrays import EVERY_BRANCH
from branchline.table import Column, ColumnType
from branchline.tree.reading._conditions import Condition, branch_conditions, values_of
from grown_trees import grow_dataset

NUMBERS = Table({"x": [1.0, 2.0, 3.0, None]})
COLOURS = ColumnType("category", "string", ("blue", "green", "red"))
# Codes −1 and −2: missing, and a category that the schema does not know.
COLOURED = Table.from_columns([Column("c", COLOURS, np.array([0, 1, 2, -1, -2], dtype=np.int32))])


def number(**bounds):
    return Condition("x", **bounds)


def color(*codes, missing=False):
    return Condition("c", codes=codes, missing=missing, type=COLOURS)


@pytest.mark.parametrize(
    ("condition", "rows", "words"),
    [
        (number(at_most=2.0), [1, 1, 0, 0], "x ≤ 2"),
        (number(above=1.0), [0, 1, 1, 0], "x > 1"),
        (number(above=1.0, at_most=2.0), [0, 1, 0, 0], "1 < x ≤ 2"),
        (number(above=1.0, at_most=2.0, missing=True), [0, 1, 0, 1], "1 < x ≤ 2 or missing"),
        (number(), [1, 1, 1, 0], "x is present"),
        (number(above=math.inf, missing=True), [0, 0, 0, 1], "x is missing"),
        (number(missing=True), [1, 1, 1, 1], "x is anything"),
        (number(above=2.0, at_most=1.0), [0, 0, 0, 0], "x is impossible"),
    ],
)
def test_numbers_lie_in_an_interval(condition, rows, words):
    assert condition.holds(NUMBERS).tolist() == list(map(bool, rows))
    assert str(condition) == words


@pytest.mark.parametrize(
    ("condition", "rows", "words"),
    [
        (color(2), [0, 0, 1, 0, 0], "c is red"),
        (color(0, 2), [1, 0, 1, 0, 0], "c in (blue, red)"),
        (color(1, missing=True), [0, 1, 0, 1, 1], "c is green or missing"),
        (color(missing=True), [0, 0, 0, 1, 1], "c is missing"),
        (color(0, 1, 2), [1, 1, 1, 0, 0], "c is present"),
        (color(0, 1, 2, missing=True), [1, 1, 1, 1, 1], "c is anything"),
        (color(), [0, 0, 0, 0, 0], "c is impossible"),
    ],
)
def test_unseen_categories_are_treated_as_missing_ones(condition, rows, words):
    assert condition.holds(COLOURED).tolist() == list(map(bool, rows))
    assert str(condition) == words


@pytest.mark.parametrize("table", [NUMBERS, COLOURED], ids=["numbers", "categories"])
def test_both_conditions_hold_exactly_where_each_does(table):
    flags, ends = (False, True), (-math.inf, 0.0, 1.0, 2.0, math.inf)
    numbers = [number(above=a, at_most=b, missing=m) for a in ends for b in ends for m in flags]
    colors = [color(*each, missing=m) for each in ((), (0,), (0, 2), (0, 1, 2)) for m in flags]
    some = numbers if table is NUMBERS else colors
    for one in some:
        assert not (one.is_empty and one.holds(table).any())
        assert not one.is_always_true or one.holds(table).all()
        for other in some:
            both = one & other
            assert (both.holds(table) == (one.holds(table) & other.holds(table))).all()


def test_conditions_on_different_columns_do_not_combine():
    with pytest.raises(ValueError, match="'x' and 'c' do not combine"):
        _ = number() & color()


def test_an_interval_has_two_parts():
    interval = number(above=1.0, at_most=2.0, missing=True)
    assert list(map(str, interval.parts())) == ["x > 1 or missing", "x ≤ 2 or missing"]
    assert interval.parts()[0] & interval.parts()[1] == interval
    for whole in (number(above=1.0), number(at_most=1.0), number(), color(1)):
        assert whole.parts() == [whole]


def test_plain_data_have_no_infinite_numbers():
    assert number(above=1.5).to_dict() == {
        "column": "x",
        "above": 1.5,
        "at_most": None,
        "present": True,
        "missing": False,
    }
    only_missing = number(above=math.inf, missing=True).to_dict()
    assert (only_missing["above"], only_missing["present"]) == (None, False)
    assert color(0, 2).to_dict() == {
        "column": "c",
        "categories": ["blue", "red"],
        "missing": False,
    }


def test_numbers_in_single_precision_are_compared_in_double():
    column = Table(np.array([[0.1]], dtype=np.float32)).columns[0]
    condition = Condition("x0", at_most=0.1)
    assert not condition.holds_for(values_of(column))[0]  # 0.1 in single precision is above 0.1


def test_a_shared_missing_value_satisfies_the_heaviest_branch_alone():
    tree = grow_dataset("votes84", missing="every", depth=1).tree
    kind = grow_dataset("votes84", depth=1).schema.fields[int(tree.feature[0])].type
    assert tree.missing_branch[0] == EVERY_BRANCH
    conditions = branch_conditions(tree, 0, "c", kind)
    heaviest = int(np.argmax(tree.weight[1:]))
    assert [test.missing for test in conditions] == [place == heaviest for place in (0, 1)]
    assert not any(test.missing for test in branch_conditions(tree, 0, "c", kind, heaviest=False))
