"""Outputs of any kind as they are given: a table, or a Gram matrix, a row for each row of X."""

from typing import Any

import numpy as np

from branchline.errors import DataError, Repair
from branchline.kernels._inputs import table_of
from branchline.outputs._targets import refuse_missing
from branchline.table import Table

__all__ = ["given_outputs", "rows_or_texts"]

_AS_MANY = "from branchline import Table\nn = min(len(X), len(y))\nmodel.fit(Table(X)[:n], y[:n])"


def given_outputs(y: Any, n_rows: int, owner: str, *, is_gram: bool) -> Table:
    """Return outputs as a table with a row for each row of X, no cell of which is missing."""
    if y is None:
        raise _other_rows(owner, "None", n_rows, is_gram=is_gram)
    if not hasattr(y, "columns") and not isinstance(y, dict) and np.ndim(y) == 1:
        cells = np.asarray(y)
        if cells.dtype.kind in "iufb":
            y = cells.astype(np.float64)[:, None]
    table = table_of(y)
    if table.n_rows != n_rows or (is_gram and table.n_columns != n_rows):
        shape = f"{table.n_rows} rows and {table.n_columns} columns"
        raise _other_rows(owner, shape, n_rows, is_gram=is_gram)
    refuse_missing([column.to_numpy() for column in table.columns])
    return table


def rows_or_texts(X: Any) -> Any:
    """Return a plain list of texts as a table of one column, other rows as they are."""
    is_list = isinstance(X, list | tuple) or getattr(X, "shape", (0, 0))[1:] == ()
    return table_of(X) if is_list and len(X) and all(isinstance(one, str) for one in X) else X


def _other_rows(owner: str, shape: str, n_rows: int, *, is_gram: bool) -> DataError:
    if is_gram:
        return DataError(
            f"With output_kernel='precomputed', {owner} takes y as the square Gram matrix of the "
            f"outputs of all {n_rows} rows; it has {shape}. If y is a table of outputs, choose a "
            "kernel.",
            code="D628",
            repair=Repair("model.set_params(output_kernel='linear').fit(X, y)"),
        )
    return DataError(
        f"{owner} needs an output for each of {n_rows} rows; y has {shape}.",
        code="D628",
        repair=None if shape == "None" else Repair(_AS_MANY),
    )
