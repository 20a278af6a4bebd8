"""Where the records of a delimited text begin and end, found without splitting it.

1. Piece by piece, the line ends are found and the delimiters before each of them counted.
2. Where there are quotes, counting them tells which delimiters and line ends stand inside: they
   part nothing. Quotes that do not follow the rules of RFC 4180 are left to others.
3. This gives each record's place, line number and number of cells.
4. The bytes beside delimiters and line ends tell whether any cell begins or ends with a blank.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Layout", "find_layout"]

_NEWLINE, _RETURN, _SPACE = ord("\n"), ord("\r"), ord(" ")
_BLANKS = b" \t\r\f\v\xc2\xa0"  # the last two are the bytes of a no-break space
_PIECE = 1 << 17  # small enough for the processor's cache


@dataclass(frozen=True)
class Layout:
    """The records of a text.

    Parameters
    ----------
    starts, ends
        The bytes with which each record begins and ends (a line end).
    widths
        How many cells each record has.
    lines
        The line on which each record begins, from 1.
    blank
        Which records are nothing but blanks.
    has_outer_blanks
        Whether some cell may begin or end with a blank.
    """

    starts: npt.NDArray[np.intp]
    ends: npt.NDArray[np.intp]
    widths: npt.NDArray[np.intp]
    lines: npt.NDArray[np.intp]
    blank: npt.NDArray[np.bool_]
    has_outer_blanks: bool


@dataclass(frozen=True)
class _Ends:
    """All line ends, those that end records, and the cells of each record."""

    newlines: npt.NDArray[np.intp]
    ends: npt.NDArray[np.intp]
    widths: npt.NDArray[np.intp]
    has_outer_blanks: bool


def find_layout(data: bytes, delimiter: str, quote: str) -> Layout | None:
    """Return the layout of ``data``, which end with a line end; None when quotes follow no rule."""
    buffer = np.frombuffer(data, dtype=np.uint8)
    blanks = [blank for blank in _BLANKS if blank != ord(delimiter) and blank in data]
    if quote:
        found = _with_quotes(buffer, delimiter, quote, blanks)
    else:
        found = _without_quotes(buffer, delimiter, blanks)
    if found is None:
        return None
    starts = np.concatenate([[0], found.ends[:-1] + 1])
    lines = np.searchsorted(found.newlines, starts) + 1
    blank: npt.NDArray[np.bool_] = (found.widths == 1) & (buffer[starts] <= _SPACE)
    for record in np.flatnonzero(blank):
        blank[record] = not data[starts[record] : found.ends[record]].strip()
    return Layout(starts, found.ends, found.widths, lines, blank, found.has_outer_blanks)


def _without_quotes(buffer: npt.NDArray[np.uint8], delimiter: str, blanks: list[int]) -> _Ends:
    """Look at one piece after the other, so that nothing of the text's size is ever made."""
    ends, ranks = [], []  # the rank of a line end among the marks tells how many cells precede it
    n_marks = 0
    has_blanks = int(buffer[0]) in blanks or _RETURN in blanks
    for begin in range(0, len(buffer), _PIECE):
        piece = buffer[begin : begin + _PIECE + 1]  # one more, to see the neighbors
        is_end = piece == _NEWLINE
        is_mark = is_end | (piece == ord(delimiter))
        marks = np.flatnonzero(is_mark[:_PIECE])
        last = np.flatnonzero(is_end[marks])
        ends.append(marks[last] + begin)
        ranks.append(last + n_marks)
        n_marks += len(marks)
        has_blanks = has_blanks or _touches(piece, is_mark, blanks)
    places = np.concatenate(ends)
    return _Ends(places, places, _steps(np.concatenate(ranks)), has_blanks)


def _steps(ranks: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Return by how much each rank exceeds the one before, the first one −1."""
    steps = ranks + 1
    steps[1:] -= ranks[:-1] + 1
    return steps


def _touches(
    piece: npt.NDArray[np.uint8], is_mark: npt.NDArray[np.bool_], blanks: list[int]
) -> bool:
    """Whether some blank stands right before or right after a mark."""
    for blank in blanks:
        is_blank = piece == blank
        if (is_blank[1:] & is_mark[:-1]).any() or (is_blank[:-1] & is_mark[1:]).any():
            return True
    return False


def _with_quotes(
    buffer: npt.NDArray[np.uint8], delimiter: str, quote: str, blanks: list[int]
) -> _Ends | None:
    is_quote, is_end = buffer == ord(quote), buffer == _NEWLINE
    if not _is_regular(buffer, np.flatnonzero(is_quote), delimiter):
        return None
    marks = np.flatnonzero(is_quote | is_end | (buffer == ord(delimiter)))
    has_blanks = int(buffer[0]) in blanks or _RETURN in blanks
    has_blanks = has_blanks or any(
        (buffer[marks - 1] == blank).any() or (buffer[marks[:-1] + 1] == blank).any()
        for blank in blanks
    )
    inside = np.cumsum(is_quote[marks]) % 2 == 1
    parting = marks[~inside & ~is_quote[marks]]
    last = np.flatnonzero(is_end[parting])
    return _Ends(np.flatnonzero(is_end), parting[last], _steps(last), has_blanks)


def _is_regular(
    buffer: npt.NDArray[np.uint8], quotes: npt.NDArray[np.intp], delimiter: str
) -> bool:
    """Whether quotes open at the start of cells, close at their end, and are doubled inside."""
    if len(quotes) % 2:
        return False
    if not len(quotes):
        return True
    opening, closing = quotes[0::2], quotes[1::2]
    quote = buffer[quotes[0]]
    before = buffer[opening - 1]  # for a quote at 0 this is the last line end
    after = buffer[closing + 1]
    opens_well = np.isin(before, [ord(delimiter), _NEWLINE, quote])
    closes_well = np.isin(after, [ord(delimiter), _NEWLINE, _RETURN, quote])
    return bool(opens_well.all() and closes_well.all())
