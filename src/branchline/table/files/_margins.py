"""What stands round a table: title lines above the header, a line of totals below the rows.

1. Titles: first records with at most half as many cells as the others, none of them a number.
2. Totals: a last row that begins with a word for total which no other row has, and in which some
   number is the sum of those above, or in which all other texts are empty.
3. What is left out is told by a warning.
"""

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any

from branchline.errors import BranchlineWarning

__all__ = ["has_total_row", "is_total", "n_title_rows", "tell_skipped", "tell_total"]

_MOST_TITLES = 12
_ENOUGH_ALIKE = 0.9
_TOTAL = re.compile(
    r"(?:grand |sub)?(?:total|totals|sum|overall|summe|gesamt|insgesamt|totaal|total général|"
    r"total general|somme|suma|totale|итого|合計|总计)\s*:?",
    re.I,
)
_NUMBER = re.compile(r"[+-]?[0-9][0-9.,' \u00a0]*")
_NOT_DIGITS = re.compile(r"[^0-9.+-]")
_CLOSE = 1e-6


def n_title_rows(records: Sequence[Sequence[Any]], *, surely: bool = True) -> int:
    """Return how many first records stand above the table; cells are objects or texts.

    With ``surely=False``, any shorter record without numbers may be a title.
    """
    widths = [_n_full(record) for record in records]
    usual = Counter(len(record) for record in records).most_common(1)
    width = usual[0][0] if usual else 0
    if width < 2:
        return 0
    for place, record in enumerate(records[:_MOST_TITLES]):
        most = max(1, width // 2) if surely else width - 1
        is_title = widths[place] <= most and not any(map(_is_number, record))
        if len(record) == width and not (is_title and width > 2):
            return place if _goes_on(records, place, width) else 0
        if not is_title:
            return 0
    return 0


def _goes_on(records: Sequence[Sequence[Any]], first: int, width: int) -> bool:
    below = records[first:]
    alike = sum(len(record) == width for record in below)
    return len(below) > 1 and alike >= _ENOUGH_ALIKE * len(below)


def _n_full(record: Sequence[Any]) -> int:
    return sum(cell is not None and str(cell).strip() != "" for cell in record)


def _is_number(cell: Any) -> bool:
    if isinstance(cell, int | float):
        return True
    return isinstance(cell, str) and _NUMBER.fullmatch(cell.strip()) is not None


def has_total_row(rows: Sequence[Sequence[Any]]) -> bool:
    """Return whether the last of the rows (header left out) sums up the others."""
    if len(rows) < 3:
        return False
    *others, last = rows
    if not is_total(last):
        return False
    word = _first(last)
    place = list(last).index(word)
    if any(row[place] is not None and _TOTAL.fullmatch(str(row[place]).strip()) for row in others):
        return False
    rest = [cell for at, cell in enumerate(last) if at != place]
    full = [cell for cell in rest if cell is not None and str(cell).strip()]
    if not any(_number(cell) is not None for cell in full):
        return False
    if all(_number(cell) is not None for cell in full):
        return True
    return any(_is_sum(rows, at) for at in range(len(last)) if at != place)


def is_total(row: Sequence[Any]) -> bool:
    """Return whether a row begins with a word for total."""
    word = _first(row)
    return isinstance(word, str) and _TOTAL.fullmatch(word.strip()) is not None


def _first(row: Sequence[Any]) -> Any:
    return next((cell for cell in row if cell is not None and str(cell).strip()), None)


def _is_sum(rows: Sequence[Sequence[Any]], place: int) -> bool:
    numbers = [_number(row[place]) for row in rows]
    if numbers[-1] is None or any(number is None for number in numbers):
        return False
    known = [number for number in numbers if number is not None]
    return abs(sum(known[:-1]) - known[-1]) <= _CLOSE * max(1.0, abs(known[-1]))


def _number(cell: Any) -> float | None:
    if cell is None or isinstance(cell, bool):
        return None
    if isinstance(cell, int | float):
        return float(cell)
    try:
        return float(_NOT_DIGITS.sub("", str(cell)))
    except ValueError:
        return None


def tell_skipped(file: str, n_lines: int) -> None:
    """Say that title lines were left out."""
    if n_lines:
        lines = "1 title line" if n_lines == 1 else f"{n_lines} title lines"
        warnings.warn(
            f"{file}: {lines} above the table left out. To read them as rows: skip=0 (--skip 0).",
            BranchlineWarning,
            stacklevel=2,
        )


def tell_total(file: str, row: Sequence[Any]) -> None:
    """Say that a line of totals was left out."""
    shown = ", ".join(str(cell) for cell in row if cell is not None and str(cell))[:60]
    warnings.warn(
        f"{file}: the last line sums up the others and was left out ({shown}). To keep it: "
        "totals=True (--totals).",
        BranchlineWarning,
        stacklevel=2,
    )
