"""Lists of rules: reading them, and predicting with them."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

from branchline import Table
from branchline._trees._tree_arrays import Scale
from branchline.errors import DataError, ParameterError
from branchline.tree.reading._rules import tree_to_rules
from branchline.tree.reading._simplify_rules import simplify_rules
from grown_trees import grow, grow_dataset


def rules_of(name, **options):
    return tree_to_rules(*grow_dataset(name, **options).words)


def test_outcomes_stand_below_one_another():
    assert rules_of("tennis", multiway=True).to_text().splitlines() == [
        "IF outlook is overcast                     THEN yes  (4 rows, 100 %)",
        "IF outlook is rain AND wind is strong      THEN no   (2 rows, 100 %)",
        "IF outlook is rain AND wind is weak        THEN yes  (3 rows, 100 %)",
        "IF outlook is sunny AND humidity is high   THEN no   (3 rows, 100 %)",
        "IF outlook is sunny AND humidity is normal THEN yes  (2 rows, 100 %)",
        "OTHERWISE IF outlook is sunny              THEN no   (5 rows, 60 %)",
        "OTHERWISE IF outlook is rain               THEN yes  (5 rows, 60 %)",
        "OTHERWISE                                       yes  (14 rows, 64 %)",
    ]


def test_a_wide_rule_goes_on_in_a_second_line():
    lines = rules_of("iris", depth=3).to_text(width=77).splitlines()
    assert lines[1:3] == [
        "IF (2.45 < petal_length ≤ 4.95 or missing)",
        "   AND (petal_width ≤ 1.65 or missing)     THEN versicolor  (47 rows, 100 %)",
    ]
    narrow = rules_of("iris", depth=3).to_text(width=10).splitlines()
    assert narrow[1:4] == [
        "IF (2.45 < petal_length ≤ 4.95 or missing)",
        "   AND (petal_width ≤ 1.65 or missing)",
        "                               THEN versicolor  (47 rows, 100 %)",
    ]
    assert max(map(len, rules_of("heart", depth=4).to_text(100).splitlines())) <= 100


def test_a_condition_with_an_or_stands_in_brackets_only_beside_others():
    first, second = rules_of("iris", depth=1)
    assert str(first) == "IF petal_length ≤ 2.45 THEN setosa  (50 rows, 100 %)"
    assert str(second).startswith("IF petal_length > 2.45 or missing THEN")


def test_an_ordered_list_says_so():
    grown = grow_dataset("heart", depth=4)
    simple = simplify_rules(tree_to_rules(*grown.words), grown.table, grown.target)
    assert simple.to_text().startswith("The first rule that holds decides.\n\nIF ")
    assert simple.to_text().splitlines()[-1].startswith("OTHERWISE ")


def test_a_list_is_a_sequence():
    rules = rules_of("tennis", multiway=True)
    assert len(rules) == 7
    assert rules[0].outcome == "yes"
    assert [rule.outcome for rule in rules[:2]] == ["yes", "no"]
    assert rules[-1] in rules
    assert repr(rules) == "RuleList(7 rules, 11 conditions)"


@pytest.mark.parametrize(("library", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_a_frame_has_one_row_a_rule(library, frame):
    made = rules_of("tennis", multiway=True).to_frame(library)
    assert isinstance(made, frame)
    assert made.shape == (8, 6)
    assert list(made["support"])[:2] == [4.0, 2.0]
    assert list(made["conditions"])[1] == "outlook is rain AND wind is strong"
    numbers = rules_of("auto-mpg", depth=2).to_frame(library)
    assert list(numbers.columns)[:4] == ["conditions", "outcome", "support", "deviation"]


def test_an_unknown_library_is_refused_with_the_known_ones():
    with pytest.raises(ParameterError, match="'pandas', 'polars'"):
        rules_of("tennis").to_frame("numpy")


def test_dictionaries_are_plain_data():
    for name in ("titanic", "auto-mpg"):
        rules = rules_of(name, depth=3)
        written = json.loads(json.dumps(rules.to_dicts(), allow_nan=False))
        assert written == rules.to_dicts()
        assert [each["text"] for each in written] == [str(rule) for rule in rules.shown()]


def test_any_kind_of_table_is_predicted_by_column_name():
    grown = grow_dataset("iris", depth=3)
    rules = tree_to_rules(*grown.words)
    frame = grown.table.to_pandas()[list(reversed(grown.schema.names))]
    assert (rules.predict(frame) == rules.predict(grown.table)).all()
    with pytest.raises(DataError, match="lacks 1 of the 4 columns"):
        rules.predict(frame.drop(columns="petal_width"))


def test_class_names_keep_their_type():
    X = Table({"x": [0.0, 1.0, 2.0, 3.0]})
    for y in (np.array([7, 7, 9, 9]), np.array([False, False, True, True]), np.array(list("aabb"))):
        grown = grow(X, y)
        predicted = tree_to_rules(*grown.words).predict(X)
        assert predicted.dtype == y.dtype
        assert (predicted == y).all()


def test_several_outputs_are_predicted_together():
    X = Table({"x": [0.0, 1.0, 2.0, 3.0]})
    y = np.array([[1.0, 10], [1, 10], [2, 30], [2, 30]])
    rules = tree_to_rules(*grow(X, y).words)
    assert rules.predict(X) == pytest.approx(y, abs=1e-5)
    assert rules[0].outcome == pytest.approx((1, 10), abs=1e-5)
    assert str(rules[0]).endswith("THEN 1, 10  (2 rows, ± 0, 0)")
    assert rules.to_frame()["deviation"][0] == [0.0, 0.0]


def test_numbers_have_no_probabilities():
    with pytest.raises(AttributeError, match="no probabilities"):
        rules_of("auto-mpg", depth=1).predict_proba(grow_dataset("auto-mpg", depth=1).table)


def test_weights_that_are_not_whole_are_shown_as_they_are():
    grown = grow(Table({"x": [0.0, 1.0]}), ["a", "b"], least=1)
    light = replace(grown.tree, scale=Scale(0.25))
    assert "(0.25 rows, 100 %)" in str(tree_to_rules(light, grown.schema, grown.classes))
