"""The table that a document of the workspace stands for, and how it is read in Python."""

from typing import Any

from branchline.errors import DataError
from branchline.studio._limits import CELLS, COLUMNS, ROWS
from branchline.studio.work._desk import Desk
from branchline.table import Table, load_dataset, read_table
from branchline.table.files import DEFAULT_MISSING

__all__ = ["inputs_without_names", "table_of", "target_of", "whole_table"]


def table_of(desk: Desk, name: str) -> tuple[dict[str, Any], Table]:
    """Return a table's document, and the table as it was asked for: kinds, dropped columns."""
    document = desk.workspace.read("tables", name)
    key = ("table", name, document["revision"])
    return document, desk.remembered(key, lambda: _changed(desk, document))


def target_of(document: dict[str, Any]) -> str:
    """Return the target of a table; refuse when there is none."""
    target = document.get("target")
    if not target:
        raise DataError("Choose the column to predict on the Table screen first.", code="D961")
    return str(target)


def whole_table(desk: Desk, document: dict[str, Any]) -> Table:
    """Return the table with all its columns, kinds as asked for."""
    if document["dataset"]:
        table = load_dataset(document["dataset"])
        return table.with_kinds(document["kinds"]) if document["kinds"] else table
    path = desk.workspace.existing("tables", document["id"], document["ending"])
    given: dict[str, Any] = {"kinds": document["kinds"]} if document["kinds"] else {}
    if document["missing"]:
        given["missing"] = [*DEFAULT_MISSING, *document["missing"]]
    table = read_table(path, **given)
    check_size(table)
    return table


def _changed(desk: Desk, document: dict[str, Any]) -> Table:
    whole = whole_table(desk, document)
    return whole.drop(document["drop"]) if document["drop"] else whole


def check_size(table: Table) -> None:
    """Refuse a table that is too large for the studio."""
    rows, columns = table.shape
    if rows > ROWS or columns > COLUMNS or rows * columns > CELLS:
        raise DataError(
            f"The table has {rows:,} rows and {columns:,} columns, which is too large for the "
            "studio.",
            code="D960",
        )


def inputs_without_names(table: Table, special: str | None) -> tuple[Table, tuple[str, ...]]:
    """Return the table without columns that only name rows, and their names."""
    from branchline.table.looking import likely_identifiers

    found = (finding.name for finding in likely_identifiers(table))
    names = tuple(name for name in found if name != special)
    names = names if len(names) < table.n_columns - (special is not None) else ()
    return (table.drop(names) if names else table), names
