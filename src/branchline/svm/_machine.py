"""A fitted machine of two classes: the rows that decide, their weights, and its certificate."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._state import array_from_state, malformed, number_from_state, numbers_from_state
from branchline.svm._certificate import Certificate
from branchline.svm._sigmoid import Sigmoid

__all__ = ["Machine"]

_LARGEST = 1e300


@dataclass(frozen=True, eq=False)
class Machine:
    """f(x) = Σ coefficients_k K(x_k, x) + bias over its support vectors.

    Parameters
    ----------
    places
        Where its support vectors stand among those that the model keeps.
    coefficients
        y_i α_i of each.
    bias
        b.
    norm
        ‖w‖, the length of the normal of the separating plane.
    sigmoid
        From scores to probabilities.
    certificate
        How good the solution is.
    """

    places: npt.NDArray[np.int64]
    coefficients: Floats
    bias: float
    norm: float
    sigmoid: Sigmoid
    certificate: Certificate

    @property
    def margin(self) -> float:
        """The width 2 / ‖w‖ between the planes f = −1 and f = 1."""
        return 2 / self.norm if self.norm > 0 else float("inf")

    def pack(self) -> dict[str, Any]:
        """Return the machine as plain values."""
        return {
            "places": self.places,
            "coefficients": self.coefficients,
            "bias": self.bias,
            "norm": self.norm,
            "slopes": np.array([self.sigmoid.slope_below, self.sigmoid.slope_above]),
            **self.certificate.pack(),
        }

    @staticmethod
    def unpack(state: Any, n_support: int) -> "Machine":
        """Check packed values and return the machine."""
        if not isinstance(state, dict) or set(state) != _NAMES:
            raise malformed("a machine lacks a part, or has one too many")
        places = array_from_state(state, "places", np.dtype(np.int64))
        inside = (places >= 0).all() and (places < n_support).all()
        if not inside or (np.diff(places) <= 0).any():
            raise malformed("the support vectors of a machine are out of range or order")
        coefficients = numbers_from_state(
            state, "coefficients", length=len(places), low=-_LARGEST, high=_LARGEST
        )
        slopes = numbers_from_state(state, "slopes", length=2, low=0.0, high=_LARGEST)
        return Machine(
            places,
            coefficients,
            number_from_state(state, "bias"),
            abs(number_from_state(state, "norm")),
            Sigmoid(float(slopes[0]), float(slopes[1])),
            Certificate.unpack(state),
        )


_NAMES = {
    "places", "coefficients", "bias", "norm", "slopes",
    "objectives", "n_steps", "is_done", "is_convex",
}  # fmt: skip
