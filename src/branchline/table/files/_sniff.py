"""What a text file does not say of itself: its delimiter and whether it has a header.

1. Delimiter: the first records are split by each candidate; one that gives the same number of cells
   everywhere and leaves no other delimiter inside the cells wins. Blanks count only when nothing
   else does and some column then holds numbers.
2. Header: each column votes. Text above numbers and a text that its few-valued column never repeats
   speak for a header, a text that is repeated below against it, and so do, weakly, numbers. Texts
   and consecutive years are a header at once.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Sequence

from branchline.table.converting._missing_marks import is_missing_mark
from branchline.table.converting._value_words import is_value
from branchline.table.files._margins import n_title_rows
from branchline.table.files._source import BLANKS

__all__ = [
    "even_delimiter",
    "has_header",
    "is_orange",
    "sniff_delimiter",
    "title_lines",
    "without_first_lines",
]

_DELIMITERS = (",", "\t", ";", "|")
_SAMPLE_LINES = 200
_SAMPLE_CHARACTERS = 1 << 18
_ENOUGH_ALIKE = 0.8

_NUMBER = re.compile(
    r"[+-]?(?:[0-9]++[.,]?[0-9]*+|[.,][0-9]++)(?:e[+-]?[0-9]++)?|[+-]?(?:inf|infinity|nan)", re.I
)
_YEAR = re.compile(r"[12][0-9]{3}")
_COMMA_NUMBER = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+(?:Z|[+-][0-9:]+)?)?")
_BOOLEAN = re.compile(r"true|false", re.I)
_ORANGE_ROLES = frozenset({"class", "c", "meta", "m", "ignore", "i", "weight", "w", "multiclass"})
_FEW_VALUES = 4  # rows a distinct value, from which a column counts as few-valued
_ENOUGH_ROWS = 10


# -- delimiter ----------------------------------------------------------------------------------


def sniff_delimiter(text: str, decimal: str | None = None) -> str:
    """Return the character that separates the cells, which is not the decimal mark."""
    lines, cut = _first_lines(text)
    best, best_score = "", (0.0, 0.0)
    candidates = [delimiter for delimiter in _DELIMITERS if delimiter != decimal]
    for delimiter in candidates:
        records = _split(lines, delimiter, cut)
        score = _score(records, delimiter)
        if score > best_score:
            best, best_score = delimiter, score
    if best:
        return best
    return " " if _is_parted_by_blanks(lines) else candidates[0]  # any will do for one column


def title_lines(
    text: str, delimiter: str | None, decimal: str | None, *, surely: bool = True
) -> int:
    """Return how many lines of titles stand above the table, or may stand there."""
    lines, cut = _first_lines(text)
    best, best_score = 0, (0, 0)
    for mark in (delimiter,) if delimiter else _DELIMITERS:
        if mark == decimal:
            continue
        places, records = _numbered(lines, mark, cut)
        n_titles = n_title_rows(records, surely=surely)
        width = len(records[n_titles]) if records else 0
        alike = sum(len(record) == width for record in records[n_titles:])
        if width > 1 and (alike, width) > best_score:
            best, best_score = places[n_titles] if n_titles else 0, (alike, width)
    return best


def _numbered(lines: list[str], delimiter: str, cut: bool) -> tuple[list[int], list[list[str]]]:
    """Return the records, and how many lines precede each."""
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    places, records, line = [], [], 0
    try:
        for record in reader:
            if any(cell.strip() for cell in record):
                places.append(line)
                records.append(record)
            line = reader.line_num
    except csv.Error:
        return [], []
    return (places[:-1], records[:-1]) if cut else (places, records)


def without_first_lines(text: str, n_lines: int) -> str:
    """Return the text with its first lines empty, so that line numbers stay true."""
    if not n_lines:
        return text
    end = 0
    for _ in range(n_lines):
        end = text.find("\n", end) + 1
        if not end:
            return ""
    return "\n" * n_lines + text[end:]


def even_delimiter(text: str, *, but: str) -> str | None:
    """Return a delimiter that gives all first lines equally many cells, two or more; or None."""
    lines, cut = _first_lines(text)
    for delimiter in _DELIMITERS:
        widths = {len(record) for record in _split(lines, delimiter, cut)}
        if delimiter != but and len(widths) == 1 and max(widths) > 1:
            return delimiter
    return " " if but != " " and _is_parted_by_blanks(lines) else None


def _first_lines(text: str) -> tuple[list[str], bool]:
    """Return up to 200 first lines, and whether the text goes on after them."""
    end = 0
    for n_lines in range(_SAMPLE_LINES):
        if end > _SAMPLE_CHARACTERS and n_lines > 2:
            break
        found = text.find("\n", end)
        end = len(text) if found < 0 else found + 1
        if end == len(text):
            break
    return list(io.StringIO(text[:end], newline="")), end < len(text)


def _split(lines: list[str], delimiter: str, cut: bool) -> list[list[str]]:
    try:
        records = list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True))
    except csv.Error:
        return []
    if cut:
        records = records[:-1]  # a quoted line end may have been cut in two
    return [record for record in records if record and any(cell.strip() for cell in record)]


def _score(records: list[list[str]], delimiter: str) -> tuple[float, float]:
    """Return how alike the records are, and how many cells are free of other delimiters."""
    widths = Counter(len(record) for record in records)
    width, n_alike = max(widths.items(), key=lambda item: (item[1], item[0]), default=(1, 0))
    alike = n_alike / max(1, len(records))
    if len(records) > 0 and len(records[0]) > 1:
        width = max(width, 2)  # the first record was split: better ragged than one column
    if width < 2 or (alike < _ENOUGH_ALIKE and len(records[0]) < 2):
        return 0.0, 0.0
    others = [other for other in _DELIMITERS if other != delimiter]
    cells = [cell.strip(BLANKS) for record in records for cell in record]
    plain = sum(
        not any(other in cell for other in others) or _COMMA_NUMBER.fullmatch(cell) is not None
        for cell in cells
    )
    return alike, plain / max(1, len(cells))


def _is_parted_by_blanks(lines: list[str]) -> bool:
    records = [line.split() for line in lines if line.strip()]
    width = len(records[0]) if records else 0
    if width < 2 or any(len(record) != width for record in records):
        return False
    below = records[1:] or records
    return any(all(_NUMBER.fullmatch(record[place]) for record in below) for place in range(width))


# -- header -------------------------------------------------------------------------------------


_ENOUGH_VOTES = 250


def has_header(rows: Sequence[Sequence[str]], missing: Collection[str]) -> bool:
    """Return whether the first of ``rows`` (cells without outer blanks) holds column names."""
    first, rest = rows[0], rows[1:]
    if not rest:
        return all(_shape(cell) == "text" or not cell for cell in first) and any(first)
    below = [[row[place] for row in rest] for place in range(len(first))]
    if _counts_years(first, below, missing):
        return True
    step = max(1, len(first) // _ENOUGH_VOTES)  # of a wide table some columns tell enough
    votes = Counter(
        _vote(head, [cell for cell in cells if cell not in missing], missing)
        for head, cells in zip(first[::step], below[::step], strict=True)
    )
    if votes["for"] > votes["against"]:
        return 2 * votes["for"] > votes["number"]
    if votes["for"] or votes["against"] or votes["number"]:
        return _counts_columns(first, below)
    return any(first) and len(set(first)) == len(first)


def _vote(head: str, cells: list[str], missing: Collection[str]) -> str:
    shape = _shape(head)
    if not head or not cells:
        return "number" if shape != "text" else "none"
    if head in missing:
        return "against"
    known = [cell for cell in cells if not is_missing_mark(cell)] or cells
    if all(_shape(cell) != "text" for cell in known):
        return "for" if shape == "text" else "number"
    if shape != "text":
        return "number"
    if not is_value(head) and all(map(is_value, known)):
        return "for"  # "income" above "$1,648"
    return _vote_of_texts(head, cells)


def _vote_of_texts(head: str, cells: list[str]) -> str:
    distinct = set(cells)
    if head in distinct:
        return "against"
    few_valued = len(cells) >= max(_ENOUGH_ROWS, _FEW_VALUES * len(distinct))
    return "for" if few_valued else "none"


def _counts_columns(first: Sequence[str], below: list[list[str]]) -> bool:
    """Whether the first row is 0, 1, 2, … above decimals: a table saved without names."""
    counted = [str(place) for place in range(len(first))]
    decimals = any(all("." in cell or "e" in cell.lower() for cell in cells) for cells in below)
    return len(first) > 1 and list(first) == counted and decimals


def _counts_years(first: Sequence[str], below: list[list[str]], missing: Collection[str]) -> bool:
    """Whether the first row is texts and consecutive years, and the rows below are not years."""
    years = [place for place, cell in enumerate(first) if _shape(cell) == "number"]
    shapes = {_shape(cell) for cell in first}
    if len(years) < 2 or shapes != {"text", "number"} or len(set(first)) < len(first):
        return False
    if not all(_YEAR.fullmatch(first[place]) for place in years):
        return False
    numbers = [int(first[place]) for place in years]
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return False
    known = [cell for place in years for cell in below[place] if cell not in missing]
    return not all(_YEAR.fullmatch(cell) for cell in known)


def is_orange(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether types and roles follow the names, as in the .tab files of Orange."""
    if len(rows) < 3:
        return False
    roles = {cell.partition(" ")[0].strip() for cell in rows[2]} - {""}
    return bool(roles) and roles <= _ORANGE_ROLES and "number" not in map(_shape, rows[1])


def _shape(cell: str) -> str:
    if _NUMBER.fullmatch(cell):
        return "number"
    if _DATE.fullmatch(cell):
        return "date"
    return "boolean" if _BOOLEAN.fullmatch(cell) else "text"
