"""Which rows of a table make up a sequence, and in which order.

1. One column names the sequence of each row (none: all rows are one sequence).
2. Another says where in it the row stands (none: as the rows stand).
3. ``order`` puts the tokens of a sequence one after the other; ``starts`` says where each begins.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats, Ints, Places
from branchline.errors import DataError, KindError, Repair
from branchline.table import Column, Table

__all__ = ["TOKENS", "Nouns", "TokenMarks", "mark_column", "owners_of", "without_marks"]

Nouns = tuple[str, str]  # what a row is called, and what rows that belong together are called
TOKENS: Nouns = ("token", "sequence")


@dataclass(frozen=True, eq=False)
class TokenMarks:
    """Sequences of rows.

    Parameters
    ----------
    order
        The rows of a table, sequence after sequence.
    starts
        Where each sequence begins in ``order``, and at last the number of rows.
    names
        What the sequence column holds for each sequence; None: there is no such column.
    nouns
        What messages call a row, and a sequence.
    """

    order: Places
    starts: Ints
    names: tuple[Any, ...] | None
    nouns: Nouns = TOKENS

    @classmethod
    def of_table(cls, table: Table, sequence: str | None, position: str | None) -> "TokenMarks":
        """Read the columns that say which rows are a sequence."""
        n_rows = table.n_rows
        owner, names = np.zeros(n_rows, dtype=np.intp), None
        if sequence is not None:
            owner, names = owners_of(mark_column(table, sequence, "sequence"))
        place: Floats = np.arange(n_rows, dtype=np.float64)
        if position is not None:
            place = _places(mark_column(table, position, "position"))
        order = np.lexsort((place, owner))
        if position is not None:
            _refuse_equal_places(owner[order], place[order], order, position)
        n_sequences = 1 if names is None else len(names)
        sizes = np.bincount(owner, minlength=n_sequences)
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return cls(order, starts, names)

    @property
    def n_sequences(self) -> int:
        """Number of sequences."""
        return len(self.starts) - 1

    @property
    def owners(self) -> Places:
        """The number of the sequence of each row of the table."""
        owner = np.empty(len(self.order), dtype=np.intp)
        owner[self.order] = np.repeat(np.arange(self.n_sequences), np.diff(self.starts))
        return owner

    def name_of(self, sequence: int) -> str:
        """Return what a person calls a sequence."""
        return "the table" if self.names is None else f"{self.nouns[1]} {self.names[sequence]!r}"


def without_marks(table: Table, marks: Iterable[str | None], noun: str = TOKENS[0]) -> Table:
    """Return the columns that describe tokens."""
    gone = {name for name in marks if name is not None}
    kept = [name for name in table.names if name not in gone]
    if not kept and gone:
        raise DataError(
            f"No column describes {noun}s: the table has only {', '.join(map(repr, table.names))}.",
            code="D002",
        )
    return table.select(kept)


def mark_column(table: Table, name: str, parameter: str, noun: str = TOKENS[0]) -> Column:
    """Return a column that says where rows belong; refuse one that is not there or has gaps."""
    if name not in table.names:
        shown = ", ".join(repr(one) for one in table.names[:12])
        raise DataError(
            f"The table of {noun}s has no column {name!r}, which the parameter {parameter!r} "
            f"names. It has {shown}.",
            code="D640",
            column=name,
            repair=Repair(f"model.set_params({parameter}=None)"),
        )
    column = table.column(name)
    missing = _missing(column)
    rows = np.flatnonzero(missing)
    if len(rows):
        raise DataError(
            f"Column {name!r} has {len(rows)} missing cells. The {parameter} of every {noun} "
            "must be known.",
            code="D641",
            column=name,
            rows=rows[:5],
            n_rows=len(rows),
            repair=Repair(
                "import numpy\n"
                "from branchline import Table\n"
                f"cells = Table(X).column({name!r}).to_list()\n"
                "keep = numpy.array([cell is not None and cell == cell for cell in cells])\n"
                "model.fit(Table(X)[keep], numpy.asarray(y)[keep])"
            ),
        )
    return column


def _missing(column: Column) -> Any:
    if column.kind == "category":
        return column.values < 0
    return np.isnan(column.numbers())


def owners_of(column: Column) -> tuple[Places, tuple[Any, ...]]:
    """Return the number of each row's sequence, and what each is called."""
    _, first, owner = np.unique(column.values, return_index=True, return_inverse=True)
    names = tuple(column.take(first).to_list())
    return owner.astype(np.intp), names


def _places(column: Column) -> Floats:
    if column.kind == "numeric":
        return np.asarray(column.numbers(), dtype=np.float64)
    raise KindError(
        f"Column {column.name!r} holds text. The position of a token must be a number, a date or "
        "a time.",
        code="D642",
        column=column.name,
        values=column.to_list()[:5],
        repair=Repair("model.set_params(position=None)"),
    )


def _refuse_equal_places(owner: Places, place: Floats, order: Places, name: str) -> None:
    alike = np.flatnonzero((owner[1:] == owner[:-1]) & (place[1:] == place[:-1]))
    if len(alike):
        rows = np.unique(order[np.concatenate([alike, alike + 1])])
        raise DataError(
            f"Tokens of one sequence have the same position in column {name!r}: their order is "
            "not known.",
            code="D643",
            column=name,
            rows=rows[:5],
            n_rows=len(rows),
            repair=Repair("model.set_params(position=None)"),
        )
