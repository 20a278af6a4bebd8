"""The interface of a loss of gradient boosting, and the part that the compiled core does.

A model has K raw scores F_k for each row (K = 1, the number of classes, or of quantiles).

1. ``initial`` gives the constant scores of least loss.
2. Each round asks ``for_round`` for the loss of the round, ``gradients`` for the slope and the
   curvature of every score, and grows a tree for each output.
3. ``leaf_values`` gives the best constant of each leaf where that is not a Newton step: medians,
   quantiles, Huber's location.
4. ``value`` is the weighted mean loss, the same for any order of rows.
5. ``to_prediction`` turns scores into what users see.

Formulas, what saturates and how sums are rounded: ``boosting_losses.hpp``.
Friedman (2001), Greedy function approximation; Koenker and Bassett (1978) for quantiles.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._fixed_point import fixed_point
from branchline._validation import RowWeights
from branchline.errors import ParameterError

__all__ = [
    "LEAST_MEAN",
    "Float32s",
    "Floats",
    "Leaves",
    "Loss",
    "NativeLoss",
    "Target",
    "Units",
    "flat",
    "weighted_mean",
]

Floats = npt.NDArray[np.float64]
Float32s = npt.NDArray[np.float32]
Units = npt.NDArray[np.int64]
Target = npt.NDArray[Any]  # float64 numbers, or uint32 class indices

# Scores must be finite even where a class or an event never happens.
LEAST_MEAN = 1e-12


@dataclass(frozen=True, eq=False)
class Leaves:
    """Which leaf of a new tree each row is in.

    Parameters
    ----------
    leaf_of_row
        Leaves are numbered from 0.
    n_leaves
        Their number.
    units
        Units of the rows that the tree was grown on (0: left out by subsampling); None: one each.
    """

    leaf_of_row: npt.NDArray[np.uint32]
    n_leaves: int
    units: Units | None = None


class Loss(ABC):
    """What boosting asks of a loss.

    ``raw`` are the scores, an output a row: float64, shape (n_outputs, n_rows), C order.
    """

    name: ClassVar[str]
    has_classes: ClassVar[bool] = False  # targets are class indices
    constant_hessian: ClassVar[bool] = False  # it is 1 everywhere, and need not be written down
    has_value: ClassVar[bool] = True
    # Targets and scores c times as large lose c to this power as much.
    degree: ClassVar[int] = 0

    @property
    def n_outputs(self) -> int:
        """The number of scores of a row."""
        return 1

    @abstractmethod
    def initial(self, target: Target, weights: RowWeights) -> Floats:
        """Return the score that every row has before the first round, for each output."""

    @abstractmethod
    def gradients(
        self,
        target: Target,
        raw: Floats,
        gradients: Float32s,
        hessians: Float32s | None,
        *,
        n_threads: int = 1,
    ) -> None:
        """Write the gradient and hessian of each score into arrays of the shape of ``raw``.

        ``hessians`` may be None when the hessian is constant. Weights take no part.
        """

    @abstractmethod
    def value(
        self, target: Target, weights: RowWeights, raw: Floats, *, n_threads: int = 1
    ) -> float:
        """Return the weighted mean loss of the rows, summed over outputs."""

    @abstractmethod
    def to_prediction(self, raw: Floats, *, n_threads: int = 1) -> Floats:
        """Turn scores into predictions: a number for each row, or quantiles or probabilities."""

    def for_round(self, target: Target, weights: RowWeights, raw: Floats) -> "Loss":
        """Return the loss whose gradients and leaves the next round uses.

        Only Huber's loss without a given delta changes. Values of several rounds are comparable
        when they come from one loss: that of the first round.
        """
        return self

    def leaf_values(
        self, target: Target, raw: Floats, output: int, leaves: Leaves, *, n_threads: int = 1
    ) -> Floats | None:
        """Return the best constant to add in each leaf, or None when it is a Newton step."""
        return None

    def check_target(self, target: Target) -> None:
        """Refuse targets for which the loss is not defined; most are for all finite numbers."""
        return


class NativeLoss(Loss):
    """A loss that the compiled core knows."""

    kind: ClassVar[_core.LossKind]

    @property
    def parameters(self) -> tuple[float, ...]:
        """The parameters of the loss in the compiled core."""
        return ()

    @property
    def rule(self) -> _core.LossRule:
        """The loss as the core takes it."""
        return _core.LossRule(self.kind, np.array(self.parameters, np.float64), self.n_outputs)

    def gradients(
        self,
        target: Target,
        raw: Floats,
        gradients: Float32s,
        hessians: Float32s | None,
        *,
        n_threads: int = 1,
    ) -> None:
        """Write the gradient and hessian of each score."""
        written = None if hessians is None else flat(hessians)
        _core.loss_gradients(
            self.rule, self._native(target), flat(raw), flat(gradients), written, n_threads
        )

    def value(
        self, target: Target, weights: RowWeights, raw: Floats, *, n_threads: int = 1
    ) -> float:
        """Return the weighted mean loss of the rows, summed over outputs."""
        truth = self._native(target)
        return _core.mean_loss(self.rule, truth, weights.units, flat(raw), n_threads)

    def _native(self, target: Target) -> _core.LossTarget:
        return _core.LossTarget(*((None, target) if self.has_classes else (target, None)))

    def _refuse(self, problem: str) -> ParameterError:
        return ParameterError(f"{type(self).__name__}: {problem}", code="P153")


def flat(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the same memory with one axis; what is written to it must not go to a copy."""
    if not array.flags.c_contiguous:
        raise ValueError("scores, gradients and hessians must be in C order")
    return array.reshape(-1)


def weighted_mean(values: Floats, weights: RowWeights) -> float:
    """Return the mean, the same bits for any order of rows."""
    numbers = fixed_point(values[:, None], weights)
    total = weights.total_units(len(values)) * weights.unit
    return float(numbers.mean(numbers.sums.sum(axis=0), total)[0])
