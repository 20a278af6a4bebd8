"""Weka's ARFF: a header that declares attributes, then dense or sparse rows, perhaps with weights.

1. Header: ``@attribute name type`` lines up to ``@data``; names and values may be quoted.
2. Plain rows (no quotes, no braces) are split like CSV, in one go; other rows one by one.
3. Cells are read as their attribute declares.
4. In sparse rows absent cells are 0, the first value listed, or no text. When all attributes are
   numbers the table stays sparse.
5. Weights of rows become a column "weight".
"""

import re
from collections.abc import Iterator, Sequence
from itertools import count

import numpy as np

from branchline.errors import DataError
from branchline.table._column import Column, ColumnType
from branchline.table._table import Table
from branchline.table.files._arff_rows import (
    QUOTED,
    ArffRow,
    split_list,
    split_rows,
    unescape,
    without_comment,
)
from branchline.table.files._cells import Cells, ragged, split_cells
from branchline.table.files._declared import Attribute, declared_table
from branchline.table.files._encoding import decode
from branchline.table.files._moments import JavaPattern
from branchline.table.files._options import ReadOptions
from branchline.table.files._read_csv import holed, stripped, unique_names
from branchline.table.files._source import Source, file_error, read_again
from branchline.table.files._sparse_rows import sparse_rows_table

__all__ = ["read_arff"]

_DECLARATION = re.compile(
    rf"""@attribute\s+(?:{QUOTED}|(?P<bare>[^\s{{'"][^\s{{]*))\s*(?P<type>.*)$""", re.I
)
_DATE = re.compile(rf"date(?:\s+(?:{QUOTED}|(?P<bare>\S+)))?$", re.I)
_NUMERIC = {"numeric": "float", "real": "float", "integer": "number"}
_RANGE = re.compile(r"\s*\[[^\]]*\]$")
_DEFAULT_DATES = "yyyy-MM-dd'T'HH:mm:ss"
_TYPES = "numeric, real, integer, string, date, or the values in braces"


def read_arff(source: Source, options: ReadOptions) -> Table:
    """Return the table that an ARFF text holds."""
    lines = decode(source, options.encoding).split("\n")
    attributes, first = _read_header(source.name, lines)
    body = [""] * first + ["" if _is_comment(line) else line for line in lines[first:]]
    separator = _separator(body, len(attributes))
    text = "\n".join(body)
    if not any(mark in text for mark in "'\"{\\%"):
        cells = split_cells(source.name, text, separator, quote="", width=len(attributes))
        known = Cells(holed(stripped(cells.frame), ("?",)), cells.lines)
        return declared_table(source.name, known, attributes, options)
    kind = " " if separator == " " else ","
    rows = list(split_rows(source.name, body[first:], first + 1, kind))
    return _table_of_rows(source.name, rows, attributes, options)


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("%")


def _separator(body: Sequence[str], n_attributes: int) -> str:
    """Return what parts the cells of the first row: commas, or tabs, or blanks."""
    row = next((line.strip() for line in body if line.strip()), "")
    if "," in row or n_attributes == 1 or row.startswith("{"):
        return ","
    return "\t" if "\t" in row else " "


# -- the header ---------------------------------------------------------------------------------


def _read_header(file: str, lines: Sequence[str]) -> tuple[list[Attribute], int]:
    """Return the attributes and the number of lines up to ``@data``."""
    attributes: list[Attribute] = []
    for number, line in enumerate(lines, start=1):
        content = without_comment(line).strip()
        keyword = content.split(maxsplit=1)[0].lower() if content else ""
        if keyword == "@data":
            return _with_own_names(file, attributes, number), number
        if keyword == "@attribute":
            attributes.append(_attribute(file, content, number))
        elif keyword not in {"", "@relation"}:
            raise _bad_header(file, number, content)
    raise file_error(
        file,
        "there is no @data line, so the file ends before its rows.",
        code="F013",
        repair=read_again(file, 'format="csv"') + "  # if it is not ARFF",
    )


def _with_own_names(file: str, attributes: list[Attribute], line: int) -> list[Attribute]:
    if not attributes:
        raise file_error(file, "no @attribute stands before @data.", code="F013", line=line)
    names = unique_names([attribute.name for attribute in attributes], file)
    return [
        Attribute(name, old.reading, old.values, old.most, old.pattern)
        for name, old in zip(names, attributes, strict=True)
    ]


def _attribute(file: str, content: str, number: int) -> Attribute:
    found = _DECLARATION.match(content)
    if found is None:
        raise _bad_header(file, number, content)
    name, declared = _name(found), found["type"].strip()
    if declared.startswith("{"):
        return Attribute(name, "values", _listed(file, declared, number))
    word = _RANGE.sub("", declared).lower()
    if word in _NUMERIC:
        return Attribute(name, "float" if _NUMERIC[word] == "float" else "number")
    if word == "string":
        return Attribute(name, "text")
    date = _DATE.match(declared)
    if date is None:
        raise _unknown_type(file, number, name, declared)
    return Attribute(name, "date", pattern=_pattern(file, number, name, _name(date)))


def _name(found: "re.Match[str]") -> str:
    quoted = found["single"] if found["double"] is None else found["double"]
    return (found["bare"] or "") if quoted is None else unescape(quoted)


def _listed(file: str, declared: str, number: int) -> tuple[str, ...]:
    inside = declared[1:-1].strip().removesuffix(",")
    listed = split_list(inside, "," if "," in inside else " ") if declared[-1] == "}" else None
    if listed is None:
        raise _bad_header(file, number, declared)
    values = dict.fromkeys(value for value in listed if value is not None)
    return tuple(values) if inside else ()


def _pattern(file: str, number: int, name: str, pattern: str) -> JavaPattern:
    try:
        return JavaPattern(pattern or _DEFAULT_DATES)
    except ValueError:
        raise _unknown_type(file, number, name, f"date {pattern}") from None


def _bad_header(file: str, number: int, content: str) -> DataError:
    shown = content if len(content) <= 60 else f"{content[:60]}…"
    message = f"{shown!r} is not a line of an ARFF header (@relation, @attribute name type, @data)."
    return file_error(file, message, code="F013", line=number)


def _unknown_type(file: str, number: int, name: str, declared: str) -> DataError:
    return file_error(
        file,
        f"attribute {name!r} has the type {declared!r}; types that can be read are {_TYPES}.",
        code="F014",
        line=number,
        column=name,
    )


# -- rows that are not plain --------------------------------------------------------------------


def _table_of_rows(
    file: str, rows: Sequence[ArffRow], attributes: Sequence[Attribute], options: ReadOptions
) -> Table:
    for row in rows:
        _check_width(file, row, len(attributes))
    weights = _weights(rows, attributes)
    if any(row.places is not None for row in rows):
        return sparse_rows_table(file, rows, attributes, options, weights)
    columns = zip(*(row.texts for row in rows), strict=True) if rows else [()] * len(attributes)
    lines = np.array([row.line for row in rows], dtype=np.intp)
    return declared_table(file, Cells.of(columns, lines), attributes, options, weights)


def _check_width(file: str, row: ArffRow, n_attributes: int) -> None:
    if row.places is None and len(row.texts) != n_attributes:
        raise ragged(file, row.line, len(row.texts), n_attributes)
    if row.places and row.places[-1] >= n_attributes:
        message = f"place {row.places[-1]} is beyond the {n_attributes} attributes (from 0)."
        raise file_error(file, message, code="F016", line=row.line)


def _weights(rows: Sequence[ArffRow], attributes: Sequence[Attribute]) -> list[Column]:
    """Return the column of weights, or no column when no row has one."""
    if all(row.weight is None for row in rows):
        return []
    taken = {attribute.name for attribute in attributes}
    name = next(name for name in _weight_names() if name not in taken)
    weights = np.array([1.0 if row.weight is None else row.weight for row in rows])
    return [Column(name, ColumnType("numeric", "float"), weights)]


def _weight_names() -> Iterator[str]:
    yield "weight"
    yield from (f"weight_{number}" for number in count(2))
