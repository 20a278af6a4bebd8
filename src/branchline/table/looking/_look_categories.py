"""What deserves a second look in a category."""

import math
import re
from collections.abc import Callable

import numpy as np

from branchline.table._column import MAX_CATEGORIES
from branchline.table.converting._odd_cells import missing_argument, missing_flags
from branchline.table.converting._refusals import kind_flag
from branchline.table.looking._identifiers import DistinctRows, find_identifier
from branchline.table.looking._look_converted import ambiguous
from branchline.table.looking._look_facts import Facts
from branchline.table.looking._look_words import percent, quoted
from branchline.table.looking._look_written import written_as_text
from branchline.table.looking._note import Remark

__all__ = ["CATEGORY_TOPICS", "identifier"]

_FEWEST_FOR_SHARES = 20
_LONGEST_EXACT = 16  # digits; longer whole numbers may be rounded as floats
_MOST_COMPARED_NAMES = 10_000
_SAMPLE = 500
_ISO_DATE = re.compile(r"\s*\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?\s*")
_MISSING_WORDS = {"", "?", "-", "--", ".", "na", "n/a", "#n/a", "nan", "null", "missing"}


def _texts(facts: Facts) -> list[str]:
    return [name for name in facts.names if isinstance(name, str)]


def identifier(facts: Facts, once: DistinctRows | None = None) -> str | None:
    """Notice a column that only names rows."""
    found = find_identifier(facts, once)
    if found is None or found.topic == "written" or (facts.is_category and _written_dates(facts)):
        return None
    return f"Looks like an identifier: {found.reason}."


def _near_unique(facts: Facts) -> str | None:
    if facts.n_present < _FEWEST_FOR_SHARES or find_identifier(facts) is not None:
        return None
    if facts.n_distinct < 0.5 * facts.n_present:
        return None
    return f"{facts.n_distinct:,} categories for {facts.n_present:,} values: few rows share one."


def _too_many(facts: Facts) -> str | None:
    if facts.n_distinct <= MAX_CATEGORIES:
        return None
    return (
        f"{facts.n_distinct:,} categories; learners keep the {MAX_CATEGORIES - 1:,} most frequent "
        "and pool the rest."
    )


def _nearly_numbers(facts: Facts) -> Remark | None:
    """Notice numbers written as text, and the odd words that made them text."""
    texts = _texts(facts)
    if facts.column.type.source != "string" or not _mostly(_is_number, texts):
        return None
    if written_as_text(facts):  # 1,234 beside 567 is a number too, not a word for missing
        return None
    flags = np.fromiter(map(_is_number, texts), bool, len(texts))
    share = facts.counts[flags].sum() / facts.n_present
    if share < 0.9:
        return None
    if any(len(text) > _LONGEST_EXACT for text in texts):
        return "Whole numbers beyond 2⁵³ are names: as numbers, different ones would become equal."
    if flags.all():
        # the user may have asked for a category: codes such as 04000 are names
        text = "Every name is a number, as in postcodes. If they measure something instead:"
        kinds = f"kinds={{{facts.name!r}: 'numeric'}}"
        return f"{text} {kinds}.", f"{text} {kind_flag(facts.name, 'number')}."
    odd = [texts[place] for place in facts.by_frequency if not flags[place]]
    return _odd_cells(f"{percent(share)} of the values are numbers", odd)


def _odd_cells(begin: str, odd: list[str]) -> Remark:
    """Say which texts keep a column from being numbers, and what to do where they mean missing."""
    shown = ", ".join(quoted(text) for text in odd[:5]) + (", …" if len(odd) > 5 else "")
    return _if_missing(f"{begin}; the others are {shown}. If these mean missing", odd)


def _if_missing(text: str, odd: list[str]) -> Remark:
    call = f"read_table(path, {missing_argument(odd[:5], 'file')})"
    return f"{text}: {call}.", f"{text}: {missing_flags(odd[:5])}."


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _written_dates(facts: Facts) -> str | None:
    if not _mostly(lambda text: bool(_ISO_DATE.fullmatch(text)), _texts(facts)):
        return None
    return "Dates written as text: turn them into dates to keep their order."


def _mostly(holds: Callable[[str], bool], texts: list[str]) -> bool:
    """Whether ``holds`` for at least half of a sample of the texts."""
    sample = texts[:: max(1, len(texts) // _SAMPLE)]
    return bool(sample) and 2 * sum(map(holds, sample)) >= len(sample)


def _lookalikes(facts: Facts) -> str | None:
    """Notice two names that differ only in capitals or blanks."""
    texts = _texts(facts)
    first: dict[str, str] = {}
    for text in texts if len(texts) <= _MOST_COMPARED_NAMES else ():
        other = first.setdefault(" ".join(text.casefold().split()), text)
        if other != text:
            return f"{quoted(other)} and {quoted(text)} differ only in capitals or blanks."
    return None


def _rare(facts: Facts) -> str | None:
    once = int(np.count_nonzero(facts.counts == 1))
    near_unique = facts.n_distinct >= 0.5 * facts.n_present
    if near_unique or facts.n_distinct < 10 or 2 * once < facts.n_distinct:
        return None
    return f"{once:,} of the {facts.n_distinct:,} categories occur only once."


def _unused(facts: Facts) -> str | None:
    n_names = len(facts.column.categories)
    unused = n_names - facts.n_distinct
    if not unused:
        return None
    return f"{unused:,} of the {n_names:,} declared categories {_verb(unused)} not occur."


def _verb(count: int) -> str:
    return "does" if count == 1 else "do"


def _words_for_missing(facts: Facts) -> Remark | None:
    words = [text for text in _texts(facts) if text.strip().casefold() in _MISSING_WORDS]
    if not words or _nearly_numbers(facts):  # which has named them already
        return None
    shown = ", ".join(quoted(word) for word in words[:5])
    return _if_missing(f"{shown} may mean missing", words)


def _blanks(facts: Facts) -> str | None:
    odd = next((text for text in _texts(facts) if text != text.strip()), None)
    return None if odd is None else f"Some values begin or end with blanks: {odd[:40]!r}."


def _written(facts: Facts) -> Remark | None:
    return None if ambiguous(facts) else written_as_text(facts)


CATEGORY_TOPICS: dict[str, Callable[[Facts], Remark | None]] = {
    "ambiguous": ambiguous,
    "numbers_as_text": _nearly_numbers,
    "written_as_text": _written,
    "dates_as_text": _written_dates,
    "words_for_missing": _words_for_missing,
    "near_unique": _near_unique,
    "too_many": _too_many,
    "lookalikes": _lookalikes,
    "blanks": _blanks,
    "rare": _rare,
    "unused": _unused,
}
