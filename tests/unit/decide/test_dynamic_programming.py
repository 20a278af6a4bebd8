"""Known processes: printed values, brute force over all policies, agreement of three methods."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline.decide import (
    MarkovDecisionProcess,
    evaluate_policy,
    linear_program,
    policy_iteration,
    value_iteration,
)
from branchline.errors import DataError, ParameterError

SOLVERS = [value_iteration, policy_iteration, linear_program]
LAKE = ["SFFF", "FHFH", "FFFH", "HFFG"]
MOVES = [(0, -1), (1, 0), (0, 1), (-1, 0)]


def frozen_lake() -> MarkovDecisionProcess:
    """Gymnasium's slippery 4 × 4 lake, written down from its rules."""
    rows: dict[str, list] = {name: [] for name in
                             ("state", "action", "next_state", "reward", "p", "done")}  # fmt: skip
    for row, column, action in product(range(4), range(4), range(4)):
        if LAKE[row][column] in "HG":
            continue
        for slip in (-1, 0, 1):
            down, right = MOVES[(action + slip) % 4]
            after = min(max(row + down, 0), 3), min(max(column + right, 0), 3)
            mark = LAKE[after[0]][after[1]]
            new = (4 * row + column, action, 4 * after[0] + after[1], float(mark == "G"), 1 / 3)
            for name, cell in zip(rows, (*new, mark in "HG"), strict=True):
                rows[name].append(cell)
    return MarkovDecisionProcess.from_table(rows, probability="p", done="done", start=0)


def cliff() -> MarkovDecisionProcess:
    rows: dict[str, list] = {n: [] for n in ("state", "action", "next_state", "reward", "done")}
    for row, column, action in product(range(4), range(12), range(4)):
        if row == 3 and column > 0:
            continue
        down, right = MOVES[action]
        after = min(max(row + down, 0), 3), min(max(column + right, 0), 11)
        falls, is_goal = after[0] == 3 and 0 < after[1] < 11, after == (3, 11)
        place = 36 if falls else 12 * after[0] + after[1]
        new = (12 * row + column, action, place, -100.0 if falls else -1.0, is_goal)
        for name, cell in zip(rows, new, strict=True):
            rows[name].append(cell)
    return MarkovDecisionProcess.from_table(rows, done="done", start=36)


@pytest.mark.parametrize("solve", SOLVERS)
def test_values_of_the_textbook_grids(solve):
    assert solve(frozen_lake(), discount=1.0).start_value == pytest.approx(14 / 17, abs=1e-6)
    assert solve(cliff(), discount=1.0).start_value == pytest.approx(-13, abs=1e-9)


@pytest.mark.parametrize("solve", SOLVERS)
def test_the_policy_has_the_value_that_is_told_also_where_waiting_is_as_good(solve):
    plan = solve(cliff(), discount=1.0)
    assert evaluate_policy(cliff(), plan.policy, discount=1.0).start_value == pytest.approx(-13)
    lake = solve(frozen_lake(), discount=1.0)
    again = evaluate_policy(frozen_lake(), lake.policy, discount=1.0)
    assert again.start_value == pytest.approx(14 / 17, abs=1e-6)


@st.composite
def processes(draw):
    n_states, n_actions = draw(st.integers(2, 4)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    moves = rng.random((n_actions, n_states, n_states)) * (
        rng.random((n_actions, n_states, n_states)) < 0.7
    )
    moves /= np.maximum(moves.sum(axis=2, keepdims=True), 1e-9) * rng.choice([1.0, 1.25])
    return MarkovDecisionProcess.from_arrays(moves, rng.normal(size=(n_states, n_actions)))


@given(processes(), st.sampled_from([0.0, 0.5, 0.9, 0.99]))
def test_all_methods_equal_the_best_of_all_policies(process, discount):
    best = np.full(process.n_states, -np.inf)
    for policy in product(range(process.n_actions), repeat=process.n_states):
        allowed = process.allowed[np.arange(process.n_states), list(policy)] | ~process.acting
        if allowed.all():
            best = np.maximum(best, evaluate_policy(process, policy, discount=discount).values)
    for solve in SOLVERS:
        assert solve(process, discount=discount).values == pytest.approx(best, abs=1e-6)


@given(processes())
def test_no_value_is_further_off_than_the_bound(process):
    exact = policy_iteration(process, discount=0.9).values
    rough = value_iteration(process, discount=0.9, tolerance=0.05)
    assert np.abs(rough.values - exact).max() <= rough.error_bound + 1e-9


def test_a_loop_that_pays_for_ever_is_refused_without_discount():
    rows = {"state": ["a"], "action": ["stay"], "next_state": ["a"], "reward": [1.0]}
    process = MarkovDecisionProcess.from_table(rows)
    assert value_iteration(process, discount=0.5).value_of("a") == pytest.approx(2)
    for solve in SOLVERS:
        with pytest.raises(DataError) as caught:
            solve(process, discount=1.0)
        assert caught.value.code == "D801"
    with pytest.raises(DataError) as caught:
        evaluate_policy(process, {"a": "stay"}, discount=1.0)
    assert caught.value.repair.python == "evaluate_policy(process, policy, discount=0.99)"


def test_a_policy_that_does_not_fit_is_refused():
    process = cliff()
    with pytest.raises(ParameterError, match="names no action"):
        evaluate_policy(process, {36: 0})
    with pytest.raises(ParameterError, match="is not one of"):
        evaluate_policy(process, ["up"] * process.n_states)


def test_states_to_which_no_episode_comes_need_no_limit():
    rows = {"state": ["a", "b", "b", "c"], "action": ["go", "go", "stay", "go"],
            "next_state": ["end", "a", "b", "b"], "reward": [-1.0] * 4}  # fmt: skip
    process = MarkovDecisionProcess.from_table(rows, start="a")
    plan = evaluate_policy(process, {"a": "go", "b": "stay", "c": "go"}, discount=1.0)
    assert plan.start_value == -1
    assert np.isnan([plan.value_of("b"), plan.value_of("c")]).all()
    anywhere = MarkovDecisionProcess.from_table(rows, start="c")
    with pytest.raises(DataError) as caught:
        evaluate_policy(anywhere, {"a": "go", "b": "stay", "c": "go"}, discount=1.0)
    assert caught.value.code == "D801"
    assert set(caught.value.values) == {"b", "c"}


def test_what_is_paid_before_a_rest_for_ever_counts():
    rows = {"state": ["a", "b"], "action": ["go", "go"], "next_state": ["b", "b"],
            "reward": [5.0, 0.0]}  # fmt: skip
    process = MarkovDecisionProcess.from_table(rows, start="a")
    assert evaluate_policy(process, ["go", "go"], discount=1.0).start_value == 5
