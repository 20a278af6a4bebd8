"""A score Σ_j β_j K(x_j, x) over support vectors, with its certificate: one fitted machine."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from branchline._arrays import Floats
from branchline._base import Estimator, FittedState
from branchline._state import numbers_from_state
from branchline.svm._certificate import Certificate
from branchline.svm._support_rows import SupportRows
from branchline.table import Schema

__all__ = [
    "CONVERGED",
    "DUAL_COEF",
    "GAP",
    "KKT_VIOLATION",
    "N_ITER",
    "OBJECTIVE",
    "KernelScore",
    "fitted_or_absent",
    "score_property",
]

_LARGEST = 1e300


def fitted_or_absent(model: Estimator) -> None:
    """Say that a fitted attribute is not there yet, as Python says it of any attribute."""
    if not model.__sklearn_is_fitted__():
        raise AttributeError(f"this {type(model).__name__} is not fitted yet")


@dataclass(frozen=True, eq=False)
class KernelScore:
    """The machine that regressors and the one-class machine hold.

    Parameters
    ----------
    support
        The support vectors.
    coefficients
        β of each.
    certificate
        How good the solution is.
    """

    support: SupportRows
    coefficients: Floats
    certificate: Certificate

    def of_rows(self, model: Any, X: Any) -> Floats:
        """Return the score of each row to predict, without a bias."""
        points = self.support.prepare(model, X)
        return self.support.sums(points, self.coefficients[:, None], model.n_jobs)[:, 0]

    @property
    def dual_coef(self) -> Floats:
        """β of each support vector, in one row."""
        return self.coefficients[None, :].copy()

    def pack(self) -> dict[str, Any]:
        """Return the machine as plain values."""
        return {
            **self.support.pack(),
            "coefficients": self.coefficients,
            **self.certificate.pack(),
        }

    @staticmethod
    def unpack(state: FittedState, schema: Schema, *, low: float) -> "KernelScore":
        """Check packed values and return the machine; no coefficient is below ``low``."""
        support = SupportRows.unpack(state, schema)
        coefficients = numbers_from_state(
            state, "coefficients", length=len(support), low=low, high=_LARGEST
        )
        return KernelScore(support, coefficients, Certificate.unpack(state))


def score_property(words: str, read: Callable[[KernelScore], Any]) -> Any:
    """Return a fitted attribute that an estimator reads from the score it holds."""

    def get(model: Any) -> Any:
        fitted_or_absent(model)
        return read(model._score)

    return property(get, doc=words)


DUAL_COEF = score_property("β of each row of ``support_``, in one row.", lambda one: one.dual_coef)
OBJECTIVE = score_property("The primal objective.", lambda one: one.certificate.primal)
GAP = score_property(
    "By how much the objective can be above the least possible.", lambda one: one.certificate.gap
)
KKT_VIOLATION = score_property(
    "The largest violation of the conditions of optimality.", lambda one: one.certificate.violation
)
CONVERGED = score_property(
    "Whether the tolerance was reached.", lambda one: one.certificate.is_done
)
N_ITER = score_property(
    "How many pairs of variables were moved.", lambda one: one.certificate.n_steps
)
