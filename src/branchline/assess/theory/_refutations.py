"""Why a family does not shatter some points: one labeling that no rule gives, and the reason.

- Hyperplanes, d + 2 points: by Radon's theorem the points fall into two sets whose hulls meet. From
  Σ λ_i x_i = 0, Σ λ_i = 0, λ ≠ 0: yes where λ_i > 0. The common point would be on both sides.
- Circles, 3 points: the one in the middle, by distance, apart from the two others.
- Rectangles, 2 d + 1 points: take, on every axis, the lowest and the highest. Of those 2 d at most,
  the smallest rectangle holds all points; one that is not among them cannot be left out.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import number
from branchline.assess.theory._shattering import check_points, find_family
from branchline.errors import ParameterError, Repair

__all__ = ["Refutation", "refute"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Refutation:
    """A labeling that no rule of a family gives.

    Parameters
    ----------
    family
        The name of the family.
    points
        The points, a row each.
    labels
        The labeling: True for yes. Where a Radon weight is 0, either label will do.
    reason
        Why no rule gives it.
    witness
        The point that would be on both sides; None where the reason needs none.

    See Also
    --------
    refute : return a labeling of these points that no rule of the family gives, and why.

    Examples
    --------
    >>> from branchline.assess.theory import refute
    >>> len(refute("hyperplanes", [[0, 0], [1, 1], [0, 1], [1, 0]]).labels)
    4
    """

    family: str
    points: Floats
    labels: tuple[bool, ...]
    reason: str
    witness: Floats | None = None

    def __str__(self) -> str:
        signs = "".join("+" if label else "−" for label in self.labels)
        return f"{self.family}: {signs} is impossible. {self.reason}"


def refute(family: str, points: Any) -> Refutation:
    """Return a labeling of these points that no rule of the family gives, and why.

    Any points will do, as long as there is one more than the VC dimension: that is the proof that
    the dimension is not higher.

    Parameters
    ----------
    family
        "hyperplanes", "circles" or "rectangles". Sines shatter any number of points.
    points
        The points, a row each: at least d + 2, 3 or 2 d + 1.

    See Also
    --------
    Refutation : a labeling that no rule of a family gives.

    Examples
    --------
    >>> from branchline.assess.theory import refute
    >>> print(refute("hyperplanes", [[0, 0], [1, 1], [0, 1], [1, 0]]))
    hyperplanes: ++−− is impossible. Both sides would hold the point (0.5, 0.5).
    """
    kind, placed = find_family(family), check_points(points)
    dimension = kind.dimension(placed.shape[1])
    if dimension is None or len(placed) <= dimension:
        least = (
            "no number of points is enough" if dimension is None else f"it takes {dimension + 1}"
        )
        raise ParameterError(
            f"{len(placed)} points do not refute {family}: {least}.",
            code="P122",
            values=[len(placed)],
            repair=Repair("refute('circles', [[1, 0], [2, 0], [3, 0]])"),
        )
    return _REFUTE[family](placed)


def _refute_plane(points: Floats) -> Refutation:
    """Label by the signs of an affine dependence (Radon)."""
    unit = max(float(np.abs(points).max()), 1e-300)
    equations = np.vstack([points.T / unit, np.ones(len(points))])
    weights = np.linalg.svd(equations)[2][-1]
    weights[np.abs(weights) < 1e-12] = 0.0
    weights = weights if weights[np.flatnonzero(weights)[0]] > 0 else -weights
    positive = weights > 0
    witness = weights[positive] @ points[positive] / weights[positive].sum()
    witness = np.where(np.abs(witness) < 1e-12 * unit, 0.0, witness)
    place = "(" + ", ".join(map(number, witness)) + ")"
    reason = f"Both sides would hold the point {place}."
    return Refutation("hyperplanes", points, tuple(positive.tolist()), reason, witness)


def _refute_circle(points: Floats) -> Refutation:
    order = np.argsort((points**2).sum(axis=1), kind="stable")
    labels = np.ones(len(points), dtype=bool)
    labels[order[1]] = False
    reason = "A point between two others, by distance, is told apart from both: one radius cannot."
    return Refutation("circles", points, tuple(labels.tolist()), reason)


def _refute_rectangle(points: Floats) -> Refutation:
    extremes = {*points.argmin(axis=0).tolist(), *points.argmax(axis=0).tolist()}
    left_out = next(place for place in range(len(points)) if place not in extremes)
    labels = np.ones(len(points), dtype=bool)
    labels[left_out] = False
    reason = f"Every rectangle that holds the others holds point {left_out} as well."
    return Refutation("rectangles", points, tuple(labels.tolist()), reason)


_REFUTE = {
    "hyperplanes": _refute_plane,
    "circles": _refute_circle,
    "rectangles": _refute_rectangle,
}
