"""Columns of which each group has one value: there the groups are made by the column.

Rows with different categories are always some distance apart. So clusters of a table with several
categories tend to be their combinations, one cluster for each. This is measured by λ (Goodman and
Kruskal 1954): of the rows that are wrong when all are taken for the most frequent value, the share
that is right when each group is taken for its own most frequent value.
"""

import numpy as np

from branchline._arrays import Places
from branchline.table import Column, Table

__all__ = ["dividing_columns"]

_LEAST_SHARE = 0.9
_MOST_VALUES = 50


def dividing_columns(table: Table, labels: Places) -> tuple[str, ...]:
    """Return the names of the columns of which each group has one value, in nearly all rows.

    Categories and columns of two values are looked at.

    Parameters
    ----------
    table
        The rows.
    labels
        The group of each row, from 0.
    """
    return tuple(
        column.name
        for column in (table.column(name) for name in table.names)
        if _share(column, labels) >= _LEAST_SHARE
    )


def _share(column: Column, labels: Places) -> float:
    """Return λ of a column of few values; 0 for others."""
    known = ~np.asarray(column.is_missing)
    values = np.asarray(column.values)[known]
    if not len(values) or not (column.kind == "category" or _are_two(values)):
        return 0.0
    found, value_of_row = np.unique(values, return_inverse=True)
    if not 2 <= len(found) <= _MOST_VALUES:
        return 0.0
    groups = labels[known]
    counts = np.zeros((int(groups.max()) + 1, len(found)))
    np.add.at(counts, (groups, value_of_row.reshape(-1)), 1)
    most = counts.sum(axis=0).max()
    return float((counts.max(axis=1).sum() - most) / (counts.sum() - most))


def _are_two(values: np.ndarray) -> bool:
    """Return whether there are two values; the first thousand tell of most columns."""
    return len(np.unique(values[:1000])) <= 2 and len(np.unique(values)) == 2
