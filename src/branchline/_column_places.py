"""Places along one column of a table, and rows that stand there while their other cells stay.

What boundaries and effect curves share. A numeric column has numbers as places; dates are places in
their own unit, drawn as years. A category has its names, the most frequent first where there are
too many, and "missing" where some cells are.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import count
from branchline.errors import DataError, Repair
from branchline.table import MISSING_CODE, Column, Table, days_per_unit

__all__ = [
    "MOST_NAMES",
    "ColumnPlaces",
    "category_places",
    "date_words",
    "drawn_numbers",
    "number_places",
    "typical_row",
    "with_cells",
]

Floats = npt.NDArray[np.float64]
MOST_NAMES = 30
_DAYS_PER_YEAR, _DAYS_PER_WEEK = 365.2425, 7


@dataclass(frozen=True, eq=False)
class ColumnPlaces:
    """Places along a column.

    Parameters
    ----------
    column
        The column of the table.
    cells
        What the column's ``values`` hold at each place.
    at
        Where each place stands on an axis: a number, a year, or the place of a name.
    names
        The names of a category; empty for numbers.
    note
        What is left out.
    edges
        The ends of the stretches that places are the middles of; None for categories.
    """

    column: Column
    cells: npt.NDArray[Any]
    at: Floats
    names: tuple[str, ...] = ()
    note: str = ""
    edges: Floats | None = None

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.column.name

    @property
    def axis_name(self) -> str:
        """What an axis of these places is called."""
        return f"{self.name} (year)" if _is_date(self.column) else self.name

    def __len__(self) -> int:
        return len(self.at)

    def of_rows(self) -> Floats:
        """Return where each row of the column stands; NaN for rows that stand nowhere."""
        if not self.names:
            return drawn_numbers(self.column)
        places = np.full(len(self.column.categories) + 2, np.nan)
        places[self.cells] = self.at
        found: Floats = places[np.maximum(self.column.values, -2)]
        return found


def _is_date(column: Column) -> bool:
    return column.type.source in {"date", "datetime"}


def drawn_numbers(column: Column) -> Floats:
    """Return a numeric column as it is drawn: numbers, dates as years, durations in days."""
    numbers = np.asarray(column.numbers(), dtype=np.float64)
    found: Floats = 1970.0 + numbers / _DAYS_PER_YEAR if _is_date(column) else numbers
    return np.where(np.isfinite(found), found, np.nan)


def date_words(years: Floats) -> list[str]:
    """Return dates that are drawn as years as people write them, to the minute within a week."""
    days = (np.asarray(years) - 1970.0) * _DAYS_PER_YEAR
    minutes = np.round(days * 24 * 60).astype(np.int64).astype("datetime64[m]")
    if np.ptp(days) > _DAYS_PER_WEEK:
        minutes = np.round(days).astype(np.int64).astype("datetime64[D]")
    return [str(one).replace("T", " ") for one in minutes]


def known_numbers(column: Column) -> Floats:
    """Return the finite numbers of a column, as learners see them; an error if there are none."""
    numbers = np.asarray(column.numbers(), dtype=np.float64)
    known = numbers[np.isfinite(numbers)]
    if not len(known):
        raise DataError(
            f"Column {column.name!r} has no finite number, so it has no range to draw.",
            code="D482",
            column=column.name,
            repair=Repair("choose a column with values"),
        )
    return known


def number_places(column: Column, numbers: Floats, edges: Floats | None = None) -> ColumnPlaces:
    """Return places at numbers, as learners see them (dates in days), with the ends around them."""
    known_numbers(column)
    made = [None if given is None else _cells(column, given) for given in (numbers, edges)]
    at = [
        None if one is None else drawn_numbers(Column(column.name, column.type, one))
        for one in made
    ]
    assert made[0] is not None
    assert at[0] is not None
    return ColumnPlaces(column, made[0], at[0], edges=at[1])


def _cells(column: Column, numbers: Floats) -> npt.NDArray[Any]:
    """Return numbers as a column holds them: dates and times in their unit."""
    if column.type.unit is None:
        return numbers
    return np.round(numbers / days_per_unit(column.type.unit)).astype(np.int64)


def category_places(column: Column, most: int = MOST_NAMES) -> ColumnPlaces:
    """Return the names of a category in their order; the most frequent ones if there are many."""
    tallies = np.bincount(column.values[column.values >= 0], minlength=len(column.categories))
    used = np.flatnonzero(tallies)
    kept = np.sort(used[np.argsort(-tallies[used], kind="stable")[:most]])
    names = [str(column.categories[code]) for code in kept]
    cells = kept.astype(np.int32)
    if column.is_missing.any() or not len(kept):
        cells, names = np.append(cells, np.int32(MISSING_CODE)), [*names, "missing"]
    n_more = len(used) - len(kept)
    note = (
        f"{count(n_more, 'rarer category', 'rarer categories')} of {column.name} not shown."
        if n_more
        else ""
    )
    return ColumnPlaces(column, cells, np.arange(len(names), dtype=np.float64), tuple(names), note)


def with_cells(table: Table, cells: dict[str, npt.NDArray[Any]]) -> Table:
    """Return the table with other cells in some columns: an array for each name."""
    columns = [
        Column(name, table.column(name).type, cells[name]) if name in cells else table.column(name)
        for name in table.names
    ]
    return Table.from_columns(columns, named=table.schema.named)


def typical_row(table: Table) -> Table:
    """Return one row of typical cells: the middle number, the most frequent category."""
    return Table.from_columns(
        [column.take([_typical(column)]) for column in table.columns], named=table.schema.named
    )


def _typical(column: Column) -> int:
    """Return a row whose cell is typical of the column; missing only where all are."""
    if column.kind == "category":
        known = np.flatnonzero(column.values >= 0)
        tallies = np.bincount(column.values[known], minlength=1)
        return int(np.flatnonzero(column.values == tallies.argmax())[0]) if len(known) else 0
    numbers = np.asarray(column.numbers(), dtype=np.float64)
    known = np.flatnonzero(np.isfinite(numbers))
    if not len(known):
        return 0
    middle = np.sort(numbers[known])[(len(known) - 1) // 2]
    return int(np.flatnonzero(numbers == middle)[0])
