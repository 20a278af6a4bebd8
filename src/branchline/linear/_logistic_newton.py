"""Newton's method for logistic regression, for several sets of weights at once.

With x₀ = 1 and sums s of a row, it makes Σ_i w_i ℓ_i(s_i) + ½ Σ_j r_j u_j² least, where the
constants have r = 0 and all other unknowns r = 1/C.

1. Two classes: s = u·x, p = 1 / (1 + e^−s), ℓ = log(1 + e^s) − t s for a truth t of 0 or 1.
2. More: s_k = u_k·x, p_k = e^{s_k} / Σ_l e^{s_l}, ℓ = log Σ_l e^{s_l} − s_t for the class t. What
   is added to all constants changes nothing, so ½ w (Σ_k u_k0)² is minimized, too, w = Σ w_i.
3. The slope is Xᵀ w (p − t) + r u; where its largest entry over Σ w is small, all is done.
4. The curvature is Xᵀ diag(w p (1 − p)) X + diag(r), of more classes
   Σ_i w_i (diag(p_i) − p_i p_iᵀ) ⊗ x_i x_iᵀ + diag(r); one set of equations gives the step.
5. A step that does not make the sum smaller by a part of what the slope promises is halved.

Folds are sets of weights on the same rows (0 for rows that are held out), so that one product of
matrices serves all of them.
"""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from branchline._arrays import Floats

__all__ = [
    "LogisticRows",
    "NewtonRows",
    "NewtonSums",
    "SoftmaxRows",
    "design_of",
    "newton",
    "newton_rows",
]

# Cells of weighted rows that are multiplied at a time: they stay in the cache.
_CELLS_AT_ONCE = 2**17
_MOST_HALVINGS = 30
_PROMISED = 1e-4
# Where every probability is 0 or 1 the curvature vanishes, and so would the equations' solution.
_FEW_CLASSES = 7
_LEAST_CURVATURE = 1e-12
# What the sum may seem to grow by when nothing but its last digits changes.
_ROUNDING = 1e-14


class NewtonRows(Protocol):
    """Rows with a leading 1, their truths, and a row of weights for each problem."""

    @property
    def weights(self) -> Floats:
        """A row of weights for each problem."""

    @property
    def n_unknown(self) -> int:
        """The number of constants and weights of a problem."""

    def weighing(self, weights: Floats) -> "NewtonRows":
        """Return the same rows with other weights."""

    def ridge(self, strength: float) -> Floats:
        """Return what the square of each unknown costs."""

    def scores(self, sums: Floats) -> Floats:
        """Return the sums of each problem and row."""

    def losses(self, scores: Floats) -> Floats:
        """Return the loss of each problem and row."""

    def slope(self, scores: Floats) -> Floats:
        """Return the slope of the summed losses, for each problem and unknown."""

    def curvature(self, scores: Floats) -> Floats:
        """Return the second derivatives of the summed losses of each problem."""


@dataclass(frozen=True)
class LogisticRows:
    """Rows of two classes; truths are 0 or 1."""

    design: Floats
    truth: Floats
    weights: Floats

    @property
    def n_unknown(self) -> int:
        """The constant, and a weight for each term."""
        return int(self.design.shape[1])

    def weighing(self, weights: Floats) -> "LogisticRows":
        """Return the same rows with other weights."""
        return replace(self, weights=weights)

    def ridge(self, strength: float) -> Floats:
        """Return what the square of each unknown costs: nothing for the constant."""
        ridge = np.full(self.n_unknown, 1.0 / strength)
        ridge[0] = 0.0
        return ridge

    def scores(self, sums: Floats) -> Floats:
        """Return the sum of each problem and row."""
        return np.asarray(sums @ self.design.T)

    def losses(self, scores: Floats) -> Floats:
        """Return the loss of each problem and row."""
        each: npt.NDArray[np.float64] = np.maximum(scores, 0.0) - self.truth * scores
        each += np.log1p(np.exp(-np.abs(scores)))
        return each

    def slope(self, scores: Floats) -> Floats:
        """Return the slope of the summed losses."""
        return np.asarray((self.weights * (expit(scores) - self.truth)) @ self.design)

    def curvature(self, scores: Floats) -> Floats:
        """Return Xᵀ diag(w p (1 − p)) X for each problem, a block of rows at a time."""
        probability = expit(scores)
        least = np.maximum(probability * (1.0 - probability), _LEAST_CURVATURE)
        weighted = self.weights * least
        n_rows, width = self.design.shape
        curved = np.zeros((len(weighted), width, width))
        step = max(1, _CELLS_AT_ONCE // (width * len(weighted)))
        for at in range(0, n_rows, step):
            some = self.design[at : at + step]
            curved += (some.T * weighted[:, None, at : at + step]) @ some
        return curved


@dataclass(frozen=True)
class SoftmaxRows:
    """Rows of more than two classes; truths are rows of indicators."""

    design: Floats
    truth: Floats
    weights: Floats

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.truth.shape[1])

    @property
    def n_unknown(self) -> int:
        """A constant and a weight for each term, for each class."""
        return self.n_classes * int(self.design.shape[1])

    def weighing(self, weights: Floats) -> "SoftmaxRows":
        """Return the same rows with other weights."""
        return replace(self, weights=weights)

    def ridge(self, strength: float) -> Floats:
        """Return what the square of each unknown costs: nothing for the constants."""
        ridge = np.full(self.n_unknown, 1.0 / strength)
        ridge[:: self.design.shape[1]] = 0.0
        return ridge

    def scores(self, sums: Floats) -> Floats:
        """Return the sums of each problem, row and class."""
        by_class = sums.reshape(len(sums), self.n_classes, -1)
        return np.asarray(self.design @ by_class.transpose(0, 2, 1))

    def losses(self, scores: Floats) -> Floats:
        """Return the loss of each problem and row."""
        highest = _highest(scores)
        spread = np.log(_summed(np.exp(scores - highest[:, :, None])))
        return np.asarray(highest + spread - _summed(scores * self.truth))

    def slope(self, scores: Floats) -> Floats:
        """Return the slope of the summed losses."""
        missed = self.weights[:, :, None] * (_shares(scores) - self.truth)
        return np.asarray(missed.transpose(0, 2, 1) @ self.design).reshape(len(scores), -1)

    def curvature(self, scores: Floats) -> Floats:
        """Return Σ w (diag(p) − p pᵀ) ⊗ x xᵀ for each problem, a block of rows at a time."""
        shares, (n_rows, width) = _shares(scores), self.design.shape
        n_problems, n_classes = len(scores), self.n_classes
        own = np.zeros((n_problems, n_classes, width, width))
        mixed = np.zeros((n_problems, self.n_unknown, self.n_unknown))
        step = max(1, _CELLS_AT_ONCE // (self.n_unknown * n_problems))
        for at in range(0, n_rows, step):
            some, part = self.design[at : at + step], shares[:, at : at + step]
            weights = self.weights[:, at : at + step]
            own += (some.T * (weights[:, :, None] * part).transpose(0, 2, 1)[:, :, None]) @ some
            scaled = part * np.sqrt(weights)[:, :, None]
            rows = (scaled[..., None] * some[:, None]).reshape(n_problems, len(some), -1)
            mixed += rows.transpose(0, 2, 1) @ rows
        curved = -mixed.reshape(n_problems, n_classes, width, n_classes, width)
        for at in range(n_classes):
            curved[:, at, :, at] += own[:, at]
        # Constants that all grow alike, and rows whose probabilities are all 0 or 1.
        curved[:, :, 0, :, 0] += self.weights.sum(axis=1)[:, None, None]
        whole = curved.reshape(mixed.shape)
        places = np.arange(self.n_unknown)
        whole[:, places, places] += _LEAST_CURVATURE * self.weights.sum(axis=1)[:, None]
        return np.asarray(whole)


@dataclass(frozen=True)
class NewtonSums:
    """The constants and the weights of each problem in a row, and the steps that were taken."""

    sums: Floats
    n_iter: int


def newton_rows(
    matrix: Floats, class_of_row: npt.NDArray[np.intp], weights: Floats, n_classes: int
) -> NewtonRows:
    """Return rows for ``newton``, with a row of weights for each problem."""
    design = design_of(matrix)
    if n_classes == 2:
        return LogisticRows(design, class_of_row.astype(np.float64), weights)
    return SoftmaxRows(design, np.eye(n_classes)[class_of_row], weights)


def design_of(matrix: Floats) -> Floats:
    """Return the rows with a leading 1."""
    design = np.empty((matrix.shape[0], matrix.shape[1] + 1))
    design[:, 0] = 1.0
    design[:, 1:] = matrix
    return design


def newton(
    rows: NewtonRows, strength: float, start: Floats, *, close: float, max_iter: int
) -> NewtonSums:
    """Return the least sums of all problems, from where ``start`` has them."""
    ridge: Floats = rows.ridge(strength)
    total = rows.weights.sum(axis=1)
    places = np.arange(rows.n_unknown)
    sums, scores = start, rows.scores(start)
    for step in range(max_iter):
        slope: Floats = rows.slope(scores) + ridge * sums
        if (np.abs(slope).max(axis=1) <= close * total).all():
            return NewtonSums(sums, step)
        curved = rows.curvature(scores)
        curved[:, places, places] += ridge
        move: Floats = np.linalg.solve(curved, slope[:, :, None])[:, :, 0].astype(np.float64)
        sums, scores, has_moved = _moved(rows, ridge, (sums, scores), move, slope)
        if not has_moved:
            return NewtonSums(sums, step + 1)
    return NewtonSums(sums, max_iter)


def _moved(
    rows: NewtonRows, ridge: Floats, here: tuple[Floats, Floats], move: Floats, slope: Floats
) -> tuple[Floats, Floats, bool]:
    """Return where the steps lead, halved where they are too long, and whether any was taken."""
    sums, scores = here
    before = _minimized(rows, ridge, sums, scores)
    promised = _PROMISED * (move * slope).sum(axis=1)
    change = rows.scores(move)
    size = np.ones(len(sums))
    for _ in range(_MOST_HALVINGS):
        there = _stepped(sums, size, move), _stepped(scores, size, change)
        after = _minimized(rows, ridge, *there)
        is_too_long = after > before - size * promised + _ROUNDING * np.abs(before)
        if not is_too_long.any():
            return *there, True
        size[is_too_long] /= 2.0
    size[is_too_long] = 0.0
    return _stepped(sums, size, move), _stepped(scores, size, change), bool(size.any())


def _stepped(values: Floats, size: Floats, move: Floats) -> Floats:
    return np.asarray(values - size.reshape(-1, *(1 for _ in values.shape[1:])) * move)


def _minimized(rows: NewtonRows, ridge: Floats, sums: Floats, scores: Floats) -> Floats:
    """Return what is minimized, for each problem."""
    losses = (rows.weights * rows.losses(scores)).sum(axis=1)
    return np.asarray(losses + 0.5 * (ridge * sums * sums).sum(axis=1))


def _shares(scores: Floats) -> Floats:
    """Return the probability of each class."""
    shares: Floats = np.exp(scores - _highest(scores)[:, :, None])
    shares /= _summed(shares)[:, :, None]
    return shares


def _highest(scores: Floats) -> Floats:
    """Return the highest score of each row; of few classes, class by class, which is faster."""
    if scores.shape[2] > _FEW_CLASSES:
        return np.asarray(scores.max(axis=2))
    highest = scores[:, :, 0].copy()
    for at in range(1, scores.shape[2]):
        np.maximum(highest, scores[:, :, at], out=highest)
    return highest


def _summed(values: Floats) -> Floats:
    """Return the sum of each row, with the bits of ``sum``, which adds few numbers in order."""
    if values.shape[2] > _FEW_CLASSES:
        return np.asarray(values.sum(axis=2))
    total = values[:, :, 0].copy()
    for at in range(1, values.shape[2]):
        total += values[:, :, at]
    return total
