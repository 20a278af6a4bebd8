"""Decisions: exact values, learning by trial, fitted Q, intervals of policies from tables."""

import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.reproductions._shown import Shown
from branchline.decide import (
    MarkovDecisionProcess,
    evaluate_off_policy,
    evaluate_policy,
    linear_program,
    policy_iteration,
    q_learning,
    sarsa,
    value_iteration,
)
from branchline.errors import DataError

__all__ = ["PARTS"]

_WORLDS = {"FrozenLake-v1": 14 / 17, "Taxi-v4": 7.93, "CliffWalking-v1": -13.0}
_EXPLORES = 0.1
_LEARNED = {"n_episodes": 20_000, "discount": 0.999}


def plans(n_draws: int) -> list[Shown]:
    """FrozenLake, Taxi and CliffWalking, solved exactly and by trial."""
    try:
        import gymnasium
    except ImportError:
        return []
    lines, n_draws = [], min(n_draws, 5)
    for name, truth in _WORLDS.items():
        process = MarkovDecisionProcess.from_gymnasium(gymnasium.make(name))
        solvers = (value_iteration, policy_iteration, linear_program)
        values = [solve(process, discount=1.0).start_value for solve in solvers]
        off = max(abs(value - truth) for value in values)
        lines.append(Shown(f"{name}, three solvers", f"{truth:.6g} to 1e-6",
                           f"off by {off:.1e}", off < 1e-6))  # fmt: skip
        lines.append(_tried(f"{name}, q_learning", process, process, q_learning,
                            (0.5, 0.0), n_draws))  # fmt: skip
        # SARSA learns what a policy is worth that goes on exploring, so it is judged by that.
        exploring = _exploring(process, _EXPLORES)
        lines.append(_tried(f"{name}, sarsa, as it explores", process, exploring, sarsa,
                            (_EXPLORES, _EXPLORES), n_draws))  # fmt: skip
    return lines


def _tried(
    what: str, process: Any, judged: Any, learn: Any, explores: tuple[float, float], n_draws: int
) -> Shown:
    """Return how near the learned policies are to the best one, both valued exactly."""
    truth = policy_iteration(judged, discount=1.0).start_value
    given = {**_LEARNED, "exploration": explores[0], "last_exploration": explores[1]}
    began = time.process_time()
    found = [_worth(judged, learn(process, random_state=seed, **given)) for seed in range(n_draws)]
    seconds = (time.process_time() - began) / n_draws
    near = sum(value >= truth - 0.01 * abs(truth) for value in found)
    words = f"{near} of {n_draws} seeds, least {min(found):.4g}, {seconds:.1f} s each"
    return Shown(what, f"within 1 % of {truth:.4g}", words, near == n_draws)


def _exploring(process: MarkovDecisionProcess, share: float) -> MarkovDecisionProcess:
    """Return the process of a policy that takes any action, all alike, with some probability."""
    n_states, n_actions = process.reward.shape
    mixed = (1 - share) * np.eye(n_actions) + share / n_actions
    moves = sparse.csr_array(sparse.kron(sparse.eye_array(n_states), mixed) @ process.going_on)
    return replace(process, going_on=moves, reward=process.reward @ mixed.T)


def _worth(process: MarkovDecisionProcess, policy: Any) -> float:
    try:
        return evaluate_policy(process, policy, discount=1.0).start_value
    except DataError:  # episodes go on for ever
        return -np.inf


# -- policies from tables -------------------------------------------------------------------------

_DISCOUNT = 0.9


def _process(seed: int) -> MarkovDecisionProcess:
    """Return a random process of eight states in a line of numbers, three actions, and an end."""
    draws = np.random.default_rng(seed)
    moves = draws.dirichlet(np.full(8, 0.4), (3, 8)) * 0.9
    return MarkovDecisionProcess.from_arrays(moves, draws.normal(size=(8, 3)))


def _table(process: MarkovDecisionProcess, n_episodes: int, draws: Any) -> dict[str, Any]:
    """Return what a random policy did, with the probability of each action."""
    moves = process.going_on.toarray().reshape(process.n_states, process.n_actions, -1)
    rows: dict[str, list[Any]] = {name: [] for name in ("state", "action", "reward", "next_state",
                                                        "done", "episode", "p")}  # fmt: skip
    acting = np.linspace(0.2, 0.4, process.n_states)
    for episode in range(n_episodes):
        state, ended = int(draws.integers(process.n_states)), False
        while not ended:
            shares = np.array([acting[state], 0.6 - acting[state], 0.4])
            action = int(draws.choice(3, p=shares))
            after = np.append(moves[state, action], 1 - moves[state, action].sum())
            following = int(draws.choice(len(after), p=np.maximum(after, 0)))
            ended = following == process.n_states
            pay = process.reward[state, action] + 0.5 * draws.normal()
            new = (state, action, pay, state if ended else following, ended, episode,
                   shares[action])  # fmt: skip
            for column, cell in zip(rows.values(), new, strict=True):
                column.append(cell)
            state = following
    return {name: np.array(column) for name, column in rows.items()}


def off_policy(n_draws: int) -> list[Shown]:
    """Intervals of what a policy is worth, from tables of random processes."""
    held: dict[str, list[bool]] = {}
    for seed in range(5 * n_draws):
        process, draws = _process(seed % 10), np.random.default_rng([seed, 7])
        policy = policy_iteration(process, discount=_DISCOUNT)
        if seed % 2:  # a policy that is not the best one
            policy = evaluate_policy(process, draws.integers(0, 3, 8).tolist(), discount=_DISCOUNT)
        truth = evaluate_policy(process, policy, discount=_DISCOUNT).start_value
        chosen = np.array(policy.actions_in_order())
        given = _table(process, 100, draws)
        columns = {name: column for name, column in given.items() if name != "p"}
        for name, options in (("fitted", {"method": "fitted"}),
                              ("importance, probabilities known",
                               {"method": "importance", "probability": given["p"]}),
                              ("importance, estimated", {"method": "importance"})):  # fmt: skip
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = evaluate_off_policy(
                    columns, lambda states, chosen=chosen: chosen[_states(states)],
                    discount=_DISCOUNT, episode="episode", **options,
                ).value  # fmt: skip
            held.setdefault(name, []).append(found.low <= truth <= found.high)
    return [
        Shown(f"95 % intervals of policies, {name}, {len(hits)} draws", "0.92 to 0.98",
              f"{np.mean(hits):.3f}", bool(0.92 <= np.mean(hits) <= 0.98))
        for name, hits in held.items()
    ]  # fmt: skip


def _states(states: Any) -> Any:
    return np.asarray(states.column("state").to_list(), dtype=int)


PARTS = {"plans": plans, "off-policy": off_policy}
