"""The path of a row: the same way that the tree sends it, in words."""

import datetime

import numpy as np
import pandas as pd
import pytest

from branchline import Table
from branchline.table import Column
from branchline.tree import C45, DecisionTreeClassifier
from branchline.tree.reading._paths import path_of_row
from grown_trees import chain, dataset, grow, grow_dataset

DAY = {"outlook": "sunny", "temperature": "hot", "humidity": "high", "wind": "weak"}
KINDS = dict.fromkeys(DAY, "category")


def day(**changes):
    return Table([{**DAY, **changes}], kinds=KINDS)


def path(grown, row):
    return path_of_row(*grown.words, row)


def test_each_step_has_a_line():
    grown = grow_dataset("iris", depth=3)
    assert str(path(grown, grown.table.rows([120]))).splitlines() == [
        "petal_length is 5.7  > 2.45",
        "petal_width is 2.3   > 1.65",
        "petal_width is 2.3   > 1.75",
        "→ virginica 98 % of 46",
    ]


def test_a_category_with_a_branch_of_its_own_needs_no_more_words():
    grown = grow_dataset("tennis", multiway=True)
    made = path(grown, day())
    assert str(made).splitlines() == [
        "outlook is sunny",
        "humidity is high",
        "→ no 100 % of 3",
    ]
    first = made.steps[0]
    assert (first.node, first.question, first.value, first.branch) == (0, "outlook", "sunny", 2)
    assert (first.condition, first.why, first.share) == ("outlook is sunny", "value", 1.0)
    assert (made.outcome, made.value, made.ends[0].node) == ("no", (1.0, 0.0), 6)


def test_a_value_without_a_branch_ends_the_path():
    grown = grow_dataset("tennis", multiway=True)
    assert str(path(grown, day(outlook="snow"))).splitlines() == [
        "outlook is snow  has no branch here: the answer is this node's",
        "→ yes 64 % of 14",
    ]
    missing = path(grown, day(humidity=None))
    assert missing.steps[1].why == "stays"
    assert missing.steps[1].branch is None
    assert missing.ends[0].node == 3


def test_missing_and_new_values_go_where_the_test_sends_them():
    table, y = dataset("titanic")
    grown = grow(table, y, depth=3)
    frame = table.to_pandas().iloc[[15]]
    text = str(path_of_row(*grown.words, Table(frame.assign(sex="unknown"))))
    assert "sex is unknown  is new: goes with is male" in text
    assert "age is missing  goes with > 11.25" in text
    own = grow(Table({"x": [1.0, 2.0, None, None]}), list("abcc"), missing="own", least=1)
    assert str(path(own, own.table.rows([2]))).splitlines()[0] == (
        "x is missing  has a branch of its own"
    )


def test_a_new_category_is_named_when_the_row_still_has_it():
    grown = grow_dataset("votes84", depth=1)
    recoded = grown.table.rows([0]).columns
    unknown = [
        Column(column.name, column.type, np.array([-2], dtype=np.int32)) for column in recoded
    ]
    assert "is a new category  is new: goes with" in str(path(grown, Table.from_columns(unknown)))


def test_a_shared_row_goes_down_every_branch():
    grown = grow_dataset("tennis", multiway=True, missing="every")
    made = path(grown, day(outlook=None, humidity=None))
    assert str(made).splitlines() == [
        "outlook is missing             goes down every branch, by weight:",
        "    36 %  outlook is rain",
        "          wind is weak",
        "          yes 100 % of 3",
        "    36 %  outlook is sunny",
        "          humidity is missing  goes down every branch, by weight:",
        "              21 %  humidity is high",
        "                    no 100 % of 3",
        "              14 %  humidity is normal",
        "                    yes 100 % of 2",
        "    29 %  outlook is overcast",
        "          yes 100 % of 4",
        "→ yes 79 %",
    ]
    assert [end.share for end in made.ends] == pytest.approx([5 / 14, 3 / 14, 2 / 14, 4 / 14])
    assert sum(end.share for end in made.ends) == pytest.approx(1)


@pytest.mark.parametrize("missing", ["largest", "stay", "every", "own"])
@pytest.mark.parametrize("multiway", [False, True], ids=["binary", "multiway"])
@pytest.mark.parametrize("name", ["titanic", "votes84", "auto-mpg"])
def test_paths_end_where_the_tree_sends_rows(name, multiway, missing):
    grown = grow_dataset(name, missing=missing, multiway=multiway, depth=4)
    rows = np.arange(0, grown.table.n_rows, 13)
    some = grown.table.rows(rows)
    average = grown.tree.average(some, grown.tree.value, 1)
    leaves = grown.tree.find_leaves(some, 1)
    for place in range(len(rows)):
        made = path(grown, some.rows([place]))
        assert made.value == pytest.approx(tuple(average[place]))
        assert leaves[place] in [end.node for end in made.ends]
        assert len(str(made).splitlines()) >= len(made.steps) + 1


def test_a_model_that_shares_rows_answers_as_its_path_does():
    X, y = dataset("votes84")
    model = C45().fit(X, y)
    predicted = model.predict(X)
    for row in range(0, len(y), 7):
        made = path_of_row(model.tree_, model.schema_, model.classes_, X.rows([row]))
        assert made.outcome == predicted[row]


def test_costs_decide_where_a_row_is_shared():
    X, y = dataset("votes84")
    costs = np.array([[0.0, 1.0], [50.0, 0.0]])
    model = C45(costs=costs).fit(X, y)
    about = (model.tree_, model.schema_, model.classes_)
    predicted = model.predict(X)
    for row in range(0, len(y), 7):
        made = path_of_row(*about, X.rows([row]), model.decision_, costs=costs)
        assert made.outcome == predicted[row]


def test_dates_and_numbers_are_written_as_a_person_does():
    days = [datetime.date(2020, 7, day) for day in (15, 16, 18, 19)]
    model = DecisionTreeClassifier(prune=None).fit({"d": days}, list("aabb"))
    about = (model.tree_, model.schema_, model.classes_)
    text = str(path_of_row(*about, Table({"d": days[:1]})))
    assert text.splitlines()[0] == "d is 2020-07-15  ≤ 2020-07-17"
    waits = pd.DataFrame({"wait": pd.to_timedelta([1, 2, 5, 6], unit="D")})
    model = DecisionTreeClassifier(prune=None).fit(waits, list("aabb"))
    about = (model.tree_, model.schema_, model.classes_)
    assert str(path_of_row(*about, Table(waits[:1]))).startswith("wait is 1 days  ≤ 3.5 days")
    single = Table(np.array([[0.1], [0.7]], dtype=np.float32))
    grown = grow(single, ["a", "b"], least=1)
    assert str(path(grown, single.rows([0]))).startswith("x0 is 0.1  ≤ 0.3999")


def test_numbers_are_averaged_over_the_ends():
    grown = grow_dataset("auto-mpg", depth=2, missing="every")
    kinds = {field.name: field.type.kind for field in grown.schema}
    nothing = Table([dict.fromkeys(grown.schema.names)], kinds=kinds)
    made = path(grown, nothing)
    assert len(made.ends) == grown.tree.n_leaves
    assert made.outcome == pytest.approx(grown.target.mean(), abs=1e-5)
    assert made.answer == "23.5146"


def test_many_ends_are_cut_short():
    letters = [f"n{number:03}" for number in range(120)]
    table = Table({"c": letters * 2})
    grown = grow(table, np.arange(240) % 120 % 2, multiway=True, missing="every")
    made = path(grown, Table([{"c": None}], kinds={"c": "category"}))
    assert len(made.ends) == 120
    assert "… 80 more ends, 67 % of the row" in str(made)


def test_a_single_leaf_has_no_steps():
    grown = grow(Table({"x": [1.0, 1.0]}), ["a", "a"])
    made = path(grown, grown.table.rows([0]))
    assert (made.steps, str(made)) == ((), "→ a 100 % of 2")


def test_a_path_may_be_as_long_as_it_likes():
    grown = chain(3_000)
    made = path(grown, grown.table.rows([3_000]))
    assert len(made.steps) == 3_000
    assert str(made).splitlines()[-2] == "x is 3001  > 3000"
