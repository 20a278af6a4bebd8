"""A first look at a table: what each column holds, and what deserves a second look.

1. Every column is counted once: missing cells, distinct values, lowest, median and highest value or
   the most frequent ones.
2. Columns that are constant, empty, identifiers, copies or not what they seem get remarks.
3. Rows that repeat an earlier row are counted by a 64-bit hash of their cells.
4. The result prints as a text of at most 100 places, or any other width, and gives plain data and
   HTML.
"""

import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from branchline._names import no_such_column
from branchline.table._column import ColumnType, Kind
from branchline.table._table import Table
from branchline.table.looking._identifiers import DistinctRows
from branchline.table.looking._look_facts import Facts, collect_facts
from branchline.table.looking._look_notes import column_notes, duplicate_of
from branchline.table.looking._look_shape import column_shape
from branchline.table.looking._look_target import target_notes, target_words
from branchline.table.looking._look_words import range_words, value_words
from branchline.table.looking._note import Note
from branchline.table.looking._tells_target import target_copies

__all__ = ["ColumnLook", "Look", "look"]

_MOST_FREQUENT_KEPT = 5
_NOT_OF_TARGETS = {"identifier", "near_unique", "rare", "constant", "mostly_missing"}
_WORDS_OF_SOURCE = {
    "integer": "whole number",
    "boolean": "boolean",
    "ordered": "ordered category",
    "date": "date",
    "datetime": "date and time",
    "duration": "duration",
    "time": "time of day",
}


@dataclass(frozen=True)
class ColumnLook:
    """What one column holds.

    Parameters
    ----------
    name
        The column's name.
    kind
        "numeric" or "category".
    words
        The kind in words, with what the column was before ("whole number", "boolean", "date").
    n_missing, missing_share
        Cells without a value.
    n_distinct
        Different values.
    low, median, high
        Of numbers (finite ones) and moments, as short texts; None for categories.
    frequent
        The most frequent values with their share of the cells that have one: of categories, and of
        numbers that take at most five values.
    all_different
        Whether no value occurs twice.
    notes
        What deserves a second look.
    range
        Lowest, median and highest as numbers; None for categories and moments.
    shape
        The number of cells in each of up to eight bins, from the lowest to the highest; of
        categories, that of the most frequent ones. Empty for constants and names.
    """

    name: str
    kind: Kind
    words: str
    n_missing: int
    missing_share: float
    n_distinct: int
    low: str | None
    median: str | None
    high: str | None
    frequent: tuple[tuple[str, float], ...]
    all_different: bool
    notes: tuple[Note, ...]
    range: tuple[float, float, float] | None = None
    shape: tuple[int, ...] = ()


@dataclass(frozen=True)
class Look:
    """A description of a table, column by column; print it, or take its parts.

    Parameters
    ----------
    n_rows, n_columns
        The table's shape.
    n_missing
        Cells without a value, in the whole table.
    n_incomplete_rows
        Rows in which some cell is missing.
    n_repeated_rows
        Rows that repeat an earlier row.
    columns
        One description per column.
    notes
        Remarks on the table as a whole.
    target
        The column to predict. It is described separately and is never reported as an identifier.
    target_words
        The target in one line.

    See Also
    --------
    Table : ``look`` returns it.
    look : describe a table.

    Examples
    --------
    >>> from branchline import look
    >>> look({"size": [1.5, None, 2.5]}).n_missing
    1
    """

    n_rows: int
    n_columns: int
    n_missing: int
    n_incomplete_rows: int
    n_repeated_rows: int
    columns: tuple[ColumnLook, ...]
    notes: tuple[Note, ...]
    target: str | None = None
    target_words: str | None = None

    def __getitem__(self, name: str) -> ColumnLook:
        """Return the description of one column."""
        for column in self.columns:
            if column.name == name:
                return column
        raise no_such_column(name, tuple(column.name for column in self.columns))

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def to_text(
        self,
        width: int = 100,
        columns: int | None = 60,
        *,
        command_line: bool = False,
        ascii_only: bool = False,
    ) -> str:
        """Return lines of at most ``width`` places (60 or more), for a terminal.

        Parameters
        ----------
        width
            The number of characters in a line.
        columns
            How many columns are listed one by one; None lists all.
        command_line
            Whether remedies are options of the command line instead of Python.
        ascii_only
            Whether shapes are drawn with ASCII characters, for terminals without block characters.
        """
        from branchline.table.looking._look_text import to_text

        return to_text(self, width, columns, command_line=command_line, ascii_only=ascii_only)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON."""
        return asdict(self)

    def to_html(self) -> str:
        """Return a piece of HTML that needs nothing else."""
        from branchline.table.looking._look_html import to_html

        return to_html(self)

    def _repr_html_(self) -> str:
        return self.to_html()


def look(data: Any, target: str | None = None) -> Look:
    """Describe a table: kinds, missing cells, distinct values, suspicious columns.

    Parameters
    ----------
    data
        A table, anything that can become one, or the path of a file.
    target
        The column to predict. It is described separately and is never reported as an identifier.
        Default None: no column.

    See Also
    --------
    Look : a description of a table, column by column.

    Examples
    --------
    >>> from branchline import look
    >>> look({"size": [1.5, None, 2.5], "color": ["red", "blue", "red"]})["color"].frequent
    (('red', 0.6666666666666666), ('blue', 0.3333333333333333))
    """
    table = _as_table(data)
    about = None if target is None else collect_facts(table.column(target))
    seen: dict[object, str] = {}
    once = DistinctRows(table)
    copies = {} if target is None else dict(target_copies(table, target))
    incomplete = np.zeros(table.n_rows, dtype=bool)
    columns = []
    for name in table.names:  # one at a time: a sparse column is dense only for a moment
        facts = collect_facts(table.column(name))
        told = _describe(facts, duplicate_of(table, facts, seen), once, copies.get(name))
        columns.append(told if name != target else replace(told, notes=_of_target(told, facts)))
        incomplete |= facts.column.is_missing
    n_repeated = 0 if once.first is None else int(np.count_nonzero(~once.first))
    return Look(
        *table.shape,
        n_missing=sum(column.n_missing for column in columns),
        n_incomplete_rows=int(np.count_nonzero(incomplete)),
        n_repeated_rows=n_repeated,
        columns=tuple(columns),
        notes=_table_notes(table, n_repeated),
        target=target,
        target_words=None if about is None else target_words(about),
    )


def _of_target(told: ColumnLook, facts: Facts) -> tuple[Note, ...]:
    """Return the remarks on the target: names and rare values are another matter there."""
    kept = [note for note in told.notes if note.topic not in _NOT_OF_TARGETS]
    return (*target_notes(facts), *kept)


def _as_table(data: Any) -> Table:
    if isinstance(data, str | os.PathLike):
        from branchline.table.files._options import ReadOptions
        from branchline.table.files._read import read_with

        options = ReadOptions(texts="keep", tells=False)
        return read_with(data if isinstance(data, str) else Path(data), options)
    from branchline.table._convert import as_table

    return as_table(data, texts="keep")


def _describe(
    facts: Facts, twin: str | None, once: DistinctRows, copy: Note | None = None
) -> ColumnLook:
    kind = facts.column.type
    few = facts.is_category or facts.n_distinct <= _MOST_FREQUENT_KEPT
    places = facts.by_frequency[:_MOST_FREQUENT_KEPT] if few else ()
    low = median = high = numbers = None
    if not facts.is_category and facts.n_distinct:
        three = (facts.value(0), facts.median(), facts.value(-1))
        low, median, high = range_words(three, kind)
        numbers = None if kind.is_time else three
    return ColumnLook(
        facts.name,
        kind.kind,
        _kind_words(kind),
        facts.n_missing,
        facts.missing_share,
        facts.n_distinct,
        low,
        median,
        high,
        frequent=tuple(
            (value_words(facts.value(at), kind), float(facts.counts[at] / facts.n_present))
            for at in map(int, places)
        ),
        all_different=0 < facts.n_distinct == facts.n_present,
        notes=(*([] if copy is None else [copy]), *column_notes(facts, twin, once)),
        range=numbers,
        shape=column_shape(facts),
    )


def _kind_words(kind: ColumnType) -> str:
    words = _WORDS_OF_SOURCE.get(kind.source, kind.kind)
    if (kind.kind == "category") != (kind.source in {"boolean", "ordered"}):
        return kind.kind  # the kind was changed, or the source says nothing more
    return f"{words} (UTC)" if kind.timezone else words


def _table_notes(table: Table, n_repeated: int) -> tuple[Note, ...]:
    notes = []
    if not table.n_rows:
        notes.append(Note("no_rows", "The table has no rows."))
    if n_repeated:
        rows = "1 row repeats" if n_repeated == 1 else f"{n_repeated:,} rows repeat"
        notes.append(Note("repeated_rows", f"{rows} an earlier row."))
    if table.n_columns > table.n_rows > 0:
        notes.append(
            Note("wide", "More columns than rows: chance alone will make some look important.")
        )
    return tuple(notes)
