"""Columns that tell the target almost alone: copies of it, or written down after the outcome."""

import shlex
from collections.abc import Iterator

import numpy as np

from branchline.table._column import Column
from branchline.table._table import Table
from branchline.table.looking._look_facts import row_hashes
from branchline.table.looking._look_words import percent
from branchline.table.looking._note import Note
from branchline.table.looking._told_alone import Goal, told_alone

__all__ = ["is_varied", "names_cases", "target_copies"]

_SUSPICIOUS = 0.95
_COMPLETELY = 1 - 1e-12
_FEWEST_ROWS, _MOST_ROWS = 20, 20_000
_CONTINUOUS = 20  # a numeric column with more values can take any value
_FEWEST_CASES = 8  # a column with fewer values names classes rather than cases


def target_copies(table: Table, target: str) -> Iterator[tuple[str, Note]]:
    """Yield the columns that tell the target almost alone, each with a remark."""
    known = np.flatnonzero(~table.column(target).is_missing)
    if len(known) < _FEWEST_ROWS:
        return
    rows = table.rows(known[:: max(1, -(-len(known) // _MOST_ROWS))])
    rows = without_copies(rows)
    outcome = rows.column(target)
    goal = _goal(outcome)
    for name in rows.names:
        column = rows.column(name)
        strength = told_alone(column, goal) if name != target else 0.0
        if strength >= _SUSPICIOUS:
            yield name, _note(column, strength, outcome)


def without_copies(table: Table) -> Table:
    """Return each row once, where the same row again and again shows that it was copied.

    Copies would make every column with many values tell the target. Where no column has many
    values, equal rows are natural.
    """
    if not any(is_varied(table.column(name)) for name in table.names):
        return table
    _, first = np.unique(row_hashes(table), return_index=True)
    return table if len(first) == table.n_rows else table.rows(np.sort(first))


def is_varied(column: Column) -> bool:
    """Whether a column has enough different values that equal rows are hardly chance."""
    return column.kind == "numeric" and len(np.unique(column.known)) > _CONTINUOUS


def _goal(outcome: Column) -> Goal:
    if outcome.kind == "numeric":
        return Goal(outcome.numbers().astype(np.float64))
    classes, places = np.unique(outcome.values, return_inverse=True)
    return Goal(places.astype(np.intp), len(classes))


def _note(column: Column, strength: float, goal: Column) -> Note:
    what = "Determines the target completely"
    if strength <= _COMPLETELY:
        of_what = "variation" if goal.kind == "numeric" else "errors"
        verb = "Explains" if goal.kind == "numeric" else "Avoids"
        what = f"{verb} {percent(strength)} of the {of_what} of the target by itself"
    name = column.name
    if names_cases(column):
        text = f"{what}. If its values name cases (patients, sites) with several rows each:"
        return Note(
            "tells_target",
            f"{text} compare(X, y, group={name!r}). Else drop it.",
            f"{text} --group {shlex.quote(name)}. Else --drop {shlex.quote(name)}.",
        )
    text = f"{what}. Was it known before the outcome was? If not:"
    return Note(
        "tells_target",
        f"{text} table.drop({name!r}).",
        f"{text} --drop {shlex.quote(name)}.",
    )


def names_cases(column: Column) -> bool:
    """Whether a column has many values with several rows each, as a patient's name or number has.

    Whole numbers may be such; other numbers and dates are not.
    """
    is_name = column.kind == "category" or column.type.source == "integer"
    if not is_name or column.is_missing.any():
        return False
    return _FEWEST_CASES <= len(np.unique(column.values)) <= len(column) / 2
