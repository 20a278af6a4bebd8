"""The numbers of a chart as columns: a row for each point, bar or cell, in the order of marks."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from branchline.charts._axis import Axis
from branchline.charts._marks import Band, Bars, Cells, Label, Line, Mark, Points, Rule, Segments

if TYPE_CHECKING:
    from branchline.charts._chart import Chart

__all__ = ["frame_columns"]

Rows = Iterator[tuple[str, str, Any, Any, Any, Any, str]]
_HEADS = ("mark", "kind", "x", "y", "low", "high", "words")


def frame_columns(chart: "Chart") -> dict[str, list[Any]]:
    """Return the columns of the frame; those without any number are left out."""
    rows = [row for mark in chart.marks for row in _rows(mark)]
    columns: dict[str, list[Any]] = {
        head: [row[place] for row in rows] for place, head in enumerate(_HEADS)
    }
    columns["x"] = _named(columns["x"], chart.x)
    columns["y"] = _named(columns["y"], chart.y)
    is_kept = {
        head: head in {"x", "y"} or any(not _is_missing(value) for value in values)
        for head, values in columns.items()
    }
    return {head: values for head, values in columns.items() if is_kept[head]}


def _is_missing(value: Any) -> bool:
    return value is None or value == "" or value != value


def _named(values: list[Any], axis: Axis) -> list[Any]:
    """Return places of categories as their names."""
    if not axis.categories:
        return values
    names = axis.categories
    return [
        names[int(value)] if not _is_missing(value) and 0 <= value < len(names) else None
        for value in values
    ]


def _rows(mark: Mark) -> Rows:  # noqa: C901, PLR0912 (a branch for each mark)
    kind = type(mark).__name__.lower()
    if isinstance(mark, Rule):
        x, y = (mark.at, np.nan) if mark.axis == "x" else (np.nan, mark.at)
        yield ("", kind, x, y, np.nan, np.nan, mark.words)
    elif isinstance(mark, Label):
        yield ("", kind, mark.x, mark.y, np.nan, np.nan, mark.words)
    elif isinstance(mark, Cells):
        yield from _cells(mark, kind)
    elif isinstance(mark, Segments):
        for x, y in ((mark.x, mark.y), (mark.x_to, mark.y_to)):
            yield from _points(mark.name, kind, x, y)
    elif isinstance(mark, Band):
        for x, low, high in zip(
            mark.x.tolist(), mark.low.tolist(), mark.high.tolist(), strict=True
        ):
            yield (mark.name, kind, x, np.nan, low, high, "")
    elif isinstance(mark, Line):
        yield from _points(mark.name, kind, mark.x, mark.y)
    elif isinstance(mark, Points):
        yield from _points(mark.name, kind, mark.x, mark.y, mark)
    elif isinstance(mark, Bars):
        x, y = (mark.values, mark.at) if mark.along == "x" else (mark.at, mark.values)
        yield from _points(mark.name, kind, x, y, mark)
    else:
        for name, values in mark.parts:
            yield from _points(name, kind, mark.x, values)


def _points(name: str, kind: str, x: Any, y: Any, mark: Points | Bars | None = None) -> Rows:
    missing = np.full(len(x), np.nan)
    low = missing if mark is None or mark.low is None else mark.low
    high = missing if mark is None or mark.high is None else mark.high
    words = () if mark is None else mark.words
    said = [*words, *[""] * (len(x) - len(words))]
    columns = (x.tolist(), y.tolist(), low.tolist(), high.tolist(), said)
    for row in zip(*columns, strict=True):
        yield (name, kind, *row)


def _cells(mark: Cells, kind: str) -> Rows:
    x = ((mark.x_edges[:-1] + mark.x_edges[1:]) / 2).tolist()
    y = ((mark.y_edges[:-1] + mark.y_edges[1:]) / 2).tolist()
    for row, column in np.ndindex(mark.values.shape):
        value = float(mark.values[row, column])
        said = mark.names[int(value)] if mark.names and np.isfinite(value) else ""
        if mark.words:
            said = mark.words[row][column].replace("\n", " ")
        yield (mark.name, kind, x[column], y[row], value, value, said)
