"""What estimators of a single machine share: its coefficients and its certificate."""

from typing import Any

from branchline._arrays import Floats
from branchline._base import Complexity, Estimator, FittedState
from branchline._state import numbers_from_state
from branchline.svm._certificate import Certificate
from branchline.svm._kernel_machine import KernelMachine

__all__ = ["OneMachine", "fitted_or_absent", "linear_weights"]

_LARGEST = 1e300


def fitted_or_absent(model: Estimator) -> None:
    """Say that a fitted attribute is not there yet, as Python says it of any attribute."""
    if not model.__sklearn_is_fitted__():
        raise AttributeError(f"this {type(model).__name__} is not fitted yet")


class OneMachine(KernelMachine):
    """A score Σ_j β_j K(x_j, x) over support vectors."""

    _coefficients: Floats
    _certificate: Certificate

    def _scores(self, X: Any) -> Floats:
        """Return the score of each row, without a bias."""
        points = self._points(X)
        return self._sums(points, self._coefficients[:, None], self._support_points)[:, 0]

    @property
    def dual_coef_(self) -> Floats:
        """β of each row of ``support_``, in one row."""
        fitted_or_absent(self)
        return self._coefficients[None, :].copy()

    @property
    def objective_(self) -> float:
        """The primal objective."""
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

    def _known(self) -> Certificate:
        fitted_or_absent(self)
        return self._certificate

    def _complexity(self) -> Complexity:
        return Complexity(max(1, len(self.support_)), "support vectors")

    # -- saving ---------------------------------------------------------------------------------

    def _pack_machine(self) -> dict[str, Any]:
        return {
            **self._pack_kernel(),
            "coefficients": self._coefficients,
            **self._certificate.pack(),
        }

    def _unpack_machine(self, state: FittedState, schema: Any, *, low: float) -> dict[str, Any]:
        """Return the machine of a packed state; no coefficient is below ``low``."""
        kept = self._unpack_kernel(state, schema)
        coefficients = numbers_from_state(
            state, "coefficients", length=len(kept["support_"]), low=low, high=_LARGEST
        )
        certificate = Certificate.unpack(state)
        return {**kept, "_coefficients": coefficients, "_certificate": certificate}


def linear_weights(model: KernelMachine, dual_coef: Floats) -> Floats:
    """Return w of machines with a linear kernel: a weight for each encoded term."""
    if getattr(getattr(model.kernel_, "number_form", None), "kind", None) != "linear":
        raise AttributeError("coef_ exists for the linear kernel alone")
    weights: Floats = dual_coef @ model._support_points.matrix
    return weights
