"""Delimited text (CSV, TSV, tables parted by blanks) into a table.

1. Decode the bytes, find the delimiter, split into cells: every cell is a text at first.
2. Take the first record as names when it is a header; make the names unique.
3. Cut blanks round the cells and turn the tokens for missing into null.
4. Give each column the kind its texts show, or the kind that was asked for.
"""

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from branchline.errors import BranchlineWarning, DataError
from branchline.table._kinds import columns_from_texts
from branchline.table._table import Table
from branchline.table.files._cells import split_cells
from branchline.table.files._encoding import decode
from branchline.table.files._options import ReadOptions
from branchline.table.files._sniff import (
    even_delimiter,
    has_header,
    is_orange,
    sniff_delimiter,
)
from branchline.table.files._source import BLANKS, IMPORT, Source, file_error

if TYPE_CHECKING:
    import polars as pl

__all__ = ["holed", "read_csv", "stripped", "unique_names"]

_HEADER_SAMPLE = 200
_EUROPEAN = frozenset(";\t|")  # delimiters that leave the comma free to be a decimal mark


def read_csv(source: Source, options: ReadOptions) -> Table:
    """Return the table that a delimited text holds."""
    text = decode(source, options.encoding)
    delimiter = options.delimiter or sniff_delimiter(text, options.decimal)
    split = split_cells(
        source.name, text, delimiter, offer=lambda: even_delimiter(text, but=delimiter)
    )
    cells = stripped(split.frame) if split.has_outer_blanks else split.frame
    if source.suffix == ".tab" and is_orange(cells.head(3).rows()):
        raise _orange(source.name)
    names, cells = _named(source.name, cells, options)
    texts, names = _kept(cells, names, options)
    decimal = options.decimal or (None if delimiter in _EUROPEAN else ".")
    columns = columns_from_texts(
        holed(texts, options.missing),
        names,
        words=options.words(),
        decimal=decimal,
        conversion=options.conversion(),
    )
    return replace(options, drop=()).apply(Table.from_columns(columns))


def stripped(cells: "pl.DataFrame") -> "pl.DataFrame":
    """Return the cells without outer blanks."""
    import polars as pl

    return cells.select(pl.all().str.strip_chars(BLANKS))


def holed(cells: "pl.DataFrame", missing: Sequence[str]) -> "pl.DataFrame":
    """Return the cells, null where they hold a token for missing."""
    import polars as pl

    if not missing:
        return cells
    tokens = [token.strip(BLANKS) for token in missing]
    return cells.select(pl.when(pl.all().is_in(tokens)).then(None).otherwise(pl.all()).name.keep())


def _named(
    file: str, cells: "pl.DataFrame", options: ReadOptions
) -> "tuple[list[str], pl.DataFrame]":
    """Part the header from the rows below it, or make up names."""
    header = options.header
    if header is None:
        header = has_header(cells.head(_HEADER_SAMPLE).rows(), options.missing)
    if not header:
        return [f"column_{place}" for place in range(1, cells.width + 1)], cells
    return unique_names(cells.row(0), file), cells[1:]


def unique_names(given: Sequence[str], file: str) -> list[str]:
    """Return the names with empty ones made up and doubles numbered: x, x_2, x_3."""
    taken = set(given)
    used: dict[str, None] = {}
    copies: Counter[str] = Counter()
    doubles: dict[str, str] = {}
    for place, name in enumerate(given, start=1):
        wanted = made = name or f"column_{place}"
        while made in used or (made != name and made in taken):
            copies[wanted] += 1
            made = f"{wanted}_{copies[wanted] + 1}"
        if name and made != name:
            doubles.setdefault(name, made)
        used[made] = None
    if doubles:
        renamed = ", ".join(f"{name!r} (now also {made!r})" for name, made in doubles.items())
        warnings.warn(
            f"{file}: several columns have the same name and were numbered: {renamed}.",
            BranchlineWarning,
            stacklevel=2,
        )
    return list(used)


def _kept(
    cells: "pl.DataFrame", names: list[str], options: ReadOptions
) -> "tuple[pl.DataFrame, list[str]]":
    """Leave out the dropped columns before any work is spent on them."""
    options.check(names)
    places = [place for place, name in enumerate(names) if name not in options.drop]
    return cells[:, places], [names[place] for place in places]


def _orange(file: str) -> DataError:
    return file_error(
        file,
        "lines 2 and 3 hold types and roles, as Orange writes them; they would be read as rows. "
        "Take these two lines out, or save the table as CSV.",
        code="F009",
        line=2,
        repair=(
            "import io, pathlib\n"
            f"{IMPORT}\n"
            f"lines = pathlib.Path({file!r}).read_text().splitlines()\n"
            'table = read_table(io.StringIO("\\n".join(lines[:1] + lines[3:])))'
        ),
    )
