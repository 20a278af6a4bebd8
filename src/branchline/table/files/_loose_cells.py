"""Cells that come as Python objects (Excel, JSON, databases) into a table.

1. Texts lose outer blanks; tokens for missing become None; real numbers that are all whole become
   whole, since Excel has no others.
2. A column of texts, or of texts beside other cells, is read as the cells of a text file are:
   numbers, dates and money written as text are recognized.
3. Any other column keeps its cells.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, time
from typing import Any

from branchline.table._column import Column
from branchline.table._kinds import columns_from_texts
from branchline.table._table import Table
from branchline.table.converting._reading import with_marks
from branchline.table.files._options import ReadOptions
from branchline.table.files._source import BLANKS
from branchline.table.frames._from_cells import column_from_cells

__all__ = ["loose_table", "text_of"]


def loose_table(
    names: Sequence[str], columns: Sequence[Sequence[Any]], options: ReadOptions
) -> Table:
    """Return the table of columns of cells, with the options applied."""
    options.check(names)
    more = set(options.more_missing())
    found: dict[str, Column] = {}
    texts: dict[str, list[str | None]] = {}
    words = set(options.words())
    for name, cells in zip(names, columns, strict=True):
        if name in options.drop:
            continue
        tokens = {token.strip(BLANKS) for token in options.missing_in(name)}
        clean = [_clean(cell, tokens) for cell in cells]
        if name in words or any(isinstance(cell, str) for cell in clean):
            texts[name] = [None if cell is None else text_of(cell) for cell in clean]
        else:
            found[name] = column_from_cells(name, _whole_or_days(clean))
    found |= _from_texts(texts, options)
    if more:
        given = dict(zip(names, columns, strict=True))
        found = {name: with_marks(each, _used(given[name], more)) for name, each in found.items()}
    kept = [found[name] for name in names if name in found]
    return replace(options, drop=()).apply(Table.from_columns(kept))


def _from_texts(texts: dict[str, list[str | None]], options: ReadOptions) -> dict[str, Column]:
    import polars as pl

    if not texts:
        return {}
    frame = pl.DataFrame(
        [pl.Series(str(at), cells, pl.String) for at, cells in enumerate(texts.values())]
    )
    columns = columns_from_texts(
        frame,
        list(texts),
        words=options.words(),
        decimal=options.decimal or ".",
        conversion=options.conversion(),
    )
    return {column.name: column for column in columns}


def _used(cells: Sequence[Any], marks: set[str]) -> list[str]:
    """Return those of the texts that mean missing which occur among the cells."""
    return sorted(marks & {cell.strip(BLANKS) for cell in cells if isinstance(cell, str)})


def _clean(cell: Any, tokens: set[str]) -> Any:
    if isinstance(cell, str):
        text = cell.strip(BLANKS)
        return None if text in tokens or not text else text
    return None if isinstance(cell, float) and cell != cell else cell


def _whole_or_days(cells: list[Any]) -> list[Any]:
    """Return whole numbers and days where nothing finer occurs."""
    present = [cell for cell in cells if cell is not None]
    if all(type(cell) in (int, float) for cell in present) and all(map(_is_whole, present)):
        return [None if cell is None else int(cell) for cell in cells]
    if present and all(map(_is_midnight, present)):
        return [None if cell is None else cell.date() for cell in cells]
    return cells


def _is_midnight(cell: Any) -> bool:
    return isinstance(cell, datetime) and cell.time() == time(0) and cell.tzinfo is None


def _is_whole(cell: float) -> bool:
    return isinstance(cell, int) or (cell.is_integer() and abs(cell) <= 2**53)


def text_of(cell: Any) -> str:
    """Return a cell as the text that a CSV file would have."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e16:
        return str(int(cell))
    if isinstance(cell, datetime):
        plain = cell.isoformat(" ")
        return plain.removesuffix(" 00:00:00")
    return cell.isoformat() if isinstance(cell, date | time) else str(cell)
