"""What deserves a second look in a column of numbers or moments."""

import re
from collections.abc import Callable
from shlex import quote

from branchline.table.looking._look_facts import Facts
from branchline.table.looking._look_words import range_words, value_words
from branchline.table.looking._note import Remark
from branchline.table.looking._time_series import is_series

__all__ = ["NUMBER_TOPICS"]

_CODE_FOR_MISSING = re.compile(r"−1|−?(9[9,]+|8[8,]+|7[7,]+)")


def _code_or_outlier(facts: Facts) -> str | None:
    """Notice a value at either end that lies far from the rest."""
    if facts.column.type.is_time or facts.n_distinct < 5:
        return None
    median, spread = facts.quantile(0.5), facts.quantile(0.75) - facts.quantile(0.25)
    for end, neighbor in ((-1, -2), (0, 1)):
        value, count = facts.value(end), int(facts.counts[end])
        words = value_words(value, facts.column.type)
        gap = abs(value - facts.value(neighbor))
        rest = abs(facts.value(neighbor) - facts.value(-1 - end))
        if count > 1 and _CODE_FOR_MISSING.fullmatch(words) and gap > rest:
            return f"{words} ({count:,} cells) lies far from the rest: a code for missing?"
        if spread > 0 and abs(value - median) > 100 * spread:
            middle = range_words((facts.quantile(0.25), facts.quantile(0.75)), facts.column.type)
            return f"{words} lies far from the rest: half of the values are {' to '.join(middle)}."
    return None


def _series(facts: Facts) -> Remark | None:
    """Notice a time series: learners should be tested on later rows."""
    if not is_series(facts.column):
        return None
    told = "One row for each moment, at equal steps. To test on later rows:"
    name = facts.name
    return f"{told} compare(X, y, time_column={name!r}).", f"{told} --time-column {quote(name)}."


def _moments(facts: Facts) -> str | None:
    if facts.column.type.source not in {"date", "datetime"}:
        return None
    return "Learners see it as the number of days since 1970."


NUMBER_TOPICS: dict[str, Callable[[Facts], Remark | None]] = {
    "outlier": _code_or_outlier,
    "moments": _moments,
    "series": _series,
}
