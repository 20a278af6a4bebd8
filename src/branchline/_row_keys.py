"""Hashes of rows that depend on nothing but their content.

A row's key is the sum over its columns of a scramble of (value, column), scrambled with the target.
A column is known by a hash of the values it takes and how often, then (a second time) of the values
it takes in which rows. So neither the order of rows or columns, nor names, nor the numbers that a
container gives to categories matter; columns that no row tells apart are told apart by their order.
Columns that are constant or equal to another one add nothing, so they change no key.
"""

import hashlib
from collections import Counter

import numpy as np
import numpy.typing as npt

from branchline._codes import Codes
from branchline.table import Table

__all__ = ["canonical_codes", "content_keys", "scramble"]

Words = npt.NDArray[np.uint64]


def scramble(words: Words) -> Words:
    """Scramble 64-bit words (the finaliser of SplitMix64)."""
    with np.errstate(over="ignore"):
        words = words + np.uint64(0x9E3779B97F4A7C15)
        words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def content_keys(
    table: Table, codes: Codes, targets: Words, copies: npt.NDArray[np.int64] | None
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
    """
    columns = _distinct_columns(table, codes)
    times = np.uint64(1) if copies is None else copies.astype(np.uint64)
    keys = _with_targets(np.zeros(codes.n_rows, dtype=np.uint64), targets)
    for _ in range(2):
        keys = _with_targets(_sum_of_columns(columns, keys, times), targets)
    return keys


def _distinct_columns(table: Table, codes: Codes) -> list[Words]:
    """Return the scrambled values of each column that varies and is not equal to another one."""
    columns: dict[bytes, Words] = {}
    for place in range(len(codes.columns)):
        values = _canonical(table, codes, place)
        if values.min() != values.max():
            digest = hashlib.blake2b(values.tobytes(), digest_size=16).digest()
            columns.setdefault(digest, scramble(values))
    return list(columns.values())


def _sum_of_columns(columns: list[Words], rows: Words, times: Words | np.uint64) -> Words:
    """Return the sum of (value, column) for each row; ``rows`` is what is known of rows so far."""
    keys = np.zeros(len(rows), dtype=np.uint64)
    alike: Counter[int] = Counter()
    for values in columns:
        column = int((scramble(values ^ rows) * times).sum(dtype=np.uint64))
        alike[column] += 1
        salt = np.array([column], dtype=np.uint64) + np.uint64(alike[column])
        keys += scramble(values ^ scramble(salt))
    return keys


def _with_targets(keys: Words, targets: Words) -> Words:
    for output in range(targets.shape[1]):
        keys = scramble(keys ^ scramble(targets[:, output] + np.uint64(output)))
    return keys


def _canonical(table: Table, codes: Codes, place: int) -> Words:
    """Return codes that do not depend on how a container orders categories: by name."""
    column = codes.columns[place]
    if not codes.is_category[place]:
        return column.astype(np.uint64)
    ranks: Words = canonical_codes(table, codes, place)[column]
    return ranks


def canonical_codes(table: Table, codes: Codes, place: int) -> Words:
    """Return the rank by name of each code of a category column (0 first, which stays 0).

    Only names that occur have ranks of their own; pooled names keep their codes.
    """
    n_codes = int(codes.n_codes[place])
    if codes.pooling[place] is not None:
        return np.arange(n_codes + 1, dtype=np.uint64)
    names = table.schema.fields[place].type.categories or ()
    present = np.unique(codes.columns[place])
    by_name = sorted(present.tolist(), key=lambda code: str(names[code - 1]) if code else "")
    rank = np.zeros(n_codes + 1, dtype=np.uint64)
    rank[by_name] = np.arange(1, len(by_name) + 1, dtype=np.uint64)
    rank[0] = 0
    return rank
