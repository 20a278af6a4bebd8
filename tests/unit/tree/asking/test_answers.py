"""What an answer in a dialogue says of a column."""

import pytest

from branchline import Table
from branchline.errors import ParameterError
from branchline.tree import DecisionTreeClassifier

ROWS = Table(
    {"size": [1.0, 2.0, None, 8.0, 9.0, 9.5], "color": ["Red", "red", "red", "b", "b", "b"]}
)


def dialogue_of(column):
    tree = DecisionTreeClassifier(prune=None, correct_for_chance=False)
    return tree.fit(ROWS[[column]], list("aaabbb")).ask()


def test_choices_do_not_speak_of_missing_values():
    assert dialogue_of("size").question.choices == ("yes", "no")
    assert not any("missing" in each for each in dialogue_of("color").question.choices)


@pytest.mark.parametrize(
    ("answer", "predicted"), [("Y", "a"), ("NO", "b"), (True, "a"), ("9", "b")]
)
def test_thresholds_take_yes_no_and_numbers_in_any_letters(answer, predicted):
    assert dialogue_of("size").answer(answer).prediction == predicted


def test_a_category_in_other_letters_counts_where_only_one_fits():
    assert dialogue_of("color").answer("B").prediction == "b"
    with pytest.raises(ParameterError, match="Possible answers: Red, b, red; no answer means"):
        dialogue_of("color").answer("RED")


def test_an_answer_that_is_none_says_what_would_be_one():
    with pytest.raises(ParameterError, match="yes, no, or the number itself"):
        dialogue_of("size").answer("large")
