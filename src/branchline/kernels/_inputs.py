"""What a kernel is asked about becomes a table; a plain list of texts becomes one column."""

from typing import Any

from branchline.errors import DataError
from branchline.table import Table, as_table

__all__ = ["table_of"]


def table_of(X: Any) -> Table:
    """Return X as a table with at least one row; a list of texts becomes a column "text"."""
    texts = _texts(X)
    table = as_table(X) if texts is None else _one_column(texts)
    if table.n_rows == 0:
        raise DataError("A kernel needs rows: the table has none.", code="D001")
    return table


def _texts(X: Any) -> list[Any] | None:
    """Return the texts of a list, a series or an array that is nothing but texts; else None."""
    is_row = isinstance(X, list | tuple) or len(getattr(X, "shape", ())) == 1
    if not is_row:
        return None
    cells = list(X)
    is_text = all(cell is None or isinstance(cell, str) for cell in cells)
    return cells if is_text and any(isinstance(cell, str) for cell in cells) else None


def _one_column(texts: list[Any]) -> Table:
    return as_table({"text": texts}, kinds={"text": "category"})
