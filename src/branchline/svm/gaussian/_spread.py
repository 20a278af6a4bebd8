"""How wide the intervals of a Gaussian process are: by its own errors on rows left out.

Each training row, predicted by the others, errs by z of the standard deviations expected.
If the process were right, |z| would be below 1.96 for 95 % of the rows. Where its kernel is not
right, or the noise is not normal, it is not; so intervals reach as far as the errors did:

1. The conformal quantile of |z|: of n rows and the new one, each is as likely to be the largest.
2. Where too few rows are known for it: the quantile of Student's t, times the root mean square
   of z.
"""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from branchline._arrays import Floats

__all__ = ["Spread"]

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Spread:
    """|z| of rows that were left out, rising, with the weight of each."""

    sizes: Floats
    weights: Floats

    @staticmethod
    def of(errors: Floats, deviations: Floats, weights: Floats) -> "Spread":
        """Return the spread of errors in the deviations that were expected."""
        known = np.isfinite(errors) & (deviations > 0)
        sizes = np.abs(errors[known]) / deviations[known]
        order = np.argsort(sizes, kind="stable")
        return Spread(np.minimum(sizes[order], 1e100), weights[known][order])

    @property
    def n_effective(self) -> float:
        """How many rows of equal weight tell as much."""
        if len(self.weights) == 0:
            return 0.0
        share = self.weights / self.weights.max()
        return float(share.sum() ** 2 / (share**2).sum())

    def reach(self, coverage: float) -> float:
        """Return how many deviations an interval reaches to each side."""
        count = self.n_effective
        if count > 0:
            mass = np.cumsum(self.weights)
            share = mass / mass[-1] * count / (count + 1)
            place = int(np.searchsorted(share, coverage - _ROUNDING))
            if place < len(share):
                return float(self.sizes[place])
        if count < 2:
            return float(stats.norm.ppf(0.5 + coverage / 2))
        typical = float(np.sqrt(self.weights @ self.sizes**2 / self.weights.sum()))
        return max(1.0, typical) * float(stats.t.ppf(0.5 + coverage / 2, count - 1))
