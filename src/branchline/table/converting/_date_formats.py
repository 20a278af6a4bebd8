"""Formats of dates (%d/%m/%Y): what they mean, and the texts they read.

1. A format is split into directives and other characters; each directive has a pattern, so that a
   text is read only when it looks as the format says (a year of four digits is not one of two).
2. polars reads the texts that fit. A format without a day means the first of the month.
"""

import re
from typing import TYPE_CHECKING

from branchline.errors import ParameterError, Repair

if TYPE_CHECKING:
    import polars as pl

__all__ = ["DateFormat", "example_formats"]

_PATTERNS = {
    "Y": "[0-9]{4}",
    "y": "[0-9]{2}",
    "m": "(?:0?[1-9]|1[0-2])",
    "d": "(?:0?[1-9]|[12][0-9]|3[01])",
    "e": "(?:0?[1-9]|[12][0-9]|3[01])",
    "j": "[0-9]{1,3}",
    "b": "[A-Za-z]{3}",
    "B": "[A-Za-z]{3,9}",
    "a": "[A-Za-z]{3}",
    "A": "[A-Za-z]{6,9}",
    "H": "(?:[01]?[0-9]|2[0-3])",
    "I": "(?:0?[1-9]|1[0-2])",
    "M": "[0-5][0-9]",
    "S": "[0-5][0-9]",
    "p": "[AaPp][Mm]",
    "z": "[+-][0-9]{2}:?[0-9]{2}",
}
_DIRECTIVE = re.compile(r"%(.)|([^%]+)|(%)", re.DOTALL)
_CLOCK = frozenset("HIMSpz")
_FRACTION = r"(?:\.[0-9]{1,9})"


def example_formats() -> tuple[str, str]:
    """Return two formats to show in messages."""
    return "%d/%m/%Y", "%m/%d/%Y"


class DateFormat:
    """A format of dates, or of moments, in the directives of ``strftime``.

    Parameters
    ----------
    text
        The format, such as ``%d/%m/%Y %H:%M``.
    column
        The column that it is for, for errors.
    """

    def __init__(self, text: str, column: str = "") -> None:
        self.text = text
        self._column = column
        parts = self._parts(text.replace(".%f", "%f"))
        used = [key for key, _, _ in parts if key]
        if len(set(used)) != len(used) or not {"Y", "y"} & set(used):
            raise self._refused("it needs a year (%Y or %y), and each part once")
        if _CLOCK & set(used) and not ({"H", "M"} <= set(used) or {"I", "M", "p"} <= set(used)):
            raise self._refused("a time needs %H and %M, or %I, %M and %p")
        if "j" not in used and {"d", "e"} & set(used) and not {"m", "b", "B"} & set(used):
            raise self._refused("a day needs a month")
        self.has_time = bool(_CLOCK & set(used))
        self.pattern = "^" + "".join(pattern for _, pattern, _ in parts) + "$"
        self._fits = re.compile(self.pattern).match
        self._format = "".join(form for _, _, form in parts)
        self._tail, self._tail_format = self._first_day(set(used))

    def _parts(self, text: str) -> list[tuple[str, str, str]]:
        """Return (directive, pattern, polars' format) of each piece."""
        parts = []
        for found in _DIRECTIVE.finditer(text):
            key, plain, lone = found.groups()
            if lone or (key and key not in {*_PATTERNS, "f", "%"}):
                raise self._refused(f"{found[0]!r} is not supported")
            if key == "f":
                parts.append((key, _FRACTION, "%.f"))
            elif key and key != "%":
                parts.append((key, _PATTERNS[key], f"%{key}"))
            else:
                word = "%" if key else plain
                parts.append(("", re.escape(word), word.replace("%", "%%")))
        return parts

    @staticmethod
    def _first_day(used: set[str]) -> tuple[str, str]:
        if {"d", "e", "j"} & used:
            return "", ""
        return (" 01", " %d") if {"m", "b", "B"} & used else (" 01 01", " %m %d")

    def fits(self, text: str) -> bool:
        """Whether a text looks as the format says; its date need not exist."""
        return self._fits(text) is not None

    def read(self, texts: "pl.Series") -> "pl.Series":
        """Return dates or moments, null for texts that do not fit."""
        import polars as pl

        fitting = texts.set(~texts.str.contains(self.pattern).fill_null(False), None)
        whole = fitting + pl.Series([self._tail]) if self._tail else fitting
        form = self._format + self._tail_format
        if self.has_time:
            return whole.str.to_datetime(form, time_unit="us", strict=False)
        return whole.str.to_date(form, strict=False)

    def _refused(self, why: str) -> ParameterError:
        known = ", ".join(f"%{key}" for key in _PATTERNS)
        return ParameterError(
            f"{self.text!r} is not a format of dates: {why}. The parts are {known} and .%f.",
            code="K103",
            column=self._column or None,
            values=(self.text,),
            repair=Repair(
                f'kinds = {{{self._column!r}: "date:%d/%m/%Y"}}',
                f"--kind {self._column or 'NAME'}=date:%d/%m/%Y",
            ),
        )
