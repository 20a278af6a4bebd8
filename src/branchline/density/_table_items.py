"""Cells of a table as items: "town = Mons", "age ≤ 30", "30 < age ≤ 45".

A category has an item for each name. A number of few distinct values has an item for each value;
one of many is cut into four intervals of about equal numbers of rows. A missing cell is not an
item.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from branchline._arrays import Floats, Ints
from branchline._plain_numbers import cells
from branchline.table import Column

__all__ = ["Item", "items_of_table"]

_N_INTERVALS = 4
_FEW_VALUES = 8
_MILLISECONDS = 86_400_000  # of a day


@dataclass(frozen=True, eq=False)
class Item:
    """A value of a column, and the rows that have it."""

    name: str
    column: str
    rows: Ints


def items_of_table(column: Column) -> Iterator[Item]:
    """Return the items of a column."""
    if column.kind == "category":
        yield from _categories(column)
        return
    numbers = np.asarray(column.numbers(), dtype=np.float64)
    distinct = np.unique(numbers[np.isfinite(numbers)])
    if len(distinct) <= _FEW_VALUES:
        for value, text in zip(distinct, _texts(column, distinct), strict=True):
            rows = np.flatnonzero(numbers == value)
            yield Item(f"{column.name} = {text}", column.name, rows)
        return
    yield from _intervals(column, numbers)


def _categories(column: Column) -> Iterator[Item]:
    codes = np.asarray(column.values)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(len(column.type.categories or ()) + 1))
    for place, category in enumerate(column.type.categories or ()):
        rows = order[starts[place] : starts[place + 1]]
        if len(rows):
            yield Item(f"{column.name} = {category}", column.name, np.sort(rows))


def _intervals(column: Column, numbers: Floats) -> Iterator[Item]:
    known = numbers[np.isfinite(numbers)]
    shares = np.arange(1, _N_INTERVALS) / _N_INTERVALS
    ends = np.unique(np.quantile(known, shares, method="lower"))
    ends = ends[ends < known.max()]
    if not len(ends):  # most rows have the largest value
        ends = known[known < known.max()].max(keepdims=True)
    place = np.where(np.isfinite(numbers), np.searchsorted(ends, numbers, side="left"), -1)
    texts, name = _texts(column, ends), column.name
    for at in range(len(ends) + 1):
        if at == 0:
            text = f"{name} ≤ {texts[0]}"
        elif at == len(ends):
            text = f"{name} > {texts[-1]}"
        else:
            text = f"{texts[at - 1]} < {name} ≤ {texts[at]}"
        yield Item(text, name, np.flatnonzero(place == at))


def _texts(column: Column, values: Floats) -> list[str]:
    if column.type.source in {"date", "datetime"}:
        return _moments(values)
    unit = " days" if column.type.is_time else ""
    return [f"{text}{unit}" for text in cells(values.tolist())]


def _moments(days: Floats) -> list[str]:
    """Return days since 1970 as dates; with the time of day where one is not midnight."""
    moments = np.round(days * _MILLISECONDS).astype(np.int64).astype("datetime64[ms]")
    for unit in ("D", "s"):
        if (moments.astype(f"datetime64[{unit}]") == moments).all():
            return [str(moment) for moment in moments.astype(f"datetime64[{unit}]")]
    return [str(moment) for moment in moments]
