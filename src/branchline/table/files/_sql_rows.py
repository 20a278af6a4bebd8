"""What all databases share: which table is meant, its rows, and the table they make."""

from collections.abc import Sequence
from typing import Any

from branchline._memory import refuse_over_budget
from branchline.table._table import Table
from branchline.table.files._files import part_repair
from branchline.table.files._loose_cells import loose_table
from branchline.table.files._options import ReadOptions
from branchline.table.files._read_csv import unique_names

__all__ = ["chosen_table", "fetched_rows", "table_of_rows"]

_BATCH = 10_000
_BYTES_PER_CELL = 64


def chosen_table(file: str, names: Sequence[str], part: str | None) -> str:
    """Return the table that is asked for, or the only one."""
    if part in names:
        return str(part)
    if part is None and len(names) == 1:
        return names[0]
    raise part_repair(file, "table", names, part)


def fetched_rows(cursor: Any, n_columns: int, file: str) -> list[tuple[Any, ...]]:
    """Return all rows of a query, unless they would not fit in the memory budget."""
    rows: list[tuple[Any, ...]] = []
    while batch := cursor.fetchmany(_BATCH):
        rows.extend(tuple(row) for row in batch)
        refuse_over_budget(_BYTES_PER_CELL * len(rows) * n_columns, f"the rows of {file}")
    return rows


def table_of_rows(
    file: str, names: Sequence[str], rows: list[tuple[Any, ...]], options: ReadOptions
) -> Table:
    """Return the rows of a query as a table."""
    columns: Sequence[Sequence[Any]] = list(zip(*rows, strict=True)) or [()] * len(names)
    return loose_table(unique_names(names, file), columns, options)
