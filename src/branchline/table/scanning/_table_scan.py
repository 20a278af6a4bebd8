"""A table whose columns are files on disk, mapped into memory only where they are looked at.

1. Every column is an array over a file of the cache folder; reading a cell loads its page.
2. Selecting columns and slices of rows give scans of the same files; other rows are copied.
3. Without a cache that is named, the folder is a temporary one: it goes when the last scan of it
   goes, when the program ends, and at Ctrl-C.
"""

import mmap
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import AnyArray
from branchline._memory import READ_IN_BLOCKS, budget_bytes, refuse_over_budget
from branchline.errors import DataError, Repair
from branchline.table._column import Column
from branchline.table._schema import Schema
from branchline.table._table import Table

__all__ = ["ScanFolder", "TableScan", "is_mapped", "release"]

_DROP = getattr(mmap, "MADV_DONTNEED", None)
# Arrays of fewer bytes stay in memory.
_FEW_BYTES = 1 << 20


class ScanFolder:
    """The folder that holds a scan's files; a temporary one is removed with the last scan of it.

    Parameters
    ----------
    path
        The folder.
    is_temporary
        Whether it goes with its scans.
    """

    def __init__(self, path: Path, *, is_temporary: bool) -> None:
        self.path = path
        self.is_temporary = is_temporary
        self.keys: dict[int, str] = {}
        self._maps: list[mmap.mmap] = []
        if is_temporary:
            self.remove = weakref.finalize(self, _remove, path, os.getpid())

    def key_of(self, column: Column) -> str | None:
        """Return what a whole column of a cache with a name is known by; None for any other."""
        mapped = _map_of(column.values)
        whole = mapped is not None and len(mapped) == column.values.nbytes
        return self.keys.get(id(mapped)) if whole and not self.is_temporary else None

    def remember(self, columns: Sequence[Column], checksums: Sequence[int]) -> None:
        """Remember by what the columns of the folder are known: their place and checksum."""
        for place, (column, crc) in enumerate(zip(columns, checksums, strict=True)):
            mapped = _map_of(column.values)
            if mapped is not None and column.kind == "numeric":
                self._maps.append(mapped)  # so that its number stays its own
                self.keys[id(mapped)] = f"{place:05}_{crc:08x}"

    def kept(self, array: AnyArray) -> AnyArray:
        """Return a large array on disk; its file has no name, and goes with it."""
        if array.nbytes < _FEW_BYTES:
            return array
        with tempfile.TemporaryFile(dir=self.path, prefix="codes_") as file:
            file.write(np.ascontiguousarray(array).view(np.uint8).data)
            file.flush()
            view = mmap.mmap(file.fileno(), array.nbytes, access=mmap.ACCESS_READ)
        return np.frombuffer(view, dtype=array.dtype)


def _remove(path: Path, process: int) -> None:
    if os.getpid() == process:  # a forked process does not own the folder
        shutil.rmtree(path, ignore_errors=True)


class TableScan(Table):
    r"""A table larger than memory: its columns are mapped files (made by ``scan_table``).

    It is a ``Table``: columns, slices of rows, ``look`` and ``split_target`` work as always. What
    would need all cells in memory at once is refused with D030 where the memory budget is too
    small.

    See Also
    --------
    scan_table : open files as a table.
    Table : a table in memory.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from branchline import scan_table
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "rows.csv"
    >>> _ = path.write_text("x,y\n1,a\n2,b\n3,a\n")
    >>> scan_table(path).n_rows
    3
    """

    folder: ScanFolder

    @classmethod
    def _of_files(
        cls, schema: Schema, columns: Iterable[Column], folder: ScanFolder
    ) -> "TableScan":
        table = cls._over(schema, columns=columns)
        assert isinstance(table, TableScan)
        table.folder = folder
        return table

    @property
    def cache(self) -> Path:
        """The folder that holds the columns."""
        return self.folder.path

    def _map(
        self,
        schema: Schema,
        on_matrix: Callable[[Any], Any],
        on_columns: Callable[[tuple[Column, ...]], Iterable[Column]],
    ) -> Table:
        made = super()._map(schema, on_matrix, on_columns)
        columns = made.columns
        if not all(is_mapped(column.values) or not len(column) for column in columns):
            return made
        scan = TableScan._of_files(schema, columns, self.folder)
        scan.groups, scan.times = made.groups, made.times
        return scan

    def rows(self, which: Any) -> Table:
        """Return the rows at ``which``; a slice stays on disk, other rows are copied."""
        if not isinstance(which, slice):
            places = np.atleast_1d(np.asarray(which))
            n_rows = int(np.count_nonzero(places)) if places.dtype == bool else places.size
            width = sum(column.values.dtype.itemsize for column in self.columns)
            self._refuse_copy(n_rows * width, f"a copy of {n_rows:,} rows")
        return super().rows(which)

    def packed(self) -> Table:
        """Return the scan itself: one matrix of all columns would not fit."""
        return self

    def to_numpy(self) -> npt.NDArray[Any]:
        """Return all cells as one array in memory, where the memory budget allows it."""
        self._refuse_copy(8 * self.n_rows * self.n_columns, "all cells in memory at once")
        return super().to_numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        self._refuse_copy(8 * self.n_rows * self.n_columns, "all cells in memory at once")
        return super().__array__(dtype, copy)

    def _refuse_copy(self, needed: int, purpose: str) -> None:
        try:
            refuse_over_budget(needed, purpose)
        except DataError as error:
            raise over_budget(self, error.message) from None

    def parts(self, n_rows: int) -> Iterator[Table]:
        """Yield the rows in order, ``n_rows`` at a time, each part in memory."""
        for first in range(0, self.n_rows, n_rows):
            yield Table.from_columns(
                [_in_memory(column.take(slice(first, first + n_rows))) for column in self.columns],
                named=self.schema.named,
            )

    def __repr__(self) -> str:
        return super().__repr__().replace("Table(", "TableScan(", 1)


def over_budget(scan: TableScan, message: str) -> DataError:
    """Return the error for what would need all cells of a scan in memory."""
    most = max(1, budget_bytes() // max(8 * scan.n_columns, 1))
    return DataError(
        f"{message} A table larger than memory can be fitted by gradient boosting, random forests "
        f"and extra-trees. {READ_IN_BLOCKS} Other learners need some of its rows.",
        code="D030",
        repair=Repair(
            f"X = X.rows(slice(0, {min(most, scan.n_rows)}))  # or fit gradient boosting",
        ),
    )


def _in_memory(column: Column) -> Column:
    missing = None if column.missing is None else np.array(column.missing)
    return Column(column.name, column.type, np.array(column.values), missing)


def _map_of(array: Any) -> mmap.mmap | None:
    """Return the mapped file behind an array; None where it is in memory."""
    base = array
    while base is not None:
        if isinstance(base, mmap.mmap):
            return base
        base = base.obj if isinstance(base, memoryview) else getattr(base, "base", None)
    return None


def is_mapped(array: AnyArray) -> bool:
    """Whether an array is a part of a mapped file."""
    return _map_of(array) is not None


def release(*arrays: AnyArray | None) -> None:
    """Give the memory of mapped arrays back; pages that are used again are read again."""
    for array in arrays:
        mapped = None if array is None else _map_of(array)
        if mapped is not None and _DROP is not None:
            mapped.madvise(_DROP)
