"""Families of yes/no rules, and whether some rule of a family gives points their labels.

A family says how points lie, which parameters give them the wanted labels (None: no rule does), and
what a rule with these parameters says.

- Hyperplanes w·x + b > 0: separable or not, decided by a linear programme (y (w·x + b) ≥ 1).
- Circles around the origin: inside, or outside: a threshold of ‖x‖² and a direction.
- Rectangles along the axes: inside. The smallest that holds the positives is the best that can be.
- Sines sin(ω x) > 0 at x = ½, ¼, ⅛ …: ω = π (1 + Σ 2^i over the negatives i). At x_j terms with
  i > j are whole periods, i = j turns the sign, those with i < j sum up to less than half a turn.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog

__all__ = ["FAMILIES", "Family"]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Parameters = dict[str, Any]


@dataclass(frozen=True)
class Family:
    """A family of rules.

    Parameters
    ----------
    name
        How it is asked for.
    rule
        What a rule says, in a formula.
    dimension
        The VC dimension for a number of inputs; None when there is none.
    usual_points
        Takes a number of points and a number of inputs; returns points that are shattered if any
        are.
    realize
        The parameters that give points their labels; None when no rule of the family does.
    says
        The labels that a rule gives points.
    only_usual
        Whether the parameters are known for the usual points alone.
    """

    name: str
    rule: str
    dimension: Callable[[int], int | None]
    usual_points: Callable[[int, int], Floats]
    realize: Callable[[Floats, Bools], Parameters | None]
    says: Callable[[Floats, Parameters], Bools]
    only_usual: bool = False


# -- hyperplanes --------------------------------------------------------------------------------


def _simplex(n_points: int, n_inputs: int) -> Floats:
    """Return the origin and the unit vectors, then points within."""
    corners = np.vstack([np.zeros(n_inputs), np.eye(n_inputs)])
    inner = np.random.default_rng(0).dirichlet(np.ones(n_inputs + 1), max(n_points, 1))
    return np.vstack([corners, inner[:, :n_inputs]])[:n_points]


def _realize_plane(points: Floats, labels: Bools) -> Parameters | None:
    signs = np.where(labels, 1.0, -1.0)
    # Points in a common unit; y (w·x + b) ≥ 1 can be met exactly when the sides are separable.
    unit = max(float(np.abs(points).max()), 1e-300)
    rows = -signs[:, None] * np.hstack([points / unit, np.ones((len(points), 1))])
    n_unknown = points.shape[1] + 1
    found = linprog(np.zeros(n_unknown), A_ub=rows, b_ub=-np.ones(len(points)), bounds=(None, None))
    if found.status != 0:
        return None
    return {"w": (found.x[:-1] / unit).tolist(), "b": float(found.x[-1])}


def _plane_says(points: Floats, parameters: Parameters) -> Bools:
    return np.asarray(points @ np.array(parameters["w"]) + parameters["b"] > 0)


# -- circles ------------------------------------------------------------------------------------


def _rays(n_points: int, n_inputs: int) -> Floats:
    points = np.zeros((n_points, n_inputs))
    points[:, 0] = np.arange(1, n_points + 1)
    return points


def _realize_circle(points: Floats, labels: Bools) -> Parameters | None:
    squares = (points**2).sum(axis=1)
    edges = np.unique(squares)
    cuts = [edges[0] / 2 - 1, *((edges[1:] + edges[:-1]) / 2), edges[-1] + 1]
    for cut in cuts:
        for is_inside in (True, False):
            if (((squares <= cut) == is_inside) == labels).all():
                return {"radius2": float(cut), "positive": "inside" if is_inside else "outside"}
    return None


def _circle_says(points: Floats, parameters: Parameters) -> Bools:
    inside = (points**2).sum(axis=1) <= parameters["radius2"]
    return np.asarray(inside if parameters["positive"] == "inside" else ~inside)


# -- rectangles ---------------------------------------------------------------------------------


def _diamond(n_points: int, n_inputs: int) -> Floats:
    """Return the ends of the axes, then points within."""
    ends = np.vstack([np.eye(n_inputs), -np.eye(n_inputs)])
    inner = np.random.default_rng(0).uniform(-0.4, 0.4, size=(max(n_points, 1), n_inputs))
    return np.vstack([ends, inner])[:n_points]


def _realize_rectangle(points: Floats, labels: Bools) -> Parameters | None:
    if labels.any():
        low, high = points[labels].min(axis=0), points[labels].max(axis=0)
    else:  # beyond all points
        low = high = points.max(axis=0) + 1 + np.abs(points).max(axis=0)
    box = {"low": low.tolist(), "high": high.tolist()}
    return box if (_rectangle_says(points, box) == labels).all() else None


def _rectangle_says(points: Floats, parameters: Parameters) -> Bools:
    low, high = np.array(parameters["low"]), np.array(parameters["high"])
    return np.asarray(((points >= low) & (points <= high)).all(axis=1))


# -- sines --------------------------------------------------------------------------------------


def _halves(n_points: int, n_inputs: int) -> Floats:
    halves: Floats = np.ldexp(1.0, -np.arange(1, n_points + 1))[:, None]
    return halves


def _realize_sine(points: Floats, labels: Bools) -> Parameters | None:
    powers = np.arange(1, len(points) + 1)
    turns = 1 + int((2 ** powers[~labels]).sum())
    return {"frequency": float(np.pi * turns)}


def _sine_says(points: Floats, parameters: Parameters) -> Bools:
    return np.asarray(np.sin(parameters["frequency"] * points[:, 0]) > 0)


_PLANE = (_simplex, _realize_plane, _plane_says)

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family("hyperplanes", "w·x + b > 0", lambda d: d + 1, *_PLANE),
        Family(
            "circles",
            "‖x‖² ≤ r², or ‖x‖² > r²",
            lambda d: 2,
            _rays,
            _realize_circle,
            _circle_says,
        ),
        Family(
            "rectangles",
            "low ≤ x ≤ high",
            lambda d: 2 * d,
            _diamond,
            _realize_rectangle,
            _rectangle_says,
        ),
        Family(
            "sines",
            "sin(ω x) > 0",
            lambda d: None,
            _halves,
            _realize_sine,
            _sine_says,
            only_usual=True,
        ),
    )
}
