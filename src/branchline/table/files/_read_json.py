"""JSON and JSON lines into a table.

1. One document: a list of objects (a row each), a list of lists, an object of columns, an object
   with one such list inside, or pandas' "split" form.
2. JSON lines: an object on each line.
3. Objects inside objects become columns "outer.inner"; texts are read as in text files.
"""

import json
from collections.abc import Iterator
from typing import Any

from branchline.errors import DataError
from branchline.table._table import Table
from branchline.table.files._encoding import decode
from branchline.table.files._files import file_error
from branchline.table.files._loose_cells import loose_table
from branchline.table.files._options import ReadOptions
from branchline.table.files._source import Source

__all__ = ["read_json"]

_DEEPEST = 4


def read_json(source: Source, options: ReadOptions) -> Table:
    """Return the table that JSON or JSON lines hold."""
    text = decode(source, options.encoding)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        document = _lines(source.name, text, error)
    names, columns = _columns(source.name, document)
    return loose_table(names, columns, options)


def _lines(file: str, text: str, problem: Exception) -> list[Any]:
    """Return the objects of JSON lines; when there are none, say what is wrong with the whole."""
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            whole = number == 1 or not all(isinstance(row, dict | list) for row in rows)
            at = getattr(problem, "lineno", 1) if whole else number
            why = str(problem if whole else error)[:80]
            raise file_error(file, f"this is not JSON ({why}).", code="F104", line=at) from None
    return rows


def _columns(file: str, document: Any) -> tuple[list[str], list[list[Any]]]:
    if isinstance(document, dict):
        document = _inside(document)
    if isinstance(document, dict):
        return _by_name(file, document)
    if isinstance(document, list) and document and all(isinstance(r, dict) for r in document):
        rows = [dict(_flat(row)) for row in document]
        names = list(dict.fromkeys(name for row in rows for name in row))
        if names:
            return names, [[_cell(file, name, row.get(name)) for row in rows] for name in names]
    if isinstance(document, list) and document and all(isinstance(r, list) for r in document):
        return _by_place(file, document)
    raise _no_table(file)


def _inside(document: dict[str, Any]) -> Any:
    """Return the table inside an object: pandas' split form, or the only list of objects."""
    if {"columns", "data"} <= set(document) and isinstance(document["columns"], list):
        names, rows = document["columns"], document["data"]
        if isinstance(rows, list) and all(
            isinstance(r, list) and len(r) == len(names) for r in rows
        ):
            return [dict(zip(map(str, names), row, strict=True)) for row in rows]
    lists = [
        value
        for value in document.values()
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value)
    ]
    return lists[0] if len(lists) == 1 else document


def _by_name(file: str, document: dict[str, Any]) -> tuple[list[str], list[list[Any]]]:
    columns = {
        name: list(values.values()) if isinstance(values, dict) else values
        for name, values in document.items()
    }
    if not columns or not all(isinstance(values, list) for values in columns.values()):
        raise _no_table(file)
    if len({len(values) for values in columns.values()}) != 1:
        raise _no_table(file)
    cells = [[_cell(file, name, cell) for cell in values] for name, values in columns.items()]
    return list(columns), cells


def _by_place(file: str, rows: list[list[Any]]) -> tuple[list[str], list[list[Any]]]:
    width = len(rows[0])
    if not width or any(len(row) != width for row in rows):
        raise _no_table(file)
    names = [f"column_{place}" for place in range(1, width + 1)]
    if all(isinstance(cell, str) for cell in rows[0]) and len(set(rows[0])) == width:
        others = [cell for row in rows[1:] for cell in row]
        if any(not isinstance(cell, str) for cell in others):
            names, rows = list(rows[0]), rows[1:]
    cells = zip(*rows, strict=True) if rows else [()] * width
    return names, [
        [_cell(file, name, cell) for cell in c] for name, c in zip(names, cells, strict=True)
    ]


def _flat(row: dict[str, Any], front: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, dict) and value and depth < _DEEPEST:
            yield from _flat(value, f"{front}{name}.", depth + 1)
        else:
            yield f"{front}{name}", value


def _cell(file: str, name: str, value: Any) -> Any:
    if isinstance(value, dict | list):
        raise file_error(
            file,
            f"{name!r} holds a {'list' if isinstance(value, list) else 'structure'}; a cell is a "
            "number, a text, true, false or null.",
            code="F104",
            column=name,
            values=[json.dumps(value)[:40]],
            flag=f"--drop {name!r}",
        )
    return value


def _no_table(file: str) -> DataError:
    return file_error(
        file,
        "this JSON is not a table: a list of objects is needed, one for each row, or an object "
        "with a list for each column.",
        code="F104",
    )
