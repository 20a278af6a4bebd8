"""A file read part by part, so that memory stays bounded however long it is.

1. Delimited text: the first line holds the names. Whole lines are taken until there are enough
   rows; a quoted cell may go over several lines.
2. Parquet: polars reads the rows from one place to another.
3. The first part decides of which kind each column is; later parts are read accordingly.
"""

import bz2
import gzip
import io
import lzma
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np

from branchline._arrays import AnyArray
from branchline._validation import Whole, check_parameters
from branchline.errors import DataError, Repair
from branchline.table import Table, as_table
from branchline.table.files import DEFAULT_MISSING, ReadOptions, read_with

__all__ = ["TableStream", "read_stream"]

_OPEN = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_TEXTS = {".csv", ".tsv", ".txt", ".tab", ".data"}


def read_stream(
    path: str | PathLike[str],
    *,
    chunk_rows: int = 10_000,
    kinds: Mapping[str, str] | None = None,
    missing: Any = DEFAULT_MISSING,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> "TableStream":
    r"""Open a file as a stream of tables; nothing is read before rows are asked for.

    Parameters
    ----------
    path
        Delimited text whose first line holds the names (.csv, .tsv, .txt; also .gz, .bz2, .xz), or
        Parquet (.parquet).
    chunk_rows
        How many rows are read at a time. Memory is that of this many rows. Default 10 000.
    kinds, missing, delimiter, encoding
        As in ``read_table``. Kinds that are not given are found in the first part.

    See Also
    --------
    evaluate_stream : predict each row of a stream before the model learns from it.
    read_table : read a file as a table.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from branchline.stream import read_stream
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "rows.csv"
    >>> _ = path.write_text("x,y\n1,a\n2,b\n3,a\n")
    >>> [table.n_rows for table in read_stream(path, chunk_rows=2)]
    [2, 1]
    """
    check_parameters("read_stream", {"chunk_rows": chunk_rows}, {"chunk_rows": Whole(1)})
    options = ReadOptions(
        kinds=dict(kinds or {}),
        missing=(missing,) if isinstance(missing, str) else tuple(missing),
        delimiter=delimiter,
        encoding=encoding,
        header=True,
        totals=True,
    )
    return TableStream(Path(path), int(chunk_rows), options)


@dataclass(frozen=True)
class TableStream:
    r"""Parts of a file, in their order; every loop over them reads the file again.

    Parameters
    ----------
    path
        The file.
    chunk_rows
        How many rows a part has; the last one may have fewer.
    options
        How the file is read.

    See Also
    --------
    read_stream : open a file as a stream of tables.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from branchline.stream import read_stream
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "rows.csv"
    >>> _ = path.write_text("x,y\n1,a\n2,b\n3,a\n")
    >>> read_stream(path, chunk_rows=2).chunk_rows
    2
    """

    path: Path
    chunk_rows: int
    options: ReadOptions

    def __iter__(self) -> Iterator[Table]:
        suffixes = [suffix.lower() for suffix in self.path.suffixes]
        if suffixes[-1:] == [".parquet"]:
            return self._of_parquet()
        last = suffixes[-2:-1] if suffixes[-1:] and suffixes[-1] in _OPEN else suffixes[-1:]
        if last and last[0] in _TEXTS:
            return self._of_text()
        raise DataError(
            f"{self.path.name} is neither delimited text nor Parquet, so it cannot be read part by "
            "part.",
            code="D638",
            values=[self.path.name],
            repair=Repair(
                "from branchline import read_table\n"
                "read_table(path).write_csv('rows.csv')\n"
                "stream = read_stream('rows.csv')"
            ),
        )

    def classes(self, target: str) -> AnyArray:
        """Return the classes of a column, by one pass over the file."""
        found: set[Any] = set()
        for table in self.with_category(target):
            column = table.column(target)
            codes = np.unique(column.values[column.values >= 0])
            found.update(column.categories[code] for code in codes)
        return np.unique(np.array(sorted(map(str, found))))

    def with_category(self, column: str) -> "TableStream":
        """Return the same stream with a column of categories, whatever its cells look like."""
        kinds = {**self.options.kinds, column: "category"}
        return replace(self, options=replace(self.options, kinds=kinds))

    def _of_parquet(self) -> Iterator[Table]:
        import polars as pl

        begin, options = 0, self.options
        while True:
            frame = pl.scan_parquet(self.path).slice(begin, self.chunk_rows).collect()
            if not frame.height:
                return
            yield options.apply_to_frame(as_table(frame, texts="raw"))
            begin += frame.height

    def _of_text(self) -> Iterator[Table]:
        options = self.options
        for number, part in enumerate(self._parts()):
            table = read_with(io.BytesIO(part), options, "csv")
            if number == 0:
                options = _like(options, table)
            yield table

    def _parts(self) -> Iterator[bytes]:
        """Yield the first line and as many rows as a part has."""
        opener: Any = _OPEN.get(self.path.suffix.lower(), open)
        with opener(self.path, "rb") as file:
            head = file.readline()
            while True:
                lines = list(self._rows(file))
                if not lines:
                    return
                yield head.rstrip(b"\r\n") + b"\n" + b"".join(lines)

    def _rows(self, file: IO[bytes]) -> Iterator[bytes]:
        n_rows, is_open = 0, False
        while n_rows < self.chunk_rows or is_open:
            line = file.readline()
            if not line:
                return
            is_open ^= line.count(b'"') % 2 == 1  # a quoted cell goes on in the next line
            n_rows += 0 if is_open or not line.strip() else 1
            yield line


def _like(options: ReadOptions, table: Table) -> ReadOptions:
    """Return options by which later parts get the kinds of the first one."""
    kinds = {}
    for field in table.schema:
        if field.type.kind == "category":
            kinds[field.name] = "category"
        elif field.type.written is not None:
            kinds[field.name] = field.type.written
        elif not table.column(field.name).is_missing.all():
            kinds[field.name] = "number"
    return replace(options, kinds={**kinds, **options.kinds}, tells=False)
