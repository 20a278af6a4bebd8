"""A solved process: the value of each state, the best action, how far values may be off."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from branchline._arrays import Floats, Places
from branchline._plain_numbers import count, number
from branchline._result_frame import Library, result_frame
from branchline.decide._process import MarkovDecisionProcess

__all__ = ["Plan"]

_MOST_SHOWN = 12


@dataclass(frozen=True, eq=False)
class Plan:
    """What to do in each state of a process, and what it is worth.

    Parameters
    ----------
    process
        The process.
    discount
        What a reward is worth one step later.
    values
        The expected sum of discounted rewards from each state on; NaN: it has no limit, and no
        episode comes to the state.
    action_values
        The same when each action is taken first; −∞: not allowed.
    choice
        The position of the action that the policy takes in each state.
    method
        How it was found.
    n_iter
        Number of steps that were made.
    error_bound
        No value is further from the true one than this, up to rounding; NaN with ``discount=1``,
        where value iteration has no such bound.

    See Also
    --------
    evaluate_policy : return the exact value of a policy in every state.
    linear_program : solve a known process as a linear program.
    policy_iteration : solve a known process by policy iteration.

    Examples
    --------
    >>> from branchline.decide import MarkovDecisionProcess, value_iteration
    >>> rows = {
    ...     "state": ["far", "far", "near", "near"],
    ...     "action": ["walk", "wait", "walk", "wait"],
    ...     "next_state": ["near", "far", "home", "near"],
    ...     "reward": [-1, -1, 10, -1],
    ... }
    >>> process = MarkovDecisionProcess.from_table(rows, start="far")
    >>> value_iteration(process, discount=0.9).value_of("near")
    10.0
    """

    process: MarkovDecisionProcess
    discount: float
    values: Floats
    action_values: Floats
    choice: Places
    method: str
    n_iter: int
    error_bound: float

    @classmethod
    def of_values(
        cls,
        process: MarkovDecisionProcess,
        discount: float,
        values: Floats,
        choice: Places,
        method: str,
        n_iter: int,
        bound: float,
    ) -> Self:
        """Return the plan with these values."""
        found = process.action_values(values, discount)
        return cls(process, discount, values, found, choice, method, n_iter, float(bound))

    @property
    def policy(self) -> dict[Any, Any]:
        """The action of each state that has actions, by name."""
        acts = self.process.acting
        return {
            state: self.process.actions[self.choice[at]]
            for at, state in enumerate(self.process.states)
            if acts[at]
        }

    def actions_in_order(self) -> list[Any]:
        """Return an action for every state, as ``evaluate_policy`` takes it."""
        return [self.process.actions[at] for at in self.choice]

    @property
    def start_value(self) -> float:
        """The expected sum of rewards of an episode, over the states in which it may begin."""
        begins = self.process.start > 0
        return float(self.process.start[begins] @ self.values[begins])

    def value_of(self, state: Any) -> float:
        """Return the value of a state by name."""
        return float(self.values[self.process.place_of(state)])

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each state: its action (None: the episode has ended) and its value."""
        names = [self.policy.get(state) for state in self.process.states]
        return result_frame(
            {"state": list(self.process.states), "action": names, "value": self.values}, library
        )

    def __str__(self) -> str:
        lines = [
            f"{count(len(self.policy), 'state')} with actions, {self.method}, discount "
            f"{number(self.discount)}: value at the start {number(self.start_value, 6)}."
        ]
        if np.isfinite(self.error_bound) and self.error_bound > 0:
            lines.append(f"No value is off by more than {number(self.error_bound, 2)}.")
        shown = list(self.policy.items())[:_MOST_SHOWN]
        wide = max((len(str(state)) for state, _ in shown), default=0)
        for state, action in shown:
            lines.append(f"  {state!s:<{wide}}  {action}  ({number(self.value_of(state))})")
        n_more = len(self.policy) - len(shown)
        return "\n".join([*lines, f"  … and {n_more} more"] if n_more > 0 else lines)
