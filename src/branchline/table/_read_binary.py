"""Parquet and Arrow files into a table: polars reads them, the types are kept as they come."""

import io
from collections.abc import Callable
from typing import TYPE_CHECKING

from branchline.table._options import ReadOptions
from branchline.table._source import Source, file_error
from branchline.table._table import Table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_arrow", "read_parquet"]


def read_parquet(source: Source, options: ReadOptions) -> Table:
    """Return the table that a Parquet file holds."""
    import polars as pl

    return _table_of(source, options, "Parquet", pl.read_parquet)


def read_arrow(source: Source, options: ReadOptions) -> Table:
    """Return the table that an Arrow (Feather) file or stream holds."""
    import polars as pl

    is_file = source.content.startswith(b"ARROW1")
    return _table_of(source, options, "Arrow", pl.read_ipc if is_file else pl.read_ipc_stream)


def _table_of(
    source: Source,
    options: ReadOptions,
    what: str,
    read: "Callable[[io.BytesIO], pl.DataFrame]",
) -> Table:
    import polars as pl

    if not source.content:
        raise file_error(source.name, "the file is empty.", code="F004")
    try:
        frame = read(io.BytesIO(source.content))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        reason = str(error).partition("\n")[0][:120]
        raise file_error(
            source.name,
            f"the {what} file is damaged or cut short ({reason}). Fetch or write it again.",
            code="F008",
        ) from None
    return options.apply(Table(frame))
