"""The losses of gradient boosting by name.

*Numbers*: squared, absolute, Huber, one or several quantiles; Poisson, gamma and Tweedie with the
logarithm of the mean as score. *Classes*: logistic (two), softmax (more), exponential (two).

>>> import numpy as np
>>> from branchline._validation import RowWeights
>>> loss = make_loss("poisson")
>>> y, raw = np.array([0.0, 2.0, 4.0]), np.zeros((1, 3))
>>> loss.to_prediction(loss.initial(y, RowWeights())[:, None]).round(6)
array([2.])
>>> round(loss.value(y, RowWeights(), raw), 4)
1.3105
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from branchline.boosting._class_losses import ExponentialLoss, LogisticLoss, SoftmaxLoss
from branchline.boosting._loss_interface import Loss
from branchline.boosting._number_losses import (
    AbsoluteLoss,
    GammaLoss,
    HuberLoss,
    PoissonLoss,
    QuantileLoss,
    SquaredLoss,
    TweedieLoss,
)
from branchline.errors import ParameterError, Repair

__all__ = ["CLASS_LOSSES", "NUMBER_LOSSES", "make_class_loss", "make_loss"]

NUMBER_LOSSES: dict[str, Callable[[], Loss]] = {
    loss.name: loss
    for loss in (
        SquaredLoss,
        AbsoluteLoss,
        HuberLoss,
        QuantileLoss,
        PoissonLoss,
        GammaLoss,
        TweedieLoss,
    )
}
CLASS_LOSSES = (LogisticLoss.name, ExponentialLoss.name)


def make_loss(name: str, quantile: float | Sequence[float] = 0.5) -> Loss:
    """Return the loss of that name for numbers; ``quantile`` is for the loss "quantile" only."""
    if name not in NUMBER_LOSSES:
        raise _unknown(name, NUMBER_LOSSES)
    if name == QuantileLoss.name:
        return QuantileLoss(tuple(np.atleast_1d(np.asarray(quantile, np.float64)).tolist()))
    return NUMBER_LOSSES[name]()


def make_class_loss(name: str, n_classes: int) -> Loss:
    """Return the loss of that name for a number of classes (one counts as two)."""
    if name not in CLASS_LOSSES:
        raise _unknown(name, CLASS_LOSSES)
    is_of_two = n_classes <= 2
    if name == LogisticLoss.name:
        return LogisticLoss() if is_of_two else SoftmaxLoss(n_classes)
    if not is_of_two:
        raise ParameterError(
            f"loss='exponential' is for two classes, but the target has {n_classes}.",
            code="P153",
            repair=Repair('model.set_params(loss="log_loss").fit(X, y)'),
        )
    return ExponentialLoss()


def _unknown(name: str, known: Iterable[str]) -> ParameterError:
    names = ", ".join(repr(each) for each in known)
    return ParameterError(f"loss={name!r} is not known here. Losses: {names}.", code="P153")
