"""Newton's method for the logistic regression of two classes, for several sets of weights at once.

With x₀ = 1, scores s_i = u·x_i, p_i = 1 / (1 + e^−s_i) and truths t_i of 0 or 1, it makes
Σ_i w_i [log(1 + e^s_i) − t_i s_i] + ½ Σ_j r_j u_j² least, r₀ = 0.

1. The slope is Xᵀ w (p − t) + r u; where its largest entry over Σ w is small, all is done.
2. The curvature is Xᵀ diag(w p (1 − p)) X + diag(r); one set of equations gives the step.
3. A step that does not make the sum smaller by a part of what the slope promises is halved.

Folds are sets of weights on the same rows (0 for rows that are held out), so that one product of
matrices serves all of them.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from branchline._arrays import Floats

__all__ = ["LogisticRows", "NewtonSums", "design_of", "newton"]

# Cells of weighted rows that are multiplied at a time: they stay in the cache.
_CELLS_AT_ONCE = 2**17
_MOST_HALVINGS = 30
_PROMISED = 1e-4
# Where every probability is 0 or 1 the curvature vanishes, and so would the equations' solution.
_LEAST_CURVATURE = 1e-12
# What the sum may seem to grow by when nothing but its last digits changes.
_ROUNDING = 1e-14


@dataclass(frozen=True)
class LogisticRows:
    """Rows with a leading 1, their truths (0 or 1), and a row of weights for each problem."""

    design: Floats
    truth: Floats
    weights: Floats


@dataclass(frozen=True)
class NewtonSums:
    """The constant and the weights of each problem, and the steps that were taken."""

    sums: Floats
    n_iter: int


def design_of(matrix: Floats) -> Floats:
    """Return the rows with a leading 1."""
    design = np.empty((matrix.shape[0], matrix.shape[1] + 1))
    design[:, 0] = 1.0
    design[:, 1:] = matrix
    return design


def newton(
    rows: LogisticRows, strength: float, start: Floats, *, close: float, max_iter: int
) -> NewtonSums:
    """Return the least sums of all problems, from where ``start`` has them."""
    ridge = np.full(start.shape[1], 1.0 / strength)
    ridge[0] = 0.0
    total = rows.weights.sum(axis=1)
    sums = start
    scores = sums @ rows.design.T
    for step in range(max_iter):
        probability = expit(scores)
        slope = (rows.weights * (probability - rows.truth)) @ rows.design + ridge * sums
        if (np.abs(slope).max(axis=1) <= close * total).all():
            return NewtonSums(sums, step)
        curved = _curved(rows, np.maximum(probability * (1.0 - probability), _LEAST_CURVATURE))
        curved[:, np.arange(len(ridge)), np.arange(len(ridge))] += ridge
        move = np.linalg.solve(curved, slope[:, :, None])[:, :, 0]
        sums, scores, has_moved = _moved(rows, ridge, (sums, scores), move, slope)
        if not has_moved:
            return NewtonSums(sums, step + 1)
    return NewtonSums(sums, max_iter)


def _curved(rows: LogisticRows, curvature: Floats) -> Floats:
    """Return Xᵀ diag(w c) X for each problem, a block of rows at a time."""
    weighted = rows.weights * curvature
    n_rows, width = rows.design.shape
    curved = np.zeros((len(weighted), width, width))
    step = max(1, _CELLS_AT_ONCE // (width * len(weighted)))
    for at in range(0, n_rows, step):
        some = rows.design[at : at + step]
        curved += (some.T * weighted[:, None, at : at + step]) @ some
    return curved


def _moved(
    rows: LogisticRows, ridge: Floats, here: tuple[Floats, Floats], move: Floats, slope: Floats
) -> tuple[Floats, Floats, bool]:
    """Return where the steps lead, halved where they are too long, and whether any was taken."""
    sums, scores = here
    before = _losses(rows, ridge, sums, scores)
    promised = _PROMISED * (move * slope).sum(axis=1)
    change = move @ rows.design.T
    size = np.ones((len(sums), 1))
    for _ in range(_MOST_HALVINGS):
        there = sums - size * move, scores - size * change
        after = _losses(rows, ridge, *there)
        is_too_long = after > before - size[:, 0] * promised + _ROUNDING * np.abs(before)
        if not is_too_long.any():
            return *there, True
        size[is_too_long] /= 2.0
    size[is_too_long] = 0.0
    return sums - size * move, scores - size * change, bool(size.any())


def _losses(rows: LogisticRows, ridge: Floats, sums: Floats, scores: Floats) -> Floats:
    """Return what is minimized, for each problem."""
    each: npt.NDArray[np.float64] = np.maximum(scores, 0.0) - rows.truth * scores
    each += np.log1p(np.exp(-np.abs(scores)))
    return np.asarray((rows.weights * each).sum(axis=1) + 0.5 * (ridge * sums * sums).sum(axis=1))
