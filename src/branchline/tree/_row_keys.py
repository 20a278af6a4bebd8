"""Hashes of rows that depend on nothing but their content.

A row's key is the sum over its columns of a scramble of (value, column), scrambled again with the
target. A column is known by a hash of the values it takes and how often, so neither the order of
rows or columns, nor names, nor the numbers that a container gives to categories matter. Columns
that are constant or equal to another one add nothing, so they change no key.
"""

import hashlib

import numpy as np
import numpy.typing as npt

from branchline._codes import Codes
from branchline.table import Table

__all__ = ["content_keys", "scramble"]

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
    keys = np.zeros(codes.n_rows, dtype=np.uint64)
    times = np.uint64(1) if copies is None else copies.astype(np.uint64)
    seen: set[bytes] = set()
    for place in range(len(codes.columns)):
        values = _canonical(table, codes, place)
        digest = hashlib.blake2b(values.tobytes(), digest_size=16).digest()
        if digest in seen or values.min() == values.max():
            continue
        seen.add(digest)
        scrambled = scramble(values)
        column = (scrambled * times).sum(dtype=np.uint64)
        keys += scramble(scrambled ^ column)
    for output in range(targets.shape[1]):
        keys = scramble(keys ^ scramble(targets[:, output] + np.uint64(output)))
    return keys


def _canonical(table: Table, codes: Codes, place: int) -> Words:
    """Return codes that do not depend on how a container orders categories: by name."""
    column = codes.columns[place]
    if not codes.is_category[place] or codes.pooling[place] is not None:
        return column.astype(np.uint64)
    names = table.schema.fields[place].type.categories or ()
    present = np.unique(column)
    by_name = sorted(present.tolist(), key=lambda code: str(names[code - 1]) if code else "")
    rank = np.zeros(len(names) + 1, dtype=np.uint64)
    rank[by_name] = np.arange(1, len(by_name) + 1, dtype=np.uint64)
    rank[0] = 0
    ranks: Words = rank[column]
    return ranks
