"""Selectors by name and number."""

import pytest

from branchline.errors import ParameterError
from branchline.features import (
    SELECTOR_NAMES,
    RankSelector,
    SequentialSelector,
    ShadowSelector,
    make_selector,
    selector_words,
)
from branchline.features._criteria import CRITERIA
from branchline.features._selector_names import CRITERION_NAMES


def test_the_names_of_criteria_are_those_of_rankings():
    assert set(CRITERION_NAMES) == set(CRITERIA)


@pytest.mark.parametrize("name", SELECTOR_NAMES)
def test_every_name_makes_a_selector(name):
    made = make_selector(name, task="classification", random_state=7)
    parameters = made.get_params()
    assert parameters["task"] == "classification"
    assert parameters.get("random_state", 7) == 7
    assert parameters.get("n_columns", "auto") == "auto"


@pytest.mark.parametrize(
    ("words", "number"),
    [("relief:10", 10), ("relief:25%", 0.25), ("relief:0.5", 0.5), ("f : auto", "auto")],
)
def test_a_number_follows_a_colon(words, number):
    assert make_selector(words).n_columns == number


def test_directions_and_learners():
    made = make_selector("floating:3", estimator="naive_bayes")
    assert isinstance(made, SequentialSelector)
    assert (made.direction, made.n_columns, made.estimator) == ("floating", 3, "naive_bayes")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("releif", "P620"),
        ("", "P620"),
        ("shadow:5", "P621"),
        ("relief:0", "P621"),
        ("relief:-3", "P621"),
        ("relief:many", "P621"),
        ("relief:150%", "P621"),
        (5, "P620"),
    ],
)
def test_wrong_names_and_numbers_are_refused(words, code):
    with pytest.raises(ParameterError) as error:
        make_selector(words)
    assert error.value.code == code


def test_a_wrong_name_lists_the_choices_and_the_nearest():
    with pytest.raises(ParameterError, match="Did you mean 'relief'") as error:
        make_selector("releif:5")
    assert all(name in error.value.message for name in SELECTOR_NAMES)
    assert error.value.repair.flag == "--select relief:5"


def test_a_learner_is_refused_where_none_is_used():
    with pytest.raises(ParameterError) as error:
        make_selector("markov_blanket", estimator="tree")
    assert error.value.code == "P622"


def test_a_selector_is_copied_and_told_the_task():
    own = RankSelector(n_columns=2)
    made = make_selector(own, task="regression")
    assert made is not own
    assert (made.task, own.task) == ("regression", "auto")
    assert make_selector(ShadowSelector(task="regression"), task="classification").task == (
        "regression"
    )


def test_words():
    assert selector_words("relief") == "relief:auto"
    assert selector_words("shadow") == "shadow"
    assert selector_words(RankSelector(n_columns=2)) == "RankSelector(n_columns=2)"
