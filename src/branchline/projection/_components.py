"""Directions of most variance of a matrix with weights, and with missing cells.

C = Σ w x xᵀ / Σ w over centered rows x; its eigenvectors u_1, u_2, … are the axes, its eigenvalues
λ their variances. With more terms than rows the products of rows are decomposed instead. Of a
large table only the first axes are found, by Lanczos' method, to the last digits.

Missing cells are filled by the axes themselves (Josse and Husson 2012): fill with the mean, find k
axes, fill with their reconstruction, shrunk by the variance that the other axes have on average;
again, until nothing changes. A new row with missing cells is placed by its known terms t alone:
z = (Uₜᵀ Uₜ + σ² / λ)⁻¹ Uₜᵀ x_t, with σ² the mean variance beyond the k axes.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from branchline._arrays import Floats
from branchline._long_algebra import eigh
from branchline._one_thread import one_thread

__all__ = [
    "Axes",
    "axes_of",
    "correlation_table",
    "filled_by_axes",
    "largest_variance",
    "place_rows",
]

_MOST_TURNS = 200
_LARGE = 600  # rows and terms; only first axes are found beyond it
_MANY = 200  # rows and terms, beyond which the first axis is found by products
_THREE_DIGITS = 1e-4
_SETTLED = 1e-6
_NOTHING = 1e-12
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Axes:
    """Axes of a matrix: directions in columns, with their variances, the largest first.

    Parameters
    ----------
    directions, variances
        The axes.
    beyond
        The variance of the axes that were not looked for.
    """

    directions: Floats
    variances: Floats
    beyond: float = 0.0

    @property
    def total(self) -> float:
        """The variance of all axes."""
        return float(self.variances.sum()) + self.beyond

    def first(self, n_axes: int) -> "Axes":
        """Return the axes of most variance."""
        left = self.beyond + float(self.variances[n_axes:].sum())
        return Axes(self.directions[:, :n_axes], self.variances[:n_axes], left)

    def noise_beyond(self, n_axes: int) -> float:
        """Return the mean variance of the terms that the first axes do not explain."""
        n_left = len(self.directions) - n_axes
        left = self.beyond + float(self.variances[n_axes:].sum())
        return left / n_left if n_left > 0 else 0.0


@one_thread
def axes_of(matrix: Floats, weights: Floats, most: int | None = None) -> Axes:
    """Return the axes of centered rows; the largest entry of each direction is above 0.

    Of a large table only the first ``most`` axes are returned, if it is given.
    """
    rows = matrix * np.sqrt(weights / weights.sum())[:, None]
    is_wide = rows.shape[1] > rows.shape[0]
    values, sides, is_whole = _largest(rows.T if is_wide else rows, most)
    kept = values > _NOTHING * values.max(initial=0.0)
    values, directions = values[kept], sides[:, kept]
    if not len(values):  # nothing varies: one axis on which all rows lie at 0
        return Axes(np.zeros((rows.shape[1], 1)), np.zeros(1))
    if is_wide:
        directions = rows.T @ (directions / np.sqrt(values))
    largest = np.abs(directions).argmax(axis=0)
    signs = np.where(directions[largest, np.arange(len(values))] < 0, -1.0, 1.0)
    beyond = 0.0 if is_whole else max(0.0, float((rows**2).sum() - values.sum()))
    return Axes(np.ascontiguousarray(directions * signs), values, beyond)


def _largest(tall: Floats, most: int | None) -> tuple[Floats, Floats, bool]:
    """Return eigenvalues and eigenvectors of AᵀA, the largest first, and whether they are all."""
    width = tall.shape[1]
    if most is None or width < _LARGE or most > width // 4:
        values, vectors = eigh(tall.T @ tall)
        return values[::-1], vectors[:, ::-1], True
    values, vectors = _lanczos(tall, most, 0.0)
    return values[::-1], vectors[:, ::-1], False


def _lanczos(tall: Floats, n_wanted: int, tolerance: float) -> tuple[Floats, Floats]:
    """Return the largest eigenvalues of AᵀA, the least of them first, and their vectors."""
    width = tall.shape[1]
    product = LinearOperator((width, width), matvec=lambda v: tall.T @ (tall @ v), dtype=np.float64)
    start = np.random.default_rng(0).normal(size=width)
    found = eigsh(product, n_wanted, which="LA", v0=start, tol=tolerance)
    return np.asarray(found[0]), np.asarray(found[1])


@one_thread
def largest_variance(matrix: Floats) -> float:
    """Return the variance of the first axis of centered rows, to three digits if there are many."""
    rows = matrix / np.sqrt(len(matrix))
    tall = rows if rows.shape[1] <= rows.shape[0] else rows.T
    if tall.shape[1] < _MANY or not tall.any():
        return float(max(eigh(tall.T @ tall)[0][-1], 0.0))
    return float(max(_lanczos(tall, 1, _THREE_DIGITS)[0][0], 0.0))


def filled_by_axes(matrix: Floats, weights: Floats, n_axes: int) -> Floats:
    """Return the rows with missing cells filled by the first axes."""
    missing = ~np.isfinite(matrix)
    if not missing.any():
        return matrix
    filled = np.where(missing, 0.0, matrix)
    for _ in range(_MOST_TURNS):
        every = axes_of(filled - weights @ filled / weights.sum(), weights, n_axes)
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


def correlation_table(places: Floats, matrix: Floats) -> Floats:
    """Return the correlation of each axis with each term over the rows that have the term."""
    found = np.zeros((places.shape[1], matrix.shape[1]))
    for at, term in enumerate(matrix.T):
        known = np.isfinite(term)
        moved = term[known] - term[known].mean() if known.any() else term[known]
        there = places[known] - places[known].mean(axis=0) if known.any() else places[known]
        size = np.sqrt((moved**2).sum() * (there**2).sum(axis=0))
        found[:, at] = np.divide(moved @ there, size, out=np.zeros(len(found)), where=size > 0)
    return np.clip(found, -1.0, 1.0)
