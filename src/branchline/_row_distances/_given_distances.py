"""A matrix of distances in place of a table."""

import numpy as np

from branchline import _core
from branchline._arrays import Floats
from branchline._validation import TrainingData
from branchline.errors import DataError, Repair
from branchline.table import Table

__all__ = ["given_distances", "numbers_of"]

_ROUNDING = 1e-9


def numbers_of(table: Table) -> Floats:
    """Return a table of numbers as a matrix, which may be the caller's own."""
    if table.matrix is not None:
        return np.ascontiguousarray(table.matrix, dtype=np.float64)
    return np.stack([np.asarray(c.numbers(), dtype=np.float64) for c in table.columns], axis=1)


def given_distances(data: TrainingData, owner: str) -> Floats:
    """Return the distances of the rows that count, checked; they may be the caller's own."""
    if any(field.type.kind == "category" for field in data.table.schema):
        raise _unusable(owner, "it has columns that are not numbers")
    matrix = numbers_of(data.table)
    n_given = len(matrix) if data.kept is None else len(data.kept)
    if matrix.shape[1] != n_given:
        raise _unusable(owner, f"it has {n_given} rows and {matrix.shape[1]} columns")
    if data.kept is not None:
        matrix = np.ascontiguousarray(matrix[:, data.kept])
    usable, largest, asymmetry, diagonal = _core.look_at_distances(matrix)
    if not usable:
        raise _unusable(owner, "some distances are missing or below 0")
    if asymmetry > _ROUNDING * largest:
        raise _unusable(owner, "it is not symmetric")
    if diagonal > _ROUNDING * largest:
        raise _unusable(owner, "rows have a distance from themselves")
    return matrix


def _unusable(owner: str, why: str) -> DataError:
    return DataError(
        f"With metric='precomputed', {owner} takes a square matrix of distances. This is none: "
        f"{why}.",
        code="D670",
        repair=Repair("from branchline.cluster import distances\nX = distances(X)"),
    )
