"""Losses that users write: any differentiable function of the target and the raw scores.

1. The object gives the gradient and the hessian of its loss by the raw scores.
2. What comes back is checked: shapes, finite numbers, hessians of at least 0.
3. It may also define where to begin (else 0) and the loss of each row (for early stopping).

>>> import numpy as np
>>> class LogCosh:
...     def gradient_hessian(self, y, raw):
...         slope = np.tanh(raw - y)
...         return slope, 1 - slope**2
>>> loss = AdaptedLoss(LogCosh())
>>> y, raw = np.array([1.0, 3.0]), np.zeros((1, 2))
>>> gradient, hessian = np.empty((2, 1, 2), np.float32)
>>> loss.gradients(y, raw, gradient, hessian)
>>> gradient.round(4)
array([[-0.7616, -0.9951]], dtype=float32)
"""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._validation import RowWeights
from branchline.boosting._class_losses import probabilities
from branchline.boosting._loss_interface import Float32s, Loss, Target, weighted_mean
from branchline.errors import ParameterError, Repair

__all__ = ["AdaptedLoss", "UserLoss"]

_LARGEST = 2.0**127  # what a gradient in 32 bits can hold


@runtime_checkable
class UserLoss(Protocol):
    """A loss of one's own.

    It must have ``gradient_hessian``. It may have ``initial(y, weight)``, which returns the score
    that every row begins with (one for each output; ``weight`` are the rows' weights), and
    ``value(y, raw)``, which returns the loss of each row.
    """

    def gradient_hessian(
        self, y: npt.NDArray[Any], raw: Floats
    ) -> tuple[npt.ArrayLike, npt.ArrayLike]:
        """Return the gradient and the hessian of each row's loss by its raw scores.

        Parameters
        ----------
        y
            The targets: numbers, or class indices 0, 1, …. Neither these nor ``raw`` can be written
            to. Weights are applied later; rows come in no particular order.
        raw
            The scores, shape (n_rows,), or (n_rows, n_classes) for more than two classes. The
            gradient and the hessian have the same shape; no hessian is below 0.
        """
        ...


@dataclass(frozen=True)
class AdaptedLoss(Loss):
    """A user's loss as boosting takes it.

    Parameters
    ----------
    loss
        The user's object.
    n_classes
        0 for numbers: scores are predictions. Else scores become probabilities by the sigmoid (two
        classes) or softmax function.
    """

    loss: UserLoss
    n_classes: int = 0

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the user's class."""
        return type(self.loss).__name__

    @property
    def has_classes(self) -> bool:  # type: ignore[override]
        """Whether targets are class indices."""
        return self.n_classes > 0

    @property
    def has_value(self) -> bool:  # type: ignore[override]
        """Whether the loss of each row is defined."""
        return hasattr(self.loss, "value")

    @property
    def n_outputs(self) -> int:
        """The number of scores of a row."""
        return self.n_classes if self.n_classes > 2 else 1

    def initial(self, target: Target, weights: RowWeights) -> Floats:
        """Return the initial scores of the loss, else zeros."""
        if not hasattr(self.loss, "initial"):
            return np.zeros(self.n_outputs)
        weight = weights.of_rows(len(target))
        begin = self._numbers("initial", self.loss.initial(self._shown(target), weight))
        if begin.size != self.n_outputs or not np.isfinite(begin).all():
            raise self._wrong(f"initial must return {self.n_outputs} finite number(s)")
        return begin.reshape(self.n_outputs)

    def gradients(
        self,
        target: Target,
        raw: Floats,
        gradients: Float32s,
        hessians: Float32s | None,
        *,
        n_threads: int = 1,
    ) -> None:
        """Write the user's gradients and hessians, after checking them."""
        shown = self._scores(raw)
        both = self.loss.gradient_hessian(self._shown(target), shown)
        if not isinstance(both, tuple | list) or len(both) != 2:
            raise self._wrong("gradient_hessian must return two arrays, gradient and hessian")
        for part, given in zip(("gradient", "hessian"), both, strict=True):
            values = self._numbers(part, given)
            self._check(part, values, shown.shape)
            out = gradients if part == "gradient" else hessians
            if out is not None:
                out[...] = values.T

    def value(
        self, target: Target, weights: RowWeights, raw: Floats, *, n_threads: int = 1
    ) -> float:
        """Return the weighted mean of the losses that the user's object gives."""
        if not self.has_value:
            raise self._wrong("it has no method value(y, raw), which early stopping needs")
        shown = self._scores(raw)
        ask = self.loss.value  # type: ignore[attr-defined]
        losses = self._numbers("value", ask(self._shown(target), shown))
        self._check("value", losses, (len(target),))
        return weighted_mean(losses, weights)

    def to_prediction(self, raw: Floats, *, n_threads: int = 1) -> Floats:
        """Return the scores themselves, or class probabilities."""
        return probabilities(raw, n_threads=n_threads) if self.has_classes else raw[0]

    def _shown(self, target: Target) -> Target:
        # Class indices are unsigned, in which 2y − 1 would be a surprise.
        return _read_only(target.astype(np.int64) if self.has_classes else target)

    def _scores(self, raw: Floats) -> Floats:
        return _read_only(raw[0] if self.n_outputs == 1 else raw.T)

    def _numbers(self, part: str, given: Any) -> Floats:
        try:
            return np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise self._wrong(f"its {part} is not an array of numbers ({error})") from error

    def _check(self, part: str, values: Floats, shape: tuple[int, ...]) -> None:
        if values.shape != shape:
            raise self._wrong(f"its {part} has shape {values.shape} instead of {shape}")
        is_right = np.abs(values) < (np.inf if part == "value" else _LARGEST)
        if part == "hessian":
            is_right &= values >= 0
        bad = np.flatnonzero(~is_right.reshape(len(values), -1).all(axis=1))
        if len(bad):
            wanted = "finite numbers of at least 0" if part == "hessian" else "finite numbers"
            raise self._wrong(f"its {part} must be {wanted}, below 2^127", bad, values[bad[:5]])

    def _wrong(
        self, problem: str, rows: npt.NDArray[Any] | None = None, values: Floats | None = None
    ) -> ParameterError:
        return ParameterError(
            f"The loss {self.name} cannot be used: {problem}.",
            code="P150",
            rows=() if rows is None else rows[:5],
            n_rows=None if rows is None else len(rows),
            values=() if values is None else values.tolist(),
            repair=Repair(
                "import numpy\n"
                f"class {self.name}:\n"
                "    def gradient_hessian(self, y, raw):  # here the squared error\n"
                "        return raw - y, numpy.ones_like(raw)"
            ),
        )


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
