"""Processes from tables, arrays and experience; what is wrong with them is said."""

import numpy as np
import pytest

from branchline.decide import MarkovDecisionProcess, value_iteration
from branchline.errors import DataError, ParameterError

STEPS = {
    "state": ["far", "far", "near", "near"],
    "action": ["walk", "wait", "walk", "wait"],
    "next_state": ["near", "far", "home", "near"],
    "reward": [-1, -1, 10, -1],
}


def test_a_state_without_actions_ends_the_episode():
    process = MarkovDecisionProcess.from_table(STEPS)
    assert process.states == ("far", "home", "near")
    assert process.acting.tolist() == [True, False, True]
    assert value_iteration(process, discount=0.9).values.tolist() == [8.0, 0.0, 10.0]


def test_experience_gives_frequencies_and_mean_rewards():
    seen = {
        "state": ["a", "a", "a", "a"],
        "action": ["go", "go", "go", "stay"],
        "next_state": ["b", "b", "a", "a"],
        "reward": [1.0, 4.0, 1.0, 0.0],
    }
    process = MarkovDecisionProcess.from_experience(seen)
    assert process.reward[0].tolist() == [2.0, 0.0]
    assert process.going_on.toarray()[0] == pytest.approx([1 / 3, 2 / 3])


@pytest.mark.parametrize("order", [[3, 2, 1, 0], [1, 3, 0, 2]])
def test_the_order_of_rows_does_not_matter(order):
    shuffled = {name: [cells[at] for at in order] for name, cells in STEPS.items()}
    one, two = (MarkovDecisionProcess.from_table(rows) for rows in (STEPS, shuffled))
    assert one.states == two.states
    assert (one.going_on.toarray() == two.going_on.toarray()).all()


def test_probabilities_that_do_not_sum_to_one_are_refused_with_their_rows():
    rows = {**STEPS, "p": [1.0, 0.4, 1.0, 1.0]}
    with pytest.raises(DataError, match=r"sum to 0\.4 in state 'far' with action 'wait'") as caught:
        MarkovDecisionProcess.from_table(rows, probability="p")
    assert caught.value.code == "D800"
    assert list(caught.value.rows) == [1]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"reward": [1, None, 2, 3]}, "D804"),
        ({"action": ["walk", None, "walk", "wait"]}, "D804"),
        ({"reward": ["much", "1", "2", "3"]}, "D804"),
    ],
)
def test_cells_that_must_be_known_are_refused(change, code):
    with pytest.raises(DataError) as caught:
        MarkovDecisionProcess.from_table({**STEPS, **change})
    assert caught.value.code == code


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(DataError, match="no column 'act'"):
        MarkovDecisionProcess.from_table(STEPS, action="act")


def test_arrays_of_a_wrong_shape_are_refused():
    with pytest.raises(DataError, match="order"):
        MarkovDecisionProcess.from_arrays(np.ones((2, 3, 3)) / 3, np.ones((2, 3)))


def test_an_environment_that_shows_nothing_is_refused():
    with pytest.raises(ParameterError) as caught:
        MarkovDecisionProcess.from_gymnasium(object())
    assert caught.value.code == "P801"
