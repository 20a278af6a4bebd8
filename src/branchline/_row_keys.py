"""Hashes of rows that depend on nothing but their content.

A row's key is the sum over its columns of a scramble of (value, column), scrambled with the target.
A column is known by a hash of the values it takes and how often, then (a second time) of the values
it takes in which rows. So neither the order of rows or columns, nor names, nor the numbers that a
container gives to categories matter; columns that no row tells apart are told apart by their order.
Columns that are constant or equal to another one add nothing, so they change no key.
The work is done in ``native/kernels/row_keys.cpp``; the formulas are stated in ``row_keys.hpp``.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._codes import Codes
from branchline._memory import refuse_over_budget
from branchline.table import Table

__all__ = [
    "bag_of_ranks",
    "canonical_codes",
    "content_keys",
    "input_hashes",
    "matrix_keys",
    "scramble",
    "scramble_one",
]

Words = npt.NDArray[np.uint64]

_64_BITS = 2**64 - 1
# Cells that are hashed at a time.
_CELLS = 2**20


def scramble(words: Words) -> Words:
    """Scramble 64-bit words (the finaliser of SplitMix64)."""
    with np.errstate(over="ignore"):
        words = words + np.uint64(0x9E3779B97F4A7C15)
        words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def scramble_one(word: int) -> int:
    """Scramble one word, without the cost of an array."""
    word = (word + 0x9E3779B97F4A7C15) & _64_BITS
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 & _64_BITS
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB & _64_BITS
    return word ^ (word >> 31)


def content_keys(
    table: Table,
    codes: Codes,
    targets: Words,
    copies: npt.NDArray[np.int64] | None,
    *,
    n_threads: int = 1,
) -> Words:
    """Return the key of each row.

    Parameters
    ----------
    table, codes
        The rows, and their codes.
    targets
        The target as 64-bit words, one column per output.
    copies
        Whole weights; None counts every row once.
    n_threads
        Threads to use; the result does not depend on it.
    """
    ranks = [
        canonical_codes(table, codes, place) if is_category else None
        for place, is_category in enumerate(codes.is_category.tolist())
    ]
    words = np.ascontiguousarray(targets)
    return _core.content_keys(list(codes.columns), ranks, words, copies, n_threads)


def bag_of_ranks(table: Table, codes: Codes) -> Words:
    """Return a word for each row: the ranks of its values, whatever columns they are in.

    Where there is no target, it tells rows apart before columns are known.
    """
    words = np.zeros(table.n_rows, dtype=np.uint64)
    for place, column in enumerate(codes.columns):
        if column.min() == column.max():
            continue
        is_category = codes.is_category[place]
        ranks = canonical_codes(table, codes, place)[column] if is_category else column
        with np.errstate(over="ignore"):
            words += scramble(ranks.astype(np.uint64))
    return words


def matrix_keys(
    matrix: npt.NDArray[Any],
    targets: Words,
    copies: npt.NDArray[np.int64] | None,
    *,
    n_threads: int = 1,
) -> Words:
    """Return the key of each row of a matrix of floats: that of ``content_keys``, without codes.

    Of a matrix of many columns most of the time would go into an array for each. A target without
    outputs has ``bag_of_ranks`` in its place.
    """
    needed = matrix.size * (1 if len(matrix) < 2**7 else 4)
    refuse_over_budget(needed, "the codes of the table", is_copy=True)
    in_step = all(step % matrix.itemsize == 0 for step in matrix.strides)
    usable = matrix if matrix.flags.aligned and in_step else matrix.copy()
    words = np.ascontiguousarray(targets)
    return _core.matrix_keys(usable, words, copies, n_threads)


def canonical_codes(table: Table, codes: Codes, place: int) -> Words:
    """Return the rank by name of each code of a category column (0 first, which stays 0).

    Only names that occur have ranks of their own; pooled names keep their codes.
    """
    n_codes = int(codes.n_codes[place])
    if codes.pooling[place] is not None:
        return np.arange(n_codes + 1, dtype=np.uint64)
    names = table.schema.fields[place].type.categories or ()
    present = np.flatnonzero(np.bincount(codes.columns[place]))
    by_name = sorted(present.tolist(), key=lambda code: str(names[code - 1]) if code else "")
    rank = np.zeros(n_codes + 1, dtype=np.uint64)
    rank[by_name] = np.arange(1, len(by_name) + 1, dtype=np.uint64)
    rank[0] = 0
    return rank


def input_hashes(table: Table) -> Words:
    """Return a hash of each row's inputs: equal for equal rows of this table, and nothing more.

    Unlike keys, hashes depend on the order of columns and on the numbers of categories.
    """
    if table.sparse is not None:
        return _sparse_hashes(table)
    n_rows, salts = table.n_rows, scramble(np.arange(table.n_columns, dtype=np.uint64))
    hashes = np.zeros(n_rows, dtype=np.uint64)
    for rows in (slice(at, at + _CELLS) for at in range(0, n_rows, _CELLS)):
        step = max(1, _CELLS // n_rows)
        for first in range(0, table.n_columns, step):
            some = slice(first, first + step)
            words = scramble(_cells(table, some, rows) ^ salts[some])
            with np.errstate(over="ignore"):
                hashes[rows] += words.sum(axis=1, dtype=np.uint64)
    return hashes


def _cells(table: Table, some: slice, rows: slice) -> Words:
    """Return cells of some columns and rows as 64-bit words; equal cells have equal words."""
    if table.matrix is not None:
        return _words_of(table.matrix[rows, some])
    columns = [table.column(name).take(rows) for name in table.names[some]]
    parts = [
        _words_of(column.numbers())
        if column.kind == "numeric"
        else column.values.astype(np.int64).view(np.uint64)
        for column in columns
    ]
    return np.stack(parts, axis=1)


def _words_of(numbers: npt.NDArray[np.floating]) -> Words:
    values = np.array(numbers, dtype=np.float64, order="C") + 0.0  # −0.0 and 0.0 are one number
    values[np.isnan(values)] = np.nan
    return values.view(np.uint64)


def _sparse_hashes(table: Table) -> Words:
    """Return hashes of a sparse table's rows from the cells that are stored and not zero."""
    cells = table.sparse.tocoo()
    kept = cells.data != 0
    words = _words_of(cells.data[kept])
    salts = scramble(cells.coords[1][kept].astype(np.uint64))
    hashes = np.zeros(table.n_rows, dtype=np.uint64)
    np.add.at(hashes, cells.coords[0][kept], scramble(words ^ salts))
    return hashes
