"""The twin of the row keys, in NumPy; row_keys.hpp states what they are."""

import hashlib
from collections import Counter

import numpy as np

from branchline._row_keys import canonical_codes, scramble


def content_keys(table, codes, targets, copies):
    """Return the key of each row."""
    columns = distinct_columns(table, codes)
    times = np.uint64(1) if copies is None else copies.astype(np.uint64)
    keys = with_targets(np.zeros(len(targets), dtype=np.uint64), targets)
    for is_last in (False, True):
        keys = with_targets(sum_of_columns(columns, keys, times, is_last), targets)
    return keys


def distinct_columns(table, codes):
    """Return the scrambled values of each column that varies and is not equal to another one."""
    columns = {}
    for place in range(len(codes.columns)):
        values = canonical(table, codes, place)
        if values.min() != values.max():
            digest = hashlib.blake2b(values.tobytes(), digest_size=16).digest()
            columns.setdefault(digest, scramble(values))
    return list(columns.values())


def sum_of_columns(columns, rows, times, is_last):
    """Return the sum of (value, column) for each row; ``rows`` is what is known of rows so far."""
    keys = np.zeros(len(rows), dtype=np.uint64)
    alike = Counter()
    for values in columns:
        column = int((scramble(values ^ rows) * times).sum(dtype=np.uint64))
        alike[column] = alike[column] + 1 if is_last else 1
        salt = np.array([column], dtype=np.uint64) + np.uint64(alike[column])
        keys += scramble(values ^ scramble(salt))
    return keys


def with_targets(keys, targets):
    """Return keys that depend on the target as well."""
    for output in range(targets.shape[1]):
        keys = scramble(keys ^ scramble(targets[:, output] + np.uint64(output)))
    return keys


def canonical(table, codes, place):
    """Return codes that do not depend on how a container orders categories: by name."""
    column = codes.columns[place]
    if not codes.is_category[place]:
        return column.astype(np.uint64)
    return canonical_codes(table, codes, place)[column]
