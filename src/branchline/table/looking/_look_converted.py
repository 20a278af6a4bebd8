"""How a column was converted from text, and texts that can be read in two ways."""

from branchline._plain_numbers import joined
from branchline.table.converting._conversion import detect
from branchline.table.converting._missing_marks import is_missing_mark
from branchline.table.converting._refusals import kind_flag, two_ways
from branchline.table.converting._written import parse_kind
from branchline.table.looking._look_facts import Facts
from branchline.table.looking._look_words import quoted
from branchline.table.looking._note import Remark

__all__ = ["ambiguous", "converted", "counted_as_missing"]

_MARKS = {".": "a decimal point", ",": "a decimal comma"}
_LONGEST = 40
_SAMPLE = 500


def converted(facts: Facts) -> Remark | None:
    """Say how the cells of a column were written before they were converted."""
    if facts.column.type.written is None:
        return None
    written = parse_kind(facts.name, facts.column.type.written)
    if written == "category":
        return None
    words = {
        "number": f"numbers with {_MARKS.get(written.mark or '.')}",
        "date": f"dates written {written.detail}",
        "time": "times of day",
        "duration": "durations",
        "boolean": "yes and no in several spellings",
    }[written.what]
    unit = f" and the sign {written.unit}" if written.what == "number" and written.unit else ""
    return _keeping(facts, f"Converted from text: {words}{unit}.")


def counted_as_missing(facts: Facts) -> Remark | None:
    """Say which texts of a column count as missing."""
    marks = facts.column.type.marks
    if facts.is_category or not marks or not all(map(is_missing_mark, marks)):
        return None
    shown = joined([quoted(mark) for mark in marks], 5)
    text = f"{shown} {'count' if len(marks) > 1 else 'counts'} as missing."
    return text if facts.column.type.written is not None else _keeping(facts, text)


def _keeping(facts: Facts, text: str) -> Remark:
    """Add how the texts are kept as they are."""
    kinds = f"kinds={{{facts.name!r}: 'category'}}"
    return f"{text} {kinds} keeps the texts.", (
        f"{text} {kind_flag(facts.name, 'category')} keeps the texts."
    )


def ambiguous(facts: Facts) -> Remark | None:
    """Notice texts that are numbers or dates in two ways, of which nothing decides one."""
    texts = [name for name in facts.names if isinstance(name, str)][:_SAMPLE]
    if not texts or facts.column.type.source != "string" or max(map(len, texts)) > _LONGEST:
        return None
    if not any(character.isdigit() for character in texts[0]):
        return None
    import polars as pl

    distinct = pl.Series(texts)
    found = detect(distinct)
    if not isinstance(found, tuple):
        return None
    example, ways, meanings = two_ways(distinct, found)
    text = (
        f"Can be read in two ways: {quoted(example)} is {meanings[0]} or {meanings[1]}. Say which:"
    )
    kinds = " or ".join(f"kinds={{{facts.name!r}: {str(way)!r}}}" for way in ways)
    return f"{text} {kinds}.", f"{text} {' or '.join(kind_flag(facts.name, way) for way in ways)}."
