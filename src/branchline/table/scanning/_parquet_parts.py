"""Parquet files as parts of their rows: polars reads some rows at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from branchline._names import column_names
from branchline.errors import DataError
from branchline.table.files._files import file_error
from branchline.table.files._options import ReadOptions
from branchline.table.frames._shapes import no_columns

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ParquetFile"]

_FEWEST_ROWS = 1 << 12


@dataclass
class ParquetFile:
    """A Parquet file.

    Parameters
    ----------
    path, options
        The file, and how to read it.
    part_bytes
        About how many bytes of cells a part has.
    """

    path: Path
    options: ReadOptions
    part_bytes: int

    @cached_property
    def schema(self) -> "pl.Schema":
        """The columns of the file and their types."""
        import polars as pl

        with _Told(self.path):
            return pl.scan_parquet(self.path, glob=False).collect_schema()

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        names = column_names(list(self.schema))[0]
        if not names:
            raise no_columns(self.n_rows)
        return list(names)

    @property
    def kept(self) -> list[int]:
        """The places of the columns that are not left out."""
        return [at for at, name in enumerate(self.names) if name not in self.options.drop]

    @cached_property
    def n_rows(self) -> int:
        """The number of rows."""
        import polars as pl

        with _Told(self.path):
            return int(pl.scan_parquet(self.path, glob=False).select(pl.len()).collect().item())

    @property
    def rows_a_part(self) -> int:
        """How many rows a part has."""
        return max(_FEWEST_ROWS, self.part_bytes // (8 * max(1, len(self.schema))))

    def parts(self, first: int, columns: list[str]) -> Iterator["pl.DataFrame"]:
        """Yield some columns of the parts from ``first`` on."""
        import polars as pl

        size = self.rows_a_part if self.part_bytes >= _FEWEST_ROWS else self.part_bytes
        for begin in range(first * size, self.n_rows, size):
            with _Told(self.path):
                lazy = pl.scan_parquet(self.path, glob=False, low_memory=True)
                frame = lazy.select(pl.col(name) for name in columns).slice(begin, size).collect()
            yield frame


class _Told:
    """Say that a file is damaged, as where it is read whole."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        import polars as pl

        broken = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)
        if error is None or isinstance(error, DataError) or not isinstance(error, broken):
            return
        reason = str(error).partition("\n")[0][:120]
        raise file_error(
            str(self.path),
            f"the Parquet file is damaged or cut short ({reason}). Fetch or write it again.",
            code="F008",
        ) from None
