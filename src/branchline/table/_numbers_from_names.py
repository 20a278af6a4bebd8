"""A category of a later table where the schema has numbers or moments: its names are read.

1. Names are read as they were written when the model was fitted, or as they show.
2. Texts that the schema knows as marks for a missing value, and well-known marks, count as missing.
3. Where the cells were texts when the model was fitted, too (amounts, dates, numbers beside marks),
   a text that is neither number nor date counts as missing, with the warning W030: a training fold
   may lack a rare text that other rows hold.
4. Any other name that cannot be read is an error that names it, its rows and the repair.
"""

from typing import TYPE_CHECKING

import numpy as np

from branchline._arrays import AnyArray
from branchline.errors import KindError, Repair
from branchline.table._column import Column, ColumnType, number_of_name
from branchline.table._fit_column import clock_of
from branchline.table._kinds import columns_from_texts
from branchline.table.converting._conversion import Conversion
from branchline.table.converting._missing_marks import is_missing_mark
from branchline.table.converting._numbers import look_like_numbers
from branchline.table.converting._odd_cells import (
    marked,
    missing_flags,
    readable_texts,
    tell_marks,
    tell_unreadable,
)
from branchline.table.converting._reading import read_as, read_texts
from branchline.table.converting._written import way_of

if TYPE_CHECKING:
    from branchline.table._schema import Field

__all__ = ["numbers_from_names"]

_MOST_TOKENS = 10
# A column of this many cells of which none can be read is written in another way, or is another.
_MANY = 10


def numbers_from_names(field: "Field", column: Column) -> Column:
    """Read category names as numbers or moments, or say which names are neither."""
    if column.type.source == "boolean" and not field.type.is_time:
        numbers = np.array([0.0, 1.0, np.nan, np.nan])  # codes −2 and −1 end up in the last two
        return Column(field.name, field.type, numbers[column.values])
    used = np.unique(column.values[column.values >= 0])
    names = [str(column.categories[code]) for code in used]
    marks = [name for name in names if name in field.type.marks or is_missing_mark(name)]
    texts = [None if name in marks else name for name in names]
    read = _plain_numbers(field, texts)
    if read is None:
        read = _read_names(field, texts)
    if read is None:
        bad = _unreadable(field, texts)
        read = _despite_texts(field, column, texts, bad)
        if read is None:
            raise _text_instead(field, column, used[bad])
    _tell_new_marks(field, column, marks)
    return _spread(read, used, column)


def _despite_texts(
    field: "Field", column: Column, names: list[str | None], bad: list[int]
) -> Column | None:
    """Return the names read, those in ``bad`` missing; None where these must be refused."""
    import polars as pl

    odd = [str(names[place]) for place in bad]
    n_cells = int((column.values >= 0).sum())
    nothing_left = len(odd) == len([name for name in names if name is not None])
    was_text = field.type.written is not None or bool(field.type.marks)
    if not was_text or (nothing_left and n_cells >= _MANY) or _are_values(odd):
        return None
    rest = [None if name in odd else name for name in names]
    read = _plain_numbers(field, rest)
    read = _read_names(field, rest) if read is None else read
    if read is not None:
        texts = pl.Series([None if cell is None else str(cell) for cell in column.to_list()])
        tell_unreadable(marked(field.name, texts.cast(pl.String), odd, _what(field)))
    return read


def _are_values(texts: list[str]) -> bool:
    """Whether some texts are numbers or dates, if written in another way than at fit."""
    import polars as pl

    series = pl.Series(texts, dtype=pl.String)
    return bool((look_like_numbers(series) | readable_texts(series)[1]).any())


def _what(field: "Field") -> str:
    return clock_of(field) or "numbers"


def _spread(read: Column, used: AnyArray, column: Column) -> Column:
    """Return the column of which the names have been read: one value for each used code."""
    place = np.full(len(column.categories) + 2, -1, dtype=np.intp)
    place[used] = np.arange(len(used))
    place = place[column.values]
    missing = (place < 0) | np.append(read.is_missing, True)[place]
    values = np.append(read.values, np.zeros(1, dtype=read.values.dtype))[place]
    if values.dtype.kind == "f":
        return Column(column.name, read.type, np.where(missing, np.nan, values))
    return Column(column.name, read.type, values, missing if missing.any() else None)


def _plain_numbers(field: "Field", names: list[str | None]) -> Column | None:
    """Read names that are plain numbers; None when one is not, or when moments are needed."""
    if field.type.is_time or field.type.written is not None:
        return None
    numbers = [np.nan if name is None else number_of_name(name) for name in names]
    if None in numbers:
        return None
    return Column(field.name, field.type, np.array(numbers, dtype=np.float64))


def _tell_new_marks(field: "Field", column: Column, marks: list[str]) -> None:
    """Warn of marks for a missing value that were not there when the model was fitted."""
    new = [mark for mark in marks if mark not in field.type.marks]
    if new:
        import polars as pl

        texts = pl.Series([None if cell is None else str(cell) for cell in column.to_list()])
        tell_marks([marked(field.name, texts.cast(pl.String), new, _what(field))])


def _read_names(field: "Field", names: list[str | None]) -> Column | None:
    """Read names as they were written when the model was fitted, or as they show; None for text."""
    import polars as pl

    texts = pl.Series("0", names, pl.String)
    if field.type.written is not None:
        read = read_as(field.name, texts, way_of(field.name, field.type.written))
        if read is not None and clock_of(read) == clock_of(field):
            return read
    quiet = Conversion(ambiguous="keep", tells=False)
    [read] = columns_from_texts(texts.to_frame(), [field.name], conversion=quiet)
    if read.is_missing.all():
        return Column(field.name, ColumnType("numeric", "float"), np.full(len(read), np.nan))
    fits = read.kind == "numeric" and clock_of(read) == clock_of(field)
    return read if fits and not _has_other_unit(field, read) else None


def _has_other_unit(field: "Field", read: Column) -> bool:
    """Whether amounts are in another unit than they were when the model was fitted."""
    if field.type.written is None or read.type.written is None or field.type.is_time:
        return False
    units = [way_of(field.name, each.type.written or "").unit for each in (field, read)]
    return None not in units and units[0] != units[1]


def _unreadable(field: "Field", names: list[str | None]) -> list[int]:
    """Return the places of the names that keep a column from being read."""
    import polars as pl

    texts = pl.Series(names, dtype=pl.String)
    if field.type.written is not None:
        bad = read_texts(texts, way_of(field.name, field.type.written)).is_null()
    elif field.type.is_time:
        bad = ~readable_texts(texts)[1]
    else:
        bad = ~look_like_numbers(texts)
    places = np.flatnonzero((bad.fill_null(True) & texts.is_not_null()).to_numpy()).tolist()
    return places or [place for place, name in enumerate(names) if name is not None]


def _text_instead(field: "Field", column: Column, codes: AnyArray) -> KindError:
    """Return the error for text in a column of numbers or moments."""
    rows = np.flatnonzero(np.isin(column.values, codes))
    odd = [str(column.categories[code]) for code in dict.fromkeys(column.values[rows].tolist())]
    flag = f"{missing_flags(odd[:_MOST_TOKENS])} if they mean missing; else correct the cells"
    python = f"X[{field.name!r}] = X[{field.name!r}].replace({odd!r}, None)  # if they mean missing"
    if 2 * len(rows) > len(column) or len(odd) > _MOST_TOKENS:
        reader = "to_numeric" if clock_of(field) is None else "to_datetime"
        call = f'pandas.{reader}(X[{field.name!r}], errors="coerce")'
        python, flag = f"import pandas\nX[{field.name!r}] = {call}", "correct the cells in the file"
    return KindError(
        f"Column {field.name!r} held {_what(field)} when the model was fitted, but "
        f"now holds other text in {len(rows)} of its {len(column)} cells.",
        code="K001",
        column=field.name,
        rows=rows[:5],
        n_rows=len(rows),
        values=odd[:5],
        repair=Repair(python, flag),
    )
