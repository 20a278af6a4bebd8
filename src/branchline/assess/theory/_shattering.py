"""Shattering: whether the rules of a family can give points every labeling there is.

1. k points have 2^k labelings. The family shatters them when each is given by one of its rules.
2. The VC dimension is the most points that some placing of them lets the family shatter. To show
   that it is h: h points that are shattered (``shatter``), and why no h + 1 are (``refute``).
3. Every rule that is found is asked again what it says; a labeling counts when it says that.
"""

from dataclasses import dataclass
from difflib import get_close_matches
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import number
from branchline._validation import Whole, check_parameters
from branchline.assess.theory._concept_families import FAMILIES, Family
from branchline.errors import ParameterError, Repair

__all__ = ["Shattering", "check_points", "find_family", "shatter"]

Floats = npt.NDArray[np.float64]

_MOST_POINTS = 16
_MOST_LINES = 40


@dataclass(frozen=True, eq=False)
class Shattering:
    """Every labeling of some points, with the rule that gives it; print it to read it.

    Parameters
    ----------
    family
        The name of the family.
    rule
        Its rules, in words.
    dimension
        Its VC dimension for a number of inputs; None when there is none.
    points
        The points, a row each.
    labelings
        Each labeling of the points (True: yes) with the parameters of a rule that gives it; None
        where no rule of the family does.

    See Also
    --------
    shatter : try every labeling of some points with the rules of a family.

    Examples
    --------
    >>> from branchline.assess.theory import shatter
    >>> len(shatter("circles").labelings)
    4
    """

    family: str
    rule: str
    dimension: int | None
    points: Floats
    labelings: tuple[tuple[tuple[bool, ...], dict[str, Any] | None], ...]

    @property
    def is_shattered(self) -> bool:
        """Whether every labeling is given by a rule."""
        return all(rule is not None for _, rule in self.labelings)

    @property
    def impossible(self) -> tuple[tuple[bool, ...], ...]:
        """The labelings that no rule gives."""
        return tuple(labels for labels, rule in self.labelings if rule is None)

    def to_text(self) -> str:
        """Return a line for each labeling."""
        n_given = len(self.labelings) - len(self.impossible)
        verdict = "shattered" if self.is_shattered else "not shattered"
        lines = [
            f"{self.family} ({self.rule}), {len(self.points)} points: {n_given} of "
            f"{len(self.labelings)} labelings, {verdict}"
        ]
        for labels, rule in self.labelings[:_MOST_LINES]:
            signs = "".join("+" if label else "−" for label in labels)
            lines.append(f"  {signs}  {'no rule' if rule is None else _words(rule)}")
        if len(self.labelings) > _MOST_LINES:
            lines.append(f"  … {len(self.labelings) - _MOST_LINES} more")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.to_text()

    def to_dict(self) -> dict[str, Any]:
        """Return the points, labelings and rules as data."""
        return {
            "family": self.family,
            "dimension": self.dimension,
            "points": self.points.tolist(),
            "is_shattered": self.is_shattered,
            "labelings": [
                {"labels": list(labels), "rule": rule} for labels, rule in self.labelings
            ],
        }


def _words(rule: dict[str, Any]) -> str:
    def text(value: Any) -> str:
        if isinstance(value, list):
            return "(" + ", ".join(map(number, value)) + ")"
        return value if isinstance(value, str) else number(value)

    return ", ".join(f"{name} = {text(value)}" for name, value in rule.items())


def shatter(
    family: str, *, points: Any = None, n_points: int | None = None, n_inputs: int = 2
) -> Shattering:
    """Try every labeling of some points with the rules of a family.

    Parameters
    ----------
    family
        "hyperplanes" (lines in the plane: VC dimension d + 1 in d inputs), "circles" around the
        origin (2), "rectangles" along the axes (2 d) or "sines" of one input (no end).
    points
        The points, a row each; None (default): points that are shattered when any are.
    n_points
        The number of these points; None (default): the VC dimension (of sines, 6).
    n_inputs
        The number of inputs of these points; sines have one. Default 2.

    See Also
    --------
    Shattering : every labeling of some points, with the rule that gives it.

    Examples
    --------
    >>> from branchline.assess.theory import shatter
    >>> print(shatter("circles"))
    circles (‖x‖² ≤ r², or ‖x‖² > r²), 2 points: 4 of 4 labelings, shattered
      −−  radius2 = −0.5, positive = inside
      −+  radius2 = 2.5, positive = outside
      +−  radius2 = 2.5, positive = inside
      ++  radius2 = −0.5, positive = outside
    >>> len(shatter("hyperplanes", points=[[0, 0], [1, 1], [0, 1], [1, 0]]).impossible)
    2
    """
    kind = find_family(family)
    placed = _place(kind, points, n_points, n_inputs)
    found = []
    for labels in product((False, True), repeat=len(placed)):
        wanted = np.array(labels)
        rule = kind.realize(placed, wanted)
        if rule is not None and not (kind.says(placed, rule) == wanted).all():
            rule = None  # rounding: it does not give these labels
        found.append((labels, rule))
    dimension = kind.dimension(placed.shape[1])
    return Shattering(kind.name, kind.rule, dimension, placed, tuple(found))


def find_family(name: Any) -> Family:
    """Return a family by its name."""
    if isinstance(name, str) and name in FAMILIES:
        return FAMILIES[name]
    near = get_close_matches(str(name), FAMILIES, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ParameterError(
        f"{name!r} is not a family of rules.{hint} Those that are: {', '.join(FAMILIES)}.",
        code="P122",
        values=[name],
        repair=Repair(f"shatter({(near or ['hyperplanes'])[0]!r})"),
    )


def _place(kind: Family, points: Any, n_points: int | None, n_inputs: int) -> Floats:
    if points is not None:
        if kind.only_usual:
            raise _refused("The rules of sines are known for the usual points alone; give n_points")
        return check_points(points)
    check_parameters("shatter", {"n_inputs": n_inputs}, {"n_inputs": Whole(1, _MOST_POINTS)})
    if n_points is None:
        n_points = min(kind.dimension(n_inputs) or 6, _MOST_POINTS)
    limits = {"n_points": Whole(1, _MOST_POINTS)}
    check_parameters("shatter", {"n_points": n_points}, limits)
    return kind.usual_points(n_points, n_inputs)


def check_points(points: Any) -> Floats:
    """Return points as rows of finite numbers, few enough to try all labelings."""
    try:
        placed = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _refused(f"points must be numbers: {error}") from error
    if placed.ndim != 2 or 0 in placed.shape or not np.isfinite(placed).all():
        raise _refused("points must have a row of finite numbers each")
    if len(placed) > _MOST_POINTS or np.abs(placed).max() > 1e100:
        raise _refused(
            f"There may be at most {_MOST_POINTS} points, as all labelings are tried, "
            "of numbers up to 1e100"
        )
    return placed


def _refused(what: str) -> ParameterError:
    return ParameterError(
        f"{what}.", code="P122", repair=Repair("shatter('hyperplanes', points=[[0, 0], [1, 0]])")
    )
