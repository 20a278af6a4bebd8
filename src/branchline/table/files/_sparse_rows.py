"""Sparse ARFF rows into a table: sparse when all attributes are numbers, else dense.

1. The cells of all rows are gathered and sorted by attribute: the order of a CSC matrix.
2. Each attribute's cells are read as declared. Where numbers shall be a category, the absent cells
   are written out first: they are the name "0".
3. All numbers: they are the matrix. Else they are laid over a column of what absent cells mean.
"""

from collections.abc import Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from branchline._memory import refuse_over_budget
from branchline.table._column import MISSING_CODE, Column
from branchline.table._table import Table
from branchline.table.files._arff_rows import ArffRow
from branchline.table.files._declared import Attribute, read_attribute
from branchline.table.files._options import ReadOptions

__all__ = ["sparse_rows_table"]


def sparse_rows_table(
    file: str,
    rows: Sequence[ArffRow],
    attributes: Sequence[Attribute],
    options: ReadOptions,
    extra: Sequence[Column] = (),
) -> Table:
    """Return the table of rows of which some are sparse, and of ``extra`` columns."""
    options.check([*(each.name for each in attributes), *(column.name for column in extra)])
    parts = _cells_of_attributes(file, rows, attributes, options)
    as_words = any(column.kind == "category" for column, _ in parts)
    if as_words or not all(attribute.is_number for attribute in attributes):
        table = _dense_table(parts, attributes, len(rows), extra)
    else:
        table = _sparse_table(parts, len(rows), extra)
    return options.apply(table)


def _cells_of_attributes(
    file: str, rows: Sequence[ArffRow], attributes: Sequence[Attribute], options: ReadOptions
) -> list[tuple[Column, npt.NDArray[np.intp]]]:
    """Return the cells that are there, a column and its row numbers for each attribute."""
    import polars as pl

    every = range(len(attributes))
    places = np.fromiter(
        chain.from_iterable(every if row.places is None else row.places for row in rows), np.intp
    )
    texts = pl.Series(list(chain.from_iterable(row.texts for row in rows)), dtype=pl.String)
    row_of_cell = np.repeat(np.arange(len(rows)), [len(row.texts) for row in rows])
    order = np.argsort(places, kind="stable")
    bounds = np.searchsorted(places[order], np.arange(len(attributes) + 1))
    texts, row_of_cell = texts[order], row_of_cell[order]
    line_of_row = np.array([row.line for row in rows])
    parts = []
    for attribute, begin, end in zip(attributes, bounds[:-1], bounds[1:], strict=True):
        own, cells = row_of_cell[begin:end], texts[int(begin) : int(end)]
        column = read_attribute(file, attribute, cells, line_of_row[own].tolist(), options)
        if attribute.is_number and column.kind == "category":
            cells = pl.repeat("0", len(rows), eager=True).scatter(own, cells)
            own = np.arange(len(rows))
            column = read_attribute(file, attribute, cells, line_of_row.tolist(), options)
        parts.append((column, own))
    return parts


def _sparse_table(
    parts: Sequence[tuple[Column, npt.NDArray[np.intp]]], n_rows: int, extra: Sequence[Column]
) -> Table:
    from scipy.sparse import csc_matrix

    everywhere = np.arange(n_rows)
    parts = [*parts, *((column, everywhere) for column in extra)]
    data = np.concatenate([column.numbers() for column, _ in parts])
    rows = np.concatenate([own for _, own in parts])
    starts = np.cumsum([0, *(len(own) for _, own in parts)])
    matrix = csc_matrix((data, rows, starts), shape=(n_rows, len(parts)))
    return Table.from_sparse(matrix, [column.name for column, _ in parts])


def _dense_table(
    parts: Sequence[tuple[Column, npt.NDArray[np.intp]]],
    attributes: Sequence[Attribute],
    n_rows: int,
    extra: Sequence[Column],
) -> Table:
    needed = 8 * n_rows * len(attributes)
    refuse_over_budget(needed, f"{n_rows} × {len(attributes)} cells of sparse rows made dense")
    columns = [
        _laid_out(column, own, n_rows, attribute)
        for (column, own), attribute in zip(parts, attributes, strict=True)
    ]
    return Table.from_columns([*columns, *extra])


def _laid_out(
    column: Column, rows: npt.NDArray[np.intp], n_rows: int, attribute: Attribute
) -> Column:
    """Lay cells over a column of what an absent cell means: 0, the first value, or no text."""
    has_first = column.kind == "numeric" or bool(attribute.values)
    values = np.full(n_rows, 0 if has_first else MISSING_CODE, dtype=column.values.dtype)
    values[rows] = column.values
    missing = None
    if column.missing is not None:
        missing = np.zeros(n_rows, dtype=bool)
        missing[rows] = column.missing
    return Column(column.name, column.type, values, missing)
