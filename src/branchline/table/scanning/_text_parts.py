"""A delimited text as parts of its rows: the same cells as if it were read whole.

1. The first lines tell the delimiter, the title lines and whether there is a header, as always.
2. A part ends with a line end outside quotes. Regular quotes are decided by the whole file: where
   some part has irregular ones, Python's csv module splits all of it, record by record.
3. Blank lines, outer blanks, tokens for missing and a last line of totals are left out as always.
"""

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from branchline.errors import DataError
from branchline.table.converting._missing_marks import marks_of_columns
from branchline.table.files._cells import Cells, csv_records, ragged, regular_cells
from branchline.table.files._files import file_error
from branchline.table.files._margins import drops_total, is_total, tell_skipped
from branchline.table.files._options import ReadOptions
from branchline.table.files._read_csv import (
    EUROPEAN,
    HEADER_SAMPLE,
    holes_in,
    stripped,
    unique_names,
)
from branchline.table.files._read_orange import has_marks
from branchline.table.files._sniff import (
    even_delimiter,
    has_header,
    is_orange,
    sniff_delimiter,
    title_lines,
)
from branchline.table.scanning._open_text import TextLook, look_at_text, pieces_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["IrregularQuotesError", "Part", "TextFile", "open_text"]

_HEAD_LINES, _HEAD_CHARACTERS = 202, 1 << 18
_FIRST_ROWS = HEADER_SAMPLE + 2
_CSV_ROWS = 1 << 15  # records that the csv module splits for a part
_MOST_PIECES = 64  # without a line end outside quotes


class IrregularQuotesError(Exception):
    """A part has quotes that follow no rule: the whole file is to be split record by record."""


@dataclass(frozen=True)
class Part:
    """Some rows: columns of texts (null: missing), and which texts the user calls missing occur.

    Parameters
    ----------
    texts
        The cells.
    marks
        For each column the texts that mean missing, beside those that always do.
    """

    texts: "pl.DataFrame"
    marks: list[list[str]]


@dataclass
class TextFile:
    """A delimited text, and what its first lines tell.

    Parameters
    ----------
    path, options, look
        The file, how to read it, and its encoding.
    head
        Its first lines.
    n_skipped
        The number of title lines.
    delimiter
        What separates cells.
    part_bytes
        About how many bytes of text a part has.
    """

    path: Path
    options: ReadOptions
    look: TextLook
    head: str
    n_skipped: int
    delimiter: str
    part_bytes: int
    is_regular: bool = True
    names: list[str] = field(default_factory=list)
    has_header: bool = False
    width: int | None = None
    drops_last: bool | None = None

    @property
    def decimal(self) -> str | None:
        """The decimal mark; None: numbers tell."""
        return self.options.decimal or (None if self.delimiter in EUROPEAN else ".")

    @property
    def kept(self) -> list[int]:
        """The places of the columns that are not left out."""
        return [at for at, name in enumerate(self.names) if name not in self.options.drop]

    # -- rows -----------------------------------------------------------------------------------

    def parts(self, first: int = 0) -> Iterator[Part]:
        """Yield the parts from ``first`` on."""
        kept = self.kept
        names = [self.names[at] for at in kept]
        more = self.options.more_missing()
        for frame in self.rows(first):
            texts = frame[:, kept]
            yield Part(holes_in(texts, names, self.options), marks_of_columns(texts, more))

    def rows(self, first: int = 0) -> Iterator["pl.DataFrame"]:
        """Yield parts of all cells, without a line that sums up the others."""
        waiting: list[pl.DataFrame] = []  # the last part that has rows, and empty ones after it
        for frame in self._all_rows(first):
            if frame.height:
                yield from waiting
                waiting = []
            waiting.append(frame)
        if not waiting:
            return
        if self.drops_last is None and first == 0 and waiting[0].height:
            self.drops_last = self._drops_last(waiting[0].row(-1))
        if self.drops_last:
            waiting[0] = waiting[0][:-1]
        yield from waiting

    def _drops_last(self, last: Any) -> bool:
        if self.options.totals or not is_total(last):
            return False
        n_rows = sum(frame.height for frame in self._all_rows())
        if n_rows < 3:
            return False
        above = _Above(self, n_rows - 1)
        return drops_total(str(self.path), above, n_rows, last)

    def _all_rows(self, first: int = 0) -> Iterator["pl.DataFrame"]:
        """Yield parts of the rows below the header."""
        for number, frame in enumerate(self._cells(first), start=first):
            yield frame[1:] if number == 0 and self.has_header else frame

    def _cells(self, first: int = 0) -> Iterator["pl.DataFrame"]:
        """Yield parts of all records, without outer blanks."""
        found = self._regular_cells(first) if self.is_regular else self._csv_cells(first)
        for cells in found:
            yield stripped(cells.frame) if cells.has_outer_blanks else cells.frame

    def _regular_cells(self, first: int) -> Iterator[Cells]:
        line = 1
        for number, text in enumerate(self._texts()):
            if number >= first:
                cells = regular_cells(
                    str(self.path),
                    text,
                    self.delimiter,
                    has_quotes=self.look.has_quotes,
                    width=self.width,
                    offer=lambda: even_delimiter(self.head, but=self.delimiter),
                    first_line=line,
                )
                if cells is None:
                    raise IrregularQuotesError
                self.width = cells.frame.width
                yield cells
            line += text.count("\n")

    def _texts(self) -> Iterator[str]:
        """Yield texts that end with a line end outside quotes; the first has rows for a header."""
        text, n_pieces, is_first = "", 0, True
        for piece in _blanked(pieces_of(self.path, self.look, self.part_bytes), self.n_skipped):
            text += piece
            n_pieces += 1
            end = self._last_end(text, at_least=_FIRST_ROWS if is_first else 1)
            if end:
                yield text[:end]
                text, n_pieces, is_first = text[end:], 0, False
            elif n_pieces >= _MOST_PIECES and not is_first:
                raise IrregularQuotesError
        if text.strip() or is_first:
            if self.look.has_quotes and text.count('"') % 2:
                raise IrregularQuotesError
            yield text if text.endswith("\n") else text + "\n"

    def _last_end(self, text: str, at_least: int) -> int:
        """Return where the last record ends that a quote does not keep open; 0 for nowhere."""
        end = text.rfind("\n") + 1
        if self.look.has_quotes:
            n_quotes = text.count('"', 0, end)
            while end and n_quotes % 2:
                before = text.rfind("\n", 0, end - 1) + 1
                n_quotes -= text.count('"', before, end)
                end = before
        if at_least > 1 and end and self._n_full_lines(text[:end]) < at_least:
            return 0
        return end

    @staticmethod
    def _n_full_lines(text: str) -> int:
        lines = (line for line in io.StringIO(text) if line.strip())
        # Quoted cells go over several lines, so a few more are asked for than there are rows.
        return sum(line.count('"') % 2 == 0 for line in islice(lines, 4 * _FIRST_ROWS))

    def _csv_cells(self, first: int) -> Iterator[Cells]:
        """Yield records of irregular quotes, some at a time."""
        quote = '"' if self.look.has_quotes else ""
        lines = _lines(_blanked(pieces_of(self.path, self.look, self.part_bytes), self.n_skipped))
        if self.delimiter == " ":
            lines = (f"{line.strip()}\n" for line in lines)
        records = csv_records(str(self.path), lines, self.delimiter, quote)
        rows_a_part = max(_FIRST_ROWS, min(_CSV_ROWS, self.part_bytes))
        number = 0
        while batch := list(islice(records, rows_a_part)):
            width = self.width or len(batch[0][1])
            self.width = width
            for line, row in batch:
                if len(row) != width:
                    raise ragged(
                        str(self.path),
                        line,
                        len(row),
                        width,
                        lambda: even_delimiter(self.head, but=self.delimiter),
                    )
            if number >= first:
                places = np.array([line for line, _ in batch], dtype=np.intp)
                yield Cells.of(zip(*(row for _, row in batch), strict=True), places)
            number += 1
        if not number:
            raise file_error(str(self.path), "the file has no cells.", code="F004")

    # -- the header -----------------------------------------------------------------------------

    def look_at_header(self) -> None:
        """Find the names of the columns by the first rows."""
        try:
            cells = next(self._cells())
        except IrregularQuotesError:
            self.is_regular = False
            cells = next(self._cells())
        except StopIteration:
            raise file_error(str(self.path), "the file has no cells.", code="F004") from None
        first = cells.row(0)
        if has_marks(first) or is_orange(cells.head(3).rows()):
            raise _orange(self.path)
        known = self.options.header
        if known is None:
            known = has_header(cells.head(HEADER_SAMPLE).rows(), self.options.missing)
        self.has_header = known
        made_up = [f"column_{place}" for place in range(1, cells.width + 1)]
        self.names = unique_names(first, str(self.path)) if known else made_up
        self.options.check(self.names)


@dataclass(frozen=True)
class _Above:
    """The rows above the last one, read again each time."""

    file: TextFile
    n_rows: int

    def __call__(self) -> Iterator[Any]:
        rows = (row for frame in self.file._all_rows() for row in frame.iter_rows())
        return islice(rows, self.n_rows)


def open_text(path: Path, options: ReadOptions, part_bytes: int) -> TextFile:
    """Return the file with what a look at all bytes and at its first lines tells."""
    look = look_at_text(path, options.encoding)
    head = _head(path, look)
    n_skipped = options.skip
    if n_skipped is None:
        n_skipped = title_lines(head, options.delimiter, options.decimal)
        tell_skipped(str(path), n_skipped)
    below = "".join(_blanked(iter([head]), n_skipped))
    delimiter = options.delimiter or sniff_delimiter(below, options.decimal)
    file = TextFile(path, options, look, below, n_skipped, delimiter, part_bytes)
    file.is_regular = not (delimiter == " " and look.has_quotes)
    file.look_at_header()
    return file


def _head(path: Path, look: TextLook) -> str:
    """Return as many first lines as anything is decided by."""
    text = ""
    for piece in pieces_of(path, look, _HEAD_CHARACTERS):
        text += piece
        if text.count("\n") > _HEAD_LINES and len(text) > 0:
            break
        if len(text) > 2 * _HEAD_CHARACTERS and text.count("\n") > 4:
            break
    return text


def _blanked(pieces: Iterator[str], n_lines: int) -> Iterator[str]:
    """Yield the text with its first lines empty, so that line numbers stay true."""
    left, kept = n_lines, ""
    for piece in pieces:
        while left and piece:
            end = piece.find("\n") + 1
            if not end:
                piece = ""
                break
            kept, piece, left = kept + "\n", piece[end:], left - 1
        if piece:
            yield kept + piece
            kept = ""


def _lines(pieces: Iterator[str]) -> Iterator[str]:
    """Yield the lines of a text that comes in pieces, ended in any of the three ways."""
    text = ""
    for piece in pieces:
        text += piece
        *lines, text = io.StringIO(text, newline="")  # a line end may still follow the last one
        yield from lines
    yield from io.StringIO(text, newline="")


def _orange(path: Path) -> DataError:
    return file_error(
        str(path),
        "this is a file of Orange, with types above its rows, which cannot be scanned part by "
        "part. Read the table whole.",
        code="F120",
        repair=f"from branchline import read_table\ntable = read_table({str(path)!r})",
    )
