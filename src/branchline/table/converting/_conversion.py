"""Columns of texts become numbers, dates, durations or booleans, as they show or as is asked.

1. Kinds that the user asks for decide; every text must then fit.
2. Kinds that a model remembers (``likely``) come next; a column that does not fit them stays text.
3. Else the first way of writing that fits every text is taken: yes and no, numbers, dates, clocks.
4. Two ways that both fit and differ are asked back with the two repairs, or the column stays text.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from branchline.table._column import Column
from branchline.table.converting._clocks import detect_clock
from branchline.table.converting._dates import detect_date
from branchline.table.converting._missing_marks import marks_among, without_texts
from branchline.table.converting._numbers import detect_number, has_digit
from branchline.table.converting._odd_cells import Origin
from branchline.table.converting._reading import read_as, with_marks
from branchline.table.converting._refusals import ambiguous_texts, refused_texts
from branchline.table.converting._written import Written
from branchline.table.converting._yes_no import detect_yes_no
from branchline.table.frames._from_polars import column_from_polars

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Conversion", "detect"]

Found = Written | tuple[Written, Written] | None

_SAMPLE = 64
_MOST_CHARACTERS = 40


@dataclass(frozen=True)
class Conversion:
    """How texts become columns.

    Parameters
    ----------
    asked
        Ways of writing by column name; every text must fit.
    likely
        Ways that a model remembers; used where every text fits.
    ambiguous
        "ask": refuse columns that two ways fit; "keep": leave them texts.
    mark
        The decimal mark that the user states, None to find out.
    marks
        Texts that count as missing, by column name, as a model remembers them.
    tells
        Whether to warn of texts that count as missing and of those that keep a column from being
        numbers or dates.
    origin
        Whether the texts come from a "file" or a "frame", for repairs.
    counted
        How many cells hold each text ("text", "n"), by column name, where the texts that are looked
        at stand for more cells (a table larger than memory).
    """

    asked: Mapping[str, Written] = field(default_factory=dict)
    likely: Mapping[str, Written] = field(default_factory=dict)
    ambiguous: Literal["ask", "keep"] = "ask"
    mark: str | None = None
    marks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tells: bool = True
    origin: Origin = "frame"
    counted: "Mapping[str, pl.DataFrame]" = field(default_factory=dict)

    def column(self, name: str, texts: "pl.Series", prefer: str) -> Column | None:
        """Return the texts as a column; None when they are just texts."""
        distinct = texts.drop_nulls().unique(maintain_order=True)
        if not len(distinct):
            return None
        if name in self.asked:
            return self._as_asked(name, texts, distinct, prefer)
        found = detect(distinct, self.mark or prefer, self.mark)
        if isinstance(found, tuple):
            if self.ambiguous == "ask":
                raise ambiguous_texts(name, distinct, found, self.origin)
            return None
        return None if found is None else read_as(name, texts, found)

    def before_others(self, name: str, texts: "pl.Series", prefer: str) -> Column | None:
        """Return the column where what is asked or remembered comes before plain numbers."""
        asked, likely = self.asked.get(name), self.likely.get(name)
        if texts.null_count() == len(texts):
            return None
        if asked is not None:
            if asked.detail or asked.what in {"time", "duration", "boolean"}:
                return self.column(name, texts, prefer)
            return None
        if likely is None or str(likely) in {"number", "date"}:  # plain numbers, ISO dates
            return None
        return read_as(name, texts, likely)

    def _as_asked(
        self, name: str, texts: "pl.Series", distinct: "pl.Series", prefer: str
    ) -> Column:
        column = self._read_asked(name, texts, distinct, prefer)
        if column is not None:
            return column
        marks = marks_among(distinct)
        rest = without_texts(texts, marks)
        kept = rest.drop_nulls().unique(maintain_order=True)
        column = self._read_asked(name, rest, kept, prefer) if marks and len(kept) else None
        if column is None:
            asked = self.asked[name]
            raise refused_texts(name, texts, asked, self.mark or prefer, self.origin)
        return with_marks(column, marks)

    def _read_asked(
        self, name: str, texts: "pl.Series", distinct: "pl.Series", prefer: str
    ) -> Column | None:
        import polars as pl

        written = self.asked[name]
        if written == Written("number"):
            plain = texts.cast(pl.Float64, strict=False)
            if plain.null_count() == texts.null_count():
                return column_from_polars(name, plain)
        if not written.detail:
            found = _detect_one(written.what, distinct, self.mark or prefer)
            if isinstance(found, tuple):
                raise ambiguous_texts(name, distinct, found, self.origin)
            written = found or written
        return read_as(name, texts, written)


def detect(distinct: "pl.Series", prefer: str = ".", mark: str | None = None) -> Found:
    """Return how distinct texts (none null) are written; two ways when both fit; None for text."""
    head = distinct.head(_SAMPLE)
    if int(head.str.len_chars().max() or 0) > _MOST_CHARACTERS:  # type: ignore[arg-type]
        return None
    yes_no = detect_yes_no(distinct)
    if yes_no is not None or not has_digit(head):
        return yes_no
    for what in ("number", "date", "time"):
        found = _detect_one(what, head, prefer)
        if found is not None and len(distinct) > len(head):
            found = _detect_one(what, distinct, prefer)
        if found is not None:
            return _of_mark(found, mark)
    return None


def _of_mark(found: Found, mark: str | None) -> Found:
    """Return what fits the decimal mark that the user states."""
    ways = found if isinstance(found, tuple) else (found,)
    if mark is None or ways[0] is None or ways[0].what != "number":
        return found
    return next((way for way in ways if way and way.mark == mark), None)


def _detect_one(what: str, distinct: "pl.Series", prefer: str) -> Found:
    if what == "number":
        return detect_number(distinct, prefer)
    return _DETECTORS[what](distinct)


_DETECTORS: dict[str, "Callable[[pl.Series], Found]"] = {
    "date": detect_date,
    "time": detect_clock,
    "duration": detect_clock,
    "boolean": detect_yes_no,
}
