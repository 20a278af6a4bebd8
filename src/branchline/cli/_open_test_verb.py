"""``open-test``: a final model on sealed rows, once; and rows as a saved model reads them."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchline.cli._reading import Reading, check_column, open_data
from branchline.errors import DataError, Repair

if TYPE_CHECKING:
    from branchline.table import Schema, Table

__all__ = ["inputs_of", "model_and_rows", "needed_schema", "open_test"]


def open_test(
    model_path: str,
    path: str,
    target: str,
    *,
    record: str | None,
    metric: str | None,
    positive: str | None,
    again: bool,
    reading: Reading,
) -> tuple[dict[str, Any], str]:
    """Assess a final model on the sealed rows of a file, once."""
    from dataclasses import asdict

    from branchline import load
    from branchline.cli._file_names import record_of
    from branchline.cli._sealing import FileSeal

    place = record_of(path) if record is None else Path(record)
    if not place.exists():
        raise _nothing_sealed(path, target, place)
    model, data = load(model_path), open_data(path)
    sealed = FileSeal(place, data, reading, target)
    table = _as_fitted(model, data, reading)
    check_column(table, "--target", target)
    look = sealed.open(
        model,
        table.select([*inputs_of(model, table.drop(target)).names, target]),
        target,
        metric=metric,
        positive=_class_named(model, positive),
        again=again,
    )
    text, looks = [str(look).partition(", ")[2]], [asdict(each) for each in sealed.looks]
    if len(looks) > 1:
        text.append(f"This was look number {len(looks)}: the score may be too good.")
    return {"look": looks[-1], "looks": looks}, "\n".join(text)


def _nothing_sealed(path: str, target: str, record: Path) -> DataError:
    seal = shlex.join(["branchline", "compare", path, "--target", target, "--seal", "20%"])
    return DataError(
        f"No rows of {path} are sealed: there is no {record}.",
        code="D135",
        repair=Repair(flag=seal),
    )


def _class_named(model: Any, text: str | None) -> Any:
    """Return the class that a text names: classes may be numbers."""
    names = {str(name): name for name in getattr(model, "classes_", ())}
    return names.get(text or "", text)


def model_and_rows(
    model_path: str, path: str, reading: Reading, scan: bool | None = False
) -> tuple[Any, "Table"]:
    """Return a saved model, and the rows of a file as the model reads them (``open_data``)."""
    from branchline import load

    model = load(model_path)
    return model, _as_fitted(model, open_data(path, scan), reading)


def _as_fitted(model: Any, data: Any, reading: Reading) -> "Table":
    """Read rows with the kinds that a model was fitted on: 007 stays a name, 9% a number."""
    return reading.read(data, needed_schema(model), ask=False)


def needed_schema(model: Any) -> "Schema":
    """Return the columns that predictions need: of a model that chooses inputs, the chosen ones."""
    found: Schema = getattr(model, "needed_schema_", model.schema_)
    return found


def inputs_of(model: Any, table: "Table") -> "Table":
    """Return the columns that the model knows; others (the target, ids) go unremarked."""
    known = [name for name in table.names if name in model.schema_.position]
    return table.select(known) if model.schema_.named and known else table
