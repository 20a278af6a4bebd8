"""What each column of a scan is, decided by what all its rows show.

The readers themselves decide, from a small table that shows all that the whole one does: the first
rows, a text for each trait, and all different texts of the columns that are not plain. Where the
decision about a column would need its other texts, they are gathered by another pass, and it is
decided again; warnings and errors of a decision that does not stand are not told.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from branchline._warn import warn
from branchline.errors import BranchlineWarning, KindError
from branchline.table._column import Column
from branchline.table._kinds import columns_from_texts
from branchline.table._schema import Schema
from branchline.table._table import Table
from branchline.table.converting._reading import with_marks
from branchline.table.converting._written import Written, parse_kind
from branchline.table.files._options import ReadOptions
from branchline.table.scanning._plans import LookUp, Plain, Plan, Values
from branchline.table.scanning._text_facts import TextFacts

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Decision", "decide_texts", "looked_up", "messages_of", "needs_all_texts", "tell"]

_READING_OF_SOURCE = {
    "integer": ("integer",),
    "float": ("float", "comma"),
    "boolean": ("boolean",),
    "date": ("iso",),
    "datetime": ("iso",),
}


@dataclass(frozen=True)
class Decision:
    """The schema of a scan, how cells become values, and what is to be told."""

    schema: Schema
    plans: tuple[Plan, ...]
    told: tuple[BranchlineWarning, ...] = ()


def needs_all_texts(name: str, options: ReadOptions) -> bool:
    """Whether what is asked for a column, or remembered of it, takes all its different texts."""
    asked, likely = options.kinds.get(name), options.likely.get(name)
    if asked is not None and parse_kind(name, asked) != Written("number"):
        return True
    plain = likely is None or str(parse_kind(name, likely)) in {"number", "date"}
    return not plain or name in options.marks


def decide_texts(
    facts: Sequence[TextFacts],
    marks: Sequence[Sequence[str]],
    options: ReadOptions,
    decimal: str | None,
) -> "Decision | set[str]":
    """Return what the columns of texts are, or the names of those whose texts are needed for it.

    Parameters
    ----------
    facts
        What all rows show.
    marks
        For each column the texts that the user calls missing and that it has.
    options, decimal
        How the file is read; its decimal mark.
    """
    known = {one.name: counts for one in facts if (counts := one.counts()) is not None}
    options = replace(options, counted=known, drop=())
    reduced = _as_frame([one.reduced() for one in facts])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            made = columns_from_texts(
                reduced,
                [one.name for one in facts],
                words=options.words(),
                decimal=decimal,
                conversion=options.conversion(),
            )
            pairs = zip(made, marks, strict=True)
            columns = [with_marks(column, own) if own else column for column, own in pairs]
            table = options.apply(Table.from_columns(columns))
        except KindError as error:
            one = next((one for one in facts if one.name == error.column), None)
            if one is None or (one.distinct is not None and one.is_complete):
                raise
            return {one.name}
    missing = {
        one.name
        for one, column in zip(facts, table.columns, strict=True)
        if not (one.distinct is not None and one.is_complete) and _reading(one, column) is None
    }
    if missing:
        return missing
    plans = tuple(_plan(one, column) for one, column in zip(facts, table.columns, strict=True))
    return Decision(table.schema, plans, messages_of(told))


def messages_of(caught: Sequence[warnings.WarningMessage]) -> tuple[BranchlineWarning, ...]:
    """Return the warnings of ours that were caught."""
    messages = (one.message for one in caught)
    return tuple(one for one in messages if isinstance(one, BranchlineWarning))


def tell(told: Sequence[BranchlineWarning]) -> None:
    """Warn of what a decision that stands has shown."""
    for one in told:
        warn(one)


def _as_frame(columns: "Sequence[Sequence[str | None]]") -> "pl.DataFrame":
    """Return columns of different lengths as a frame; nulls fill them up."""
    import polars as pl

    n_rows = max(map(len, columns), default=0)
    return pl.DataFrame(
        [
            pl.Series(str(at), [*column, *[None] * (n_rows - len(column))], pl.String)
            for at, column in enumerate(columns)
        ]
    )


def _reading(facts: TextFacts, column: Column) -> str | None:
    """Return the plain reading that makes the column of its texts; None where there is none."""
    kind = column.type
    if kind.written is not None or (facts.distinct is not None and facts.is_complete):
        return None
    if facts.n_known == 0:
        return "float" if kind.source == "float" else None
    found = (one for one in _READING_OF_SOURCE.get(kind.source, ()) if one in facts.readings)
    reading = next(found, None)
    if reading == "iso" and facts.iso_kind != (kind.source, kind.timezone):
        return None
    return reading


def _plan(facts: TextFacts, column: Column) -> Plan:
    reading = _reading(facts, column)
    if reading is not None:
        dtype = column.values.dtype
        return Plain(column.name, column.type, reading, dtype, tuple(facts.all_marks()))
    assert facts.distinct is not None
    texts = facts.distinct.frame()["text"]
    begin = 0 if facts.head is None else len(facts.head)
    return looked_up(column, texts, begin)


def looked_up(column: Column, cells: "pl.Series", begin: int) -> LookUp:
    """Return a plan by which cells have the values of a column's rows from ``begin`` on."""
    here = slice(begin, begin + len(cells))
    missing = None if column.missing is None else np.array(column.missing[here])
    return LookUp(column.name, column.type, cells, Values(np.array(column.values[here]), missing))
