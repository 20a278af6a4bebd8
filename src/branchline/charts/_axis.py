"""An axis of a chart: what it measures, how far it reaches, and how its numbers are written."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["Axis"]


@dataclass(frozen=True)
class Axis:
    """What an axis measures.

    Parameters
    ----------
    name
        What it measures, with its unit.
    ends
        The lowest and the highest number; None: those of the marks, with a little room.
    log
        Whether equal ratios have equal lengths. Numbers up to 0 are left out.
    categories
        The names of places 0, 1, …; empty for numbers.
    groups
        A group for each category; categories of one group stand under its name.
    marked
        Places of categories to bring out.
    form
        How numbers are written: "number", "percent", or "whole" (ticks are whole numbers).
    zero
        Whether zero is part of the axis.

    See Also
    --------
    Chart : a chart, as data.
    Line : a curve through points.

    Examples
    --------
    >>> from branchline.charts import Axis
    >>> Axis("trees", ends=(0, 100)).ends
    (0, 100)
    """

    name: str = ""
    ends: tuple[float, float] | None = None
    log: bool = False
    categories: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    marked: tuple[int, ...] = ()
    form: Literal["number", "percent", "whole"] = "number"
    zero: bool = False
