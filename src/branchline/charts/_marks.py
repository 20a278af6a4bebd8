"""What a chart is made of: marks that hold numbers, without any word on how they are drawn.

A mark holds arrays of numbers in the units of the axes; where an axis has categories, the numbers
are places in its list, from 0. Missing numbers (NaN) are left out, and interrupt a line. ``name``
is what the legend, the text alternative and the frame of numbers call the mark. ``color`` is a
place in the palette, "ink" or "quiet"; None: the next free one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from branchline.errors import ParameterError, Repair

__all__ = [
    "Band",
    "Bars",
    "Cells",
    "Color",
    "Floats",
    "Label",
    "Line",
    "Mark",
    "Points",
    "Rule",
    "Segments",
    "Stack",
]

Floats: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = Sequence[float] | npt.NDArray[Any]
Color: TypeAlias = int | Literal["ink", "quiet"] | None


class _Arrays:
    """Turns the fields of numbers into arrays, and refuses lists of different lengths."""

    _arrays: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for key in self._arrays:
            given = getattr(self, key)
            if given is not None:
                object.__setattr__(self, key, _floats(self, key, given))
        sizes = {key: len(getattr(self, key)) for key in self._arrays if self._has(key)}
        if len(set(sizes.values())) > 1:
            raise _unusable(self, f"its lists have different lengths: {sizes}")

    def _has(self, key: str) -> bool:
        return getattr(self, key) is not None

    def __repr__(self) -> str:
        name = getattr(self, "name", "")
        return f"{type(self).__name__}({name!r})" if name else f"{type(self).__name__}()"


@dataclass(frozen=True, eq=False, repr=False)
class Line(_Arrays):
    """A curve through points.

    Parameters
    ----------
    x, y
        The points, in the order in which they are joined.
    name, color
        As for every mark.
    dashed, faint
        How it looks: for comparison only; one of many.
    steps
        Whether the value holds until the next point.
    dots
        Whether each point has a dot, as where few values were measured.

    See Also
    --------
    Points : dots, each with an interval where one is known.
    Band : the space between two curves.

    Examples
    --------
    >>> from branchline.charts import Line
    >>> float(Line([1, 2, 4], [0.7, 0.8, 0.85], "accuracy").y.max())
    0.85
    """

    x: Any
    y: Any
    name: str = ""
    color: Color = None
    dashed: bool = False
    faint: bool = False
    steps: bool = False
    dots: bool = False
    _arrays = ("x", "y")


@dataclass(frozen=True, eq=False, repr=False)
class Band(_Arrays):
    """The space between two curves: an interval at each place of the horizontal axis.

    See Also
    --------
    Line : a curve through points.
    Chart : a chart, as data.

    Examples
    --------
    >>> from branchline.charts import Axis, Band, Chart
    >>> chart = Chart((Band([1, 2], [0.6, 0.7], [0.8, 0.9]),), Axis("trees"), Axis("accuracy"))
    >>> float(chart.marks[0].high.max())
    0.9
    """

    x: Any
    low: Any
    high: Any
    name: str = ""
    color: Color = None
    _arrays = ("x", "low", "high")


@dataclass(frozen=True, eq=False, repr=False)
class Stack(_Arrays):
    """Parts of a sum above each other, the first at the bottom.

    Parameters
    ----------
    x
        The places.
    parts
        A name and its values for each part.
    color
        The color of the first part; None: the next free one.

    See Also
    --------
    Bars : bars from zero, each with an interval where one is known.
    Line : a curve through points.

    Examples
    --------
    >>> from branchline.charts import Stack
    >>> len(Stack([1, 2], (("bias²", [3, 2]), ("variance", [1, 2]))).parts)
    2
    """

    x: Any
    parts: tuple[tuple[str, Any], ...]
    color: Color = None
    _arrays = ("x",)

    def __post_init__(self) -> None:
        super().__post_init__()
        made = tuple((name, _floats(self, name, values)) for name, values in self.parts)
        object.__setattr__(self, "parts", made)
        sizes = {name: len(values) for name, values in made}
        if set(sizes.values()) - {len(self.x)}:
            raise _unusable(self, f"{len(self.x)} places, but parts of other lengths: {sizes}")

    @property
    def tops(self) -> list[Floats]:
        """The upper end of each part; a part below 0 (an estimate of 0) counts as 0."""
        parts = [np.maximum(np.nan_to_num(values), 0.0) for _, values in self.parts]
        return list(np.cumsum(parts, axis=0))


@dataclass(frozen=True, eq=False, repr=False)
class Points(_Arrays):
    """Dots, each with an interval where one is known.

    Parameters
    ----------
    x, y
        The places.
    name, color
        As for every mark.
    size
        The diameter in pixels: one number, or one for each dot. None: chosen by their number.
    low, high
        The ends of each dot's interval.
    along
        The axis along which intervals reach: "y" or "x".
    words
        What is said about each dot; shown at the right where the vertical axis has categories.
    symbol
        The shape: "circle", "square", "triangle", "diamond", "cross", "plus" or "ring". None: by
        the color.

    See Also
    --------
    row_points : return rows as points.

    Examples
    --------
    >>> from branchline.charts import Points
    >>> len(Points([1, 2, 3], [4, 5, 6]).x)
    3
    """

    x: Any
    y: Any
    name: str = ""
    color: Color = None
    size: Any = None
    low: Any = None
    high: Any = None
    along: Literal["x", "y"] = "y"
    words: tuple[str, ...] = ()
    symbol: str | None = None
    _arrays = ("x", "y", "low", "high")


@dataclass(frozen=True, eq=False, repr=False)
class Bars(_Arrays):
    """Bars from zero, each with an interval where one is known.

    Parameters
    ----------
    at
        Where each bar stands: places of an axis of categories, or numbers (a histogram).
    values
        How long each bar is.
    name, color
        As for every mark.
    low, high
        The ends of each bar's interval.
    along
        The axis along which bars reach: "x" (rows of bars) or "y" (columns).
    words
        What is said about each bar; shown at the right of rows of bars.
    width
        The width of a bar in units of ``at``.
    signed
        Whether bars below zero have another color.

    See Also
    --------
    Bar : one bar.
    Stack : parts of a sum above each other, the first at the bottom.

    Examples
    --------
    >>> from branchline.charts import Bars
    >>> float(Bars([1, 2, 3], [5, 2, 7]).values.max())
    7.0
    """

    at: Any
    values: Any
    name: str = ""
    color: Color = None
    low: Any = None
    high: Any = None
    along: Literal["x", "y"] = "x"
    words: tuple[str, ...] = ()
    width: float = 0.66
    signed: bool = False
    _arrays = ("at", "values", "low", "high")


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """Rectangles in a grid: regions of a model, a heat map, a confusion matrix.

    Parameters
    ----------
    x_edges, y_edges
        The ends of columns and rows, ascending; one more than there are cells.
    values
        The numbers, or places in ``names``; the first row has the lowest y.
    names
        What whole numbers stand for; each has a color. Empty: the numbers are shown by strength.
    strength
        How strong the color of each cell is, 0 to 1.
    words
        A text in each cell, by rows.
    center
        The number without color; above and below it colors differ. None: the lowest number.
    name
        What the numbers are.

    See Also
    --------
    draw_confusion : draw how often each class was taken for each other.
    Chart : a chart, as data.

    Examples
    --------
    >>> from branchline.charts import Cells
    >>> Cells([0, 1, 2], [0, 1], [[3, 4]]).values.tolist()
    [[3.0, 4.0]]
    """

    x_edges: Any
    y_edges: Any
    values: Any
    names: tuple[str, ...] = ()
    strength: Any = None
    words: tuple[tuple[str, ...], ...] = ()
    center: float | None = None
    name: str = ""

    def __post_init__(self) -> None:
        for key in ("x_edges", "y_edges"):
            object.__setattr__(self, key, _floats(self, key, getattr(self, key)))
        shape = (len(self.y_edges) - 1, len(self.x_edges) - 1)
        for key in ("values", "strength"):
            given = getattr(self, key)
            if given is None:
                continue
            made = np.asarray(given, dtype=np.float64)
            if made.shape != shape:
                raise _unusable(self, f"{key} has shape {made.shape}, its edges make {shape}")
            object.__setattr__(self, key, made)

    def __repr__(self) -> str:
        return f"Cells({self.values.shape[0]} × {self.values.shape[1]})"


@dataclass(frozen=True, eq=False, repr=False)
class Segments(_Arrays):
    """Straight lines, each from one point to another: the branches of a dendrogram, arrows.

    See Also
    --------
    Line : a curve through points.
    Chart : a chart, as data.

    Examples
    --------
    >>> from branchline.charts import Segments
    >>> len(Segments([0, 1], [0, 0], [1, 2], [1, 1]).x)
    2
    """

    x: Any
    y: Any
    x_to: Any
    y_to: Any
    name: str = ""
    color: Color = "ink"
    _arrays = ("x", "y", "x_to", "y_to")


@dataclass(frozen=True)
class Rule:
    """A dashed line across the chart, for comparison: at one place of an axis, with words.

    See Also
    --------
    Label : a few words at a place of the chart.
    Chart : a chart, as data.

    Examples
    --------
    >>> from branchline.charts import Rule
    >>> Rule(0.5, "y", "a coin").at
    0.5
    """

    at: float
    axis: Literal["x", "y"] = "x"
    words: str = ""


@dataclass(frozen=True)
class Label:
    """A few words at a place of the chart.

    See Also
    --------
    Chart : a chart, as data.
    Rule : a dashed line across the chart, for comparison.

    Examples
    --------
    >>> from branchline.charts import Label
    >>> Label(2.0, 0.8, "the knee").x
    2.0
    """

    x: float
    y: float
    words: str


Mark: TypeAlias = Line | Band | Stack | Points | Bars | Cells | Segments | Rule | Label


def _floats(owner: Any, key: str, values: Any) -> Floats:
    try:
        made = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise _unusable(owner, f"{key} holds something that is not a number") from problem
    if made.ndim != 1:
        raise _unusable(owner, f"{key} must be one list of numbers, got {made.ndim} dimensions")
    return made


def _unusable(owner: Any, why: str) -> ParameterError:
    keys = ", ".join(field.name for field in fields(owner)[:3])
    return ParameterError(
        f"A mark of a chart cannot be drawn: {type(owner).__name__}: {why}.",
        code="P370",
        values=[type(owner).__name__],
        repair=Repair(f"{type(owner).__name__}({keys}) with lists of numbers of one length"),
    )
