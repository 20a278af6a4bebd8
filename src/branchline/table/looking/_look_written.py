"""Amounts, percentages, dates and times written as text: what they are, and how to mend them.

1. A sample of the names is compared with a few ways of writing; nine in ten must fit one of them.
2. The remedy is a line of pandas when all names of the sample fit it, else plain words.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from branchline.table.looking._look_facts import Facts
from branchline.table.looking._look_words import quoted

__all__ = ["written_as_text"]

_SAMPLE = 500
_ENOUGH = 0.9
_DIGITS = r"(?:[0-9]{1,3}(?:,[0-9]{3})++|[0-9]++)(?:\.[0-9]*+)?"
_EUROPEAN = r"(?:[0-9]{1,3}(?:[. '\u00a0\u202f][0-9]{3})++|[0-9]++)(?:,[0-9]++)?"
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_CLOCK = r"[0-9]{1,2}:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]++)?)?(?:\s?[ap]\.?m\.?)?"


def _either_side(number: str) -> str:
    return rf"[+-]?(?:[$€£¥]\s?)?[+-]?{number}(?:\s?[$€£¥])?"


class _Form(NamedTuple):
    """A way of writing: what it is called, its pattern, and the pandas expression that reads it."""

    words: str
    pattern: "re.Pattern[str]"
    mend: Callable[[str, list[str]], str | None]


def _strip_signs(column: str, texts: list[str]) -> str:
    return f"{column}.str.replace('[^0-9.+-]', '', regex=True).astype(float)"


def _strip_percent(column: str, texts: list[str]) -> str | None:
    has_comma = any("," in text for text in texts)
    return None if has_comma else f"{column}.str.rstrip('% ').astype(float)"


def _as_dates(column: str, texts: list[str]) -> str | None:
    parts = [re.split("[/.-]", text) for text in texts]
    if any(len(part) < 3 or len(part[0]) > 2 or not part[1].isdigit() for part in parts):
        return None
    day_first = any(int(part[0]) > 12 for part in parts)
    month_first = any(int(part[1]) > 12 for part in parts)
    if day_first == month_first:
        return None
    return f"pandas.to_datetime({column}{', dayfirst=True' if day_first else ''})"


def _as_times(column: str, texts: list[str]) -> str | None:
    plain = all(re.fullmatch("[0-9]{1,2}:[0-9]{2}", text) for text in texts)
    return f"pandas.to_timedelta({column} + ':00')" if plain else None


def _in_words(column: str, texts: list[str]) -> str | None:
    return None


_FORMS = (
    _Form("percentages", re.compile(r"[+-]?[0-9]++(?:[.,][0-9]++)?\s?%"), _strip_percent),
    _Form("times", re.compile(_CLOCK, re.I), _as_times),
    _Form(
        "dates",
        re.compile(
            rf"{_DAY}([/.-]){_DAY}\1(?:[0-9]{{4}}|[0-9]{{2}})(?:[T ]{_CLOCK})?"
            rf"|[0-9]{{4}}([/.]){_DAY}\2{_DAY}(?:[T ]{_CLOCK})?",
            re.I,
        ),
        _as_dates,
    ),
    _Form("amounts", re.compile(_either_side(_DIGITS)), _strip_signs),
    _Form("amounts", re.compile(_either_side(_EUROPEAN)), _in_words),
)
_PLAIN_NUMBER = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)")


def written_as_text(facts: Facts) -> str | None:
    """Notice texts that mean amounts, percentages, dates or times."""
    texts = [name.strip() for name in facts.names if isinstance(name, str)]
    sample = texts[:: max(1, len(texts) // _SAMPLE)]
    odd = [text for text in sample if not _PLAIN_NUMBER.fullmatch(text)]
    for form in _FORMS if odd else ():
        fitting = [text for text in sample if form.pattern.fullmatch(text)]
        example = next((text for text in odd if form.pattern.fullmatch(text)), None)
        if example is None or len(fitting) < _ENOUGH * len(sample):
            continue
        column = f"X[{facts.name!r}]"
        how = form.mend(column, fitting) if len(fitting) == len(sample) else None
        remedy = f"In pandas: {column} = {how}" if how else "Turn them into numbers before"
        if how is None and form.words == "dates":
            remedy = "Turn them into dates (2020-12-31) before"
        return (
            f"Looks like {form.words} written as text, such as {quoted(example)}; learners see "
            f"names without order. {remedy}."
        )
    return None
