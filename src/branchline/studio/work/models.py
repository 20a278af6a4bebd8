"""Prediction: a form in, a file in; the explanation beside it."""

from typing import Any

from branchline import load, predict_interval
from branchline._plain_numbers import cell, signed, without_noise
from branchline.charts import Bar, bar_rows
from branchline.errors import BranchlineError, DataError
from branchline.studio.work._desk import Desk
from branchline.studio.work._model_files import form_of, keep_model
from branchline.studio.work._packed_files import refuse_bomb
from branchline.studio.work._sources import check_size
from branchline.table import as_table, read_table

__all__ = ["add_model", "predict_file", "predict_row", "view_model"]

_MOST_BARS = 12
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def add_model(desk: Desk, id: str, name: str) -> dict[str, Any]:
    """Read a model file that the server has written into the workspace, and keep it."""
    path = desk.workspace.place("files", id, ".branchline")
    try:
        model = load(path)
    finally:
        path.unlink(missing_ok=True)
    if not hasattr(model, "predict") or not hasattr(model, "schema_"):
        raise DataError(f"A {type(model).__name__} does not predict.", code="F961")
    return keep_model(desk.workspace, model, name, None, None)


def _model_of(desk: Desk, id: str) -> tuple[dict[str, Any], Any]:
    document = desk.workspace.read("models", id)
    path = desk.workspace.existing("models", id, ".branchline")
    return document, desk.remembered(("model", id), lambda: load(path))


def view_model(desk: Desk, id: str) -> dict[str, Any]:
    """Return a model with the fields of its form."""
    document, model = _model_of(desk, id)
    classes = getattr(model, "classes_", None)
    return {
        "model": {name: value for name, value in document.items() if name != "form"},
        "form": document.get("form") or form_of(model, None),
        "classes": None if classes is None else classes.tolist(),
        "has_intervals": getattr(model, "prediction_errors_", None) is not None,
    }


def predict_row(desk: Desk, id: str, row: dict[str, Any]) -> dict[str, Any]:
    """Predict one row, with probabilities, an interval and the reasons."""
    document, model = _model_of(desk, id)
    given = {field.name: row.get(field.name) for field in model.schema_}
    table = as_table([given], texts="raw")
    prediction = model.predict(table).tolist()[0]
    found: dict[str, Any] = {"prediction": prediction, "probabilities": None, "interval": None}
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(table)[0].tolist()
        pairs = zip(model.classes_.tolist(), shares, strict=True)
        found["probabilities"] = [{"class": name, "share": share} for name, share in pairs]
    if getattr(model, "prediction_errors_", None) is not None:
        found["interval"] = _interval(model, table)
    found["explanation"] = _explained(model, table)
    found["script"] = _script(document, given)
    return found


def _interval(model: Any, table: Any) -> str | None:
    """Say within which interval, or in which set of classes, 90 % of such rows are."""
    try:
        columns = predict_interval(model, table, level=0.9).columns()
    except BranchlineError:
        return None
    if "lower" in columns:
        low, high = (cell(float(columns[end][0])) for end in ("lower", "upper"))
        return f"For 90 % of new rows the truth lies within such an interval: {low} to {high}."
    names = columns.get("plausible")
    return None if names is None else f"Plausible classes (90 %): {names[0]}."


def _explained(model: Any, table: Any) -> dict[str, Any] | None:
    """Return the shares of the columns as a chart and as a list; None where there are none."""
    if not hasattr(model, "explain"):
        return None
    told = model.explain(table)
    largest = max((abs(part.amount) for part in told.parts), default=0.0)
    parts = [part for part in told.parts if without_noise(part.amount, largest)]
    chart = None
    if parts:
        bars = [Bar(_label(p), p.amount, signed(p.amount)) for p in parts[:_MOST_BARS]]
        chart = bar_rows(bars, told.about).to_svg(560)
    return {
        "about": told.about,
        "base": told.base,
        "total": told.total,
        "is_sum": told.is_sum,
        "notes": list(told.notes),
        "svg": chart,
        "parts": [{"column": p.column, "value": p.value, "amount": p.amount} for p in parts[:40]],
    }


def _label(part: Any) -> str:
    value = cell(part.value) if isinstance(part.value, float) else part.value
    return f"{part.column} = {'missing' if value is None else value}"


def _script(document: dict[str, Any], row: dict[str, Any]) -> dict[str, str]:
    file = _file_name(document["name"])
    python = [
        "import branchline as bl",
        "",
        f"model = bl.load({file!r})",
        f"row = [{row!r}]",
        "print(model.predict(row))",
        "print(model.explain(row))",
    ]
    command = f"branchline predict {file} new.csv --probabilities -o predictions.csv"
    return {"python": "\n".join(python), "command": command}


def _file_name(name: str) -> str:
    """Return a name for a model's file, of letters that every shell takes as they are."""
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in name)
    return f"{kept.strip('-') or 'model'}.branchline"


def predict_file(desk: Desk, id: str, file: str, ending: str) -> dict[str, Any]:
    """Predict the rows of a file that the server has written; the result is a CSV file."""
    import polars as pl

    _, model = _model_of(desk, id)
    path = desk.workspace.place("files", file, ending)
    try:
        refuse_bomb(path)
        table = _read_for(model, path)
    finally:
        path.unlink(missing_ok=True)
    check_size(table)
    columns: dict[str, Any] = {name: table.column(name).to_list() for name in table.names}
    columns["prediction"] = model.predict(table).tolist()
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(table)
        for place, name in enumerate(model.classes_.tolist()):
            columns[f"probability of {name}"] = shares[:, place].tolist()
    safe = {
        _harmless(name): [_harmless(value) for value in cells] for name, cells in columns.items()
    }
    frame = pl.DataFrame(safe, strict=False)
    out = desk.workspace.new_id()
    frame.write_csv(desk.workspace.place("files", out, ".csv"))
    desk.workspace.add("files", {"id": out, "name": "predictions.csv"})
    head = frame.head(20)
    rows = [[None if cell is None else str(cell) for cell in row] for row in head.rows()]
    return {"file": out, "rows": frame.height, "names": frame.columns, "head": rows}


def _read_for(model: Any, path: Any) -> Any:
    """Read a file as the model's training rows were: names made of digits stay names."""
    there = read_table(path).names
    names = [
        field.name
        for field in model.schema_
        if field.type.kind == "category" and field.type.source == "string" and field.name in there
    ]
    return read_table(path, kinds=dict.fromkeys(names, "category")) if names else read_table(path)


def _harmless(value: Any) -> Any:
    """Return a text that no spreadsheet takes for a formula; numbers stay as they are."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)
