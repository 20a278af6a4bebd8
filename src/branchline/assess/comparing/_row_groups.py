"""Rows in groups by one column: categories, numbers one by one or in quarters, missing values."""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline.table import Column, days_per_unit
from branchline.table.looking import range_words

__all__ = ["FEWEST_ROWS", "row_groups"]

Rows = npt.NDArray[np.bool_]

# A group of fewer rows is not tested.
FEWEST_ROWS = 20


def row_groups(
    column: Column, most_levels: int, *, with_others: bool = False
) -> list[tuple[str, Rows]]:
    """Return groups of rows, each with its words; together with ``with_others`` they are all rows.

    Parameters
    ----------
    column
        What rows are grouped by: categories one by one, numbers and moments in four groups of
        about equal size. Missing values are a group of their own. Numbers with few different
        values, each of which has 20 rows (seasons, weekdays), are groups one by one.
    most_levels
        The number of categories that have a group of their own, the most frequent first; numbers
        with more different values are put into four groups.
    with_others
        Whether all other categories make one group together.
    """
    missing = np.asarray(column.is_missing)
    if column.kind == "category":
        found = _levels(column, most_levels, with_others=with_others)
    else:
        found = _few_numbers(column, missing, most_levels) or _quarters(column, missing)
    return [*found, ("missing", missing)] if missing.any() else found


def _levels(column: Column, most: int, *, with_others: bool) -> list[tuple[str, Rows]]:
    values = np.asarray(column.values)
    counts = np.bincount(values[values >= 0], minlength=len(column.categories))
    names = [str(name) for name in column.categories]
    ranked = sorted(range(len(names)), key=lambda at: (-counts[at], names[at]))
    ranked = [at for at in ranked if counts[at]]
    found = [(names[at], values == at) for at in ranked[:most]]
    rest = ranked[most:]
    if with_others and rest:
        found.append((f"{len(rest)} other values", np.isin(values, rest)))
    return found


def _few_numbers(column: Column, missing: Rows, most: int) -> list[tuple[str, Rows]]:
    """Return the rows of each number; nothing where there are many numbers, or few rows of one."""
    numbers = column.numbers().astype(np.float64)
    values, counts = np.unique(numbers[~missing], return_counts=True)
    if not 2 < len(values) <= most or counts.min() < FEWEST_ROWS:
        return []
    return list(zip(_edges(column, values), (numbers == one for one in values), strict=True))


def _quarters(column: Column, missing: Rows) -> list[tuple[str, Rows]]:
    numbers = column.numbers().astype(np.float64)
    known = numbers[~missing]
    if not len(known):
        return []
    edges = np.unique(np.quantile(known, [0.0, 0.25, 0.5, 0.75, 1.0], method="inverted_cdf"))
    different = np.unique(known)
    if len(edges) < 3 and len(different) == len(edges):
        return list(zip(_edges(column, edges), (numbers == at for at in edges), strict=True))
    if len(edges) < 3:  # nearly all rows have one value
        return _most_and_others(column, numbers, known)
    groups = [
        (numbers >= low if place == 0 else numbers > low) & (numbers <= high)
        for place, (low, high) in enumerate(pairwise(edges.tolist()))
    ]
    ends = [end for rows in groups for end in (numbers[rows].min(), numbers[rows].max())]
    names = _edges(column, np.array(ends))
    pairs = zip(names[::2], names[1::2], strict=True)
    return [
        (low if low == high else f"{low} to {high}", rows)
        for (low, high), rows in zip(pairs, groups, strict=True)
    ]


def _most_and_others(
    column: Column, numbers: npt.NDArray[np.float64], known: npt.NDArray[np.float64]
) -> list[tuple[str, Rows]]:
    """Return the rows with the most frequent number, those below it and those above it."""
    values, counts = np.unique(known, return_counts=True)
    middle = values[np.argmax(counts)]
    word = _edges(column, np.array([middle]))[0]
    found = [(f"below {word}", numbers < middle), (word, numbers == middle),
             (f"above {word}", numbers > middle)]  # fmt: skip
    return [(label, rows) for label, rows in found if rows.any()]


def _edges(column: Column, numbers: npt.NDArray[np.float64]) -> tuple[str, ...]:
    """Return numbers of the column as a reader knows them, in one style; moments as moments."""
    values: list[Any] = numbers.tolist()
    if column.type.is_time:
        values = [round(one / days_per_unit(column.type.unit or "D")) for one in values]
    return range_words(values, column.type)
