"""The schema: the columns a model was learnt from, applied by name to every later table.

1. Columns are found by name, in any order; a table without names (NumPy) goes by position.
2. A missing column is an error; extra columns are ignored (``extra`` lists them).
3. Category names are turned into the codes learnt at fit; names not seen then get code −2.
4. A column of another kind is an error that says which values do not fit.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from branchline.errors import BranchlineWarning, DataError, KindError, Repair
from branchline.table._column import (
    FLOAT,
    MISSING_CODE,
    UNSEEN_CODE,
    AnyArray,
    Category,
    Column,
    ColumnType,
    number_of_name,
)
from branchline.table._names import made_up_names, refuse_bad_names

if TYPE_CHECKING:
    from branchline.table._table import Table

__all__ = ["Field", "Schema", "float_schema"]


_MANY_UNSEEN = 10  # a few rows may well hold nothing but new names


@dataclass(frozen=True, slots=True)
class Field:
    """A column's name and type."""

    name: str
    type: ColumnType


@dataclass(frozen=True)
class Schema:
    """Names, kinds and categories of a table's columns, in order.

    Parameters
    ----------
    fields
        One entry a column.
    named
        False when the names were made up for a table that had none (x0, x1, …).
    """

    fields: tuple[Field, ...]
    named: bool = True

    def __len__(self) -> int:
        return len(self.fields)

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __getitem__(self, name: str) -> ColumnType:
        return self.fields[self.position[name]].type

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The column names, in order."""
        return tuple(field.name for field in self.fields)

    @cached_property
    def position(self) -> dict[str, int]:
        """Where each name stands."""
        return {field.name: place for place, field in enumerate(self.fields)}

    def apply(self, table: "Table") -> "Table":
        """Return ``table`` with exactly this schema's columns, in its order and codes."""
        from branchline.table._table import Table

        if table.schema == self:
            return table
        if not (self.named and table.schema.named):
            table = self._by_position(table)
        self._refuse_absent(table)
        if self._has_same_numbers(table):
            return table
        columns = [_fit_column(field, table.column(field.name)) for field in self.fields]
        return Table.from_columns(columns, named=self.named)

    def extra(self, table: "Table") -> tuple[str, ...]:
        """Return the names of ``table``'s columns that this schema does not know."""
        if not (self.named and table.schema.named):
            return ()
        return tuple(name for name in table.names if name not in self.position)

    def _by_position(self, table: "Table") -> "Table":
        if table.n_columns == len(self):
            return table.with_names(self.names, named=self.named)
        raise DataError(
            f"X has {table.n_columns} features, but Branchline is expecting {len(self)} features "
            "as input. Without names columns are matched by position, so the number must agree.",
            code="D010",
        )

    def _refuse_absent(self, table: "Table") -> None:
        present = set(table.names)
        absent = [name for name in self.names if name not in present]
        if not absent:
            return
        # Only names the model does not know may be meant; and only for a few: every name against
        # every other would take minutes for a wide table.
        spare = self.extra(table)
        close = {name: get_close_matches(name, spare, n=1) for name in absent[:8]}
        renames = {near[0]: name for name, near in close.items() if near}
        listed = ", ".join(repr(name) for name in absent[:8])
        more = "" if len(absent) <= 8 else f" and {len(absent) - 8} more"
        raise DataError(
            f"The table lacks {len(absent)} of the {len(self)} columns the model was fitted on: "
            f"{listed}{more}.",
            code="D011",
            column=absent[0],
            repair=Repair(f"X = X.rename(columns={renames!r})" if renames else None),
        )

    def _has_same_numbers(self, table: "Table") -> bool:
        """Whether the table can be used as it stands: numeric only, same names, same order."""
        return table.names == self.names and all(
            mine.type.kind == "numeric" == other.type.kind and _clock(mine) == _clock(other)
            for mine, other in zip(self.fields, table.schema.fields, strict=True)
        )

    def to_json(self) -> dict[str, Any]:
        """Return the schema as plain data."""
        from branchline.table._schema_json import schema_to_json

        return schema_to_json(self)

    @staticmethod
    def from_json(data: Any) -> "Schema":
        """Rebuild a schema from plain data, refusing anything that is not one."""
        from branchline.table._schema_json import schema_from_json

        return schema_from_json(data)


def float_schema(n_columns: int, names: Sequence[str] | None) -> Schema:
    """Return the schema of a matrix of floats; without ``names`` they are made up."""
    if names is None:
        return _unnamed_floats(n_columns)
    refuse_bad_names(names, n_columns)
    return Schema(tuple(Field(name, FLOAT) for name in names), named=True)


@lru_cache(maxsize=4)
def _unnamed_floats(n_columns: int) -> Schema:
    """Return a schema of made-up names, which hashed texts have hundreds of thousands of."""
    return Schema(tuple(Field(name, FLOAT) for name in made_up_names(n_columns)), named=False)


def _fit_column(field: Field, column: Column) -> Column:
    """Return ``column`` as a column of type ``field.type``."""
    if field.type.kind == "category":
        return _recode(field, column)
    if column.kind == "category":
        return _numbers_from_names(field, column)
    if _clock(field) != _clock(column) and not column.is_missing.all():
        raise _other_clock(field, column)
    return column


def _clock(field: Field | Column) -> str | None:
    """Return what a number counts: moments, durations, times of day, or nothing in particular."""
    if field.type.source in {"date", "datetime"}:
        return "moments"
    return {"duration": "durations", "time": "times of day"}.get(field.type.source)


def _other_clock(field: Field, column: Column) -> KindError:
    """Return the error for dates where plain numbers were learnt, or the other way round."""
    return KindError(
        f"Column {field.name!r} held {_clock(field) or 'plain numbers'} when the model was fitted, "
        f"but now holds {_clock(column) or 'plain numbers'}.",
        code="K006",
        column=field.name,
        values=column.take(~column.is_missing).take(slice(3)).to_list(),
        repair=Repair(
            "import pandas\n"
            f"X = X.assign(**{{{field.name!r}: pandas.to_datetime(X[{field.name!r}], unit='D')}})"
            if _clock(field) == "moments" and _clock(column) is None
            else None
        ),
    )


def _recode(field: Field, column: Column) -> Column:
    """Translate category codes (or plain numbers) into the codes of ``field``."""
    known = field.type.categories or ()
    if column.kind == "numeric":
        column = _names_from_numbers(field, column)
    if column.categories == known:
        return column
    code_of_name = {_key(name): code for code, name in enumerate(known)}
    if field.type.source == "boolean":
        code_of_name |= {"0": 0, "1": 1, "false": 0, "true": 1}  # as other tools write booleans
    names = [_key(name) for name in column.categories]
    if not any(name in code_of_name for name in names):
        code_of_name = _codes_by_number(known)
        names = [_number_key(name) for name in column.categories]
    translation = np.array(
        [code_of_name.get(name, UNSEEN_CODE) for name in names]
        + [UNSEEN_CODE, MISSING_CODE],  # reached by the codes −2 and −1
        dtype=np.int32,
    )
    recoded = Column(field.name, field.type, translation[column.values])
    _warn_if_all_unseen(recoded, column)
    return recoded


def _codes_by_number(known: tuple[Category, ...]) -> dict[str, int]:
    """Return codes by the number a name writes, for names such as 04000 that came back as 4000."""
    codes = {_number_key(name): code for code, name in enumerate(known)}
    return codes if len(codes) == len(known) else {}


def _number_key(name: Category) -> str:
    number = number_of_name(name)
    return str(name) if number is None else _key(float(number))


def _warn_if_all_unseen(recoded: Column, column: Column) -> None:
    """Say it when no value of a column is known: most often it is written in another way."""
    n_unseen = int((recoded.values == UNSEEN_CODE).sum())
    if n_unseen < _MANY_UNSEEN or (recoded.values >= 0).any():
        return
    now = ", ".join(repr(name) for name in column.categories[:3])
    then = ", ".join(repr(name) for name in recoded.categories[:3])
    warnings.warn(
        f"No value of column {recoded.name!r} was there when the model was fitted: now {now}; "
        f"then {then}. All its rows count as unseen.",
        BranchlineWarning,
        stacklevel=7,
    )


def _key(name: Category) -> str:
    """Return the text by which category names are compared: 1, 1.0 and "1" are the same."""
    if isinstance(name, float) and name.is_integer():
        return str(int(name))
    return str(name)


def _names_from_numbers(field: Field, column: Column) -> Column:
    """Read numbers as category names, for a category that came back as numbers (1, 2, 3)."""
    # Integers stay integers: as floats, long ones would run into each other.
    is_whole = column.type.source == "integer" and column.values.dtype.kind in "iu"
    is_moment = _clock(column) == "moments"
    values = column.values if is_whole or is_moment else column.numbers()
    distinct, inverse = np.unique(values, return_inverse=True)
    codes = inverse.astype(np.int32)
    codes[column.is_missing] = MISSING_CODE
    if is_moment:
        distinct = _moments_as_written(distinct, column.type, field.type.categories or ())
    names = tuple(distinct[distinct == distinct].tolist())  # NaN differs from itself
    return Column(field.name, ColumnType("category", "category", names), codes)


def _moments_as_written(
    values: AnyArray, kind: ColumnType, names: tuple[Category, ...]
) -> AnyArray:
    """Return moments as ISO texts, in the unit in which the known names are written."""
    moments = values.astype(f"datetime64[{kind.unit}]")
    try:
        coarse = moments.astype(np.datetime64(str(names[0])).dtype)
    except (ValueError, IndexError):  # the names are no moments, or there are none
        return np.datetime_as_string(moments)
    is_same = coarse.astype(moments.dtype) == moments
    return np.where(is_same, np.datetime_as_string(coarse), np.datetime_as_string(moments))


def _numbers_from_names(field: Field, column: Column) -> Column:
    """Read category names as numbers, or say which names are none."""
    numbers = np.full(len(column.categories) + 2, np.nan)
    # A moment may be written in many ways, and 20240131 is no number of days: only readers know.
    bad = list(range(len(column.categories))) if field.type.is_time else []
    for code, name in enumerate(column.categories):
        number = number_of_name(name)
        if number is None:
            bad.append(code)
        else:
            numbers[code] = number
    wrong = np.flatnonzero(np.isin(column.values, bad))
    if len(wrong):
        raise _text_instead(field, column, wrong)
    return Column(field.name, field.type, numbers[column.values])


def _text_instead(field: Field, column: Column, rows: AnyArray) -> KindError:
    """Return the error for text in a column of numbers or moments."""
    reader = "to_numeric" if _clock(field) is None else "to_datetime"
    return KindError(
        f"Column {field.name!r} held {_clock(field) or 'numbers'} when the model was fitted, but "
        "now holds other text.",
        code="K001",
        column=field.name,
        rows=rows[:5],
        n_rows=len(rows),
        values=dict.fromkeys(column.categories[column.values[row]] for row in rows[:50]),
        repair=Repair(
            f'X[{field.name!r}] = pandas.{reader}(X[{field.name!r}], errors="coerce")',
            f"--kind {field.name}=category  (when fitting)",
        ),
    )
