"""What support vector regressors share: one machine, its certificate, its state."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import Complexity, FittedState, Regressor
from branchline._explanation import Explanation
from branchline._state import number_from_state
from branchline.kernels import FittedKernel
from branchline.svm._certificate import Certificate
from branchline.svm._kernel_rows import KernelRows
from branchline.svm._kernel_score import (
    CONVERGED,
    DUAL_COEF,
    GAP,
    KKT_VIOLATION,
    N_ITER,
    OBJECTIVE,
    KernelScore,
    fitted_or_absent,
)
from branchline.svm._quadratic_program import Solution
from branchline.svm._support_rows import SupportRows, explain_kernel_row
from branchline.table import Schema

__all__ = ["MachineAbout", "MarginRegressor", "TargetUnits", "numbers_in_units", "target_in_units"]

_LARGEST = 1e300


@dataclass(frozen=True)
class TargetUnits:
    """The target's numbers are middle + scale · (what the solver saw)."""

    middle: float
    scale: float


@dataclass(frozen=True)
class MachineAbout:
    """What was found beside β: all of it in the solver's units."""

    certificate: Certificate
    bias: float
    epsilon: float
    units: TargetUnits


def target_in_units(rows: KernelRows, *, standardize: bool) -> tuple[Floats, TargetUnits]:
    """Return the target as the solver sees it: centered, and scaled when columns are."""
    return numbers_in_units(rows.data.number_target.values, rows.weights, standardize=standardize)


def numbers_in_units(
    numbers: Floats, weights: Floats, *, standardize: bool
) -> tuple[Floats, TargetUnits]:
    """Return numbers centered, and scaled to a weighted standard deviation of 1."""
    share = weights / weights.sum()
    middle = float(share @ numbers)
    centered: Floats = numbers - middle
    largest = float(np.abs(centered).max(initial=0.0))
    if not standardize or largest == 0:
        return centered, TargetUnits(middle, 1.0)
    # Squares of numbers of at most 1 neither overflow nor vanish.
    scale = max(largest * float(np.sqrt(share @ (centered / largest) ** 2)), 1e-300)
    return centered / scale, TargetUnits(middle, scale)


class MarginRegressor(Regressor):
    """f(x) = Σ_j β_j K(x_j, x) + b, in the units of the target."""

    # Kernel values are summed in an order of their own for each batch's tiles and threads alike,
    # but encoded numbers of one row and of many come from the same code.
    _tolerance: ClassVar[float] = 1e-9
    _copies_of_columns_count: ClassVar[bool] = True

    n_jobs: int | None
    kernel_: FittedKernel
    support_: npt.NDArray[np.int64]
    epsilon_: float
    _score: KernelScore
    _bias: float

    @staticmethod
    def _fitted(
        rows: KernelRows,
        solution: Solution,
        about: MachineAbout,
        given: npt.NDArray[np.intp] | None,
    ) -> dict[str, Any]:
        """Return the fitted attributes, in the units of the target."""
        half = len(rows)
        beta = solution.beta[:half] + solution.beta[half:]
        places = np.flatnonzero(beta)
        support = SupportRows.of(rows, places, given)
        score = KernelScore(support, beta[places] * about.units.scale, about.certificate)
        return {
            **_attributes(score),
            "_bias": about.bias * about.units.scale + about.units.middle,
            "epsilon_": about.epsilon * about.units.scale,
        }

    def predict(self, X: Any) -> Floats:
        """Return the predicted number of each row."""
        self._check_fitted()
        predicted: Floats = self._score.of_rows(self, X) + self._bias
        return predicted

    def explain(self, row: Any) -> Explanation:
        """Say why one row is predicted as it is, with a share for each column.

        Parameters
        ----------
        row
            A table of one row, a mapping of column names to values, or a list of one text.
        """
        return explain_kernel_row(self, row, super().explain)

    # -- the machine ----------------------------------------------------------------------------

    @property
    def intercept_(self) -> Floats:
        """The bias b."""
        fitted_or_absent(self)
        return np.array([self._bias])

    @property
    def coef_(self) -> Floats:
        """The normal w, for a linear kernel: a weight for each encoded term."""
        fitted_or_absent(self)
        return self._score.support.linear_weights(self.dual_coef_)

    dual_coef_ = DUAL_COEF
    objective_ = OBJECTIVE
    gap_ = GAP
    kkt_violation_ = KKT_VIOLATION
    converged_ = CONVERGED
    n_iter_ = N_ITER

    def _complexity(self) -> Complexity:
        return Complexity(max(1, len(self.support_)), "support vectors")

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {**self._score.pack(), "bias": self._bias, "epsilon": self.epsilon_}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        return {
            **_attributes(KernelScore.unpack(state, schema, low=-_LARGEST)),
            "_bias": number_from_state(state, "bias"),
            "epsilon_": abs(number_from_state(state, "epsilon")),
        }


def _attributes(score: KernelScore) -> dict[str, Any]:
    support = score.support
    return {"kernel_": support.kernel, "support_": support.numbers, "_score": score}
