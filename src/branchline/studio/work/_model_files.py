"""Models of the workspace: kept with what a form needs to know of their columns."""

from typing import Any

from branchline.studio._workspace import Workspace
from branchline.table import Table

__all__ = ["form_of", "keep_model"]

_MOST_CHOICES = 200


def keep_model(
    workspace: Workspace, model: Any, name: str, table: Table | None, target: str | None
) -> dict[str, Any]:
    """Save a model, and what is known of its columns; return its document."""
    id = workspace.new_id()
    model.save(workspace.place("models", id, ".branchline"))
    document = {
        "id": id,
        "name": name[:120] or type(model).__name__,
        "class": type(model).__name__,
        "target": target,
        "size": str(model.complexity()),
        "form": form_of(model, table),
    }
    return workspace.add("models", document)


def form_of(model: Any, table: Table | None) -> list[dict[str, Any]]:
    """Return the fields of a form: kind, choices, range, and a typical value of each column."""
    return [_field(one.name, one.type, table) for one in model.schema_]


def _field(name: str, kind: Any, table: Table | None) -> dict[str, Any]:
    """Return one field; the range and the typical value are those of the training rows."""
    about: dict[str, Any] = {"name": name, "kind": kind.kind, "source": kind.source}
    if kind.kind == "category":
        about["choices"] = [str(value) for value in (kind.categories or ())][:_MOST_CHOICES]
    known: list[Any] = []
    if table is not None and name in table.names:
        known = [value for value in table.column(name).to_list() if value is not None]
    if kind.kind == "category":
        about["typical"] = max(set(known), key=known.count) if known else None
        about["typical"] = None if about["typical"] is None else str(about["typical"])
        return about
    if kind.is_time:
        about["is_time"] = True
        about["typical"] = str(sorted(known)[len(known) // 2]) if known else None
        return about
    numbers = sorted(float(value) for value in known if value == value)
    if numbers:
        about |= {"low": numbers[0], "high": numbers[-1], "typical": numbers[len(numbers) // 2]}
        about["is_whole"] = all(value == int(value) for value in numbers[:2000])
    return about
