"""The cells of a grid of kernels and C: their scores in each fold, and which of them is best.

1. ``values_to_try`` reads a list of numbers that a user gives.
2. A cell's score is its mean over folds; the best cell has the smallest C, then the first kernel,
   on ties. Errors are best when they are small.
3. The best score has the corrected interval of fold scores.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from branchline._arrays import Floats
from branchline._base import FittedState
from branchline._intervals import Interval, corrected_t_interval, equal_scores_interval
from branchline._state import malformed, numbers_from_state
from branchline._validation import Real
from branchline.errors import ParameterError, Repair
from branchline.svm._grid_kernels import KernelSettings

__all__ = ["GridCells", "Scale", "values_to_try"]


@dataclass(frozen=True)
class Scale:
    """The bounds of a score, and whether smaller is better."""

    low: float = 0.0
    high: float = 1.0
    is_error: bool = False


@dataclass(frozen=True, eq=False)
class GridCells:
    """What was tried, the score of each kernel, C and fold, and the number of rows."""

    settings: KernelSettings
    strengths: Floats
    fold_scores: Floats
    n_rows: int
    scale: Scale = Scale()

    @property
    def scores(self) -> Floats:
        """The mean score over folds: a row for each kernel, a column for each C."""
        means: Floats = self.fold_scores.mean(axis=2)
        return means

    @property
    def best(self) -> tuple[int, int]:
        """The place of the best cell: the smallest C, then the first kernel, on ties."""
        scores = -self.scores if self.scale.is_error else self.scores
        room = 1e-12 * (abs(scores.max()) if self.scale.is_error else 1.0)
        setting, strength = np.nonzero(scores >= scores.max() - room)
        order = np.lexsort((setting, strength))[0]
        return int(setting[order]), int(strength[order])

    @property
    def best_strength(self) -> float:
        """The C of the best cell."""
        return float(self.strengths[self.best[1]])

    @property
    def best_score(self) -> float:
        """The mean score of the best cell."""
        return float(self.scores[self.best])

    @property
    def best_interval(self) -> Interval:
        """The mean score of the best cell with the corrected 95 % interval of fold scores."""
        scores, best = self.fold_scores[self.best], self.best_score
        low, high = self.scale.low, self.scale.high
        if len(scores) < 2:
            return Interval(best, low, high)
        if np.ptp(scores) == 0 and (low, high) == (0.0, 1.0):
            return equal_scores_interval(best, self.n_rows)
        found = corrected_t_interval(scores.tolist(), 1 / (len(scores) - 1))
        return Interval(best, max(low, found.low), min(high, found.high))

    def attributes(self) -> dict[str, Any]:
        """Return the cells as attributes of a fitted grid."""
        return {
            "scores_": self.scores,
            "fold_scores_": self.fold_scores,
            "gammas_": self.settings.gammas,
            "strengths_": self.strengths,
            "_cells": self,
        }

    def pack(self) -> dict[str, Any]:
        """Return the cells as a model file holds them."""
        return {
            "fold_scores": self.fold_scores.ravel(),
            "n_folds": self.fold_scores.shape[2],
            "n_rows": self.n_rows,
            "strengths": self.strengths,
            **self.settings.pack(),
        }

    @classmethod
    def unpack(cls, state: FittedState, listed: tuple[Any, ...], scale: Scale) -> Self:
        """Return the cells of a model file, checked."""
        settings, strengths = KernelSettings.unpack(state, listed), _positive(state, "strengths")
        n_folds = state.get("n_folds")
        if type(n_folds) is not int or n_folds < 1:
            raise malformed("a grid has no folds")
        n_rows = state.get("n_rows", n_folds)  # files of version 0.1 do not have it
        if type(n_rows) is not int or n_rows < 1:
            raise malformed("a grid has no rows")
        shape = (len(settings), len(strengths), n_folds)
        flat = numbers_from_state(
            state, "fold_scores", length=int(np.prod(shape)), low=-1e300, high=1e300
        )
        return cls(settings, strengths, flat.reshape(shape), n_rows, scale)


def values_to_try(given: Any, default: tuple[float, ...], name: str) -> Floats:
    """Return the values to try: numbers above 0, rising, each once."""
    listed = list(default) if given is None else list(given)
    are_numbers = all(Real(0.0, low_open=True).allows(value) for value in listed)
    values = np.unique(np.array(listed, dtype=np.float64)) if are_numbers else np.zeros(0)
    if len(values) == 0:
        raise ParameterError(
            f"The {name!r} parameter must be a list of numbers above 0. Got {given!r} instead.",
            code="P183",
            values=[given],
            repair=Repair(f"model.set_params({name}=[0.1, 1, 10, 100])"),
        )
    return values


def _positive(state: FittedState, name: str) -> Floats:
    values = state.get(name)
    if not isinstance(values, np.ndarray) or values.ndim != 1 or values.dtype != np.float64:
        raise malformed(f"{name!r} are not numbers")
    if len(values) == 0 or not (np.isfinite(values) & (values > 0)).all():
        raise malformed(f"{name!r} are not above 0")
    if (np.diff(values) <= 0).any():
        raise malformed(f"{name!r} do not rise")
    return values
