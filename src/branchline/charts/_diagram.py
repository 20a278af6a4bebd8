"""A diagram: names in boxes, joined by arrows that lead down.

1. A box stands in the layer after its lowest parent; a box without parents stands above its highest
   child. Arrows bend around the boxes that they pass (``_drawing/_layers``).
2. An arrow is as thick as its weight; an arrow whose direction is not sure is dashed.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from branchline._drawing import (
    Layers,
    clean,
    curve_through,
    lay_out_layers,
    number,
    path,
    rect,
    shorten,
    text,
    text_width,
    title,
    wrapped,
)
from branchline.charts._picture import Picture
from branchline.charts._svg import Theme
from branchline.charts._svg._render import wrap_svg
from branchline.charts._svg._style import LETTERS, SMALL
from branchline.errors import ParameterError, Repair

__all__ = ["Diagram", "DiagramEdge"]

_MARGIN, _GAP, _DROP, _HIGH = 14.0, 20.0, 44.0, 28.0
_WIDEST, _PADDING = 150.0, 12.0
_HEAD = 8.0  # the length of an arrow's head
_MOST_LABELS = 40


@dataclass(frozen=True)
class DiagramEdge:
    """An arrow.

    Parameters
    ----------
    start, end
        Places of the boxes that it joins.
    width
        Its thickness in pixels.
    is_sure
        Whether its direction is sure; else it is dashed.
    label
        A short text beside it.
    words
        What is said when the pointer rests on it.

    See Also
    --------
    Diagram : boxes and arrows without a cycle, as data.

    Examples
    --------
    >>> from branchline.charts import DiagramEdge
    >>> DiagramEdge(0, 1, width=3.0).width
    3.0
    """

    start: int
    end: int
    width: float = 1.6
    is_sure: bool = True
    label: str = ""
    words: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Diagram(Picture):
    """Boxes and arrows without a cycle, as data: notebooks show it, ``save`` writes it.

    Parameters
    ----------
    names
        The words in the boxes.
    edges
        The arrows.
    strong
        Boxes with a thick frame.
    title, note
        A line above, and what a reader should know.
    words
        What the diagram shows, for readers who cannot see it.

    See Also
    --------
    BayesianNetwork : ``draw`` returns it.

    Examples
    --------
    >>> from branchline.charts import Diagram, DiagramEdge
    >>> len(Diagram(("smoking", "cancer"), (DiagramEdge(0, 1),)).edges)
    1
    """

    names: tuple[str, ...]
    edges: tuple[DiagramEdge, ...]
    strong: frozenset[int] = frozenset()
    title: str = ""
    note: str = ""
    words: str = ""

    def __repr__(self) -> str:
        return f"<Diagram: {self.title}>"

    @property
    def text(self) -> str:
        """What the diagram shows, for readers who cannot see it."""
        arrows = [f"{self.names[each.start]} → {self.names[each.end]}" for each in self.edges]
        return self.words or f"{self.title}. {', '.join(arrows) or 'No arrows'}."

    def save(self, path: str | Path, **how: Any) -> None:
        """Write the diagram to a file; its ending chooses the format: svg, png or html."""
        if Path(path).suffix.lower() == ".pdf":
            raise ParameterError(
                f"A diagram is written as .svg, .png or .html. Got {str(path)!r} instead.",
                code="P371",
                values=[str(path)],
                repair=Repair(f"picture.save({str(Path(path).with_suffix('.svg'))!r})"),
            )
        super().save(path, **how)

    def to_svg(self, width: float = 640.0, theme: Theme = "auto") -> str:
        """Return the diagram as SVG: as wide as it needs to be, at least ``width``."""
        labels = [shorten(clean(name), _WIDEST, LETTERS) for name in self.names]
        widths = [text_width(label, LETTERS) + 2 * _PADDING for label in labels]
        layers = self._layers(widths)
        needed = self._right(layers, widths) + 2 * _MARGIN
        across = max(float(width), needed)
        parts, top = self._head(across)
        left = (across - needed) / 2 + _MARGIN
        drawn = [self._arrow(at, layers, left, top) for at in range(len(layers.lines))]
        arrows = "".join([*(arrow for arrow, _ in drawn), *(label for _, label in drawn)])
        boxes = "".join(
            self._box(at, label, layers.x[at] + left, top + self._y(layers.layer[at]), widths[at])
            for at, label in enumerate(labels)
        )
        bottom = top + (self._y(max(layers.layer)) + _HIGH if labels else 0.0) + 8
        parts += [arrows, boxes]
        for line in wrapped(self.note, across - 2 * _MARGIN, SMALL):
            bottom += 15
            parts.append(text(_MARGIN, bottom, line, "quiet small"))
        return wrap_svg("".join(parts), across, bottom + _MARGIN, self.text, theme)

    def _head(self, across: float) -> tuple[list[str], float]:
        parts, top = [], _MARGIN
        for line in wrapped(self.title, across - 2 * _MARGIN, 14.0, bold=True):
            parts.append(text(_MARGIN, top + 12, line, "ink head"))
            top += 24
        return parts, top

    def _layers(self, widths: list[float]) -> Layers:
        if not self.names:
            return Layers([], [], [])
        branches = [(edge.start, at, edge.end) for at, edge in enumerate(self.edges)]
        return lay_out_layers(self._depths(), branches, widths, _GAP)

    def _depths(self) -> list[int]:
        """Return the layer of each box."""
        depth = [0] * len(self.names)
        for _ in self.names:  # the longest way has fewer steps than there are boxes
            for edge in self.edges:
                depth[edge.end] = max(depth[edge.end], depth[edge.start] + 1)
        ends = {edge.end for edge in self.edges}
        for at in range(len(depth)):
            below = [depth[edge.end] for edge in self.edges if edge.start == at]
            if at not in ends and below:
                depth[at] = min(below) - 1
        return depth

    @staticmethod
    def _right(layers: Layers, widths: list[float]) -> float:
        rooms = [*widths, *([18.0] * (len(layers.x) - len(widths)))]
        return max((x + room / 2 for x, room in zip(layers.x, rooms, strict=True)), default=0.0)

    @staticmethod
    def _y(layer: int) -> float:
        return layer * (_HIGH + _DROP)

    def _box(self, at: int, label: str, middle: float, y: float, width: float) -> str:
        look = "ground line ink" if at in self.strong else "ground line thin ink"
        frame = rect(middle - width / 2, y, width, _HIGH, look, 7)
        hint = title([self.names[at]])
        return f"<g>{hint}{frame}{text(middle, y + 18.5, label, 'ink mid')}</g>"

    def _arrow(self, at: int, layers: Layers, left: float, top: float) -> tuple[str, str]:
        """Return an arrow, and its label, which stands above all arrows."""
        _, _, child, bends = layers.lines[at]
        edge = self.edges[layers.lines[at][1]]
        points = [(layers.x[edge.start] + left, top + self._y(layers.layer[edge.start]) + _HIGH)]
        for bend in bends:
            y = top + self._y(layers.layer[bend])
            points += [(layers.x[bend] + left, y), (layers.x[bend] + left, y + _HIGH)]
        end_x, end_y = self._entry(at, layers) + left, top + self._y(layers.layer[child])
        points.append((end_x, end_y - _HEAD))
        look = "line ink" if edge.is_sure else "line dashed ink"
        half = 3.0 + edge.width / 2
        head = f"M{number(end_x - half)} {number(end_y - _HEAD - 1)}h{number(2 * half)}"
        head += f"L{number(end_x)} {number(end_y)}z"
        style = f'<path d="{curve_through(points)}" class="{look}" style="stroke-width:'
        drawn = f'{style}{number(edge.width)}px;stroke-opacity:.6"/>'
        label = ""
        if edge.label and len(self.edges) <= _MOST_LABELS:
            (x, y), (x_to, y_to) = points[-2], points[-1]
            label = text((x + x_to) / 2, (y + y_to) / 2 + 4, edge.label, "ink small mid halo")
        said = [edge.words] if edge.words else []
        hint = title(said) if said else ""
        return f"<g>{hint}{drawn}{path(head, 'shape ink')}</g>", label

    @staticmethod
    def _entry(at: int, layers: Layers) -> float:
        """Return where an arrow ends: arrows to one box end side by side, from the left."""
        child = layers.lines[at][2]
        arriving = sorted(
            (layers.x[(line[3] or [line[0]])[-1]], place)
            for place, line in enumerate(layers.lines)
            if line[2] == child
        )
        rank = [place for _, place in arriving].index(at)
        return layers.x[child] + 14.0 * (rank - (len(arriving) - 1) / 2)
