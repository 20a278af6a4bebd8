"""One column of a table: its type and its values.

A column is *numeric* or a *category*.

- numeric: ``values`` holds the numbers as they came (any real dtype; dates and times as integers
  since 1970 in their unit); ``missing`` marks missing cells where the dtype has no NaN.
  ``numbers()`` gives what learners see: floats with NaN for missing, dates as days.
- category: ``values`` holds int32 codes into ``type.categories``; −1 is missing, −2 is a category
  that was not seen when the schema was learned.

Values are kept as they came so that a table can be handed back unchanged.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Literal, TypeAlias
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from branchline._arrays import AnyArray
from branchline._plain_numbers import count
from branchline.errors import DataError

__all__ = [
    "FLOAT",
    "INTEGER",
    "MAX_CATEGORIES",
    "MISSING_CODE",
    "UNSEEN_CODE",
    "Category",
    "Column",
    "ColumnType",
    "Kind",
    "Source",
    "days_per_unit",
    "number_of_name",
    "refuse_unequal_lengths",
]

Kind: TypeAlias = Literal["numeric", "category"]
Source: TypeAlias = Literal[
    "float",
    "integer",
    "boolean",
    "string",
    "category",
    "ordered",
    "date",
    "datetime",
    "duration",
    "time",
]
Category: TypeAlias = str | int | float | bool

MISSING_CODE = -1
UNSEEN_CODE = -2
MAX_CATEGORIES = 65_534  # a category with more names is pooled by learners

_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")  # longer ones are read as floats
_NUMBER = re.compile(
    r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:e[+-]?[0-9]++)?|[+-]?(?:inf|infinity|nan)", re.I
)
_SECONDS_PER_DAY = 86_400
_UNITS_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def days_per_unit(unit: str) -> float:
    """Return how many days one ``unit`` ("D", "s", "ms", "us" or "ns") lasts."""
    return 1.0 if unit == "D" else 1.0 / (_SECONDS_PER_DAY * _UNITS_PER_SECOND[unit])


@dataclass(frozen=True, slots=True)
class ColumnType:
    """What a column holds and what it was before it became a column.

    Parameters
    ----------
    kind
        How learners treat it.
    source
        What it was: used to hand the table back unchanged and to describe it.
    categories
        The category names, in code order (kind "category" only).
    unit
        "D", "s", "ms", "us" or "ns" for dates and times.
    timezone
        Time zone name of a "datetime" source.
    written
        How the cells were written when they were converted from text, such as "number:. $" or
        "date:%d/%m/%Y"; None when nothing was converted.
    marks
        Texts of this column that count as missing, such as "-", beside those that always do.

    See Also
    --------
    Column : a named column of a table.
    Field : a column's name and type.

    Examples
    --------
    >>> from branchline import Table
    >>> len(Table({"town": ["Liège", "Mons", "Mons"]}).column("town").type.categories)
    2
    """

    kind: Kind
    source: Source
    categories: tuple[Category, ...] | None = None
    unit: str | None = None
    timezone: str | None = None
    written: str | None = None
    marks: tuple[str, ...] = ()

    @property
    def is_time(self) -> bool:
        """Whether the column holds dates, times or durations."""
        return self.source in {"date", "datetime", "duration", "time"}

    def __str__(self) -> str:
        if self.categories is not None:
            return f"category ({len(self.categories)})"
        return self.source if self.is_time else "numeric"


FLOAT = ColumnType("numeric", "float")
INTEGER = ColumnType("numeric", "integer")


@dataclass(frozen=True, eq=False)
class Column:
    """A named column of a table.

    Parameters
    ----------
    name
        The name of the column.
    type
        What it holds: numbers or categories.
    values
        The numbers as they came (any real dtype; dates and times as integers since 1970 in their
        unit), or int32 codes into ``type.categories``: −1 is a missing value, −2 a category that
        was not in the training rows.
    missing
        Marks missing numbers where the dtype has no NaN. What ``values`` hold there has no meaning.

    See Also
    --------
    Table : ``column`` returns it.
    Problem : ``column_of`` returns it.

    Examples
    --------
    >>> from branchline import Table
    >>> float(Table({"age": [31.0, 40.0]}).column("age").values.mean())
    35.5
    """

    name: str
    type: ColumnType
    values: AnyArray
    missing: npt.NDArray[np.bool_] | None = None

    def __repr__(self) -> str:
        return f"Column({self.name!r}, {self.type}, {count(len(self), 'row')})"

    def __len__(self) -> int:
        return len(self.values)

    @property
    def kind(self) -> Kind:
        """How learners treat the column: "numeric" or "category"."""
        return self.type.kind

    @property
    def categories(self) -> tuple[Category, ...]:
        """The category names in code order; empty for a numeric column."""
        return self.type.categories or ()

    @cached_property
    def n_used_categories(self) -> int:
        """How many categories some row has; others may be declared, or be of rows left out."""
        if self.kind == "numeric":
            return 0
        return int(np.count_nonzero(np.bincount(self.values[self.values >= 0])))

    @cached_property
    def is_missing(self) -> npt.NDArray[np.bool_]:
        """Which rows have no value."""
        if self.kind == "category":
            return np.asarray(self.values == MISSING_CODE)
        absent = (
            np.isnan(self.values)
            if self.values.dtype.kind == "f"
            else np.zeros(len(self.values), dtype=bool)
        )
        return absent if self.missing is None else absent | self.missing

    @property
    def known(self) -> AnyArray:
        """The values of the rows that have one."""
        return self.values[~self.is_missing] if self.is_missing.any() else self.values

    @cached_property
    def varies(self) -> bool:
        """Whether rows differ in this column; a missing value differs from any other."""
        n_missing = int(np.count_nonzero(self.is_missing))
        known = self.known
        return 0 < n_missing < len(self) or bool((known[1:] != known[:-1]).any())

    def numbers(self) -> npt.NDArray[np.floating[Any]]:
        """Return a numeric column as floats with NaN for missing, without a copy when it is so."""
        if self.kind == "category":
            raise TypeError(f"column {self.name!r} is a category")
        is_plain = self.missing is None and self.type.unit is None
        if is_plain and self.values.dtype in (np.float32, np.float64):
            return self.values
        floats = self.values.astype(np.float64)
        if self.type.unit is not None:
            floats *= days_per_unit(self.type.unit)
        if self.missing is not None:
            floats[self.missing] = np.nan
        return floats

    def take(self, rows: Any) -> "Column":
        """Return the column with only ``rows`` (positions, a mask or a slice)."""
        missing = None if self.missing is None else self.missing[rows]
        return Column(self.name, self.type, self.values[rows], missing)

    def renamed(self, name: str) -> "Column":
        """Return the same column under another name."""
        return Column(name, self.type, self.values, self.missing)

    def to_numpy(self) -> AnyArray:
        """Return the values as one array: numbers (dates as days), or category names.

        Missing cells are NaN among numbers, None among names; whole numbers without any stay whole.
        """
        if self.kind == "numeric":
            whole = self.type.source == "integer" and not self.is_missing.any()
            return self.values.copy() if whole else self.numbers()
        # Each name is made once: a list of all cells would take many times their codes.
        used = np.flatnonzero(np.bincount(self.values + 2)) - 2
        number_of = np.zeros(len(self.categories) + 2, dtype=np.int32)
        number_of[used] = np.arange(len(used))
        places = number_of[self.values]
        names = (*self.categories, None, None)  # codes −1 (missing) and −2 (unseen) end up here
        of_used = [names[code] for code in used.tolist()]
        if len(used) and used[0] < 0:
            objects = np.empty(len(of_used), dtype=object)
            objects[:] = of_used
            return objects[places]
        return np.array(of_used, dtype=None if of_used else str)[places]

    def to_list(self) -> list[Any]:
        """Return the values as Python objects: numbers, names, dates; None for missing."""
        if self.kind == "category":
            names = (*self.categories, None, None)  # codes −1 (missing) and −2 (unseen) end up here
            return [names[code] for code in self.values.tolist()]
        plain = _as_python(self.type, self.values)
        return [None if gone else value for gone, value in zip(self.is_missing, plain, strict=True)]


def number_of_name(name: Category) -> float | int | None:
    """Return the number that a category name is or writes; None when it is another text."""
    if not isinstance(name, str):
        return name
    text = name.strip()
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else None


def refuse_unequal_lengths(columns: Sequence[Column]) -> None:
    """Refuse columns of which one is longer or shorter than the first."""
    for column in columns:
        if len(column) != len(columns[0]):
            raise DataError(
                f"Column {column.name!r} has {len(column)} rows, but {columns[0].name!r} has "
                f"{len(columns[0])}.",
                code="D004",
                column=column.name,
            )


def _as_python(kind: ColumnType, values: AnyArray) -> list[Any]:
    """Return numeric values as Python objects, dates and durations included."""
    if kind.source in {"date", "datetime"}:
        return _as_moments(kind, values.astype(f"datetime64[{kind.unit}]"))
    if kind.source in {"duration", "time"}:
        values = values * days_per_unit(kind.unit or "D")
    return values.tolist()  # type: ignore[no-any-return]


def _as_moments(kind: ColumnType, moments: AnyArray) -> list[Any]:
    """Return dates, or moments to the microsecond, in their time zone when they have one."""
    if kind.source == "date":
        return moments.astype("datetime64[D]").tolist()  # type: ignore[no-any-return]
    plain = moments.astype("datetime64[us]").tolist()
    if kind.timezone is None:
        return plain  # type: ignore[no-any-return]
    zone = ZoneInfo(kind.timezone)
    return [
        moment.replace(tzinfo=UTC).astimezone(zone) if isinstance(moment, datetime) else moment
        for moment in plain
    ]
