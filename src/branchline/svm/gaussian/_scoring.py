"""Least value of minus a log likelihood between bounds, in few evaluations.

1. Variables at a bound that would leave are held there; the others are free.
2. The step of the free ones is −(F + μ diag F + floor)⁻¹ g, with the average information F, which
   the likelihood gives with each point, and is no longer than ``_LONGEST`` in any variable.
3. When the value falls, the step is taken and μ divided by 10; else μ is multiplied by 4
   (Levenberg and Marquardt).
4. It ends when a step is expected to gain less than ``_LEAST_GAIN``.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from branchline._arrays import Floats

__all__ = ["Box", "End", "Likelihood", "least"]

_FLOOR, _LONGEST = 1e-6, 2.0
_LEAST_GAIN = 1e-5
_FIRST, _SMALLEST, _LARGEST = 1e-2, 1e-6, 1e6
_ENOUGH = 0.05


class Likelihood(Protocol):
    """Minus a log likelihood."""

    def __call__(self, values: Floats) -> tuple[float, Floats]:
        """Return its value and its derivatives."""

    def information(self, values: Floats) -> Floats:
        """Return the average information at the values that it was last called with."""


@dataclass(frozen=True, eq=False)
class Box:
    """Where a search begins, and the bounds of its variables."""

    start: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class End:
    """Where a search ended, and its value."""

    values: Floats
    value: float


def least(likelihood: Likelihood, box: Box, most_steps: int) -> End:
    """Return the least value between the bounds, in at most ``most_steps`` evaluations."""
    at = np.clip(box.start, box.low, box.high)
    value, slope = likelihood(at)
    matrix, damping = likelihood.information(at), _FIRST
    for _ in range(most_steps):
        step = _step(at, slope, matrix, box, damping)
        promised = -float(slope @ step) - 0.5 * float(step @ matrix @ step)
        if promised < _LEAST_GAIN:
            break
        new = at + step
        new_value, new_slope = likelihood(new)
        if value - new_value > _ENOUGH * promised:
            at, value, slope = new, new_value, new_slope
            matrix, damping = likelihood.information(at), max(_SMALLEST, damping / 10)
        else:
            damping *= 4
            if damping > _LARGEST:
                break
    return End(at, value)


def _step(at: Floats, slope: Floats, matrix: Floats, box: Box, damping: float) -> Floats:
    """Return where to go: a damped step of the variables that are free."""
    is_free = ~(((at <= box.low) & (slope > 0)) | ((at >= box.high) & (slope < 0)))
    step = np.zeros(len(at))
    for _ in range(len(at)):
        free = np.flatnonzero(is_free)
        if len(free) == 0:
            break
        inner = matrix[np.ix_(free, free)].copy()
        inner[np.diag_indices_from(inner)] += damping * np.diag(inner) + _FLOOR
        step[:] = 0.0
        step[free] = np.clip(-np.linalg.solve(inner, slope[free]), -_LONGEST, _LONGEST)
        beyond = (at + step < box.low) | (at + step > box.high)
        at_bound = (at <= box.low) | (at >= box.high)
        stuck = is_free & beyond & at_bound  # others would move as if it could leave
        if not stuck.any():
            break
        is_free &= ~stuck
    inside: Floats = np.clip(at + step, box.low, box.high) - at
    return inside
