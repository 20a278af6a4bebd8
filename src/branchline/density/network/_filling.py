"""Levels back as cells of a table: rows that are drawn, missing cells that are filled."""

from collections.abc import Callable
from typing import Any

import numpy as np

from branchline._arrays import AnyArray, Floats
from branchline.density.network._elimination import draw_missing, marginals
from branchline.density.network._levels import Bins, Categories, NetworkColumns
from branchline.density.network._network import MISSING, Network
from branchline.table import Column, ColumnType, Schema, Table

__all__ = ["draw_rows", "fill_rows"]

_FLOAT = ColumnType("numeric", "float")


def draw_rows(
    network: Network, columns: NetworkColumns, schema: Schema, n_rows: int, seed: int
) -> Table:
    """Draw rows: levels from the network, then numbers and categories within levels.

    A number is uniform between the smallest and the largest training value of its bin.
    """
    draws = np.random.default_rng(seed)
    blank = np.full((n_rows, len(network)), MISSING, dtype=np.uint16)
    levels = draw_missing(network, blank, draws)
    made = {}
    for at, (place, column) in enumerate(zip(columns.places, columns.columns, strict=True)):
        name, level = schema.names[place], levels[:, at].astype(np.intp)
        uniform = draws.random(n_rows)
        if isinstance(column, Bins):
            reach = column.high[level] / 2 - column.low[level] / 2
            values = column.low[level] + 2 * (uniform * reach)
            whole = np.floor(column.low[level] + uniform * (2 * reach + 1))
            values = np.minimum(whole, column.high[level]) if column.is_whole else values
            made[int(place)] = Column(name, _FLOAT, values)
        else:
            codes = _codes_within(column, level, uniform)
            made[int(place)] = Column(name, schema.fields[place].type, codes)
    return Table.from_columns([made[place] for place in sorted(made)], named=schema.named)


def _codes_within(column: Categories, level: AnyArray, uniform: Floats) -> AnyArray:
    """Return a category of each level, by its share of the level."""
    held = column.level_of_code[None, :] == np.arange(len(column))[:, None]
    ends = np.cumsum(np.where(held, column.share_of_code, 0.0), axis=1)
    found = (uniform[:, None] * ends[level, -1:] >= ends[level]).sum(axis=1)
    return np.asarray(np.minimum(found, ends.shape[1] - 1), dtype=np.int32)


def fill_rows(network: Network, columns: NetworkColumns, table: Table) -> Table:
    """Return the table with missing cells filled, each given the known cells of its row.

    A category becomes the most probable one, a number its mean over the bins.
    """
    levels = columns.levels(table)
    made = list(table.columns)
    for at, (place, column) in enumerate(zip(columns.places, columns.columns, strict=True)):
        rows = np.flatnonzero(levels[:, at] == MISSING)
        if len(rows):
            shares = marginals(network, levels[rows], (at,))
            made[place] = _FILL[type(column)](made[place], column, rows, shares)
    return Table.from_columns(made, named=table.schema.named)


def _fill_numbers(cells: Column, column: Bins, rows: AnyArray, shares: Floats) -> Column:
    values = np.array(cells.numbers(), dtype=np.float64)
    size = max(1.0, float(np.abs(column.mean).max()))
    values[rows] = shares @ (column.mean / size) * size
    return Column(cells.name, _FLOAT, values)


def _fill_categories(cells: Column, column: Categories, rows: AnyArray, shares: Floats) -> Column:
    codes = np.array(cells.values)
    in_level = np.maximum(column.level_of_code, 0)
    weight = shares[:, in_level] * np.where(column.level_of_code >= 0, column.share_of_code, 0.0)
    codes[rows] = weight.argmax(axis=1)
    return Column(cells.name, cells.type, codes)


_FILL: dict[type, Callable[[Any, Any, Any, Any], Column]] = {
    Bins: _fill_numbers,
    Categories: _fill_categories,
}
