"""A learning curve as a power law, known up to a posterior: what was gained, what is to come.

The gain from n₁ to n₂ labels is a (n₁^-c - n₂^-c). Earlier labels are used to fit models of smaller
sizes nᵢ; what today's model, of n labels, sees as its gain over each of them is gᵢ.

1. The law is written by two numbers: b, the gain from n / 2 to n labels, and c, the exponent. So
   the gain from n₁ to n₂ is b ((n₁/n)^-c - (n₂/n)^-c) / (2^c - 1).
2. log gᵢ is the logarithm of the law plus an error, normal, with a part that all sizes share (0.6)
   and a part of its own (0.4). The logarithm of b is uniform; c is normal, 0.8 ± 0.6, from 0.1 to
   3. These four numbers were chosen on ten real tables (docs/active-learning.md).
3. The posterior is a sum over a grid of 30 × 50 points.
"""

from dataclasses import dataclass

import numpy as np

from branchline._arrays import Floats
from branchline._intervals import Interval

__all__ = ["PowerLaw", "fit_power_law"]

_EXPONENTS = np.linspace(0.1, 3.0, 30)
_LOG_HALVES = np.linspace(np.log(1e-4), np.log(0.8), 50)
_SHARED, _OWN = 0.6, 0.4
_USUAL, _SPREAD = 0.8, 0.6
_LEVELS = (0.05, 0.95)


@dataclass(frozen=True, eq=False)
class PowerLaw:
    """The posterior of a learning curve.

    Parameters
    ----------
    n_labels
        The number of labels of today.
    weights
        The posterior weight of each point of the grid.
    """

    n_labels: int
    weights: Floats

    def gain(self, first: float, last: float) -> Interval:
        """Return the expected gain from one number of labels to another, with its 90 % band."""
        gains = self._gains(first, last).ravel()
        weights = self.weights.ravel()
        order = np.argsort(gains, kind="stable")
        ends = np.cumsum(weights[order])
        places = np.minimum(np.searchsorted(ends, _LEVELS), len(order) - 1)
        low, high = gains[order[places]]
        return Interval(float(weights @ gains), float(low), float(high))

    def _gains(self, first: float, last: float) -> Floats:
        shape = (first / self.n_labels) ** -_EXPONENTS - (last / self.n_labels) ** -_EXPONENTS
        return np.asarray((shape / (2.0**_EXPONENTS - 1))[:, None] * np.exp(_LOG_HALVES)[None, :])


def fit_power_law(sizes: Floats, gains: Floats, n_labels: int, n_measured: int) -> PowerLaw:
    """Return the posterior.

    Parameters
    ----------
    sizes, gains
        The numbers of labels of earlier models, and the gain of today's model over each.
    n_labels
        The number of labels of today.
    n_measured
        Number of rows that the gains were measured on: a gain of less than half a row is not seen.
    """
    least = np.log(0.5 / n_measured)
    share = (sizes / n_labels)[:, None] ** -_EXPONENTS - 1
    law = np.log(share / (2.0**_EXPONENTS - 1))[:, :, None] + _LOG_HALVES[None, None, :]
    seen = np.log(np.maximum(gains, 0.0) + np.exp(least))
    off = seen[:, None, None] - np.logaddexp(law, least)
    errors = np.linalg.inv(_OWN**2 * np.eye(len(sizes)) + _SHARED**2)
    fit = -0.5 * np.einsum("icb,ij,jcb->cb", off, errors, off)
    fit -= 0.5 * (((_EXPONENTS - _USUAL) / _SPREAD) ** 2)[:, None]
    weights = np.exp(fit - fit.max())
    return PowerLaw(n_labels, weights / weights.sum())
