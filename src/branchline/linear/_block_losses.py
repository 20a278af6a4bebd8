"""Log losses of a large table, summed exactly over blocks of rows, with slope and curvature.

A pass over the blocks gives, for sums s of the terms with a leading 1:

1. scores, row by row, a term after the other: a row's score does not depend on the other rows;
2. Σ w ℓ, rounded once (``_exact_sum``);
3. its slope Σ w (p − t) x and its curvature Σ w (diag(p) − p pᵀ) ⊗ x xᵀ, products of slices that
   BLAS adds exactly (``_exact_products``).

So neither the order of rows nor blocks change a bit of it.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from branchline._arrays import Floats
from branchline._encoding._encoded_blocks import EncodedBlocks
from branchline._exact_products import Cutter, ProductSums, exponents_of
from branchline._exact_sum import exact_sum, parts_of_weighted_sum, rounded_once
from branchline._memory import refuse_over_budget

__all__ = ["BlockLosses", "LossSums"]

# How exactly rows are added to the slope: terms are cut at 2^−41 of the largest, residuals at
# 2^−62.
_RESIDUAL_SLICES, _TERM_SLICES = 3, 2
# Where every probability is 0 or 1 the curvature vanishes, and so would the equations' solution.
_LEAST_CURVATURE = 1e-12


@dataclass(frozen=True, eq=False)
class LossSums:
    """What a pass finds.

    Parameters
    ----------
    loss
        The weighted sum of losses.
    slope
        Its slope, a row for each sum: the constant, then the terms.
    curvature
        Its second derivatives, in the order of the slope's entries; None when not asked for.
    farthest
        The largest absolute score, of several classes less that of the row's own.
    nearest
        The least score of a row's own class less that of another.
    digits
        How exactly terms were added to the curvature.
    """

    loss: float
    slope: Floats
    curvature: Floats | None
    farthest: float
    nearest: float
    digits: int


class _Rows(Protocol):
    """The losses of some rows, given their scores (a row of scores for each sum)."""

    def losses(self) -> Floats:
        """Return the loss of each row."""

    def missed(self) -> Floats:
        """Return probabilities less the truth, a row for each sum."""

    def curved(self, one: int, other: int) -> Floats:
        """Return the size of the second derivative of each row's loss by two of its sums."""

    def margins(self) -> tuple[float, float]:
        """Return the largest absolute margin, and the least one of a row's own class."""


class _TwoClasses:
    """Rows of two classes: the score is the log-odds of the second."""

    def __init__(self, scores: Floats, class_of_row: npt.NDArray[np.uint32]) -> None:
        self._scores, self._truth = scores[0], class_of_row.astype(np.float64)
        self._chance = expit(self._scores)

    def losses(self) -> Floats:
        """Return the loss of each row."""
        each = np.maximum(self._scores, 0.0) - self._truth * self._scores
        return np.asarray(each + np.log1p(np.exp(-np.abs(self._scores))))

    def missed(self) -> Floats:
        """Return the probability of the second class less the truth."""
        return np.asarray(self._chance - self._truth)[None]

    def curved(self, one: int, other: int) -> Floats:
        """Return p (1 − p)."""
        return np.asarray(np.maximum(self._chance * (1.0 - self._chance), _LEAST_CURVATURE))

    def margins(self) -> tuple[float, float]:
        """Return the largest absolute log-odds, and the least of the true class."""
        own = np.where(self._truth == 1.0, self._scores, -self._scores)
        return float(np.abs(own).max()), float(own.min())


class _SeveralClasses:
    """Rows of more than two classes: a score for each."""

    def __init__(self, scores: Floats, class_of_row: npt.NDArray[np.uint32]) -> None:
        self._own = class_of_row.astype(np.intp), np.arange(scores.shape[1])
        highest = scores.max(axis=0)
        powers = np.exp(scores - highest)
        total = powers[0].copy()
        for some in powers[1:]:  # one after the other: the same for any number of rows
            total += some
        self._scores, self._shares = scores, powers / total
        self._spread = highest + np.log(total)

    def losses(self) -> Floats:
        """Return the loss of each row."""
        return np.asarray(self._spread - self._scores[self._own])

    def missed(self) -> Floats:
        """Return the probability of each class less the truth."""
        missed: Floats = self._shares.copy()
        missed[self._own] -= 1.0
        return missed

    def curved(self, one: int, other: int) -> Floats:
        """Return p_k (1 − p_k), or p_k p_l, which is to be taken off."""
        second = 1.0 - self._shares[one] if one == other else self._shares[other]
        return np.asarray(self._shares[one] * second)

    def margins(self) -> tuple[float, float]:
        """Return the largest absolute difference from the own class's score, and the least."""
        apart = self._scores[self._own] - self._scores
        apart[self._own] = np.inf
        finite = np.where(np.isfinite(apart), np.abs(apart), 0.0)
        return float(finite.max()), float(apart.min())


class BlockLosses:
    """The weighted losses of a large table's rows as a function of the sums."""

    def __init__(
        self,
        blocks: EncodedBlocks,
        class_of_row: npt.NDArray[np.uint32],
        weights: Floats,
        n_classes: int,
    ) -> None:
        self._blocks, self._class_of_row, self._weights = blocks, class_of_row, weights
        self.n_classes = n_classes
        self.n_sums = n_classes if n_classes > 2 else 1
        self.total = exact_sum(weights)
        self.sizes = np.append(1.0, blocks.largest)
        heaviest = float(weights.max())
        switches = np.append(True, blocks.is_switch)
        reach = np.full(self.n_sums, np.frexp(heaviest)[1], dtype=np.int64)
        none = np.zeros(self.n_sums, dtype=bool)
        self._residuals = Cutter(reach, none, _RESIDUAL_SLICES)
        self._terms = Cutter(exponents_of(self.sizes), switches, _TERM_SLICES)
        self._reach = exponents_of(self.sizes * np.sqrt(heaviest))

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of a point: a row for each sum, the constant and the terms."""
        return self.n_sums, len(self.sizes)

    def at(self, point: Floats, *, digits: int) -> LossSums:
        """Return what a pass over the rows finds at a point.

        Parameters
        ----------
        point
            The constants and weights.
        digits
            How exactly terms are added to the curvature: 1 cuts them at 2^−20 of the largest, which
            is enough for a step; 2 at 2^−41; 0: there is no curvature.
        """
        losses: list[float] = []
        slope = ProductSums(self._residuals, self._terms)
        scaled = Cutter(self._reach, np.zeros(len(self._reach), dtype=bool), max(1, digits))
        pairs = self._new_pairs(scaled) if digits else {}
        farthest, nearest = 0.0, np.inf
        design = np.empty((len(self.sizes), self._blocks.rows_at_once))
        for some, terms in self._blocks.blocks():
            rows, weights = design[:, : terms.shape[1]], self._weights[some]
            rows[0], rows[1:] = 1.0, terms
            found = self._rows(_scores(point, rows), self._class_of_row[some])
            losses += parts_of_weighted_sum(found.losses(), weights)
            slope.add_rows(weights * found.missed(), rows)
            for (one, other), sums in pairs.items():
                sums.add_squares(rows, np.sqrt(weights * found.curved(one, other)))
            far, near = found.margins()
            farthest, nearest = max(farthest, far), min(nearest, near)
        curvature = self._curvature(pairs) if digits else None
        loss, steep = rounded_once(losses), slope.total()[0]
        return LossSums(loss, steep, curvature, farthest, nearest, digits)

    def _rows(self, scores: Floats, class_of_row: npt.NDArray[np.uint32]) -> _Rows:
        kind = _TwoClasses if self.n_classes == 2 else _SeveralClasses
        return kind(scores, class_of_row)

    def _new_pairs(self, scaled: Cutter) -> dict[tuple[int, int], ProductSums]:
        n_pairs = self.n_sums * (self.n_sums + 1) // 2
        needed = 16 * n_pairs * len(scaled.term) ** 2
        refuse_over_budget(needed, "the curvature of the losses")
        return {
            (one, other): ProductSums(scaled, scaled)
            for one in range(self.n_sums)
            for other in range(one, self.n_sums)
        }

    def _curvature(self, pairs: dict[tuple[int, int], ProductSums]) -> Floats:
        n_sums, width = self.shape
        curvature = np.empty((n_sums, width, n_sums, width))
        for (one, other), sums in pairs.items():
            total = sums.total()[0] if one == other else -sums.total()[0]
            curvature[one, :, other] = curvature[other, :, one] = total
        return curvature.reshape(n_sums * width, n_sums * width)


def _scores(point: Floats, rows: Floats) -> Floats:
    """Return the scores of rows; each is added up by itself, a term after the other."""
    scores = np.empty((len(point), rows.shape[1]))
    step = np.empty(rows.shape[1])
    for score, sums in zip(scores, point, strict=True):
        score[:] = sums[0]
        for weight, term in zip(sums[1:].tolist(), rows[1:], strict=True):
            if weight:
                score += np.multiply(term, weight, out=step)
    return scores
