"""Text into cells: records separated by line ends, cells by a delimiter, quotes respected.

1. The layout tells where records are and how many cells each has.
2. Records with another number of cells than the first are refused with their line number; blank
   lines are left out.
3. Regular text goes to polars, which splits it in parallel.
4. Text with irregular quotes (5" pipe, a blank before a quote) goes to Python's csv module.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from branchline.errors import DataError
from branchline.table.files._layout import Layout, find_layout
from branchline.table.files._source import BLANKS, file_error, read_again

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Cells", "csv_records", "ragged", "regular_cells", "split_cells"]

Offer: TypeAlias = Callable[[], str | None]

_FLAG_OF_DELIMITER = {"\t": "$'\\t'"}
_SENTINEL = "\x1eend\x1e"


@dataclass(frozen=True)
class Cells:
    """The cells of a text as they stand, and the line (from 1) on which each record begins.

    ``has_outer_blanks`` is false when no cell begins or ends with a blank.
    """

    frame: "pl.DataFrame"
    lines: npt.NDArray[np.intp]
    has_outer_blanks: bool = True

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
    name: str,
    text: str,
    delimiter: str,
    *,
    quote: str = '"',
    width: int | None = None,
    offer: Offer | None = None,
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
    offer
        Finds another delimiter when the number of cells differs, or None.
    """
    has_quotes = bool(quote) and quote in text
    if delimiter == " ":
        text = _with_single_blanks(text, keep=has_quotes)
    text += "" if text.endswith("\n") else "\n"
    data = text.encode()
    layout = None
    if not (delimiter == " " and has_quotes):
        layout = find_layout(data, delimiter, quote if has_quotes else "")
    cells = None
    if layout is not None:
        width = _checked_width(name, layout, width, offer)
        cells = _split_by_polars(data, layout, width, delimiter, quote)
    if cells is not None:
        return cells
    return _split_by_csv(name, text, delimiter, quote, width, offer)


def _with_single_blanks(text: str, *, keep: bool) -> str:
    """Return lines with single blanks between words; quoted texts are left to the csv module."""
    lines = text.split("\n")
    return "\n".join(line.strip() if keep else " ".join(line.split()) for line in lines)


def regular_cells(
    name: str,
    text: str,
    delimiter: str,
    *,
    has_quotes: bool,
    width: int | None = None,
    offer: Offer | None = None,
    first_line: int = 1,
) -> Cells | None:
    """Return the cells of a part of a text that ends with a line end; None for irregular quotes.

    Parameters
    ----------
    name, text, delimiter, width, offer
        As of ``split_cells``.
    has_quotes
        Whether quotes occur anywhere in the whole text.
    first_line
        The number of the line with which the part begins, from 1.
    """
    if delimiter == " ":
        text = _with_single_blanks(text, keep=has_quotes)
    data = text.encode()
    layout = find_layout(data, delimiter, '"' if has_quotes else "")
    if layout is None:
        return None
    layout = replace(layout, lines=layout.lines + (first_line - 1))
    width = _checked_width(name, layout, width, offer)
    return _split_by_polars(data, layout, width, delimiter, '"' if has_quotes else "")


def _checked_width(name: str, layout: Layout, width: int | None, offer: Offer | None = None) -> int:
    """Return the number of cells a record has; records with another number are an error."""
    full = np.flatnonzero(~layout.blank)
    if not len(full) and width is None:
        raise file_error(name, "the file has no cells.", code="F004")
    expected = int(layout.widths[full[0]]) if width is None else width
    odd = full[layout.widths[full] != expected]
    if len(odd):
        line, seen = int(layout.lines[odd[0]]), int(layout.widths[odd[0]])
        raise ragged(name, line, seen, expected, offer)
    return expected


def _split_by_polars(
    data: bytes, layout: Layout, width: int, delimiter: str, quote: str
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
    return Cells(frame, layout.lines[full], layout.has_outer_blanks) if same else None


# -- irregular quotes ---------------------------------------------------------------------------


def _split_by_csv(
    name: str, text: str, delimiter: str, quote: str, width: int | None, offer: Offer | None = None
) -> Cells:
    rows: list[list[str]] = []
    lines: list[int] = []
    for line, row in csv_records(name, io.StringIO(text, newline=""), delimiter, quote):
        expected = width or (len(rows[0]) if rows else len(row))
        if len(row) != expected:
            raise ragged(name, line, len(row), expected, offer)
        rows.append(row)
        lines.append(line)
    if not rows:
        raise file_error(name, "the file has no cells.", code="F004")
    return Cells.of(zip(*rows, strict=True), np.array(lines, dtype=np.intp))


def csv_records(
    name: str, lines_of_text: Iterable[str], delimiter: str, quote: str
) -> Iterator[tuple[int, list[str]]]:
    """Yield each record but blank lines, with the line it begins on."""
    lines = _Lines(lines_of_text)
    how: Literal[0, 3] = csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE
    reader = csv.reader(
        lines, delimiter=delimiter, quotechar=quote or None, quoting=how, skipinitialspace=True
    )
    begin, problem = 1, f"the quote that opens in this record is never closed ({quote})."
    try:
        for row in reader:
            if lines.ended:
                break
            if delimiter == " " and len(row) > 1 and not row[-1]:
                row.pop()  # blanks at the end of the line
            if len(row) > 1 or lines.latest.strip(BLANKS):
                yield begin, row
            begin = reader.line_num + 1
        if row == [_SENTINEL]:
            return
    except csv.Error as error:
        problem = f"this record cannot be split ({error}); is a quote open?"
    raise file_error(name, problem, code="F011", line=begin)


class _Lines:
    """The lines of a text and one more, which a quote that is still open would swallow."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self.latest = ""
        self.ended = False

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        if self.ended:
            raise StopIteration
        self.latest = next(self._lines, _SENTINEL)
        self.ended = self.latest is _SENTINEL
        return self.latest


def ragged(
    file: str, line: int, width: int, expected: int, offer: Offer | None = None
) -> DataError:
    """Return the error for a record with another number of cells than the others."""
    seen = f"{width} {'cell' if width == 1 else 'cells'} where {expected} are expected."
    other = offer() if offer is not None else None
    if other is not None:
        return file_error(
            file,
            f"{seen} The delimiter {other!r} gives the first lines equally many cells.",
            code="F010",
            line=line,
            repair=read_again(file, f"delimiter={other!r}"),
            flag=f"--delimiter {_FLAG_OF_DELIMITER.get(other) or repr(other)}",
        )
    look_at = "a cell that holds the delimiter must be quoted, and a missing cell keeps its place"
    if expected == 1 and offer is not None:
        look_at = "a title above the table must be taken out"
    return file_error(file, f"{seen} Look at this line: {look_at}.", code="F010", line=line)
