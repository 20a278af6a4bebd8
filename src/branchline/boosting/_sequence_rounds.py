"""What the rounds of a sequence have in common: rules of their own, and weights of rows."""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._exact_sum import exact_sum
from branchline.boosting._sequence_rows import SequenceRows

__all__ = ["RoundWeights", "Rounds"]


class Rounds(Protocol):
    """The rules of a sequence: what the next member learns, and when it is the last."""

    amounts: list[float]

    @property
    def weight(self) -> Floats:
        """What each row counts for the next member."""

    @property
    def values(self) -> Floats | None:
        """The numbers that the next member learns; None: the classes."""

    @property
    def is_over(self) -> bool:
        """Whether no further member is wanted."""

    def take(self, predicted: npt.NDArray[Any], amount: float | None = None) -> bool:
        """Count a member, with an amount noted earlier if any; False: it is not kept."""


class RoundWeights:
    """Weights of rows that change from round to round, kept as logarithms: none vanishes."""

    # The weights, with a sum of 1.
    distribution: Floats

    def __init__(self, rows: SequenceRows) -> None:
        self._total = rows.total
        self._set(np.log(rows.weight / rows.total))

    @property
    def of_rows(self) -> Floats:
        """The weights, with the sum of those given: as many rows as there are."""
        return self.distribution * self._total

    def multiply_exp(self, exponent: Floats) -> None:
        """Multiply each weight by e to some power."""
        self._set(self._log + exponent)

    def _set(self, log: Floats) -> None:
        self._log = log
        weight = np.exp(log - log.max())
        self.distribution = weight / exact_sum(weight)
