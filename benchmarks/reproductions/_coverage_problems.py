"""Tables whose truth is known, for ``coverage_grid``: five problems, and rows that hang together.

Every problem turns normal numbers E (one for each row and column) and u (one for each row) into a
table and a target, so that rows may be independent, belong to groups or follow each other in time
without any change of what a single row looks like:

- smooth: y = 1 where 1.5 (x₁ + … + x₅) / √5 + u > 0.
- xor: y says whether x₁ and x₂ have the same sign, wrong in 15 % of rows; three more columns tell
  nothing.
- look_alike: 60 columns, each 0.35 higher or lower by class, with a common part of half of their
  variance: no column is better than another.
- rare: smooth, with one row in ten of class 1.
- noise: 20 columns and a class that they do not know.
- numbers: the sum of smooth plus u, to be predicted as a number; heavy: with errors of a t
  distribution with 5 degrees of freedom.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy import stats

__all__ = ["GROUP_SIZE", "NUMBERS", "PROBLEMS", "Dependence", "draw"]

Floats = npt.NDArray[np.float64]
Problem = Callable[[Floats, Floats], tuple[Floats, Floats]]
Dependence = str

GROUP_SIZE = 5
# The part of the variance that rows of a group share, and the correlation of neighbors in time.
_WITHIN, _NEXT = 0.5, 0.7
_RARE = float(stats.norm.ppf(0.9)) * np.sqrt(1 + 1.5**2)


def _sum(E: Floats) -> Floats:
    return np.asarray(1.5 * E[:, :5].sum(axis=1) / np.sqrt(5))


def _smooth(E: Floats, u: Floats) -> tuple[Floats, Floats]:
    return E, (_sum(E) + u > 0).astype(np.float64)


def _xor(E: Floats, u: Floats) -> tuple[Floats, Floats]:
    return E, ((E[:, 0] * E[:, 1] > 0) ^ (u > stats.norm.ppf(0.85))).astype(np.float64)


def _look_alike(E: Floats, u: Floats) -> tuple[Floats, Floats]:
    y = (u > 0).astype(np.float64)
    X = np.sqrt(0.5) * (E[:, 1:] + E[:, :1]) + 0.35 * (2 * y[:, None] - 1)
    return X, y


def _rare(E: Floats, u: Floats) -> tuple[Floats, Floats]:
    return E, (_sum(E) + u > _RARE).astype(np.float64)


def _noise(E: Floats, u: Floats) -> tuple[Floats, Floats]:
    return E, (u > 0).astype(np.float64)


def _numbers(E: Floats, u: Floats) -> tuple[Floats, Floats]:
    return E, _sum(E) / 1.5 + u


def _heavy(E: Floats, u: Floats) -> tuple[Floats, Floats]:
    return E, _sum(E) / 1.5 + stats.t.ppf(stats.norm.cdf(u), 5)


PROBLEMS: dict[str, tuple[int, Problem]] = {
    "smooth": (5, _smooth),
    "xor": (5, _xor),
    "look_alike": (61, _look_alike),
    "rare": (5, _rare),
    "noise": (20, _noise),
    "numbers": (5, _numbers),
    "heavy": (5, _heavy),
}
NUMBERS = ("numbers", "heavy")


def draw(
    problem: str, n_rows: int, rng: np.random.Generator, dependence: Dependence = ""
) -> tuple[Floats, Floats]:
    """Return a table and its target.

    ``dependence`` is "groups" (rows of the same five share half of their variance), "time" (a
    correlation of 0.7 between neighbors) or "" (independent rows).
    """
    n_columns, make = PROBLEMS[problem]
    normal = rng.normal(size=(n_rows, n_columns + 1))
    if dependence == "groups":
        shared = rng.normal(size=(-(-n_rows // GROUP_SIZE), n_columns + 1))
        shared = np.repeat(shared, GROUP_SIZE, axis=0)[:n_rows]
        normal = np.sqrt(_WITHIN) * shared + np.sqrt(1 - _WITHIN) * normal
    if dependence == "time":
        for row in range(1, n_rows):
            normal[row] = _NEXT * normal[row - 1] + np.sqrt(1 - _NEXT**2) * normal[row]
    return make(normal[:, 1:], normal[:, 0])
