"""Losses of gradient boosting for numbers: means, medians, quantiles; counts and amounts."""

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from branchline import _core
from branchline._arrays import Floats
from branchline._dtypes import CLASS_INDEX
from branchline._validation import RowWeights
from branchline.boosting._loss_interface import (
    LEAST_MEAN,
    Leaves,
    NativeLoss,
    Target,
    Units,
    flat,
    weighted_mean,
)
from branchline.errors import DataError, Repair

__all__ = [
    "AbsoluteLoss",
    "GammaLoss",
    "HuberLoss",
    "PoissonLoss",
    "QuantileLoss",
    "SquaredLoss",
    "TweedieLoss",
]

_MOST_QUANTILES = 1000


class _NumberLoss(NativeLoss):
    """Scores are predictions."""

    constant_hessian = True

    def to_prediction(self, raw: Floats, *, n_threads: int = 1) -> Floats:
        """Return the scores themselves: shape (n_rows,), or (n_rows, n_outputs)."""
        return raw[0] if self.n_outputs == 1 else np.ascontiguousarray(raw.T)


@dataclass(frozen=True)
class SquaredLoss(_NumberLoss):
    """(F − y)² / 2: the mean."""

    name = "squared_error"
    kind = _core.LossKind.squared
    degree = 2

    def initial(self, target: Target, weights: RowWeights) -> Floats:
        """Return the mean."""
        return np.array([weighted_mean(target, weights)])


@dataclass(frozen=True)
class AbsoluteLoss(_NumberLoss):
    """|F − y|: the median."""

    name = "absolute_error"
    kind = _core.LossKind.absolute
    degree = 1

    def initial(self, target: Target, weights: RowWeights) -> Floats:
        """Return the median."""
        return _quantile(target, weights.units, 0.5)

    def leaf_values(
        self, target: Target, raw: Floats, output: int, leaves: Leaves, *, n_threads: int = 1
    ) -> Floats:
        """Return the median of y − F in each leaf."""
        return _leaf_quantiles(target - raw[output], leaves, 0.5, n_threads)


@dataclass(frozen=True)
class HuberLoss(_NumberLoss):
    """Squared up to delta, linear beyond: a mean that outliers do not drag along.

    Parameters
    ----------
    quantile
        Without a delta, the share of rows whose errors count squared: each round's delta is this
        quantile of |y − F| (Friedman, 2001).
    delta
        A fixed distance, at least 0.
    """

    quantile: float = 0.9
    delta: float | None = None

    name = "huber"
    kind = _core.LossKind.huber
    degree = 2

    def __post_init__(self) -> None:
        if not 0 < self.quantile <= 1:
            raise self._refuse(f"quantile must be above 0, at most 1; not {self.quantile!r}.")
        if self.delta is not None and not 0 <= self.delta < math.inf:
            raise self._refuse(f"delta must be finite and at least 0; not {self.delta!r}.")

    @property
    def parameters(self) -> tuple[float, ...]:
        """The distance where the loss becomes linear."""
        if self.delta is None:
            raise RuntimeError("for_round has not set delta")
        return (self.delta,)

    def initial(self, target: Target, weights: RowWeights) -> Floats:
        """Return the median."""
        return _quantile(target, weights.units, 0.5)

    def for_round(self, target: Target, weights: RowWeights, raw: Floats) -> "HuberLoss":
        """Return the loss with the delta of this round, unless one was given."""
        if self.delta is not None:
            return self
        errors = np.abs(target - raw[0])
        return replace(self, delta=float(_quantile(errors, weights.units, self.quantile)[0]))

    def leaf_values(
        self, target: Target, raw: Floats, output: int, leaves: Leaves, *, n_threads: int = 1
    ) -> Floats:
        """Return the median of y − F plus the mean of clipped deviations, in each leaf."""
        errors, (delta,) = target - raw[output], self.parameters
        return _core.leaf_huber_values(
            errors, leaves.leaf_of_row, leaves.n_leaves, leaves.units, delta, n_threads
        )


@dataclass(frozen=True)
class QuantileLoss(_NumberLoss):
    """The quantiles of a row's target, one output each.

    Parameters
    ----------
    quantiles
        Numbers between 0 and 1.
    """

    quantiles: tuple[float, ...] = (0.5,)

    name = "quantile"
    kind = _core.LossKind.quantile
    degree = 1

    def __post_init__(self) -> None:
        is_right = all(0 < quantile < 1 for quantile in self.quantiles)
        if not is_right or not 0 < len(self.quantiles) <= _MOST_QUANTILES:
            raise self._refuse(
                f"quantiles must be from 1 to {_MOST_QUANTILES} numbers between 0 and 1; not "
                f"{self.quantiles!r}."
            )

    @property
    def n_outputs(self) -> int:
        """The number of quantiles."""
        return len(self.quantiles)

    @property
    def parameters(self) -> tuple[float, ...]:
        """The quantile of each output."""
        return self.quantiles

    def initial(self, target: Target, weights: RowWeights) -> Floats:
        """Return the quantiles of all rows."""
        found = [_quantile(target, weights.units, quantile) for quantile in self.quantiles]
        return np.concatenate(found)

    def leaf_values(
        self, target: Target, raw: Floats, output: int, leaves: Leaves, *, n_threads: int = 1
    ) -> Floats:
        """Return the output's quantile of y − F in each leaf."""
        quantile = self.quantiles[output]
        return _leaf_quantiles(target - raw[output], leaves, quantile, n_threads)


class _LogMeanLoss(NativeLoss):
    """The score is the logarithm of the mean; the loss is half a deviance."""

    allows_zero: ClassVar[bool] = True

    def initial(self, target: Target, weights: RowWeights) -> Floats:
        """Return the logarithm of the mean."""
        mean = weighted_mean(target, weights)
        return np.log([mean if mean > 0 else LEAST_MEAN])

    def to_prediction(self, raw: Floats, *, n_threads: int = 1) -> Floats:
        """Return the means."""
        return _core.predictions_of_scores(_core.ScoreLink.exponential, flat(raw), 1, n_threads)

    def check_target(self, target: Target) -> None:
        """Refuse targets below 0, and of 0 where the loss is not defined."""
        bad = np.flatnonzero(target < 0 if self.allows_zero else target <= 0)
        if len(bad):
            allowed = "at least 0" if self.allows_zero else "above 0"
            raise DataError(
                f"loss={self.name!r} needs targets of {allowed}.",
                code="D150",
                rows=bad[:5],
                n_rows=len(bad),
                values=target[bad[:5]].tolist(),
                repair=Repair('model.set_params(loss="squared_error").fit(X, y)'),
            )


@dataclass(frozen=True)
class PoissonLoss(_LogMeanLoss):
    """Counts, or other targets whose variance grows with their mean."""

    name = "poisson"
    kind = _core.LossKind.poisson


@dataclass(frozen=True)
class GammaLoss(_LogMeanLoss):
    """Positive targets whose deviation grows with their mean."""

    name = "gamma"
    kind = _core.LossKind.gamma
    allows_zero = False


@dataclass(frozen=True)
class TweedieLoss(_LogMeanLoss):
    """Targets of at least 0 with many zeros, such as the claims of an insurance.

    Parameters
    ----------
    power
        Between 1 (nearly Poisson) and 2 (nearly gamma): the variance is a multiple of mean^power.
    """

    power: float = 1.5

    name = "tweedie"
    kind = _core.LossKind.tweedie

    def __post_init__(self) -> None:
        if not 1 < self.power < 2:
            raise self._refuse(f"power must be between 1 and 2; not {self.power!r}.")

    @property
    def parameters(self) -> tuple[float, ...]:
        """The power."""
        return (self.power,)


def _quantile(values: Floats, units: Units | None, quantile: float) -> Floats:
    everywhere = Leaves(np.zeros(len(values), CLASS_INDEX), 1, units)
    return _leaf_quantiles(values, everywhere, quantile, 1)


def _leaf_quantiles(values: Floats, leaves: Leaves, quantile: float, n_threads: int) -> Floats:
    return _core.leaf_quantiles(
        values, leaves.leaf_of_row, leaves.n_leaves, leaves.units, quantile, n_threads
    )
