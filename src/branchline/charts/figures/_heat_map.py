"""A heat map of a table whose rows and columns are ordered by trees of clusters.

1. Each tree is folded to at most 30 leaves: the lowest merges are not drawn.
2. A cell is the mean of the numbers of its leaves; cells without a number stay empty.
3. The trees stand above and to the left of the cells, on the same scales: places without a name
   make room for them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._plain_numbers import count
from branchline.charts._axis import Axis
from branchline.charts._chart import Chart
from branchline.charts._marks import Cells, Mark, Segments
from branchline.charts.figures._dendrogram import leaves_of, tree_lines

__all__ = ["draw_two_trees"]

_MOST_LEAVES = 30
_TREE = 0.2  # of the cells: how much room a tree has


@dataclass(frozen=True, eq=False)
class _Side:
    """One side of the heat map: its tree, the leaves in order, their names and members."""

    tree: Floats
    order: list[int]
    names: list[str]
    members: list[list[int]]
    room: int

    @property
    def n_folded(self) -> int:
        return len(self.tree) + 1 - len(self.order)

    def lines(self, room: int) -> Floats:
        """Return the lines of the tree: places along this side, and heights, of both ends.

        Heights are places of the other side: ``room`` of them are free before the first cell.
        """
        if len(self.order) < 2:
            return np.zeros((0, 4))
        found = np.array([line[1:] for line in tree_lines(self.tree, self.n_folded, self.order)])
        top = max(float(self.tree[-1, 2]), 1e-300)
        found[:, [0, 2]] += self.room
        found[:, [1, 3]] = room - 0.55 - (room - 0.15) * found[:, [1, 3]] / top
        return np.asarray(found)


def draw_two_trees(  # noqa: PLR0913
    values: Any,
    row_merges: Any,
    column_merges: Any,
    rows: Sequence[Any] | None,
    columns: Sequence[Any],
    *,
    center: float | None = 0.0,
    title: str = "Rows and columns by their trees",
    measure: str = "value",
    note: str = "",
) -> Chart:
    """Draw a table of numbers with a tree of its rows and a tree of its columns.

    Parameters
    ----------
    values
        The numbers; NaN where a cell is missing.
    row_merges, column_merges
        The trees in SciPy's form.
    rows, columns
        Names; rows may have none.
    center
        The number without color; None: the lowest.
    title, measure, note
        What is drawn, what a cell is, and what a reader should know.
    """
    table = np.asarray(values, dtype=np.float64)
    down, across = _side(row_merges, rows, 3), _side(column_merges, columns, 1)
    cells = Cells(
        np.arange(len(across.order) + 1) + across.room - 0.5,
        np.arange(len(down.order) + 1) + down.room - 0.5,
        _means(table, down, across),
        center=center,
        name=measure,
    )
    marks: list[Mark] = [cells]
    x, y, x_to, y_to = across.lines(down.room).T
    marks += [Segments(x, y, x_to, y_to, "tree of columns")] if len(x) else []
    y, x, y_to, x_to = down.lines(across.room).T
    marks += [Segments(x, y, x_to, y_to, "tree of rows")] if len(x) else []
    folded = _told("row", down)
    folded += [] if column_merges is row_merges else _told("column", across)
    return Chart(
        tuple(marks),
        Axis(categories=("",) * across.room + tuple(across.names)),
        Axis(categories=("",) * down.room + tuple(down.names)),
        title,
        " ".join([note, *folded]).strip(),
        _words(title, measure, table, down, across),
    )


def _side(merges: Any, labels: Sequence[Any] | None, least: int) -> _Side:
    tree = np.asarray(merges, dtype=np.float64).reshape(-1, 4)
    n_leaves = len(tree) + 1
    order, names = leaves_of(tree, max(0, n_leaves - _MOST_LEAVES), labels)
    members = [_members(tree, cluster) for cluster in order]
    return _Side(tree, order, names, members, max(least, round(_TREE * len(order))))


def _members(tree: Floats, cluster: int) -> list[int]:
    """Return the leaves below a cluster."""
    n_leaves, found, waiting = len(tree) + 1, [], [cluster]
    while waiting:
        at = waiting.pop()
        if at < n_leaves:
            found.append(at)
        else:
            waiting += [int(tree[at - n_leaves, 0]), int(tree[at - n_leaves, 1])]
    return sorted(found)


def _means(table: Floats, down: _Side, across: _Side) -> Floats:
    """Return the mean of known numbers for each pair of leaves."""
    known = np.isfinite(table)
    filled = np.where(known, table, 0.0)
    found = np.full((len(down.members), len(across.members)), np.nan)
    for at, rows in enumerate(down.members):
        sums, n_known = filled[rows].sum(axis=0), known[rows].sum(axis=0)
        for place, columns in enumerate(across.members):
            n_cells = int(n_known[columns].sum())
            if n_cells:
                found[at, place] = sums[columns].sum() / n_cells
    return found


def _told(what: str, side: _Side) -> list[str]:
    if not side.n_folded:
        return []
    n_all, n_shown = len(side.tree) + 1, len(side.order)
    return [f"{count(n_all, what)} are drawn as {n_shown}: (2) stands for 2 {what}s."]


def _words(title: str, measure: str, table: Floats, down: _Side, across: _Side) -> str:
    """Return what the picture shows for readers who cannot see it."""
    size = f"{count(table.shape[0], 'row')} and {count(table.shape[1], 'column')}"
    names = ", ".join(name for name in across.names if name)
    known = table[np.isfinite(table)]
    reach = f"from {known.min():.3g} to {known.max():.3g}" if len(known) else "all missing"
    order = f" Columns in order: {names}." if names else ""
    joined = "".join(
        f" The last two clusters of {what} are joined at {side.tree[-1, 2]:.3g}."
        for what, side in (("rows", down), ("columns", across))
        if len(side.tree)
    )
    return f"{title}. {measure} of {size}, {reach}.{order}{joined}"
