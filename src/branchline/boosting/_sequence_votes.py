"""The rounds of AdaBoost: weights of rows, amounts of members, errors and what bounds them.

The share of training rows that the vote gets wrong is at most Π ((1 − ε) e^(−a/2) + ε e^(a/2)): a
row is wrong only when members of at least half of all amounts are wrong on it, and then its D has
grown by e^(Σa/2) before division. For two classes and ν = 1 that is Π 2√(ε(1 − ε)), and at most
exp(−2 Σ γ²) with γ = ½ − ε; for ν < 1 at most exp(−2ν Σ γ²), as the sum is convex in ν.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._exact_sum import exact_sum
from branchline.boosting._sequence_rounds import RoundWeights
from branchline.boosting._sequence_rows import SequenceRows

__all__ = ["Votes"]

# Members whose error is this near to that of guessing count as guessing.
_NO_EDGE = 1e-9
# Weights of rows can get so small that an error is 0 in floats.
_LEAST_ERROR = 1e-300


class Votes:
    """The rounds of AdaBoost: weights of rows, amounts of members, errors and their bounds."""

    values = None

    def __init__(self, rows: SequenceRows, learning_rate: float) -> None:
        target = rows.data.class_target
        self.truth, self.n_classes = target.class_of_row, target.n_classes
        self.learning_rate, self.total = learning_rate, rows.total
        self.share: Floats = rows.weight / rows.total
        self._weights = RoundWeights(rows)
        self.votes = np.zeros((rows.n_rows, self.n_classes))
        self.amounts: list[float] = []
        self.errors: list[float] = []
        self.training_error: list[float] = []
        self.bound: list[float] = []
        self.envelope: list[float] = []
        self.is_over = False

    @property
    def estimator_errors_(self) -> Floats:
        return np.array(self.errors)

    @property
    def weight(self) -> Floats:
        """What each row counts, as many rows together as there are."""
        return self._weights.of_rows

    def take(self, predicted: npt.NDArray[Any], amount: float | None = None) -> bool:
        """Count a member; False when it is no better than guessing, and not the first."""
        wrong = predicted != self.truth
        error = exact_sum(self._weights.distribution[wrong])
        guesses = error >= self._chance - _NO_EDGE and wrong.any()
        if amount is None:
            if guesses and self.amounts:
                return False
            amount = self._amount(error, guesses, is_perfect=not wrong.any())
        self.is_over = guesses or not wrong.any()
        self._note(error, amount, predicted, wrong)
        return True

    @property
    def _chance(self) -> float:
        """The error of guessing."""
        return 1 - 1 / max(2, self.n_classes)

    def _amount(self, error: float, guesses: bool, *, is_perfect: bool) -> float:
        """Return how much a member counts, in SAMME's terms."""
        half_a_row = 0.5 / self.total
        if is_perfect:  # more than all others together
            return sum(self.amounts) + self._log_odds(half_a_row)
        if guesses:  # the only one: just enough to be heard
            return self._log_odds(self._chance - half_a_row)
        return self.learning_rate * self._log_odds(max(error, _LEAST_ERROR))

    def _log_odds(self, error: float) -> float:
        return math.log((1 - error) / error) + math.log(max(2, self.n_classes) - 1)

    def _note(
        self, error: float, amount: float, predicted: npt.NDArray[Any], wrong: npt.NDArray[np.bool_]
    ) -> None:
        self._weights.multiply_exp(np.float64(amount) * wrong)
        self.votes[np.arange(len(predicted)), predicted] += amount
        is_wrong = self.votes.argmax(axis=1) != self.truth
        factor = (1 - error) * math.exp(-amount / 2) + error * math.exp(amount / 2)
        factor = factor if wrong.any() else 0.0
        self.amounts.append(amount)
        self.errors.append(error)
        self.training_error.append(exact_sum(self.share[is_wrong]))
        self.bound.append((self.bound or [1.0])[-1] * factor)
        self.envelope.append((self.envelope or [1.0])[-1] * self._cover(error, amount, factor))

    def _cover(self, error: float, amount: float, factor: float) -> float:
        """Return what a factor of the bound for two classes cannot exceed."""
        if not 0 < error < self._chance:
            return max(factor, math.exp(-0.5)) if error == 0 else factor
        part = min(1.0, amount / self._log_odds(max(error, _LEAST_ERROR)))
        return math.exp(-2 * part * (0.5 - error) ** 2)

    def envelope_or_none(self) -> Floats | None:
        return np.array(self.envelope) if self.n_classes <= 2 else None
