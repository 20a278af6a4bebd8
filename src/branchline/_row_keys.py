"""Hashes of rows that depend on nothing but their content.

A row's key is the sum over its columns of a scramble of (value, column), scrambled with the target.
A column is known by a hash of the values it takes and how often, then (a second time) of the values
it takes in which rows. So neither the order of rows or columns, nor names, nor the numbers that a
container gives to categories matter; columns that no row tells apart are told apart by their order.
Columns that are constant or equal to another one add nothing, so they change no key.
The work is done in ``native/kernels/row_keys.cpp``; the formulas are stated in ``row_keys.hpp``.
"""

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._codes import Codes
from branchline.table import Table

__all__ = ["bag_of_ranks", "canonical_codes", "content_keys", "scramble", "scramble_one"]

Words = npt.NDArray[np.uint64]

_64_BITS = 2**64 - 1


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
        The target as 64-bit words, a column an output.
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
