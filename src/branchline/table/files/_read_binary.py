"""Parquet and Arrow files into a table: polars reads them, the types are kept as they come."""

import io
from collections.abc import Callable
from typing import TYPE_CHECKING

from branchline.errors import DataError
from branchline.table._table import Table
from branchline.table.files._options import ReadOptions
from branchline.table.files._source import Source, file_error
from branchline.table.frames._from_polars import from_polars

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_arrow", "read_parquet"]

_END_OF_STREAM = b"\xff\xff\xff\xff\x00\x00\x00\x00"


def read_parquet(source: Source, options: ReadOptions) -> Table:
    """Return the table that a Parquet file holds."""
    import polars as pl

    return _table_of(source, options, "Parquet", pl.read_parquet)


def read_arrow(source: Source, options: ReadOptions) -> Table:
    """Return the table that an Arrow (Feather) file or stream holds."""
    import polars as pl

    if source.content.startswith(b"ARROW1"):
        return _table_of(source, options, "Arrow", pl.read_ipc)
    if source.content and not source.content.endswith(_END_OF_STREAM):
        # polars would silently return the batches that are there
        raise _damaged(source, "Arrow", "the end mark is not there")
    return _table_of(source, options, "Arrow", pl.read_ipc_stream)


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
        raise _damaged(source, what, str(error).partition("\n")[0][:120]) from None
    return options.apply_to_frame(from_polars(frame))


def _damaged(source: Source, what: str, reason: str) -> DataError:
    message = f"the {what} file is damaged or cut short ({reason}). Fetch or write it again."
    return file_error(source.name, message, code="F008")
