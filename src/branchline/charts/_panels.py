"""Several charts next to each other, as one picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from branchline._drawing import number, text, wrapped
from branchline.charts._chart import Chart
from branchline.charts._picture import Picture
from branchline.charts._svg import Theme
from branchline.charts._svg._render import drawn_body, wrap_svg
from branchline.charts._svg._style import SMALL

__all__ = ["Panels", "drawn"]

_MARGIN, _NARROW = 14.0, 480.0


@dataclass(frozen=True, eq=False, repr=False)
class Panels(Picture):
    """Charts side by side; on a phone they stand below each other.

    Parameters
    ----------
    charts
        The charts, from left to right and from top to bottom.
    n_columns
        The number of charts in a line.
    title, note
        A line above all, and what a reader should know about all.

    See Also
    --------
    ClusterDescriptions : ``draw`` returns it.
    GroupCounts : ``draw`` returns it.
    Groups : ``draw`` returns it.

    Examples
    --------
    >>> from branchline.charts import Panels, impurity_curves, margin_losses
    >>> len(Panels((impurity_curves(), margin_losses())).charts)
    2
    """

    charts: tuple[Chart, ...]
    n_columns: int = 2
    title: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "charts", tuple(self.charts))

    def __repr__(self) -> str:
        return f"<Panels: {self.title or ', '.join(chart.title for chart in self.charts)}>"

    @property
    def text(self) -> str:
        """What the charts show, for readers who cannot see them."""
        return " ".join(
            [f"{self.title}." if self.title else "", *(c.text for c in self.charts)]
        ).strip()

    def to_svg(self, width: float = 640.0, theme: Theme = "auto") -> str:
        """Return all charts as one SVG."""
        across = 1 if width < _NARROW else max(1, min(self.n_columns, len(self.charts)))
        inside = float(width) - 2 * _MARGIN
        parts, y = [], _MARGIN
        for line in wrapped(self.title, inside, 14.0, bold=True):
            parts.append(text(_MARGIN, y + 12, line, "ink head"))
            y += 20
        for begin in range(0, len(self.charts), across):
            drawn, high = _side_by_side(
                self.charts[begin : begin + across], float(width) / across, y
            )
            parts += drawn
            y += high
        for line in wrapped(self.note, inside, SMALL):
            parts.append(text(_MARGIN, y + 8, line, "quiet small"))
            y += 15
        return wrap_svg("".join(parts), float(width), y + _MARGIN, self.text, theme)

    def to_frame(self, library: Literal["pandas", "polars"] = "pandas") -> list[Any]:
        """Return the numbers of each chart as a frame."""
        return [chart.to_frame(library) for chart in self.charts]


def _side_by_side(charts: Sequence[Chart], width: float, y: float) -> tuple[list[str], float]:
    bodies = [drawn_body(chart, width, framed=True) for chart in charts]
    parts = [
        f'<svg x="{number(place * width)}" y="{number(y)}" width="{number(across)}" '
        f'height="{number(high)}">{body}</svg>'
        for place, (body, across, high) in enumerate(bodies)
    ]
    return parts, max(high for _, _, high in bodies)


def drawn(chart: Chart, ax: Any = None) -> Any:
    """Return the chart, or, with axes of matplotlib, draw it on them and return them.

    See Also
    --------
    Chart : a chart, as data.

    Examples
    --------
    >>> from branchline.charts import drawn, impurity_curves
    >>> len(drawn(impurity_curves()).marks)
    3
    """
    return chart if ax is None else chart.on(ax)
