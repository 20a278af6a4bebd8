"""A chart: marks, two axes and words, as data. Renderers draw it; it draws nothing itself."""

from dataclasses import dataclass, field
from typing import Any, Literal

from branchline._plain_numbers import count
from branchline.charts._axis import Axis
from branchline.charts._describe import describe
from branchline.charts._marks import Bars, Cells, Mark, Points
from branchline.charts._numbers import frame_columns
from branchline.charts._picture import Picture
from branchline.charts._svg import Theme, to_svg
from branchline.charts._thin import MOST_POINTS

__all__ = ["Chart"]


@dataclass(frozen=True, eq=False, repr=False)
class Chart(Picture):
    """A chart, as data: notebooks show it, ``save`` writes it, ``on`` draws it with matplotlib.

    Parameters
    ----------
    marks
        What is drawn, from back to front: ``Line``, ``Band``, ``Stack``, ``Points``, ``Bars``,
        ``Cells``, ``Segments``, ``Rule``, ``Label``.
    x, y
        The axes.
    title
        What the chart shows, as a line above it.
    note
        What a reader should know: where the numbers come from, what they do not say.
    words
        What the chart shows, for readers who cannot see it. Empty: written from its numbers.
    shape
        "wide", or "square" where both axes have the same unit.

    See Also
    --------
    bar_rows : return bars to the left and right of zero, with whiskers where an interval is known.
    boundaries
    draw_confusion : draw how often each class was taken for each other.

    Examples
    --------
    >>> from branchline.charts import Axis, Chart, Line
    >>> line = Line([1, 2, 4], [0.7, 0.8, 0.85], "accuracy")
    >>> chart = Chart((line,), Axis("trees"), Axis("accuracy"), "More trees")
    >>> chart
    <Chart: More trees>
    >>> chart.text
    'More trees. accuracy against trees. accuracy: 0.7 at 1, 0.85 at 4; highest 0.85 at 4.'
    """

    marks: tuple[Mark, ...]
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    title: str = ""
    note: str = ""
    words: str = ""
    shape: Literal["wide", "square"] = "wide"

    def __post_init__(self) -> None:
        object.__setattr__(self, "marks", tuple(self.marks))

    def __repr__(self) -> str:
        return f"<Chart: {self.title or ' against '.join((self.y.name, self.x.name))}>"

    @property
    def text(self) -> str:
        """What the chart shows, for readers who cannot see it."""
        return self.words or describe(self)

    @property
    def full_note(self) -> str:
        """The note, and what is not drawn because it would be too much."""
        large = [
            mark for mark in self.marks if isinstance(mark, Points) and len(mark.x) > MOST_POINTS
        ]
        said = [
            f"Of {count(len(mark.x), 'point')}{f' ({mark.name})' if mark.name else ''}, a sample "
            f"of at most {MOST_POINTS:,} is drawn."
            for mark in large
        ]
        return " ".join([self.note, *said]).strip()

    @property
    def is_tight(self) -> bool:
        """Whether the horizontal axis ends where the curves end."""
        return not any(isinstance(mark, Points | Bars) for mark in self.marks)

    @property
    def has_regions(self) -> bool:
        """Whether cells fill the chart up to its ends."""
        return any(isinstance(mark, Cells) for mark in self.marks)

    def to_svg(self, width: float = 640.0, theme: Theme = "auto") -> str:
        """Return the chart as SVG.

        Parameters
        ----------
        width
            The width in pixels for which it is laid out; words keep their size.
        theme
            "auto" (the reader's choice of light or dark), "light", "dark"; "page" takes its style
            from a page that states ``page_style()``, and leaves title and note to the page.
        """
        return to_svg(self, float(width), theme)

    def to_frame(self, library: Literal["pandas", "polars"] = "pandas") -> Any:
        """Return all numbers of the chart: a row for each point, bar or cell of each mark."""
        from branchline._validation import OneOf, check_parameters
        from branchline.table import need_library

        known = {"library": OneOf(("pandas", "polars"))}
        check_parameters("to_frame", {"library": library}, known)
        return need_library(library).DataFrame(frame_columns(self))

    def on(self, ax: Any) -> Any:
        """Draw the chart on the axes of matplotlib; return them."""
        from branchline.charts._pyplot import draw_on

        return draw_on(self, ax)
