"""What deserves a second look in a column, said in plain sentences.

1. Each topic is a function from the column's facts to a sentence, or to nothing. Where the remedy
   differs, it gives two: for Python and for the command line.
2. A column without values or with one value only gets that one remark and few others.
3. Equal columns are found by hashing their cells and then compared cell by cell.
"""

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from branchline.table._table import Table
from branchline.table.looking._identifiers import DistinctRows
from branchline.table.looking._look_categories import CATEGORY_TOPICS, identifier
from branchline.table.looking._look_converted import converted, counted_as_missing
from branchline.table.looking._look_facts import Facts, cell_bits
from branchline.table.looking._look_numbers import NUMBER_TOPICS
from branchline.table.looking._look_words import percent, quoted, shorten, value_words
from branchline.table.looking._note import Note, Remark

__all__ = ["column_notes", "duplicate_of"]

_FEWEST_FOR_SHARES = 20


def column_notes(
    facts: Facts, twin: str | None = None, once: DistinctRows | None = None
) -> tuple[Note, ...]:
    """Return the remarks on a column.

    ``twin`` is an earlier column that is equal to it; ``once`` are the distinct rows of the table.
    """
    if not facts.n_present and not facts.n_infinite:
        return (Note("empty", "Every cell is missing."),) if facts.n_rows else ()
    notes = list(_found(facts, _EVERY_TOPIC))
    if facts.n_distinct == 1 and not facts.n_infinite:
        return (*notes, Note("constant", _constant(facts)))
    if twin is not None:
        notes.append(Note("duplicate", f"The same as column {quoted(twin)}."))
    topics = CATEGORY_TOPICS if facts.is_category else NUMBER_TOPICS
    notes.extend(_found(facts, {"identifier": lambda facts: identifier(facts, once), **topics}))
    return tuple(notes)


def duplicate_of(table: Table, facts: Facts, seen: dict[object, str]) -> str | None:
    """Return an earlier column that is equal to this one; ``seen`` is the memory between calls."""
    if facts.n_distinct < 2:
        return None
    bits = cell_bits(facts.column)
    kind = facts.column.type
    key = (kind.categories, kind.is_time and kind, hash(bits.tobytes()))
    first = seen.setdefault(key, facts.name)
    if first == facts.name or not np.array_equal(cell_bits(table.column(first)), bits):
        return None
    return first


def _found(facts: Facts, topics: Mapping[str, Callable[[Facts], Remark | None]]) -> Iterator[Note]:
    for topic, remark_on in topics.items():
        remark = remark_on(facts)
        if remark:
            yield Note(topic, *remark) if isinstance(remark, tuple) else Note(topic, remark)


def _constant(facts: Facts) -> str:
    value = value_words(facts.value(0), facts.column.type)
    where = " where it is not missing" if facts.n_missing else ""
    return f"Always {shorten(value, 40)}{where}."


def _mostly_missing(facts: Facts) -> str | None:
    if facts.missing_share <= 0.5:
        return None
    return f"{percent(facts.missing_share)} of the cells are missing."


def _almost_constant(facts: Facts) -> str | None:
    if facts.n_distinct < 2 or facts.n_present < _FEWEST_FOR_SHARES:
        return None
    share = facts.counts.max() / facts.n_present
    if share < 0.99:
        return None
    value = value_words(facts.value(int(facts.by_frequency[0])), facts.column.type)
    return f"{percent(share)} of the values are {shorten(value, 40)}."


def _infinite(facts: Facts) -> str | None:
    if not facts.n_infinite:
        return None
    cells = "1 cell is" if facts.n_infinite == 1 else f"{facts.n_infinite} cells are"
    return f"{cells} infinite; learners refuse that. Use a large number, or NaN for missing."


_EVERY_TOPIC: dict[str, Callable[[Facts], Remark | None]] = {
    "converted": converted,
    "marks": counted_as_missing,
    "mostly_missing": _mostly_missing,
    "infinite": _infinite,
    "almost_constant": _almost_constant,
}
