"""The structured support vector machine, by cutting planes with one slack.

With scores linear in the weights w, the objective is

    λ/2 |w|² + H(w),   H(w) = mean over cells of max_y [wrong(y) + score(y) − score(right)].

1. The best labelings of all grids at w, with one point more for each wrong label, give a plane
   b − a·w that lies below H everywhere and touches it at w (Joachims, Finley and Yu, 2009).
2. w is what minimizes λ/2 |w|² plus the maximum of all planes so far: w = Σ αₖ aₖ / λ, where α
   maximizes a concave quadratic function on the simplex. Its value is a lower bound.
3. The best objective so far minus that bound is the duality gap: a certificate.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from branchline._arrays import Floats

__all__ = ["Learned", "learn_by_planes"]

_MOST_STEPS = 2_000  # of the small problem for each plane; the bound holds wherever it stops
_SHARE_OF_GAP = 0.1  # how far from its own optimum the small problem may stay


@dataclass(frozen=True, eq=False)
class Learned:
    """What was learned.

    Parameters
    ----------
    weights
        The weights of the best objective.
    history
        A row for each plane: its number, the best objective so far, the lower bound.
    """

    weights: Floats
    history: Floats

    @property
    def gap(self) -> float:
        """How much lower the objective could be at most."""
        return float(self.history[-1, 1] - self.history[-1, 2])


def learn_by_planes(
    plane_at: Callable[[Floats], tuple[Floats, float]],
    n_weights: int,
    options: tuple[float, float, int],
) -> Learned:
    """Minimize the objective.

    Parameters
    ----------
    plane_at
        Returns the plane (a, b) that touches H at some weights.
    n_weights
        The number of weights.
    options
        λ, the gap to be reached, the maximum number of planes.
    """
    strength, tol, most = options
    weights = best_weights = np.zeros(n_weights)
    slopes, heights = [np.zeros(n_weights)], [0.0]  # right labels everywhere: H is at least 0
    products, alpha = np.zeros((1, 1)), np.ones(1)
    history: list[tuple[float, float, float]] = []
    best = np.inf
    for step in range(1, most + 1):
        slope, height = plane_at(weights)
        objective = strength / 2 * float(weights @ weights) + height - float(slope @ weights)
        if objective < best:
            best, best_weights = objective, weights
        slopes.append(slope)
        heights.append(height)
        row = np.array([float(slope @ other) for other in slopes])
        products = np.block([[products, row[:-1, None]], [row]])
        alpha = _maximize(products / strength, np.array(heights), np.append(alpha, 0.0),
                          _SHARE_OF_GAP * tol)  # fmt: skip
        weights = np.sum([a * one for a, one in zip(alpha, slopes, strict=True) if a], axis=0)
        weights = weights / strength
        bound = float(alpha @ heights) - float(alpha @ products @ alpha) / (2 * strength)
        bound = max(bound, history[-1][2] if history else 0.0)
        history.append((float(step), best, bound))
        if best - bound <= tol:
            break
    return Learned(best_weights, np.array(history))


def _maximize(curvature: Floats, heights: Floats, alpha: Floats, tol: float) -> Floats:
    """Return the weights of planes that maximize heights·α − α·curvature·α / 2 on the simplex.

    Weight goes from the used plane with the lowest slope to the one with the highest, as far as it
    helps.
    """
    slope = heights - curvature @ alpha
    for _ in range(_MOST_STEPS):
        up = int(np.argmax(slope))
        if slope[up] - float(alpha @ slope) <= tol:
            break
        used = np.flatnonzero(alpha > 0)
        low = int(used[np.argmin(slope[used])])
        bend = curvature[up, up] + curvature[low, low] - 2 * curvature[up, low]
        gain = float(slope[up] - slope[low])
        move = alpha[low] if bend <= gain / alpha[low] else gain / bend
        alpha[up] += move
        alpha[low] = 0.0 if move == alpha[low] else alpha[low] - move
        slope -= move * (curvature[:, up] - curvature[:, low])
    return alpha
