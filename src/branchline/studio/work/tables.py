"""Tables: loaded, looked at, changed."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from branchline._plain_data import plain_data
from branchline.catalog import table as catalog_table
from branchline.errors import DataError, ParameterError
from branchline.studio.work._desk import Desk
from branchline.studio.work._packed_files import refuse_bomb
from branchline.studio.work._scripts import compare_script, look_script
from branchline.studio.work._sources import check_size, table_of, target_of, whole_table
from branchline.table import Look, Table, dataset_info, dataset_names, look
from branchline.table.looking import ColumnLook

__all__ = [
    "add_bundled",
    "add_upload",
    "bundled_sets",
    "change_table",
    "learners_for",
    "look_at",
    "repairs_in",
    "rows_of",
    "script_of_compare",
]

_MOST_ROWS, _MOST_COLUMNS = 200, 300
_EMPTY: dict[str, Any] = {
    "dataset": None,
    "ending": None,
    "kinds": {},
    "drop": [],
    "missing": [],
    "target": None,
    "group": None,
    "time_column": None,
}
_CHANGES = ("kinds", "drop", "missing", "target", "group", "time_column")
_DROPPED = {"identifier", "near_unique", "empty", "constant", "duplicate"}
_ROWS_OF_PAIR = (".data", ".test")
_FLAG = re.compile(r"--(kind|missing|drop|group|time-column) ('(?:[^']|'\"'\"')*'\S*|[^\s;]+)")


def bundled_sets(desk: Desk) -> list[dict[str, Any]]:
    """Return what is known of the bundled data sets."""
    infos = [dataset_info(name) for name in dataset_names()]
    return [
        {
            "name": one.name,
            "title": one.title,
            "rows": one.n_rows,
            "columns": one.n_columns,
            "target": one.target,
            "about": one.description,
        }
        for one in infos
    ]


def add_bundled(desk: Desk, name: str) -> dict[str, Any]:
    """Add a bundled data set to the workspace."""
    info = dataset_info(name)
    document = desk.workspace.add(
        "tables",
        {**_EMPTY, "name": f"{name}.csv", "dataset": name, "target": info.target,
         "rows": info.n_rows, "columns": info.n_columns},
    )  # fmt: skip
    return look_at(desk, document["id"])


def add_upload(
    desk: Desk, id: str, name: str, ending: str, names: str | None = None
) -> dict[str, Any]:
    """Add a file that the server has written into the workspace; refuse what cannot be read.

    ``names`` is the id of the .names file that came before the rows of a pair of C4.5.
    """
    document = {**_EMPTY, "id": id, "name": name, "ending": ending}
    pair = desk.workspace.place("tables", id, ".names")
    try:
        refuse_bomb(desk.workspace.existing("tables", id, ending))
        if ending in _ROWS_OF_PAIR:
            _put_beside(desk, names, pair, name)
        rows, columns = whole_table(desk, document).shape
        if not rows or not columns:
            raise DataError("The table has no rows or no columns.", code="D001")
    except BaseException:
        for path in (desk.workspace.place("tables", id, ending), pair):
            path.unlink(missing_ok=True)
        raise
    desk.workspace.add("tables", {**document, "rows": rows, "columns": columns})
    return look_at(desk, id)


def _put_beside(desk: Desk, names: str | None, place: Path, shown: str) -> None:
    """Move the .names file to its rows, where the reader looks for it."""
    if names is None:
        wanted = f"{shown.rsplit('.', 1)[0]}.names"
        raise DataError(
            f"{shown} holds rows of C4.5: choose {wanted} together with it, or drop both at once. "
            "If it is delimited text, give it the ending .csv.",
            code="F017",
        )
    desk.workspace.existing("files", names, ".names").replace(place)


def look_at(desk: Desk, id: str) -> dict[str, Any]:
    """Describe a table: a card for each column, with the repairs of its notes."""
    document, table = table_of(desk, id)
    key = ("look", id, document["revision"])
    cards: dict[str, Any] = desk.remembered(key, lambda: _cards(desk, document, table))
    return {"table": document, **cards, "script": look_script(document)}


def _cards(desk: Desk, document: dict[str, Any], table: Table) -> dict[str, Any]:
    target = document["target"] if document["target"] in table.names else None
    seen: Look = look(table, target)
    left_out = []
    if document["drop"]:
        whole = whole_table(desk, document)
        left_out = [{"name": name, "kind": whole.schema[name].kind} for name in document["drop"]]
    shown = seen.columns[:_MOST_COLUMNS]
    return {
        "rows": seen.n_rows,
        "columns": seen.n_columns,
        "missing": seen.n_missing,
        "incomplete_rows": seen.n_incomplete_rows,
        "notes": [note.text for note in seen.notes],
        "target_words": seen.target_words,
        "task": None if target is None else _task(table, target),
        "cards": [_card(column, table, column.name == target) for column in shown],
        "names": list(table.names),
        "more": max(0, len(seen.columns) - _MOST_COLUMNS),
        "left_out": left_out,
    }


def _task(table: Table, target: str) -> str:
    """Return what the target asks for, as ``compare`` decides it."""
    column = table.column(target)
    if column.type.kind == "category":
        return "classification"
    values = {value for value in column.to_list() if value is not None}
    return "classification" if len(values) <= 2 else "regression"


def _card(column: ColumnLook, table: Table, is_target: bool) -> dict[str, Any]:
    notes = []
    for note in column.notes:
        fixes = [] if is_target else repairs_in(column.name, note.topic, note.command or note.text)
        notes.append({"topic": note.topic, "text": _without_code(note.text), "repairs": fixes})
    return {
        "name": column.name,
        "kind": column.kind,
        "words": column.words,
        "missing": column.n_missing,
        "missing_share": column.missing_share,
        "distinct": column.n_distinct,
        "range": [column.low, column.median, column.high],
        "frequent": [{"value": value, "share": share} for value, share in column.frequent],
        "shape": list(column.shape),
        "notes": notes,
        "is_target": is_target,
        "written": table.schema[column.name].source,
    }


def _without_code(text: str) -> str:
    """Return a remark without the Python at its end: the button beside it does that."""
    cut = re.split(r"\s(?:kinds=\{|compare\(|table\.drop\(|read_table\()", text)[0]
    return cut if cut == text else cut.rstrip(" :") + "."


def repairs_in(column: str, topic: str, command: str) -> list[dict[str, Any]]:
    """Return the repairs that a remark prints as flags of the command line, as changes.

    Examples
    --------
    >>> from branchline.studio.work.tables import repairs_in
    >>> repairs_in("day", "ambiguous", "Say which: --kind day=date:%d/%m/%Y.")
    [{'label': 'Read as date:%d/%m/%Y', 'change': {'kinds': {'day': 'date:%d/%m/%Y'}}}]
    """
    words = [found for found in map(_flag_of, _FLAG.findall(command)) if found is not None]
    texts = [word for flag, word in words if flag == "missing"]
    found = [_CHANGE_OF[flag](word) for flag, word in words if flag in _CHANGE_OF]
    if texts:
        label = f"Count {', '.join(texts)} as missing"
        found.insert(0, {"label": label, "change": {"missing": texts}})
    if topic == "dates_as_text" and not found:
        found.append({"label": "Read as dates", "change": {"kinds": {column: "date"}}})
    if topic in _DROPPED and not any("drop" in one["change"] for one in found):
        found.append(_left_out(column))
    return found


def _flag_of(found: tuple[str, str]) -> tuple[str, str] | None:
    """Return a flag and its value without the quotes of the shell; None where there are none."""
    flag, value = found
    try:
        words = shlex.split(value.rstrip("."))
    except ValueError:
        return None
    return (flag, words[0]) if words else None


def _other_kind(word: str) -> dict[str, Any]:
    name, _, kind = word.rpartition("=")
    label = "Keep the texts" if kind == "category" else f"Read as {kind}"
    return {"label": label, "change": {"kinds": {name: kind}}}


def _left_out(word: str) -> dict[str, Any]:
    return {"label": "Leave the column out", "change": {"drop": [word]}}


_CHANGE_OF: dict[str, Callable[[str], dict[str, Any]]] = {
    "kind": _other_kind,
    "drop": _left_out,
    "group": lambda word: {"label": "Keep its rows in one fold", "change": {"group": word}},
    "time-column": lambda word: {"label": "Use as the time", "change": {"time_column": word}},
}


def rows_of(desk: Desk, id: str, start: int, count: int) -> dict[str, Any]:
    """Return some rows as texts."""
    _, table = table_of(desk, id)
    last = min(start + min(count, _MOST_ROWS), table.n_rows)
    part = table.rows(list(range(min(start, last), last))).select(table.names[:_MOST_COLUMNS])
    columns = [part.column(name).to_list() for name in part.names]
    rows = [[_cell(column[at]) for column in columns] for at in range(last - min(start, last))]
    return {"names": list(part.names), "rows": rows, "start": start, "of": table.n_rows}


def _cell(value: Any) -> str | None:
    if value is None or value != value:
        return None
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(plain_data(value))[:200]


def change_table(
    desk: Desk, id: str, revision: int, changes: dict[str, Any], replace: bool
) -> dict[str, Any]:
    """Change how a table is read; what cannot be read so is refused, and nothing is changed.

    Lists and kinds are added to what is there, or stand in its place with ``replace``.
    """
    document = desk.workspace.read("tables", id)
    wanted = {**document}
    for name in _CHANGES:
        if name in changes:
            wanted[name] = _merged(document[name], changes[name], replace)
    if wanted["target"] in wanted["drop"]:
        raise ParameterError("The target cannot be left out.", code="P960")
    whole = whole_table(desk, wanted)
    named = [*wanted["drop"], *wanted["kinds"]]
    named += [wanted[one] for one in ("target", "group", "time_column") if wanted[one]]
    for name in named:
        whole.column(name)  # an unknown one is refused, with the nearest name
    for one in ("group", "time_column"):
        if wanted[one] in wanted["drop"]:
            wanted[one] = None
    check_size(whole)
    desk.workspace.change("tables", id, revision, {name: wanted[name] for name in _CHANGES})
    return look_at(desk, id)


def _merged(old: Any, new: Any, replace: bool) -> Any:
    if replace or not isinstance(old, list | dict):
        return new
    if isinstance(old, dict):
        return {**old, **new}
    return list(dict.fromkeys([*old, *new]))


def learners_for(desk: Desk, task: str) -> dict[str, Any]:
    """Return the learners and the metrics for a task."""
    from branchline.assess import METRICS

    rows = catalog_table(task)
    learners = [{name: row[name] for name in ("name", "title", "family")} for row in rows]
    metrics = [name for name, one in METRICS.items() if one.task == task and name != "cost"]
    return {"learners": learners, "metrics": metrics}


def script_of_compare(desk: Desk, id: str, options: dict[str, Any]) -> dict[str, str]:
    """Return the script of a comparison that may be begun."""
    document, table = table_of(desk, id)
    target = target_of(document)
    missing = table.column(target).is_missing
    return compare_script(document, options, bool(missing.any() and not missing.all()))
