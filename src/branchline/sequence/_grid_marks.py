"""Which rows of a table make up a grid, where each cell stands, and which cells are neighbors.

1. One column names the grid of each cell (none: all rows are one grid), two say where it stands.
2. Places are whole numbers; lines without any cell are kept as one empty line. Cells may be absent.
3. Grids with cells at the same places have one layout, so that they can be labeled side by side.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from branchline._arrays import Ints, Places
from branchline.errors import DataError, Repair
from branchline.sequence._token_marks import TokenMarks, mark_column, owners_of
from branchline.table import Table

__all__ = ["CELLS", "GridMarks"]

CELLS = ("cell", "grid")


@dataclass(frozen=True, eq=False)
class GridMarks:
    """Grids of cells.

    Parameters
    ----------
    marks
        The rows of the table, grid after grid, each from its first line to its last.
    places
        The line and the column of each cell, in that order of rows, from 0 in each grid.
    """

    marks: TokenMarks
    places: Ints

    @classmethod
    def of_table(cls, table: Table, grid: str | None, sides: tuple[str, str]) -> "GridMarks":
        """Read the columns that say where cells stand."""
        n_rows = table.n_rows
        owner, names = np.zeros(n_rows, dtype=np.intp), None
        if grid is not None:
            owner, names = owners_of(mark_column(table, grid, "grid", CELLS[0]))
        found = [
            _whole_numbers(table, name, parameter)
            for name, parameter in zip(sides, ("row", "column"), strict=True)
        ]
        order = np.lexsort((found[1], found[0], owner))
        lined = np.column_stack(found)[order]
        _refuse_equal_places(owner[order], lined, order, sides)
        sizes = np.bincount(owner, minlength=1 if names is None else len(names))
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        places = np.empty((n_rows, 2), dtype=np.int64)
        for begin, end in pairwise(starts.tolist()):
            for side in range(2):
                places[begin:end, side] = _without_gaps(lined[begin:end, side])
        return cls(TokenMarks(order, starts, names, CELLS), places)

    @property
    def n_grids(self) -> int:
        """Number of grids."""
        return self.marks.n_sequences

    def layouts(self) -> list[tuple[Ints, Ints]]:
        """Return the grids of each layout, and the places of their cells."""
        members: dict[bytes, list[int]] = {}
        starts = self.marks.starts
        for at in range(self.n_grids):
            members.setdefault(self.places[starts[at] : starts[at + 1]].tobytes(), []).append(at)
        return [
            (np.array(grids), self.places[starts[grids[0]] : starts[grids[0] + 1]])
            for grids in members.values()
        ]

    def neighbors(self, offsets: Sequence[tuple[int, int]]) -> Places:
        """Return, for each offset (lines down, columns right), the cell there; −1: none."""
        n_cells = len(self.places)
        reach = 1 + max((max(abs(down), abs(right)) for down, right in offsets), default=0)
        high, wide = (self.places.max(axis=0, initial=0) + 2 * reach + 1).tolist()
        owner = np.repeat(np.arange(self.n_grids), np.diff(self.marks.starts))
        keys = (owner * high + self.places[:, 0] + reach) * wide + self.places[:, 1] + reach
        found = np.empty((len(offsets), n_cells), dtype=np.intp)
        for at, (down, right) in enumerate(offsets):
            wanted = keys + down * wide + right
            there = np.minimum(np.searchsorted(keys, wanted), max(n_cells - 1, 0))
            found[at] = np.where(keys[there] == wanted, there, -1)
        return found


def _whole_numbers(table: Table, name: str, parameter: str) -> Ints:
    column = mark_column(table, name, parameter, CELLS[0])
    wrong = np.ones(table.n_rows, dtype=bool)
    if column.kind == "numeric" and not column.type.is_time:
        numbers = np.asarray(column.numbers(), dtype=np.float64)
        wrong = (numbers != np.rint(numbers)) | (np.abs(numbers) > 2**52)
        if not wrong.any():
            return numbers.astype(np.int64)
    rows = np.flatnonzero(wrong)
    raise DataError(
        f"Column {name!r} must say in which {parameter} of its grid a cell stands, by a whole "
        f"number. It has {column.take(rows[:1]).to_list()[0]!r}.",
        code="D940",
        column=name,
        rows=rows[:5],
        n_rows=len(rows),
        repair=Repair(
            "from branchline import Table\n"
            "X = Table(X).to_pandas()\n"
            f"X[{name!r}] = X[{name!r}].rank(method='dense').astype(int)\n"
            "model.fit(X, y)"
        ),
    )


def _refuse_equal_places(owner: Places, lined: Ints, order: Places, sides: tuple[str, str]) -> None:
    same = (owner[1:] == owner[:-1]) & (lined[1:] == lined[:-1]).all(axis=1)
    alike = np.flatnonzero(same)
    if len(alike):
        rows = np.unique(order[np.concatenate([alike, alike + 1])])
        line, column = lined[alike[0]].tolist()
        raise DataError(
            f"Two cells of a grid stand at one place: {sides[0]!r} {line}, {sides[1]!r} {column}. "
            "Each grid needs a name of its own in the column that the parameter 'grid' names.",
            code="D941",
            rows=rows[:5],
            n_rows=len(rows),
            repair=Repair(
                "from branchline import Table\n"
                "seen, keep = set(), []\n"
                "marks = [name for name in (model.grid, model.row, model.column) if name]\n"
                "columns = [Table(X).column(name).to_list() for name in marks]\n"
                "for at, place in enumerate(zip(*columns)):\n"
                "    if place not in seen:\n"
                "        keep.append(at)\n"
                "    seen.add(place)\n"
                "import numpy\n"
                "model.fit(Table(X).rows(keep), numpy.asarray(y)[keep])"
            ),
        )


def _without_gaps(values: Ints) -> Ints:
    """Return places from 0, where empty lines in a row count as one."""
    known, place = np.unique(values, return_inverse=True)
    steps = np.minimum(np.diff(known, prepend=known[:1]), 2)
    return np.asarray(np.cumsum(steps)[place], dtype=np.int64)
