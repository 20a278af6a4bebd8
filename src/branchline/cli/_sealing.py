"""Sealed rows of a file: which they are does not depend on how its columns are read."""

from pathlib import Path
from typing import Any

from branchline.assess import SealedTest
from branchline.cli._file_names import record_of
from branchline.cli._reading import Reading
from branchline.table import Table

__all__ = ["FileSeal", "without_sealed"]


class FileSeal(SealedTest):
    """Rows of a file sealed by all its cells, whatever is left out or read as another kind.

    Were rows told by the columns that are used, another ``--drop`` would seal other rows, and let
    some of those seen before into the test.
    """

    def __init__(
        self,
        path: str | Path,
        data: Any = None,
        reading: Reading | None = None,
        target: str | None = None,
    ) -> None:
        super().__init__(path)
        self._data, self._reading, self._target = data, reading, target

    def of(self, data: Any, reading: Reading) -> "FileSeal":
        """Return the seal on a file."""
        return FileSeal(self.path, data, reading)

    def is_sealed(self, table: Table) -> Any:
        """Return which rows are sealed."""
        if self._reading is None:
            return super().is_sealed(table)
        return super().is_sealed(self._reading.read_whole(self._data))

    def part(self, table: Table) -> tuple[Table, Table]:
        """Return the rows to work with, and the sealed ones whose target is known."""
        kept, sealed = super().part(table)
        if self._target is not None and self._reading is not None:
            sealed = self._reading.with_target(sealed, self._target)
        return kept, sealed


def without_sealed(path: str, data: Any, reading: Reading, table: Table) -> tuple[Table, str]:
    """Return the rows that a model may learn from, and a sentence when some are sealed."""
    record = record_of(path)
    if not record.exists():
        return table, ""
    kept, sealed = FileSeal(record, data, reading).part(table)
    return kept, f"{sealed.n_rows} rows are sealed ({record}) and were left out."
