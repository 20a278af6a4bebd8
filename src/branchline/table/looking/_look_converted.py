"""How a column was converted from text, and texts that can be read in two ways."""

from branchline.table.converting._conversion import detect, kind_flag, two_ways
from branchline.table.converting._written import parse_kind
from branchline.table.looking._look_facts import Facts
from branchline.table.looking._look_words import quoted

__all__ = ["ambiguous", "converted"]

_MARKS = {".": "a decimal point", ",": "a decimal comma"}
_LONGEST = 40
_SAMPLE = 500


def converted(facts: Facts) -> str | None:
    """Say how the cells of a column were written before they were converted."""
    if facts.column.type.written is None:
        return None
    written = parse_kind(facts.name, facts.column.type.written)
    if written == "category":
        return None
    keep = kind_flag(facts.name, "category")
    words = {
        "number": f"numbers with {_MARKS.get(written.mark or '.')}",
        "date": f"dates written {written.detail}",
        "time": "times of day",
        "duration": "durations",
        "boolean": "yes and no in several spellings",
    }[written.what]
    unit = f" and the sign {written.unit}" if written.what == "number" and written.unit else ""
    return f"Converted from text: {words}{unit}. {keep} keeps the texts."


def ambiguous(facts: Facts) -> str | None:
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
    flags = " or ".join(kind_flag(facts.name, way) for way in ways)
    return (
        f"Can be read in two ways: {quoted(example)} is {meanings[0]} or {meanings[1]}. Say which: "
        f"{flags}."
    )
