"""Texts that stand for a missing value: "-", "n/a", "unknown".

In a column of names such a text may be a name like any other. Beside numbers or dates it is not:
the cell holds no value, and the text alone would turn the whole column into names.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["are_marks", "is_missing_mark", "marks_among", "marks_of_columns", "without_texts"]

_SIGNS_AND_WORDS = r"""
- -- --- – — . .. ... * ** ? ?? / # na n/a n.a. n.a n\a #n/a #na <na> nan null (null) <null> nil
none (none) (blank) blank empty missing unknown unk unkn undefined undef tbd tba nd n.d. n/d s/d nr
n/r k.a. k.a unbekannt inconnu desconocido sconosciuto onbekend
#ref! #value! #div/0! #num! #name? #error! error
"""
_PHRASES = "not available,not applicable,not known,no data,no value,not given"
_MARKS = {"", *_SIGNS_AND_WORDS.split(), *_PHRASES.split(",")}


def is_missing_mark(text: str) -> bool:
    """Whether a text is a well-known word or sign for a missing value."""
    return text.strip().casefold() in _MARKS


def are_marks(texts: "pl.Series") -> "pl.Series":
    """Return for each text whether it is a well-known mark for a missing value."""
    return texts.str.strip_chars().str.to_lowercase().is_in(list(_MARKS)).fill_null(False)


def marks_among(distinct: "pl.Series") -> list[str]:
    """Return those of the distinct texts that are well-known marks for a missing value."""
    return distinct.filter(are_marks(distinct)).sort().to_list()


def without_texts(texts: "pl.Series", marks: "list[str] | tuple[str, ...]") -> "pl.Series":
    """Return the texts, null where they are one of ``marks``."""
    return texts.set(texts.is_in(list(marks)).fill_null(False), None)


def marks_of_columns(cells: "pl.DataFrame", marks: Collection[str]) -> list[list[str]]:
    """Return which of the texts that the user calls missing each column of cells has."""
    if not marks:
        return [[] for _ in range(cells.width)]
    found = [set(series.filter(series.is_in(list(marks))).unique().to_list()) for series in cells]
    return [[mark for mark in marks if mark in there] for there in found]
