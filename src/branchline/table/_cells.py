"""Text into cells: records parted by line ends, cells parted by a delimiter, quotes respected.

1. A scan of the bytes finds the delimiters and line ends that are not inside quotes.
2. From it come the number of cells of every record (ragged files are refused with the line number),
   the blank lines (left out) and whether the quotes follow the rules of RFC 4180.
3. Regular text goes to polars, which splits it in parallel.
4. Text with irregular quotes (5" pipe, a blank before a quote) goes to Python's csv module.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from branchline.errors import DataError
from branchline.table._source import BLANKS, file_error

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Cells", "ragged", "split_cells"]

_NEWLINE, _RETURN = ord("\n"), ord("\r")
_BLANK_BYTES = np.frombuffer(b" \t\r\n\f\v", dtype=np.uint8)
_SENTINEL = "\x1e"


@dataclass(frozen=True)
class Cells:
    """The cells of a text as they stand, and the line (from 1) on which each record begins."""

    frame: "pl.DataFrame"
    lines: npt.NDArray[np.intp]

    @staticmethod
    def of(columns: Iterable[Sequence[str | None]], lines: npt.NDArray[np.intp]) -> "Cells":
        """Return cells given as columns of texts."""
        import polars as pl

        return Cells(
            pl.DataFrame(
                [pl.Series(str(at), cells, pl.String) for at, cells in enumerate(columns)]
            ),
            lines,
        )


def split_cells(
    name: str, text: str, delimiter: str, *, quote: str = '"', width: int | None = None
) -> Cells:
    """Return the cells of ``text``.

    Parameters
    ----------
    name
        What to call the file in errors.
    text
        The text. Blank lines are left out, but counted in line numbers.
    delimiter
        One ASCII character; a blank stands for any run of blanks.
    quote
        The quote character, or "" when quotes are ordinary characters.
    width
        How many cells a record must have; by default as many as the first.
    """
    has_quotes = bool(quote) and quote in text
    if delimiter == " ":
        text = _with_single_blanks(text, keep=has_quotes)
    data = text.encode("utf-8", "surrogatepass")
    data += b"" if data.endswith(b"\n") else b"\n"
    layout = None if delimiter == " " and has_quotes else _scan(data, delimiter, quote)
    cells = None
    if layout is not None:
        width = layout.check(name, width)
        cells = _split_by_polars(data, layout, width, delimiter, quote)
    return cells or _split_by_csv(name, data.decode(), delimiter, quote, width)


def _with_single_blanks(text: str, *, keep: bool) -> str:
    """Return lines parted by single blanks; quoted texts are left to the csv module."""
    lines = text.split("\n")
    return "\n".join(line.strip() if keep else " ".join(line.split()) for line in lines)


# -- the scan -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Layout:
    """Where each record begins and ends, its number of cells, its line, and whether it is blank."""

    starts: npt.NDArray[np.intp]
    ends: npt.NDArray[np.intp]
    widths: npt.NDArray[np.intp]
    lines: npt.NDArray[np.intp]
    blank: npt.NDArray[np.bool_]

    def check(self, name: str, width: int | None) -> int:
        """Return the number of cells a record has; records with another number are an error."""
        full = np.flatnonzero(~self.blank)
        if not len(full) and width is None:
            raise file_error(name, "the file has no cells.", code="F004")
        expected = int(self.widths[full[0]]) if width is None else width
        odd = full[self.widths[full] != expected]
        if len(odd):
            raise ragged(name, int(self.lines[odd[0]]), int(self.widths[odd[0]]), expected)
        return expected


def _scan(data: bytes, delimiter: str, quote: str) -> _Layout | None:
    """Find the records; None when the quotes follow no rule."""
    buffer = np.frombuffer(data, dtype=np.uint8)
    newlines = np.flatnonzero(buffer == _NEWLINE)
    cuts = np.flatnonzero(buffer == ord(delimiter))
    ends = newlines
    if quote and quote.encode() in data:
        quotes = np.flatnonzero(buffer == ord(quote))
        if not _is_regular(buffer, quotes, ord(delimiter)):
            return None
        ends = newlines[np.searchsorted(quotes, newlines) % 2 == 0]
        cuts = cuts[np.searchsorted(quotes, cuts) % 2 == 0]
    starts = np.concatenate([[0], ends[:-1] + 1])
    widths = np.diff(np.searchsorted(cuts, ends), prepend=0) + 1
    lines = np.searchsorted(newlines, starts) + 1
    blank = np.isin(buffer[starts], _BLANK_BYTES) & (widths == 1)
    for record in np.flatnonzero(blank):
        blank[record] = not data[starts[record] : ends[record]].strip()
    return _Layout(starts, ends, widths, lines, blank)


def _is_regular(
    buffer: npt.NDArray[np.uint8], quotes: npt.NDArray[np.intp], delimiter: int
) -> bool:
    """Whether quotes open at the start of cells, close at their end, and are doubled inside."""
    if len(quotes) % 2:
        return False
    opening, closing = quotes[0::2], quotes[1::2]
    quote = buffer[quotes[0]]
    before = buffer[opening - 1]
    before[opening == 0] = _NEWLINE
    after = buffer[closing + 1]  # there is one: the text ends with a line end
    opens_well = np.isin(before, [delimiter, _NEWLINE, quote])
    closes_well = np.isin(after, [delimiter, _NEWLINE, _RETURN, quote])
    return bool(opens_well.all() and closes_well.all())


def _split_by_polars(
    data: bytes, layout: _Layout, width: int, delimiter: str, quote: str
) -> Cells | None:
    """Split regular text; None when polars sees another number of records than the scan."""
    import polars as pl

    full = ~layout.blank
    schema = {str(place): pl.String for place in range(width)}
    if not full.any():
        return Cells(pl.DataFrame(schema=schema), layout.lines[full])
    if not full.all():
        kept = np.repeat(full, layout.ends - layout.starts + 1)
        data = np.frombuffer(data, dtype=np.uint8)[kept].tobytes()
    try:
        frame = pl.read_csv(
            data,
            has_header=False,
            schema=schema,
            separator=delimiter,
            quote_char=quote or None,
            empty_string_is_null=False,
        )
    except pl.exceptions.PolarsError:
        return None
    same = frame.height == np.count_nonzero(full)
    return Cells(frame, layout.lines[full]) if same else None


# -- irregular quotes ---------------------------------------------------------------------------


def _split_by_csv(name: str, text: str, delimiter: str, quote: str, width: int | None) -> Cells:
    rows: list[list[str]] = []
    lines: list[int] = []
    for line, row in _csv_records(name, text, delimiter, quote):
        expected = width or (len(rows[0]) if rows else 0)
        if len(row) == 1 != expected and not row[0].strip(BLANKS):
            continue
        expected = expected or len(row)
        if len(row) != expected:
            raise ragged(name, line, len(row), expected)
        rows.append(row)
        lines.append(line)
    if not rows:
        raise file_error(name, "the file has no cells.", code="F004")
    return Cells.of(zip(*rows, strict=True), np.array(lines, dtype=np.intp))


def _csv_records(
    name: str, text: str, delimiter: str, quote: str
) -> Iterator[tuple[int, list[str]]]:
    """Yield each record with the line it begins on; an open quote at the end is an error."""
    ended: list[bool] = []
    reader = csv.reader(
        _with_last_line(text, ended),
        delimiter=delimiter,
        quotechar=quote or None,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
        skipinitialspace=True,
    )
    begin = 1
    try:
        for row in reader:
            if ended and row == [_SENTINEL]:
                return
            if ended:
                break
            if delimiter == " " and len(row) > 1 and not row[-1]:
                row.pop()  # blanks at the end of the line
            if row:
                yield begin, row
            begin = reader.line_num + 1
    except csv.Error:
        pass  # a cell beyond the csv module's limit: swallowed by an open quote as well
    raise file_error(
        name,
        f"the quote that opens in this record is never closed ({quote}).",
        code="F011",
        line=begin,
    )


def _with_last_line(text: str, ended: list[bool]) -> Iterator[str]:
    """Yield the lines and one more, which a quote that is still open would swallow."""
    yield from io.StringIO(text, newline="")
    ended.append(True)
    yield _SENTINEL


def ragged(file: str, line: int, width: int, expected: int) -> DataError:
    """Return the error for a record with another number of cells than the others."""
    return file_error(
        file,
        f"{width} {'cell' if width == 1 else 'cells'} where {expected} are expected. Is another "
        "delimiter meant, or is a cell that holds the delimiter not quoted?",
        code="F010",
        line=line,
        repair=f'table = read_table({file!r}, delimiter=";")',
        flag="--delimiter ';'",
    )
