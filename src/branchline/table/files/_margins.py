"""What stands round a table: title lines above the header, a line of totals below the rows.

1. Titles: first records with at most half as many cells as the others, none of them a number.
2. Totals: a last row that begins with a word for total which no other row has. Its numbers must be
   the sums of their columns, or some of them means; or all its other cells must be empty.
3. What is left out is told by a warning. So is a last row that begins with such a word and is kept.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from branchline._warn import warn
from branchline.errors import BranchlineWarning

__all__ = ["drops_total", "drops_total_row", "is_total", "n_title_rows", "tell_skipped"]

_MOST_TITLES = 12
_ENOUGH_ALIKE = 0.9
_TOTAL = re.compile(
    r"(?:grand |sub)?(?:total|totals|sum|overall|summe|gesamt|insgesamt|totaal|total général|"
    r"total general|somme|suma|totale|итого|合計|总计)\s*:?",
    re.I,
)
_NUMBER = re.compile(r"[+-]?[0-9][0-9.,' \u00a0]*")
_LETTERS = re.compile(r"[^\W\d_]{4,}")  # more than the letters of a unit
_CLOSE = 1e-6

# The rows above the last one, as often as they are asked for.
Above: TypeAlias = Callable[[], Iterable[Sequence[Any]]]


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


def drops_total_row(file: str, rows: Sequence[Sequence[Any]]) -> bool:
    """Return whether the last of the rows (header left out) sums up the others; warn either way."""
    return drops_total(file, lambda: rows[:-1], len(rows), rows[-1] if rows else ())


def drops_total(file: str, above: Above, n_rows: int, last: Sequence[Any]) -> bool:
    """Return whether the last of ``n_rows`` rows sums up those above; warn either way."""
    if n_rows < 3 or not is_total(last) or not _has_own_word(above, last):
        return False
    if _sums_up(above, last):
        _tell_total(file, last)
        return True
    if any(map(_has_number, last)):
        _tell_kept_total(file, last)
    return False


def _has_own_word(above: Above, last: Sequence[Any]) -> bool:
    """Whether no other row has a word for total where the last one has it."""
    place = list(last).index(_first(last))
    words = (str(row[place]).strip() for row in above() if row[place] is not None)
    return not any(map(_TOTAL.fullmatch, words))


def _sums_up(above: Above, last: Sequence[Any]) -> bool:
    """Whether the numbers of the last row are sums of those above, or it has none at all."""
    word = list(last).index(_first(last))
    full = [place for place in range(len(last)) if place != word and _is_full(last[place])]
    if not full:
        return len(last) > 1
    numeric = [place for place in full if _has_number(last[place])]
    sums = [place for place in numeric if _is_made_of(above, last[place], place, mean=False)]
    return bool(sums) and all(
        at in sums or _is_made_of(above, last[at], at, mean=True) for at in numeric
    )


def is_total(row: Sequence[Any]) -> bool:
    """Return whether a row begins with a word for total."""
    word = _first(row)
    return isinstance(word, str) and _TOTAL.fullmatch(word.strip()) is not None


def _first(row: Sequence[Any]) -> Any:
    return next((cell for cell in row if cell is not None and str(cell).strip()), None)


def _is_full(cell: Any) -> bool:
    return cell is not None and str(cell).strip() != ""


def _is_made_of(above: Above, last: Any, place: int, *, mean: bool) -> bool:
    """Whether the last cell of a column is the sum or mean of the numbers above it.

    Cells above may be empty. Each may have been rounded, so decimals need not agree to the last.
    """
    for mark in ".,":
        total = _number(last, mark)
        numbers = None if total is None else _Numbers(above, place, mark)
        if total is None or numbers is None or numbers.sum is None or numbers.count < 2:
            continue
        made = numbers.sum / numbers.count if mean else numbers.sum
        rounding = max(numbers.last_place, _last_place(last, mark))
        close = _CLOSE * max(1.0, abs(total)) + 0.5 * rounding * (numbers.count + 1)
        if abs(made - total) <= close:
            return True
    return False


class _Numbers:
    """The exact sum of a column's numbers, one by one; None where a cell is something else."""

    def __init__(self, above: Above, place: int, mark: str) -> None:
        self.count, self.last_place = 0, 0.0
        self.sum: float | None
        try:
            self.sum = math.fsum(self._each(above, place, mark))
        except _NotANumberError:
            self.sum = None

    def _each(self, above: Above, place: int, mark: str) -> Iterator[float]:
        for row in above():
            cell = row[place]
            if not _is_full(cell):
                continue
            number = _number(cell, mark)
            if number is None:
                raise _NotANumberError
            self.count += 1
            self.last_place = max(self.last_place, _last_place(cell, mark))
            yield number


class _NotANumberError(Exception):
    """A cell holds something else."""


def _has_number(cell: Any) -> bool:
    return any(_number(cell, mark) is not None for mark in ".,")


def _number(cell: Any, mark: str) -> float | None:
    """Return the number in a cell, with a decimal point or a decimal comma; None for none."""
    if cell is None or isinstance(cell, bool):
        return None
    if isinstance(cell, int | float):
        return float(cell)
    text = str(cell)
    if not any(map(str.isdigit, text)) or _LETTERS.search(text):
        return None
    kept = "".join(sign for sign in text if sign.isdigit() or sign in {"+", "-", mark})
    try:
        return float(kept.replace(mark, "."))
    except ValueError:
        return None


def _last_place(cell: Any, mark: str) -> float:
    """Return the size of the last decimal of a written number; 0 for whole numbers."""
    decimals = str(cell).strip().rpartition(mark)[2] if mark in str(cell) else ""
    n_decimals = sum(map(str.isdigit, decimals))
    return 10.0**-n_decimals if n_decimals else 0.0


def tell_skipped(file: str, n_lines: int) -> None:
    """Say that title lines were left out."""
    if n_lines:
        lines = "1 title line" if n_lines == 1 else f"{n_lines} title lines"
        warn(
            f"{file}: {lines} above the table left out. To read them as rows: skip=0 (--skip 0).",
            BranchlineWarning,
        )


def _tell_total(file: str, row: Sequence[Any]) -> None:
    """Say that a line of totals was left out."""
    shown = ", ".join(str(cell) for cell in row if cell is not None and str(cell))[:60]
    warn(
        f"{file}: the last line sums up the others and was left out ({shown}). To keep it: "
        "totals=True (--totals).",
        BranchlineWarning,
    )


def _tell_kept_total(file: str, row: Sequence[Any]) -> None:
    """Warn of a last line that looks like totals but holds other numbers, and is kept as a row."""
    shown = ", ".join(str(cell) for cell in row if _is_full(cell))[:60]
    warn(
        BranchlineWarning(
            f"{file}: the last line begins with a word for totals, but its numbers are not the "
            f"sums of their columns, so it is kept as a row ({shown}). If it holds totals, remove "
            "it.",
            code="W023",
        ),
    )
