"""Whether texts could be values at all: a quick look, before any way of writing is tried.

A text that is a number, a date, a time or a duration has digits, and its words are few: units,
months, weekdays, am and pm. A code such as "a12-3/b" has others.
"""

import re
from collections.abc import Sequence

from branchline.table.converting._clocks import DURATION_WORDS
from branchline.table.converting._numbers import UNITS

__all__ = ["is_value", "may_be_values"]

_WORD = re.compile(r"[^\W\d_]+")
_DATES = (
    "jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july "
    "august september october november december mon tue wed thu fri sat sun monday tuesday "
    "wednesday thursday friday saturday sunday am pm a p t z utc gmt e pt"
)
_KNOWN = {
    *_DATES.split(),
    *(word.casefold() for unit in (*UNITS, *DURATION_WORDS) for word in _WORD.findall(unit)),
}
_SAMPLE = 32
_ENOUGH = 0.5


def may_be_values(texts: Sequence[str]) -> bool:
    """Whether at least half of a sample of the texts have digits and no unknown word."""
    sample = texts[:: max(1, len(texts) // _SAMPLE)]
    n_possible = sum(map(is_value, sample))
    return n_possible > 0 and n_possible >= _ENOUGH * len(sample)


def is_value(text: str) -> bool:
    """Whether a text has digits and no unknown word, so that it could be a value."""
    if len(text) > 60 or not any(map(str.isdigit, text)):
        return False
    return all(word.casefold() in _KNOWN for word in _WORD.findall(text))
