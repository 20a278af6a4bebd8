"""Directions of most variance of a matrix with weights, and with missing cells.

C = Σ w x xᵀ / Σ w over centered rows x; its eigenvectors u_1, u_2, … are the axes, its eigenvalues
λ their variances. With more terms than rows the products of rows are decomposed instead.

Missing cells are filled by the axes themselves (Josse and Husson 2012): fill with the mean, find k
axes, fill with their reconstruction, shrunk by the variance that the other axes have on average;
again, until nothing changes. A new row with missing cells is placed by its known terms t alone:
z = (Uₜᵀ Uₜ + σ² / λ)⁻¹ Uₜᵀ x_t, with σ² the mean variance beyond the k axes.
"""

from dataclasses import dataclass

import numpy as np

from branchline._arrays import Floats
from branchline._long_algebra import eigh
from branchline._one_thread import one_thread

__all__ = ["Axes", "axes_of", "filled_by_axes", "place_rows", "variances_of"]

_MOST_TURNS = 200
_SETTLED = 1e-6
_NOTHING = 1e-12
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Axes:
    """All axes of a matrix: directions in columns, with their variances, the largest first."""

    directions: Floats
    variances: Floats

    def first(self, n_axes: int) -> "Axes":
        """Return the axes of most variance."""
        return Axes(self.directions[:, :n_axes], self.variances[:n_axes])

    def noise_beyond(self, n_axes: int) -> float:
        """Return the mean variance of the terms that the first axes do not explain."""
        n_left = len(self.directions) - n_axes
        return float(self.variances[n_axes:].sum()) / n_left if n_left > 0 else 0.0


@one_thread
def axes_of(matrix: Floats, weights: Floats) -> Axes:
    """Return the axes of centered rows; the largest entry of each direction is above 0."""
    rows = matrix * np.sqrt(weights / weights.sum())[:, None]
    n_rows, n_terms = rows.shape
    if n_terms <= n_rows:
        values, directions = eigh(rows.T @ rows)
        values, directions = values[::-1], directions[:, ::-1]
    else:
        values, left = eigh(rows @ rows.T)
        values, left = values[::-1], left[:, ::-1]
        roots = np.sqrt(np.maximum(values, 0.0))
        is_real = roots > _NOTHING**0.5 * roots.max(initial=0.0)
        values, directions = values[is_real], rows.T @ (left[:, is_real] / roots[is_real])
    kept = values > _NOTHING * values.max(initial=0.0)
    values, directions = values[kept], directions[:, kept]
    if not len(values):  # nothing varies: one axis on which all rows lie at 0
        return Axes(np.zeros((n_terms, 1)), np.zeros(1))
    largest = np.abs(directions).argmax(axis=0)
    signs = np.where(directions[largest, np.arange(len(values))] < 0, -1.0, 1.0)
    return Axes(np.ascontiguousarray(directions * signs), values)


@one_thread
def variances_of(matrix: Floats, weights: Floats) -> Floats:
    """Return the variances of all axes, the largest first."""
    rows = matrix * np.sqrt(weights / weights.sum())[:, None]
    small = rows.T @ rows if rows.shape[1] <= rows.shape[0] else rows @ rows.T
    return np.maximum(eigh(small)[0][::-1], 0.0)


def filled_by_axes(matrix: Floats, weights: Floats, n_axes: int) -> Floats:
    """Return the rows with missing cells filled by the first axes."""
    missing = ~np.isfinite(matrix)
    if not missing.any():
        return matrix
    filled = np.where(missing, 0.0, matrix)
    for _ in range(_MOST_TURNS):
        every = axes_of(filled - weights @ filled / weights.sum(), weights)
        axes, noise = every.first(n_axes), every.noise_beyond(n_axes)
        shrunk = np.maximum(axes.variances - noise, 0.0) / np.maximum(axes.variances, _TINY)
        guess = ((filled @ axes.directions) * shrunk) @ axes.directions.T
        change = float(np.abs(guess - filled)[missing].max())
        filled = np.where(missing, guess, matrix)
        if change < _SETTLED:
            break
    return filled


def place_rows(matrix: Floats, axes: Axes, noise: float) -> Floats:
    """Return where rows lie on the axes, from the terms that are known."""
    known = np.isfinite(matrix)
    whole = known.all(axis=1)
    placed = np.zeros((len(matrix), len(axes.variances)))
    placed[whole] = matrix[whole] @ axes.directions
    for row in np.flatnonzero(~whole):
        here = axes.directions[known[row]]
        strength = here.T @ here + np.diag(max(noise, _NOTHING) / np.maximum(axes.variances, _TINY))
        placed[row] = np.linalg.solve(strength, here.T @ matrix[row, known[row]])
    return placed
