"""Text columns of frames, arrays and records: amounts, percentages, dates, durations, yes and no.

1. They are recognized as in files, by the same rules, and remembered in the schema.
2. A column that the user made a category (pandas ``category``, polars ``Categorical`` and ``Enum``,
   Arrow dictionaries) stays one.
3. So does a column of plain numbers as text ("12"): a frame has number types, so text was chosen.
   Only a mark for a missing value among them ("-") shows that they became text by accident.
4. Only the different texts of a column are looked at, and a few of them decide most columns.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from branchline.table._column import MISSING_CODE, Column, number_of_name
from branchline.table._kinds import columns_from_texts
from branchline.table._table import Table
from branchline.table.converting._conversion import Conversion
from branchline.table.converting._missing_marks import is_missing_mark
from branchline.table.converting._reading import with_marks
from branchline.table.converting._value_words import may_be_values
from branchline.table.converting._yes_no import truth_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["convert_texts", "without_marks"]

_MOST_SPELLINGS = 100
# str() makes these of missing values, so they do not show that a column became text by accident.
_OF_STR = {"nan", "none", "<na>", "nat"}


def convert_texts(table: Table, conversion: Conversion, leave: Collection[str] = ()) -> Table:
    """Return the table with its text columns converted; ``leave`` names columns to leave alone."""
    if table.matrix is not None or table.sparse is not None:
        return table
    texts = [
        column for column in table.columns if column.name not in leave and _is_candidate(column)
    ]
    made = _converted(texts, conversion) if texts else {}
    if not made:
        return table
    columns = (made.get(column.name, column) for column in table.columns)
    return Table.from_columns(columns, named=table.schema.named)


def without_marks(table: Table, marks: Collection[str]) -> Table:
    """Return the table with some texts turned into missing values, which the schema remembers."""
    if not marks or table.matrix is not None or table.sparse is not None:
        return table
    columns = [_without(column, set(marks)) for column in table.columns]
    return Table.from_columns(columns, named=table.schema.named)


def _without(column: Column, marks: set[str]) -> Column:
    found = [name for name in column.categories if str(name) in marks]
    if not found:
        return column
    kept = [code for code, name in enumerate(column.categories) if str(name) not in marks]
    new_code = np.full(len(column.categories) + 2, MISSING_CODE, dtype=np.int32)
    new_code[-2] = -2  # an unseen category stays one
    new_code[kept] = np.arange(len(kept), dtype=np.int32)
    names = tuple(column.categories[code] for code in kept)
    kind = replace(column.type, categories=names)
    return with_marks(Column(column.name, kind, new_code[column.values]), map(str, found))


def _is_candidate(column: Column) -> bool:
    is_text = column.kind == "category" and column.type.source == "string"
    return is_text and _may_be_converted(column)


def _converted(columns: list[Column], conversion: Conversion) -> dict[str, Column]:
    """Return those of the text columns that become something else, by name."""
    import polars as pl

    texts = pl.DataFrame([_texts_of(column).alias(str(at)) for at, column in enumerate(columns)])
    names = [column.name for column in columns]
    made = columns_from_texts(texts, names, conversion=conversion)
    return {
        new.name: with_marks(new, old.type.marks)
        for old, new in zip(columns, made, strict=True)
        if new.kind == "numeric" or new.type.written is not None
    }


def _may_be_converted(column: Column) -> bool:
    """Whether a sample of the texts could be amounts, dates or words for yes and no."""
    names = column.categories
    if may_be_values(names):  # type: ignore[arg-type]
        return not _are_plain_numbers([str(name) for name in names])
    return 2 < len(names) <= _MOST_SPELLINGS and all(
        truth_of(str(name)) is not None for name in names
    )


def _are_plain_numbers(names: list[str]) -> bool:
    others = [name for name in names if number_of_name(name) is None]
    return all(is_missing_mark(name) and name.casefold() in _OF_STR for name in others)


def _texts_of(column: Column) -> "pl.Series":
    import polars as pl

    names = pl.Series("0", [str(name).strip() for name in column.categories], pl.String)
    codes = pl.Series(column.values.astype(np.int64))
    return names.gather(codes.set(codes < 0, None))
