"""What deserves a second look in the column that is to be predicted."""

from collections.abc import Iterator

import numpy as np

from branchline.table.looking._look_facts import Facts
from branchline.table.looking._look_words import percent, quoted, range_words, shorten, value_words
from branchline.table.looking._note import Note

__all__ = ["target_notes", "target_words"]

_FEW_ROWS = 10
_MOST_CLASSES = 30
_MOST_SHOWN = 5


def target_words(facts: Facts) -> str:
    """Return the target in one line: its classes with their shares, or its range."""
    kind = facts.column.type
    if not facts.n_present:
        return "no values"
    if facts.is_category or facts.n_distinct <= _MOST_SHOWN:
        places = facts.by_frequency[:_MOST_SHOWN]
        shown = ", ".join(
            f"{shorten(value_words(facts.value(int(at)), kind), 24)} "
            f"{percent(float(facts.counts[at] / facts.n_present))}"
            for at in places
        )
        more = f", … ({facts.n_distinct:,} classes)" if facts.n_distinct > len(places) else ""
        return f"classes {shown}{more}"
    low, middle, high = range_words((facts.value(0), facts.median(), facts.value(-1)), kind)
    return f"numbers from {low} to {high}, median {middle}"


def target_notes(facts: Facts) -> Iterator[Note]:
    """Yield what makes the target hard or impossible to learn."""
    if facts.n_missing:
        rows, them = (
            ("1 row has", "it")
            if facts.n_missing == 1
            else (f"{facts.n_missing:,} rows have", "them")
        )
        text = f"{rows} no target: leave {them} out"
        yield Note("target_missing", f"{text}.", f"{text} with --known-only.")
    if facts.n_distinct == 1:
        yield Note("target_constant", "The target has one value only: there is nothing to learn.")
    if not facts.is_category:
        return
    if facts.n_distinct > max(_MOST_CLASSES, 0.5 * facts.n_present):
        yield Note("target_names", f"{facts.n_distinct:,} classes: is this the column you mean?")
        return
    rare = np.flatnonzero(facts.counts < _FEW_ROWS)
    if len(rare) and facts.n_present >= 2 * _FEW_ROWS:
        shown = ", ".join(quoted(facts.value(int(at))) for at in rare[:_MOST_SHOWN])
        more = ", …" if len(rare) > _MOST_SHOWN else ""
        classes = "1 class has" if len(rare) == 1 else f"{len(rare)} classes have"
        yield Note("target_rare", f"{classes} fewer than {_FEW_ROWS} rows: {shown}{more}.")
