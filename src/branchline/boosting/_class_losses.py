"""Losses of gradient boosting for classes: logistic, softmax, exponential."""

from dataclasses import dataclass

import numpy as np

from branchline import _core
from branchline._arrays import Floats
from branchline._validation import RowWeights
from branchline.boosting._loss_interface import LEAST_MEAN, NativeLoss, Target, flat

__all__ = ["ExponentialLoss", "LogisticLoss", "SoftmaxLoss", "probabilities"]

# Beyond, e^(2F) saturates; and twice a huge score would overflow.
_FAR = 400.0


class _ClassLoss(NativeLoss):
    """Targets are class indices, predictions class probabilities."""

    has_classes = True


@dataclass(frozen=True)
class LogisticLoss(_ClassLoss):
    """log(1 + e^−(2y − 1)F): the score is the logarithm of the odds."""

    name = "log_loss"
    kind = _core.LossKind.logistic

    def initial(self, target: Target, weights: RowWeights) -> Floats:
        """Return the logarithm of the odds of the second class."""
        share = _class_shares(target, weights, 2)
        return np.log(share[1:]) - np.log(share[:1])

    def to_prediction(self, raw: Floats, *, n_threads: int = 1) -> Floats:
        """Return the probabilities of both classes."""
        return probabilities(raw, n_threads=n_threads)


@dataclass(frozen=True)
class ExponentialLoss(_ClassLoss):
    """e^−(2y − 1)F, the loss of AdaBoost: the score is half the logarithm of the odds."""

    name = "exponential"
    kind = _core.LossKind.exponential

    def initial(self, target: Target, weights: RowWeights) -> Floats:
        """Return half the logarithm of the odds of the second class."""
        return LogisticLoss().initial(target, weights) / 2

    def to_prediction(self, raw: Floats, *, n_threads: int = 1) -> Floats:
        """Return the probabilities of both classes."""
        return probabilities(2 * np.clip(raw, -_FAR, _FAR), n_threads=n_threads)


@dataclass(frozen=True)
class SoftmaxLoss(_ClassLoss):
    """log Σ e^F_k − F_y: scores are logarithms of probabilities, but for a constant.

    Parameters
    ----------
    n_classes
        At least 2.
    """

    n_classes: int

    name = "log_loss"
    kind = _core.LossKind.softmax

    @property
    def n_outputs(self) -> int:
        """The number of classes."""
        return self.n_classes

    def initial(self, target: Target, weights: RowWeights) -> Floats:
        """Return the logarithms of the classes' shares."""
        return np.log(_class_shares(target, weights, self.n_classes))

    def to_prediction(self, raw: Floats, *, n_threads: int = 1) -> Floats:
        """Return the probabilities of the classes."""
        return probabilities(raw, n_threads=n_threads)


def probabilities(raw: Floats, *, n_threads: int = 1) -> Floats:
    """Return class probabilities of scores (n_outputs, n_rows): sigmoid of one, softmax of more."""
    n_outputs = len(raw)
    link = _core.ScoreLink.sigmoid if n_outputs == 1 else _core.ScoreLink.softmax
    shares = _core.predictions_of_scores(link, flat(raw), n_outputs, n_threads)
    return shares.reshape(-1, max(2, n_outputs))


def _class_shares(target: Target, weights: RowWeights, n_classes: int) -> Floats:
    # Floats add up whole numbers exactly: a table has less than 2^53 units.
    units: Floats = np.bincount(target, weights.units, n_classes).astype(np.float64)
    shares: Floats = np.maximum(units / units.sum(), LEAST_MEAN)
    return shares
