"""Worlds in which policies are tried: processes that are simulated, environments of gymnasium."""

from typing import Any, Protocol

import numpy as np

from branchline._arrays import Bools
from branchline.decide._process import MarkovDecisionProcess
from branchline.errors import ParameterError, Repair

__all__ = ["World", "world_of"]


class World(Protocol):
    """A world with numbered states and actions."""

    states: tuple[Any, ...]
    actions: tuple[Any, ...]
    allowed: Bools

    def reset(self) -> int:
        """Begin an episode; return its first state."""

    def step(self, action: int) -> tuple[int, float, bool, bool]:
        """Act; return the next state, the reward, whether it is the end, whether time is up."""


class _Simulated:
    """A process from which next states are drawn."""

    def __init__(self, process: MarkovDecisionProcess, rng: np.random.Generator) -> None:
        self.states, self.actions, self.allowed = process.states, process.actions, process.allowed
        self._process, self._rng = process, rng
        matrix = process.going_on
        self._sums = np.cumsum(matrix.data)
        self._first, self._after = matrix.indptr, matrix.indices
        self._begin = np.cumsum(process.start)
        self._state = 0

    def reset(self) -> int:
        draw = self._rng.random() * self._begin[-1]
        self._state = int(np.searchsorted(self._begin, draw, side="right"))
        return self._state

    def step(self, action: int) -> tuple[int, float, bool, bool]:
        pair = self._state * len(self.actions) + action
        low, high = self._first[pair], self._first[pair + 1]
        before = self._sums[low - 1] if low else 0.0
        at = int(np.searchsorted(self._sums[low:high], before + self._rng.random(), side="right"))
        pays = float(self._process.reward[self._state, action])
        if at == high - low:  # what is missing from 1 is the end
            return self._state, pays, True, False
        self._state = int(self._after[low + at])
        return self._state, pays, not self.allowed[self._state].any(), False


class _Gymnasium:
    """An environment of gymnasium with countable states and actions."""

    def __init__(self, environment: Any, seed: int) -> None:
        n_states, n_actions = (_n_of(environment, name) for name in _SPACES)
        self.states, self.actions = tuple(range(n_states)), tuple(range(n_actions))
        self.allowed = np.ones((n_states, n_actions), dtype=bool)
        self._environment, self._seed = environment, seed

    def reset(self) -> int:
        state, _ = self._environment.reset(seed=self._seed)
        self._seed = None  # type: ignore[assignment]
        return int(state)

    def step(self, action: int) -> tuple[int, float, bool, bool]:
        state, reward, ended, cut, _ = self._environment.step(action)
        return int(state), float(reward), bool(ended), bool(cut)


_SPACES = ("observation_space", "action_space")


def _n_of(environment: Any, name: str) -> int:
    n_values = getattr(getattr(environment, name, None), "n", None)
    if n_values is None or getattr(getattr(environment, name), "start", 0) != 0:
        raise ParameterError(
            f"The {name} of {type(environment).__name__} is not a Discrete space that begins at 0.",
            code="P801",
            values=[type(environment).__name__],
            repair=Repair("from branchline.decide import FittedQ"),
        )
    return int(n_values)


def world_of(environment: Any, seed: int) -> World:
    """Return the world in which trials are made."""
    if isinstance(environment, MarkovDecisionProcess):
        return _Simulated(environment, np.random.default_rng(seed))
    return _Gymnasium(environment, seed)
