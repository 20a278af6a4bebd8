"""Amounts, percentages, dates and times written as text: what they are, and how to mend them.

1. A sample of the names is compared with a few ways of writing; nine in ten must fit one of them.
2. The remedy names the texts that do not fit, which may mean missing, or else asks for the kind.
"""

import re
from typing import NamedTuple

from branchline.table.converting._odd_cells import missing_argument, missing_flags
from branchline.table.converting._refusals import kind_flag
from branchline.table.looking._look_facts import Facts
from branchline.table.looking._look_words import quoted
from branchline.table.looking._note import Remark

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
    """A way of writing: what it is called, its pattern, and the kind that reads it."""

    words: str
    pattern: "re.Pattern[str]"
    kind: str


_FORMS = (
    _Form("percentages", re.compile(r"[+-]?[0-9]++(?:[.,][0-9]++)?\s?%"), "number"),
    _Form("times", re.compile(_CLOCK, re.I), "time"),
    _Form(
        "dates",
        re.compile(
            rf"{_DAY}([/.-]){_DAY}\1(?:[0-9]{{4}}|[0-9]{{2}})(?:[T ]{_CLOCK})?"
            rf"|[0-9]{{4}}([/.]){_DAY}\2{_DAY}(?:[T ]{_CLOCK})?",
            re.I,
        ),
        "date",
    ),
    _Form("amounts", re.compile(_either_side(_DIGITS)), "number"),
    _Form("amounts", re.compile(_either_side(_EUROPEAN)), "number"),
)
_PLAIN_NUMBER = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)")


def written_as_text(facts: Facts) -> Remark | None:
    """Notice texts that mean amounts, percentages, dates or times."""
    texts = [name.strip() for name in facts.names if isinstance(name, str)]
    sample = texts[:: max(1, len(texts) // _SAMPLE)]
    odd = [text for text in sample if not _PLAIN_NUMBER.fullmatch(text)]
    for form in _FORMS if odd else ():
        fitting = [text for text in sample if form.pattern.fullmatch(text)]
        example = next((text for text in odd if form.pattern.fullmatch(text)), None)
        if example is None or len(fitting) < _ENOUGH * len(sample):
            continue
        text = (
            f"Looks like {form.words} written as text, such as {quoted(example)}; learners see "
            "names without order."
        )
        return _with_remedy(text, facts, form, [text for text in sample if text not in fitting])
    return None


def _with_remedy(text: str, facts: Facts, form: _Form, odd: list[str]) -> Remark:
    """Add what to do: name the texts that mean missing, or ask for the kind."""
    if odd:
        shown = ", ".join(quoted(each) for each in odd[:5])
        call = f"read_table(path, {missing_argument(odd[:5], 'file')})"
        text = f"{text} If {shown} {'mean' if len(odd) > 1 else 'means'} missing"
        return f"{text}: {call}.", f"{text}: {missing_flags(odd[:5])}."
    kinds = f"kinds={{{facts.name!r}: {form.kind!r}}}"
    return (
        f"{text} To convert them: {kinds}.",
        f"{text} To convert them: {kind_flag(facts.name, form.kind)}.",
    )
