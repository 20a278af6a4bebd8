"""How the cells of a column are written, as a short text that a schema can keep.

``number:. $`` are numbers with a decimal point and a dollar sign, ``date:%d/%m/%Y`` are dates with
the day first; ``time``, ``duration`` and ``boolean`` need no detail. The same texts are the kinds
that ``read_table(kinds=…)`` and ``--kind`` take, beside ``numeric`` and ``category``.
"""

import re
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from branchline.errors import ParameterError, Repair
from branchline.table.converting._date_formats import DateFormat, example_formats

__all__ = ["KIND_WORDS", "Written", "is_written", "parse_kind", "way_of"]

What: TypeAlias = Literal["number", "date", "time", "duration", "boolean"]

KIND_WORDS = "number, category, date, time, duration and boolean"
_ALIASES = {
    "numeric": "number",
    "num": "number",
    "money": "number",
    "percent": "number",
    "float": "number",
    "integer": "number",
    "datetime": "date",
    "bool": "boolean",
    "yesno": "boolean",
    "categorical": "category",
    "text": "category",
    "string": "category",
}
_WHAT = ("number", "date", "time", "duration", "boolean")
_NUMBER_DETAIL = re.compile(r"([.,])(?: (\S{1,8}))?")


@dataclass(frozen=True, slots=True)
class Written:
    """A way of writing: what the cells are, and the detail that reads them.

    Parameters
    ----------
    what
        "number", "date", "time", "duration" or "boolean".
    detail
        For numbers the decimal mark, a blank and the sign (". $"); for dates the format. Empty:
        find out from the cells.
    """

    what: What
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.what}:{self.detail}" if self.detail else self.what

    @property
    def mark(self) -> str | None:
        """The decimal mark of numbers; None when it is to be found."""
        return self.detail[:1] or None

    @property
    def unit(self) -> str | None:
        """The sign beside numbers, such as $ or %; None for any."""
        return self.detail[2:] or None


def parse_kind(column: str, kind: Any) -> Written | Literal["category"]:
    """Return what a kind asks for; one that does not exist is refused."""
    what, _, detail = str(kind).partition(":")
    what = _ALIASES.get(what.strip().lower(), what.strip().lower())
    if what == "category" and not detail:
        return "category"
    if not isinstance(kind, str) or what not in _WHAT:
        raise _unknown(column, kind)
    if what == "date" and detail:
        DateFormat(detail, column)  # refuses what cannot be read
    elif detail and not (what == "number" and _NUMBER_DETAIL.fullmatch(detail)):
        raise _unknown(column, kind)
    return Written(what, detail)  # type: ignore[arg-type]


def way_of(column: str, written: str) -> Written:
    """Return the way of writing that a schema remembers for a column."""
    what, _, detail = written.partition(":")
    assert what in _WHAT, f"column {column!r} was written as {written!r}"
    return Written(what, detail)  # type: ignore[arg-type]


def is_written(text: Any, what: str) -> bool:
    """Whether ``text`` is the full word for a way of writing, of cells that become ``what``."""
    if not isinstance(text, str) or len(text) > 200 or not text.isprintable():
        return False
    try:
        written = parse_kind("", text)
    except ParameterError:
        return False
    if written == "category" or str(written) != text or written.what != what:
        return False
    return bool(written.detail) or what in {"time", "duration", "boolean"}


def _unknown(column: str, kind: Any) -> ParameterError:
    dates = " or ".join(f"date:{form}" for form in example_formats())
    return ParameterError(
        f"Column {column!r} cannot be of kind {kind!r}; the kinds are {KIND_WORDS}. Details follow "
        f"a colon: number:. and number:, say the decimal mark, {dates} how dates are written.",
        code="D040",
        column=column,
        values=(kind,),
        repair=Repair(f'kinds = {{{column!r}: "category"}}', f"--kind {column}=category"),
    )
