"""What support vector regressors share: one machine, its certificate, its state."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import FittedState, Regressor
from branchline._state import number_from_state
from branchline.svm._certificate import Certificate
from branchline.svm._kernel_machine import KernelPredictor
from branchline.svm._kernel_rows import KernelRows
from branchline.svm._one_machine import OneMachine, fitted_or_absent, linear_weights
from branchline.svm._problem import Solution
from branchline.table import Schema

__all__ = ["MachineAbout", "MarginRegressor", "TargetUnits", "target_in_units"]

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
    """Return the target as the solver sees it: centred, and scaled when columns are."""
    numbers = rows.data.number_target.values
    share = rows.weights / rows.weights.sum()
    middle = float(share @ numbers)
    centred: Floats = numbers - middle
    largest = float(np.abs(centred).max(initial=0.0))
    if not standardize or largest == 0:
        return centred, TargetUnits(middle, 1.0)
    # Squares of numbers of at most 1 neither overflow nor vanish.
    scale = max(largest * float(np.sqrt(share @ (centred / largest) ** 2)), 1e-300)
    return centred / scale, TargetUnits(middle, scale)


class MarginRegressor(OneMachine, KernelPredictor, Regressor):
    """f(x) = Σ_j β_j K(x_j, x) + b, in the units of the target."""

    _bias: float
    epsilon_: float

    def _fitted(
        self,
        rows: KernelRows,
        solution: Solution,
        about: "MachineAbout",
        given: npt.NDArray[np.intp] | None,
    ) -> dict[str, Any]:
        """Return the fitted attributes, in the units of the target."""
        half = len(rows)
        beta = solution.beta[:half] + solution.beta[half:]
        places = np.flatnonzero(beta)
        return {
            **self._kept(rows, places, given),
            "_coefficients": beta[places] * about.units.scale,
            "_bias": about.bias * about.units.scale + about.units.middle,
            "_certificate": about.certificate,
            "epsilon_": about.epsilon * about.units.scale,
        }

    def predict(self, X: Any) -> Floats:
        """Return the predicted number of each row."""
        predicted: Floats = self._scores(X) + self._bias
        return predicted

    @property
    def intercept_(self) -> Floats:
        """The bias b."""
        fitted_or_absent(self)
        return np.array([self._bias])

    @property
    def coef_(self) -> Floats:
        """The normal w, for a linear kernel: a weight for each encoded term."""
        return linear_weights(self, self.dual_coef_)

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {**self._pack_machine(), "bias": self._bias, "epsilon": self.epsilon_}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        return {
            **self._unpack_machine(state, schema, low=-_LARGEST),
            "_bias": number_from_state(state, "bias"),
            "epsilon_": abs(number_from_state(state, "epsilon")),
        }
