"""Columns whose kind the file declares (ARFF, C4.5): cells are checked against the declaration.

1. An attribute says how its cells are read: as floats, as numbers (integers when all are whole), as
   words, as free text, as one of the values listed, or as dates.
2. A cell that does not fit is an error that names the line, unless it is a token for missing.
3. Asking for a category where numbers are declared keeps the numbers' own texts as names; so do
   whole numbers beyond 2⁵³, which floats would round.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from branchline.errors import DataError
from branchline.table._column import MISSING_CODE, Column
from branchline.table._kinds import rounds_whole_numbers
from branchline.table._table import Table
from branchline.table.files._cells import Cells
from branchline.table.files._moments import JavaPattern
from branchline.table.files._options import ReadOptions
from branchline.table.files._source import file_error, with_missing
from branchline.table.frames._categories import declared_column
from branchline.table.frames._from_polars import column_from_polars

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Attribute", "declared_table", "read_attribute"]

Reading: TypeAlias = Literal["float", "number", "words", "text", "values", "date", "ignore"]


@dataclass(frozen=True)
class Attribute:
    """A column as its file declares it.

    Parameters
    ----------
    name
        The name of the column.
    reading
        How its cells are read; "ignore" leaves the column out.
    values
        The values listed (reading "values").
    most
        The greatest number of distinct values (reading "words"); 0 for any.
    pattern
        How dates are written (reading "date").
    """

    name: str
    reading: Reading
    values: tuple[str, ...] = ()
    most: int = 0
    pattern: JavaPattern | None = None

    @property
    def is_number(self) -> bool:
        """Whether the cells are plain numbers."""
        return self.reading in {"float", "number"}


@dataclass(frozen=True)
class _Place:
    """Where a column of texts stands, for errors."""

    file: str
    lines: Sequence[int]
    options: ReadOptions

    def is_value(self, texts: "pl.Series") -> "pl.Series":
        """Mark the texts that are neither absent nor a token for missing."""
        return texts.is_not_null() & ~texts.is_in(list(self.options.missing)).fill_null(False)

    def refuse(self, attribute: Attribute, texts: "pl.Series", row: int, wanted: str) -> DataError:
        seen = texts[row]
        return file_error(
            self.file,
            f"{seen!r} is not {wanted} of {attribute.name!r}.",
            code="F015",
            line=int(self.lines[row]),
            column=attribute.name,
            values=(seen,),
            repair=with_missing(self.file, seen),
        )


def declared_table(
    file: str,
    cells: Cells,
    attributes: Sequence[Attribute],
    options: ReadOptions,
    extra: Sequence[Column] = (),
) -> Table:
    """Return the table of ``cells`` (no outer blanks, null for missing) and ``extra`` columns."""
    kept = [attribute.name for attribute in attributes if attribute.reading != "ignore"]
    options.check([*kept, *(column.name for column in extra)])
    columns = [
        read_attribute(file, attribute, series, cells.lines.tolist(), options)
        for attribute, series in zip(attributes, cells.frame, strict=True)
        if attribute.reading != "ignore"
    ]
    return options.apply(Table.from_columns([*columns, *extra]))


def read_attribute(
    file: str,
    attribute: Attribute,
    texts: "pl.Series",
    lines: Sequence[int],
    options: ReadOptions,
) -> Column:
    """Return the column that ``texts`` are, as the attribute declares."""
    as_words = options.kinds.get(attribute.name) == "category" and attribute.is_number
    reading = "words" if as_words else attribute.reading
    return _READINGS[reading](attribute, texts, _Place(file, lines, options))


def _numbers(attribute: Attribute, texts: "pl.Series", place: _Place) -> "pl.Series":
    """Return the texts as floats, null for missing."""
    import polars as pl

    floats = texts.cast(pl.Float64, strict=False)
    bad = None
    if floats.null_count() > texts.null_count():
        bad = _first(floats.is_null() & place.is_value(texts))
    if bad is not None:
        raise place.refuse(attribute, texts, bad, "a number, as declared for the cells")
    return floats


def _first(mask: "pl.Series") -> int | None:
    return mask.arg_max() if mask.any() else None


def _floats(attribute: Attribute, texts: "pl.Series", place: _Place) -> Column:
    floats = _numbers(attribute, texts, place)
    if rounds_whole_numbers(floats, texts.set(floats.is_null(), None)):
        return _words(attribute, texts, place)
    return column_from_polars(attribute.name, floats)


def _whole_numbers(attribute: Attribute, texts: "pl.Series", place: _Place) -> Column:
    """Return integers, or floats when some number is not whole, as Weka allows."""
    import polars as pl

    floats = _numbers(attribute, texts, place)
    if rounds_whole_numbers(floats, texts.set(floats.is_null(), None)):
        return _words(attribute, texts, place)
    whole = texts.cast(pl.Int64, strict=False)
    if whole.null_count() > floats.null_count() or whole.null_count() == len(whole):
        return column_from_polars(attribute.name, floats)
    return column_from_polars(attribute.name, whole)


def _text(attribute: Attribute, texts: "pl.Series", place: _Place) -> Column:
    """Return free text as a category; only the format's own mark means missing in it."""
    return column_from_polars(attribute.name, texts)


def _words(attribute: Attribute, texts: "pl.Series", place: _Place) -> Column:
    column = column_from_polars(attribute.name, texts.set(~place.is_value(texts), None))
    if not attribute.most or len(column.categories) <= attribute.most:
        return column
    row = int(np.flatnonzero(column.values == attribute.most)[0])
    wanted = f"among the {attribute.most} values at most that are declared for the cells"
    raise place.refuse(attribute, texts, row, wanted)


def _values(attribute: Attribute, texts: "pl.Series", place: _Place) -> Column:
    import polars as pl

    codes = texts.cast(pl.Enum(list(attribute.values)), strict=False).to_physical()
    codes = codes.cast(pl.Int32).fill_null(MISSING_CODE)
    unknown = _first((codes == MISSING_CODE) & place.is_value(texts))
    if unknown is not None:
        raise place.refuse(attribute, texts, unknown, "one of the values declared for the cells")
    return declared_column(attribute.name, codes.to_numpy(), attribute.values, ordered=False)


def _dates(attribute: Attribute, texts: "pl.Series", place: _Place) -> Column:
    pattern = attribute.pattern
    assert pattern is not None
    read: dict[str | None, int] = {}
    for text in texts.unique(maintain_order=True).drop_nulls().to_list():
        try:
            read[text] = pattern.read(text)
        except (ValueError, OverflowError):
            if text not in place.options.missing:
                row = (texts == text).arg_max() or 0
                raise place.refuse(
                    attribute, texts, row, "a date as declared for the cells"
                ) from None
    values = np.array([read.get(text, 0) for text in texts], dtype=np.int64)
    missing = np.array([text not in read for text in texts], dtype=bool)
    return Column(attribute.name, pattern.type, values, missing if missing.any() else None)


_READINGS: dict[str, Callable[[Attribute, "pl.Series", _Place], Column]] = {
    "float": _floats,
    "number": _whole_numbers,
    "words": _words,
    "text": _text,
    "values": _values,
    "date": _dates,
}
