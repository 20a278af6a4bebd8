"""Delimited text (CSV, TSV, tables separated by blanks) into a table.

1. Decode the bytes, find the delimiter, split into cells: every cell is a text at first.
2. Leave out title lines and a line of totals; take the first record as names when it is a header,
   and make the names unique.
3. Cut blanks round the cells and turn the tokens for missing into null.
4. Give each column the kind its texts show, or the kind that was asked for.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from branchline._warn import warn
from branchline.errors import BranchlineWarning, DataError, Repair
from branchline.table._kinds import columns_from_texts
from branchline.table._table import Table
from branchline.table.converting._missing_marks import marks_of_columns
from branchline.table.converting._reading import with_marks
from branchline.table.files._cells import Cells, split_cells
from branchline.table.files._encoding import decode
from branchline.table.files._margins import drops_total_row, is_total, tell_skipped
from branchline.table.files._options import ReadOptions
from branchline.table.files._read_orange import has_marks, orange_table
from branchline.table.files._sniff import (
    even_delimiter,
    has_header,
    is_orange,
    sniff_delimiter,
    title_lines,
    without_first_lines,
)
from branchline.table.files._source import BLANKS, Source, read_again

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "EUROPEAN",
    "HEADER_SAMPLE",
    "holed",
    "holes_in",
    "read_csv",
    "stripped",
    "unique_names",
]

HEADER_SAMPLE = 200
EUROPEAN = frozenset(";\t|")  # delimiters that leave the comma free to be a decimal mark


def read_csv(source: Source, options: ReadOptions) -> Table:
    """Return the table that a delimited text holds."""
    text = decode(source, options.encoding)
    text = without_first_lines(text, _n_skipped(source, text, options))
    delimiter = options.delimiter or sniff_delimiter(text, options.decimal)
    split = _split(source, text, delimiter, options)
    cells = stripped(split.frame) if split.has_outer_blanks else split.frame
    marked = source.suffix in {".tab", ".tsv", ".csv"} and has_marks(cells.row(0))
    if marked or (source.suffix == ".tab" and is_orange(cells.head(3).rows())):
        return orange_table(source, replace(split, frame=cells), options, marked=marked)
    names, cells = _named(source.name, cells, options)
    cells = _without_totals(source.name, cells, options)
    texts, names = _kept(cells, names, options)
    decimal = options.decimal or (None if delimiter in EUROPEAN else ".")
    columns = columns_from_texts(
        holes_in(texts, names, options),
        names,
        words=options.words(),
        decimal=decimal,
        conversion=options.conversion(),
    )
    marks = marks_of_columns(texts, options.more_missing())
    known = (with_marks(*pair) if pair[1] else pair[0] for pair in zip(columns, marks, strict=True))
    return replace(options, drop=()).apply(Table.from_columns(known))


def _split(source: Source, text: str, delimiter: str, options: ReadOptions) -> Cells:
    """Split the text; where its first lines may be titles, say how they are left out."""
    try:
        return split_cells(
            source.name, text, delimiter, offer=lambda: even_delimiter(text, but=delimiter)
        )
    except DataError as error:
        n_lines = title_lines(text, None, options.decimal, surely=False)
        if error.code == "F010" and n_lines and not error.repair.flag and options.skip is None:
            error.repair = Repair(read_again(source.name, f"skip={n_lines}"), f"--skip {n_lines}")
        raise


def _n_skipped(source: Source, text: str, options: ReadOptions) -> int:
    """Return how many lines stand above the table."""
    if options.skip is not None:
        return options.skip
    n_lines = title_lines(text, options.delimiter, options.decimal)
    tell_skipped(source.name, n_lines)
    return n_lines


def _without_totals(file: str, cells: "pl.DataFrame", options: ReadOptions) -> "pl.DataFrame":
    """Leave out a last line that sums up the others."""
    if options.totals or cells.height < 3 or not is_total(cells.row(-1)):
        return cells
    return cells[:-1] if drops_total_row(file, cells.rows()) else cells


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


def holes_in(texts: "pl.DataFrame", names: Sequence[str], options: ReadOptions) -> "pl.DataFrame":
    """Return the cells, null where they mean missing, which columns may differ in."""
    made = holed(texts, options.missing)
    for place, name in enumerate(names):
        if name in options.names:
            [kept] = holed(texts[:, [place]], options.missing_in(name))
            made = made.replace_column(place, kept)
    return made


def _named(
    file: str, cells: "pl.DataFrame", options: ReadOptions
) -> "tuple[list[str], pl.DataFrame]":
    """Part the header from the rows below it, or make up names."""
    header = options.header
    if header is None:
        header = has_header(cells.head(HEADER_SAMPLE).rows(), options.missing)
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
        warn(
            f"{file}: several columns have the same name and were numbered: {renamed}.",
            BranchlineWarning,
        )
    return list(used)


def _kept(
    cells: "pl.DataFrame", names: list[str], options: ReadOptions
) -> "tuple[pl.DataFrame, list[str]]":
    """Leave out the dropped columns before any work is spent on them."""
    options.check(names)
    places = [place for place, name in enumerate(names) if name not in options.drop]
    return cells[:, places], [names[place] for place in places]
