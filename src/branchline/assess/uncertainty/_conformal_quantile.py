"""The conformal quantile: how large the error of a new row is at most, with a given probability.

The n errors that are known and the error of a new row are exchangeable, so each of the n + 1 is
equally likely to have any rank. The smallest error that at least ``level`` of these n + 1 do not
exceed, the unknown one counted as infinite, is therefore not exceeded by the new one with a
probability of at least ``level`` (Vovk, Gammerman and Shafer, 2005).

Weighted rows, copies of a row and rows of one group: the known errors share N / (N + 1) of the mass
by their weights, N being the number of independent rows that tell as much; 1 / (N + 1) belongs to
the new row. With groups of equal size this is the hierarchical conformal prediction of Lee, Barber
and Willett (2023).
"""

import math

import numpy as np
import numpy.typing as npt

__all__ = ["conformal_quantile", "fewest_rows"]

Floats = npt.NDArray[np.float64]
_ROUNDING = 1e-9


def conformal_quantile(scores: Floats, weight: Floats, n_effective: float, level: float) -> float:
    """Return the bound that the score of a new row does not exceed; infinite with too few rows.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.assess.uncertainty._conformal_quantile import conformal_quantile
    >>> scores = np.arange(1.0, 20.0)  # 19 errors: 1, 2, … 19
    >>> conformal_quantile(scores, np.ones(19), 19.0, 0.9)
    18.0
    """
    order = np.argsort(scores, kind="stable")
    mass = np.cumsum(weight[order])
    share = mass / mass[-1] * n_effective / (n_effective + 1)
    place = int(np.searchsorted(share, level - _ROUNDING))
    return float(scores[order[place]]) if place < len(order) else math.inf


def fewest_rows(level: float) -> int:
    """Return the number of rows from which on the quantile is finite."""
    return math.ceil(level / (1 - level) - _ROUNDING)
