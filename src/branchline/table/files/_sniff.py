"""What a text file does not say of itself: its encoding, its delimiter and whether it has a header.

1. Encoding: a byte-order mark decides; else UTF-8 when the bytes are valid, else cp1252 or latin-1.
2. Delimiter: the first records are split by each candidate; one that gives the same number of cells
   everywhere and leaves no other delimiter inside the cells wins. Blanks count only when nothing
   else does and some column then holds numbers.
3. Header: each column votes. Text above numbers and a text that its few-valued column never repeats
   speak for a header, a text that is repeated below against it, and so do, weakly, numbers. Texts
   and consecutive years are a header at once.
"""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Sequence

from branchline.errors import DataError
from branchline.table.files._source import BLANKS, Source, file_error, read_again

__all__ = ["decode", "even_delimiter", "has_header", "is_orange", "sniff_delimiter"]

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r\f\v\x1a\x1b")
_MOST_CONTROLS, _FEW_CONTROLS = 0.01, 8  # a share of the bytes; a number that is always allowed
_FEWEST_ASCII = 0.02  # blanks, delimiters and line ends are ASCII in any script
_HEAD = 1 << 16

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


# -- encoding -----------------------------------------------------------------------------------


def decode(source: Source, encoding: str | None) -> str:
    """Return the text of the file, without byte-order mark, line ends as they are."""
    forced = encoding or source.encoding
    text = _decode_as(source, forced) if forced else _decode_by_look(source)
    text = text.removeprefix("\ufeff")
    if not text or text.isspace():
        raise file_error(source.name, "the file is empty.", code="F004")
    if "\x00" in text:
        raise _not_text(source)
    if "\r" in text and "\n" not in text:
        text = text.replace("\r", "\n")  # line ends of the old Macintosh
    return text


def _decode_as(source: Source, encoding: str, *, forced: bool = True) -> str:
    try:
        text = source.content.decode(encoding)
        text.encode()  # utf-7 and the like may give halves of characters, which are no text
        return text
    except UnicodeDecodeError as error:
        if forced and _is_binary(source.content) and not _bare_utf16(source.content):
            raise _not_text(source) from None
        line = source.content.count(b"\n", 0, error.start) + 1
        seen = source.content[error.start : error.start + 4]
        by_itself = read_again(source.name) + "  # finds the encoding by itself"
        raise file_error(
            source.name,
            f"the bytes {seen!r} are not {encoding} text.",
            code="F006",
            line=line,
            repair=by_itself if forced else None,
        ) from None
    except (LookupError, ValueError):
        raise file_error(
            source.name,
            f"there is no text encoding {encoding!r}; use utf-8, utf-16, cp1252, latin-1, …",
            code="F006",
        ) from None


def _decode_by_look(source: Source) -> str:
    content = source.content
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _decode_as(source, encoding, forced=False)
    if _is_binary(content):
        raise _not_text(source)
    for encoding in ("utf-8", "cp1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1")


def _is_binary(content: bytes) -> bool:
    """Whether many bytes are controls that no text has, and no byte-order mark explains them."""
    if content.startswith(tuple(mark for mark, _ in _MARKS)):
        return False
    head = content[:_HEAD]
    n_controls = len(head) - len(head.translate(None, _CONTROLS))
    return n_controls > max(_FEW_CONTROLS, _MOST_CONTROLS * len(head))


def _bare_utf16(content: bytes) -> str | None:
    """Return the encoding of a UTF-16 text without byte-order mark, None for anything else."""
    for encoding in ("utf-16-le", "utf-16-be"):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        # a line end shows that the bytes were paired the right way round
        if "\x00" not in text and "\n" in text and _is_plain(text[:_HEAD]):
            return encoding
    return None


def _is_plain(text: str) -> bool:
    """Whether a text has hardly a control in it and looks like text, not like random characters."""
    n_controls = sum(ord(character) < 32 and character not in "\t\n\r" for character in text)
    n_ascii = sum(character.isascii() for character in text)
    return n_controls <= _MOST_CONTROLS * len(text) and n_ascii > _FEWEST_ASCII * len(text)


def _not_text(source: Source) -> DataError:
    encoding = _bare_utf16(source.content)
    if encoding is None:
        return file_error(
            source.name,
            f"this is not a text file: it begins with {source.content[:12]!r}. Save the table as "
            "CSV with the program that wrote it.",
            code="F005",
        )
    return file_error(
        source.name,
        f"this is {encoding} text without a byte-order mark, so its encoding must be said.",
        code="F005",
        repair=read_again(source.name, f'encoding="{encoding}"'),
        flag=f"--encoding {encoding}",
    )


# -- delimiter ----------------------------------------------------------------------------------


def sniff_delimiter(text: str, decimal: str | None = None) -> str:
    """Return the character that parts the cells, which is not the decimal mark."""
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
        width = max(width, 2)  # the first record is parted: better ragged than one column
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


def has_header(rows: Sequence[Sequence[str]], missing: Collection[str]) -> bool:
    """Return whether the first of ``rows`` (cells without outer blanks) holds column names."""
    first, rest = rows[0], rows[1:]
    if not rest:
        return all(_shape(cell) == "text" or not cell for cell in first) and any(first)
    below = [[row[place] for row in rest] for place in range(len(first))]
    if _counts_years(first, below, missing):
        return True
    votes = Counter(
        _vote(head, [cell for cell in cells if cell not in missing], missing)
        for head, cells in zip(first, below, strict=True)
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
    shapes = {_shape(cell) for cell in cells}
    if "text" not in shapes:
        return "for" if shape == "text" else "number"
    if shape != "text":
        return "number"
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
