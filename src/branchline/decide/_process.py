"""Markov decision processes: states, actions, what they lead to and what they pay.

1. A process is given as rows (state, action, next state, probability, reward), as arrays, or by an
   environment of gymnasium that shows its transitions.
2. For each state s and action a it keeps the expected reward r(s, a) and the probabilities
   P(s' | s, a) of going on in s'. What is missing from 1 is the probability that the episode ends.
3. A state without actions ends the episode: its value is 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse

from branchline._arrays import AnyArray, Bools, Floats, Places
from branchline._plain_numbers import count
from branchline.decide._listed_transitions import Listed, from_rows, listed_in_environment
from branchline.errors import DataError, ParameterError, Repair

__all__ = ["MarkovDecisionProcess"]

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class MarkovDecisionProcess:
    """States, actions, what they lead to and what they pay.

    Make one with ``from_table``, ``from_arrays`` or ``from_gymnasium``. Solve it with
    ``value_iteration`` or ``policy_iteration``.

    Parameters
    ----------
    states, actions
        The names of states and actions.
    reward
        The expected reward of each action (column) in each state (row).
    allowed
        Whether each action can be taken in each state.
    going_on
        A sparse matrix: a row for each state and action (state by state), a column for each next
        state. Rows sum to at most 1; the rest is the probability that the episode ends.
    start
        The probability that an episode begins in each state.

    See Also
    --------
    value_iteration : solve a known process by value iteration.
    q_learning : learn a policy by trial with Q-learning.

    Examples
    --------
    >>> from branchline.decide import MarkovDecisionProcess, value_iteration
    >>> rows = {
    ...     "state": ["far", "far", "near", "near"],
    ...     "action": ["walk", "wait", "walk", "wait"],
    ...     "next_state": ["near", "far", "home", "near"],
    ...     "reward": [-1, -1, 10, -1],
    ... }
    >>> process = MarkovDecisionProcess.from_table(rows)
    >>> value_iteration(process, discount=0.9).value_of("far")
    8.0
    """

    states: tuple[Any, ...]
    actions: tuple[Any, ...]
    reward: Floats
    allowed: Bools
    going_on: sparse.csr_array
    start: Floats

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        state: str = "state",
        action: str = "action",
        next_state: str = "next_state",
        reward: str = "reward",
        probability: str | None = None,
        done: str | None = None,
        start: Any = None,
    ) -> Self:
        """Return the process that a table lists: a row for each thing that can happen.

        Parameters
        ----------
        table
            A table, frame or mapping of columns.
        state, action, next_state, reward
            The names of its columns.
        probability
            The column with the probability of each row; default: each action leads to one state.
        done
            A column of yes and no: whether the episode ends with this row.
        start
            The state in which episodes begin, or a probability for each state by name; default:
            all states that have actions, equally often.
        """
        names = (state, action, next_state, reward)
        return cls._of_listed(from_rows(table, names, probability, done), start)

    @classmethod
    def from_experience(
        cls,
        table: Any,
        *,
        state: str = "state",
        action: str = "action",
        next_state: str = "next_state",
        reward: str = "reward",
        done: str | None = None,
        start: Any = None,
    ) -> Self:
        """Return the process learned from what happened: frequencies and mean rewards.

        Actions that were never tried in a state are not allowed there. Solving the learned process
        is model-based learning.

        Parameters
        ----------
        table
            A row for each step that was observed.
        state, action, next_state, reward, done, start
            As in ``from_table``; the frequency of a row is its probability.
        """
        names = (state, action, next_state, reward)
        return cls._of_listed(from_rows(table, names, None, done, observed=True), start)

    @classmethod
    def from_arrays(
        cls,
        going_on: Any,
        reward: Any,
        *,
        states: Sequence[Any] | None = None,
        actions: Sequence[Any] | None = None,
        start: Any = None,
    ) -> Self:
        """Return the process of an array of probabilities and one of rewards.

        Parameters
        ----------
        going_on
            Probabilities in the order (action, state, next state). A row whose sum is below 1 ends
            the episode with the rest; a row of zeros in all actions is a state that ends it.
        reward
            Expected rewards in the order (state, action).
        states, actions
            Their names; default: numbers from 0.
        start
            As in ``from_table``.
        """
        given, pays = np.asarray(going_on, dtype=float), np.asarray(reward, dtype=float)
        if given.ndim != 3 or given.shape[1] != given.shape[2] or pays.shape != given.shape[1::-1]:
            raise DataError(
                "Probabilities must have the order (action, state, next state), rewards the order "
                f"(state, action). Got shapes {given.shape} and {pays.shape}.",
                code="D800",
            )
        n_actions, n_states = given.shape[:2]
        moves = given.transpose(1, 0, 2).reshape(n_states * n_actions, n_states)
        ends = np.broadcast_to((given.sum(axis=(0, 2)) <= 0)[:, None], pays.shape)
        listed = Listed(
            tuple(range(n_states)) if states is None else tuple(states),
            tuple(range(n_actions)) if actions is None else tuple(actions),
            np.where(ends, 0.0, pays),
            ~ends,
            sparse.csr_array(moves),
        )
        return cls._of_listed(listed, start)

    @classmethod
    def from_gymnasium(cls, environment: Any) -> Self:
        """Return the process of an environment with countable states that shows its transitions.

        FrozenLake, Taxi and CliffWalking of gymnasium do, under ``unwrapped.P``.
        """
        listed, start = listed_in_environment(environment)
        return cls._of_listed(listed, start)

    @classmethod
    def _of_listed(cls, listed: Listed, start: Any) -> Self:
        sums = np.asarray(listed.going_on.sum(axis=1)).ravel()
        low = float(listed.going_on.data.min(initial=0.0))
        if low < 0 or sums.max(initial=0.0) > 1 + _ROUNDING or not np.isfinite(sums).all():
            worst = int(np.argmax(np.where(np.isfinite(sums), sums, np.inf)))
            state, action = divmod(worst, len(listed.actions))
            raise DataError(
                "Probabilities must be at least 0 and sum to at most 1 for each state and action. "
                f"They sum to {sums[worst]:g} in state {listed.states[state]!r} with action "
                f"{listed.actions[action]!r}.",
                code="D800",
            )
        if not listed.allowed.any():
            raise DataError("No state has an action.", code="D802")
        begin = _start(start, listed.states, np.asarray(listed.allowed.any(axis=1)))
        return cls(
            listed.states, listed.actions, listed.reward, listed.allowed, listed.going_on, begin
        )

    # -- reading ----------------------------------------------------------------------------------

    @property
    def n_states(self) -> int:
        """Number of states."""
        return len(self.states)

    @property
    def n_actions(self) -> int:
        """Number of actions."""
        return len(self.actions)

    @property
    def ending(self) -> Floats:
        """The probability that the episode ends, for each state (row) and action (column)."""
        sums = np.asarray(self.going_on.sum(axis=1)).ravel()
        return np.clip(1.0 - sums, 0.0, 1.0).reshape(self.reward.shape)

    @property
    def acting(self) -> Bools:
        """Whether each state has an action; the others end the episode."""
        return np.asarray(self.allowed.any(axis=1), dtype=bool)

    def action_values(self, values: Floats, discount: float) -> Floats:
        """Return r(s, a) + γ Σ P(s' | s, a) v(s'); −∞ where an action is not allowed."""
        later = (self.going_on @ values).reshape(self.reward.shape)
        return np.where(self.allowed, self.reward + discount * later, -np.inf)

    def rows_of(self, choice: Places) -> tuple[sparse.csr_array, Floats]:
        """Return what a policy leads to and pays: a row for each state; zeros where it ends."""
        acts = self.allowed[np.arange(self.n_states), choice]
        keep = sparse.diags_array(acts.astype(float))
        moves = sparse.csr_array(
            keep @ self.going_on[np.arange(self.n_states) * self.n_actions + choice]
        )
        return moves, np.where(acts, self.reward[np.arange(self.n_states), choice], 0.0)

    def place_of(self, state: Any) -> int:
        """Return the position of a state."""
        return _place(self.states, state, "state")

    def choice_of(self, policy: Any) -> Places:
        """Return a policy (an action for each state, by name or in order) as positions."""
        acting = self.acting
        policy = policy.actions_in_order() if hasattr(policy, "actions_in_order") else policy
        if isinstance(policy, Mapping):
            names = [state for state, acts in zip(self.states, acting, strict=True) if acts]
            if missing := [state for state in names if state not in policy]:
                raise ParameterError(
                    f"The policy names no action for {count(len(missing), 'state')}. A learned "
                    "policy names those that were visited; give what q_learning returned instead.",
                    code="P800",
                    values=missing,
                )
            named = [policy.get(state, self.actions[0]) for state in self.states]
        else:
            named = list(policy)
        if len(named) != self.n_states:
            raise ParameterError(
                f"The policy has {count(len(named), 'action')} for {self.n_states} states.",
                code="P800",
                values=[len(named)],
            )
        choice = np.array([_place(self.actions, one, "action") for one in named], dtype=np.intp)
        wrong = acting & ~self.allowed[np.arange(self.n_states), choice]
        if wrong.any():
            at = int(np.argmax(wrong))
            raise ParameterError(
                f"Action {named[at]!r} is not allowed in state {self.states[at]!r}.",
                code="P800",
                values=[named[at]],
            )
        return choice

    def __repr__(self) -> str:
        return (
            f"MarkovDecisionProcess({count(self.n_states, 'state')}, "
            f"{count(self.n_actions, 'action')})"
        )


def _place(names: tuple[Any, ...], name: Any, what: str) -> int:
    try:
        return names.index(name)
    except ValueError:
        raise ParameterError(
            f"{name!r} is not one of the {count(len(names), what)} of the process.",
            code="P802",
            values=[name],
            repair=Repair(f"process.{what}s"),
        ) from None


def _start(given: Any, states: tuple[Any, ...], acting: Bools) -> Floats:
    """Return the probability of each state to begin with."""
    if given is None:
        return np.asarray(acting / acting.sum(), dtype=np.float64)
    begin = np.zeros(len(states))
    if isinstance(given, Mapping):
        for state, share in given.items():
            begin[_place(states, state, "state")] = share
    elif isinstance(given, np.ndarray):
        begin[:] = given
    else:
        begin[_place(states, given, "state")] = 1.0
    return _shares(begin)


def _shares(begin: AnyArray) -> Floats:
    if not np.isfinite(begin).all() or begin.min() < 0 or not begin.sum() > 0:
        raise DataError(
            "Probabilities of states to begin with must be at least 0, and one above 0.",
            code="D800",
        )
    return np.asarray(begin / begin.sum(), dtype=np.float64)
