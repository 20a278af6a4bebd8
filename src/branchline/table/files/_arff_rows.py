"""One row of an ARFF file into cells: quotes, escapes, comments, sparse rows, weights.

1. A comment begins with ``%`` at the start of a line or after a blank, outside quotes.
2. A cell is quoted with ' or " (backslash escapes) or ends at the separator; a bare ``?`` is
   missing.
3. A row in braces lists ``place value`` pairs; a number in braces after a row is its weight.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from branchline.errors import DataError
from branchline.table.files._source import file_error

__all__ = ["QUOTED", "ArffRow", "split_list", "split_rows", "unescape", "without_comment"]

QUOTED = r"""'(?P<single>(?:[^'\\]|\\.)*+)'|"(?P<double>(?:[^"\\]|\\.)*+)\""""
# Quantifiers are possessive (*+, ++), so that no text, however long, is looked at twice.
_CELL = {
    ",": re.compile(
        rf"""\s*+(?:{QUOTED}|(?P<bare>(?!['"])[^,\t]*+))[^\S\t]*+(?:(?P<end>\t?+\s*+,|\t)|$)"""
    ),
    " ": re.compile(rf"""\s*+(?:{QUOTED}|(?P<bare>(?!['"])\S*+))(?:(?P<end>\s++)|$)"""),
}
_PAIR = re.compile(
    rf"""\s*+(?P<place>[0-9]++)\s++(?:{QUOTED}|(?P<bare>(?!['"])[^,]*+))\s*+(?:,|$)"""
)
_NAMELESS = re.sub(r"\?P<\w+>", "?:", QUOTED)
_SPARSE = re.compile(
    rf"""\{{(?P<pairs>(?:[^{{}}'"]|{_NAMELESS})*+)\}}\s*+,?+\s*+(?:\{{(?P<weight>[^{{}}]*+)\}})?$"""
)
_COMMENT = re.compile(rf"(?P<quoted>{_NAMELESS})|(?:^|(?<=\s))%.*$")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.S)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_WHAT_ROWS_ARE = "a row is values separated by commas, or {place value, place value, …}"


@dataclass(frozen=True)
class ArffRow:
    """The texts of a row, None for missing; their places when the row is sparse; its weight."""

    line: int
    texts: list[str | None]
    places: list[int] | None = None
    weight: float | None = None


def unescape(text: str) -> str:
    r"""Return the text that quotes held: ``\'`` is ', ``\n`` a line end, ``\u00e9`` é."""
    return _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def _unescaped(found: "re.Match[str]") -> str:
    mark = found.group(1)
    return chr(int(mark[1:], 16)) if len(mark) == 5 else _ESCAPED.get(mark, mark)


def without_comment(line: str) -> str:
    """Return the line without its comment, if it has one."""
    return _COMMENT.sub(lambda found: found["quoted"] or "", line) if "%" in line else line


def split_list(text: str, separator: str = ",") -> list[str | None] | None:
    """Return the cells of ``text``, None for a bare "?"; no list when a quote stays open."""
    cells: list[str | None] = []
    position = 0
    while found := _CELL[separator].match(text, position):
        cells.append(_text_of(found))
        position = found.end()
        if found["end"] is None:
            return cells
    return None


def _text_of(found: "re.Match[str]") -> str | None:
    bare = found["bare"]
    if bare is not None:
        bare = bare.strip()
        return None if bare == "?" else bare
    quoted = found["single"]
    return unescape(found["double"] if quoted is None else quoted)


def split_rows(file: str, lines: list[str], first: int, separator: str) -> Iterator[ArffRow]:
    """Yield the rows among ``lines``, the first of which has the number ``first``."""
    for number, line in enumerate(lines, start=first):
        content = without_comment(line).strip()
        if content.startswith("{"):
            yield _sparse_row(file, number, content)
        elif content:
            yield _dense_row(file, number, content, separator)


def _dense_row(file: str, number: int, content: str, separator: str) -> ArffRow:
    weight = None
    cells, brace, inside = content.rpartition("{")
    if brace and content.endswith("}") and cells.endswith((",", " ", "\t")):
        weight = _weight(file, number, inside.removesuffix("}"))
        content = cells.rstrip().removesuffix(",")
    texts = split_list(content, separator)
    if texts is None:
        raise file_error(file, "a quote in this row is never closed.", code="F011", line=number)
    return ArffRow(number, texts, weight=weight)


def _sparse_row(file: str, number: int, content: str) -> ArffRow:
    found = _SPARSE.match(content)
    if found is None:
        raise _bad_row(file, number, content)
    pairs = found["pairs"].strip()
    texts: list[str | None] = []
    places: list[int] = []
    position = 0
    while position < len(pairs):
        pair = _PAIR.match(pairs, position)
        if pair is None or len(pair["place"]) > 9 or (places and int(pair["place"]) <= places[-1]):
            raise _bad_row(file, number, pairs[position : position + 50])
        places.append(int(pair["place"]))
        texts.append(_text_of(pair))
        position = pair.end()
    weight = found["weight"]
    return ArffRow(number, texts, places, None if weight is None else _weight(file, number, weight))


def _weight(file: str, number: int, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise _bad_row(file, number, f"{{{text}}}", "a weight is one number in braces") from None


def _bad_row(file: str, number: int, seen: str, wanted: str = _WHAT_ROWS_ARE) -> DataError:
    shown = seen if len(seen) <= 40 else f"{seen[:40]}…"
    message = f"{shown!r} cannot be read; {wanted}, with places counted from 0 in rising order."
    return file_error(file, message, code="F016", line=number)
