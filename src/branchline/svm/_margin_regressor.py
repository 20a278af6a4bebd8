"""What support vector regressors share: one machine, its certificate, its state."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._base import Complexity, FittedState, Regressor
from branchline._state import number_from_state, numbers_from_state
from branchline.svm._certificate import Certificate
from branchline.svm._kernel_machine import KernelPredictor
from branchline.svm._kernel_rows import KernelRows
from branchline.svm._problem import Floats, Solution
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


class MarginRegressor(KernelPredictor, Regressor):
    """f(x) = Σ_j β_j K(x_j, x) + b, in the units of the target."""

    _coefficients: Floats
    _bias: float
    _certificate: Certificate
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
        points = self._points(X)
        sums = self._sums(points, self._coefficients[:, None], self._support_points)
        predicted: Floats = sums[:, 0] + self._bias
        return predicted

    # -- certificate ----------------------------------------------------------------------------

    @property
    def objective_(self) -> float:
        """The primal objective ½‖w‖² + Σ C_i slack_i."""
        return self._known().primal

    @property
    def gap_(self) -> float:
        """By how much the objective can be above the least possible."""
        return self._known().gap

    @property
    def kkt_violation_(self) -> float:
        """The largest violation of the conditions of optimality."""
        return self._known().violation

    @property
    def converged_(self) -> bool:
        """Whether the tolerance was reached."""
        return self._known().is_done

    @property
    def n_iter_(self) -> int:
        """How many pairs of variables were moved."""
        return self._known().n_steps

    @property
    def dual_coef_(self) -> Floats:
        """β of each row of ``support_``, in one row."""
        self._known()
        return self._coefficients[None, :].copy()

    @property
    def intercept_(self) -> Floats:
        """The bias b."""
        self._known()
        return np.array([self._bias])

    @property
    def coef_(self) -> Floats:
        """w, for a linear kernel: a weight for each encoded term."""
        self._known()
        if getattr(getattr(self.kernel_, "number_form", None), "kind", None) != "linear":
            raise AttributeError("coef_ exists for the linear kernel alone")
        weights: Floats = self.dual_coef_ @ self._support_points.matrix
        return weights

    def _known(self) -> Certificate:
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"this {type(self).__name__} is not fitted yet")
        return self._certificate

    def _complexity(self) -> Complexity:
        return Complexity(max(1, len(self.support_)), "support vectors")

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            **self._pack_kernel(),
            "coefficients": self._coefficients,
            "bias": self._bias,
            "epsilon": self.epsilon_,
            **self._certificate.pack(),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        kept = self._unpack_kernel(state, schema)
        coefficients = numbers_from_state(
            state, "coefficients", length=len(kept["support_"]), low=-_LARGEST, high=_LARGEST
        )
        return {
            **kept,
            "_coefficients": coefficients,
            "_bias": number_from_state(state, "bias"),
            "epsilon_": abs(number_from_state(state, "epsilon")),
            "_certificate": Certificate.unpack(state),
        }
