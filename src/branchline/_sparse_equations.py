"""Equations A X = B of a sparse, symmetric, positive definite A, by conjugate gradients.

All columns of B go at once, each with steps of its own; the diagonal of A is the preconditioner.
One thread and a fixed order of sums: the same bits on any number of cores.
"""

from typing import Any

import numpy as np

from branchline._arrays import Floats

__all__ = ["solve_sparse"]

_TOLERANCE = 1e-10
_MOST_STEPS = 20_000


def solve_sparse(matrix: Any, right: Floats, start: Floats | None = None) -> Floats:
    """Return X with A X = B to ten digits of B's length, column by column."""
    solution = np.zeros_like(right) if start is None else start.copy()
    inverse = (1.0 / matrix.diagonal())[:, None]
    rest = right - matrix @ solution
    least = _TOLERANCE * np.sqrt((right**2).sum(axis=0))
    scaled = inverse * rest
    way, size = scaled.copy(), (rest * scaled).sum(axis=0)
    for _ in range(_MOST_STEPS):
        goes_on = np.sqrt((rest**2).sum(axis=0)) > least
        if not goes_on.any():
            break
        image = matrix @ way
        curve = (way * image).sum(axis=0)
        step = np.where(goes_on & (curve > 0), size / np.where(curve > 0, curve, 1.0), 0.0)
        solution += step * way
        rest -= step * image
        scaled = inverse * rest
        before, size = size, (rest * scaled).sum(axis=0)
        way = scaled + np.where(before > 0, size / np.where(before > 0, before, 1.0), 0.0) * way
    return solution
