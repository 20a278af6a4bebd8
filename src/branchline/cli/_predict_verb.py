"""``predict`` and ``explain``: what a saved model answers, on the command line.

1. Files and pipes get every digit, so that nothing is lost for what comes next. A terminal gets a
   table for people: aligned, rounded, at most 40 rows.
2. Sentences about the predictions (intervals, categories not seen in training) go to stderr when
   the predictions themselves are printed.
"""

import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from branchline._plain_numbers import alike, count
from branchline._warn import warn
from branchline.cli._emit import say, wrapped
from branchline.cli._open_test_verb import inputs_of, model_and_rows, needed_schema
from branchline.cli._reading import Reading, check_column
from branchline.cli._several_targets import predictions_of, probabilities_of
from branchline.errors import BranchlineWarning, ParameterError, Repair

if TYPE_CHECKING:
    from branchline.table import Column, Table, TableScan

__all__ = ["check_ending", "explain", "predict", "write_frame"]

_MOST_TOLD = 8
_MOST_ROWS = 40


def predict(
    model_path: str,
    path: str,
    output: str | None,
    *,
    probabilities: bool,
    interval: str | None,
    copy: Sequence[str],
    reading: Reading,
    scan: bool | None = False,
) -> tuple[dict[str, Any], str]:
    """Predict the rows of a file; without ``output`` the predictions are the text."""
    import polars as pl

    from branchline.table import TableScan

    level = None if interval is None else _level(interval)
    if output is not None:
        check_ending(output)
    in_parts = scan if output is not None and level is None else False
    model, table = model_and_rows(model_path, path, reading, in_parts)
    for name in copy:
        check_column(table, "--copy", name)
    if model.schema_.named:
        needed_schema(model).refuse_absent(table)  # with all names at hand: AGE may be meant by age
    unknown = _tell_unknown(model, table, copy)
    if output is not None and isinstance(table, TableScan):
        _write_in_parts(model, table, output, copy, probabilities=probabilities)
        return _written(table, output, unknown, [])
    columns: dict[str, Any] = {name: table.column(name).to_list() for name in copy}
    rows = inputs_of(model, table)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No value of column", BranchlineWarning)  # told above
        predicted, about, sentences = _predicted(model, rows, level)
        columns |= predicted
        if probabilities:
            columns |= _probabilities(model, rows)
    frame = pl.DataFrame(columns, strict=False)
    document, text = _written(table, output, unknown, sentences)
    document |= {} if about is None else {"interval": about}
    if output is None:
        for sentence in sentences:
            say(sentence)
        return {**document, "table": frame.to_dicts()}, _shown(frame)
    write_frame(frame, output)
    return document, text


def _written(
    table: "Table", output: str | None, unknown: dict[str, Any], sentences: list[str]
) -> tuple[dict[str, Any], str]:
    """Return what is told of predictions that were written."""
    document = {"predictions": {"rows": table.n_rows, "written": output}, "unknown": unknown}
    text = "\n".join([f"{count(table.n_rows, 'prediction')} in {output}", *sentences])
    return document, wrapped(text) if sys.stdout.isatty() else text


def _write_in_parts(
    model: Any, scan: "TableScan", output: str, copy: Sequence[str], *, probabilities: bool
) -> None:
    """Predict and write one part of a large file after the other."""
    from branchline.scale import predictions_in_parts, write_frames

    def predicted(rows: "Table") -> dict[str, Any]:
        columns = _predicted(model, rows, None)[0]
        return columns | (_probabilities(model, rows) if probabilities else {})

    write_frames(predictions_in_parts(model, scan, copy, predicted), output)


def _predicted(
    model: Any, rows: "Table", level: float | None
) -> tuple[dict[str, Any], dict[str, Any] | None, list[str]]:
    """Return the columns of predictions, what is known of their intervals, and its sentences."""
    if level is None and hasattr(model, "outputs_"):
        return predictions_of(model, rows), None, []
    if level is None:
        return {"prediction": model.predict(rows).tolist()}, None, []
    from branchline import predict_interval

    found = predict_interval(model, rows, level=level)
    columns = {"prediction": found.prediction.tolist(), **found.columns()}
    return columns, found.to_dict(), str(found).split("\n")


def _level(text: str) -> float:
    """Return the level of ``--interval 90`` or ``--interval 90%``."""
    try:
        percentage = float(text.strip().removesuffix("%"))
    except ValueError:
        percentage = 0.0
    if 1 <= percentage < 100:
        return percentage / 100
    meant = f"{100 * percentage:g}" if 0.01 <= percentage < 1 else "90"
    raise ParameterError(
        f"--interval is the percentage of new rows that intervals should hold, at least 1 and "
        f"below 100; {text!r} was given.",
        code="P310",
        values=[text],
        repair=Repair(flag=f"--interval {meant}"),
    )


def _shown(frame: Any) -> str:
    """Return predictions as CSV with every digit; on a terminal as a table for people."""
    if not sys.stdout.isatty():
        return str(frame.write_csv()).rstrip("\n")
    columns = [[name, *_cells(frame[name].head(_MOST_ROWS).to_list())] for name in frame.columns]
    widths = [max(len(cell) for cell in cells) for cells in columns]
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
        for cells in zip(*columns, strict=True)
    ]
    n_more = frame.height - _MOST_ROWS
    if n_more > 0:
        lines.append(f"… and {count(n_more, 'more row')}; --output FILE writes all of them")
    return "\n".join(lines)


def _cells(values: list[Any]) -> list[str]:
    """Return the cells of a column: numbers in one style, missing ones empty."""
    is_float = any(isinstance(value, float) for value in values)
    if not is_float:
        return ["" if value is None else str(value) for value in values]
    known = [float(value) for value in values if value is not None]
    texts = iter(alike(known))
    return ["" if value is None else next(texts) for value in values]


def _tell_unknown(model: Any, table: "Table", keep: Sequence[str]) -> dict[str, Any]:
    """Warn of categories and columns that the model does not know, and return them as data."""
    from dataclasses import asdict

    from branchline.table import unseen_categories

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)  # said here once, and more fully
        unseen = unseen_categories(needed_schema(model), table)
    extra = [
        name
        for name in model.schema_.extra(table)
        if name not in keep and not _is_target(model, table, name)
    ]
    if unseen:
        listed = "; ".join(str(column) for column in unseen[:_MOST_TOLD])
        more = f"; and {len(unseen) - _MOST_TOLD} more columns" if len(unseen) > _MOST_TOLD else ""
        warn(
            "some categories were not there when the model was fitted and count as unseen. "
            f"{listed}{more}.",
            BranchlineWarning,
        )
    if extra:
        listed = ", ".join(extra[:_MOST_TOLD]) + (", …" if len(extra) > _MOST_TOLD else "")
        warn(
            f"columns that the model was not fitted on are ignored: {listed}.",
            BranchlineWarning,
        )
    return {"unseen": [asdict(column) for column in unseen], "ignored": extra}


def _is_target(model: Any, table: "Table", name: str) -> bool:
    """Whether a column holds the classes of the model, as files of known answers do."""
    if hasattr(model, "outputs_"):
        return name in model.outputs_
    classes = {str(each) for each in getattr(model, "classes_", ())}
    values = _different_texts(table.column(name))
    return bool(values) and values <= classes


def _different_texts(column: "Column") -> set[str]:
    """Return the different values of a column as texts; missing ones are left out."""
    import numpy as np

    if column.kind == "category":
        codes = np.flatnonzero(np.bincount(column.values[column.values >= 0]))
        return {str(column.categories[code]) for code in codes.tolist()}
    different = np.unique(column.known)
    return set(map(str, replace(column, values=different, missing=None).to_list()))


def _probabilities(model: Any, rows: "Table") -> dict[str, Any]:
    from branchline.scale import no_probabilities, probability_columns

    if not hasattr(model, "predict_proba"):
        raise no_probabilities(model)
    if hasattr(model, "outputs_"):
        return probabilities_of(model, rows)
    return probability_columns(model, rows)


def explain(model_path: str, path: str, row: int, reading: Reading) -> tuple[dict[str, Any], str]:
    """Explain the prediction of one row of a file, counted from 0."""
    model, table = model_and_rows(model_path, path, reading)
    if not 0 <= row < table.n_rows:
        raise ParameterError(
            f"There is no row {row}: rows are counted from 0 to {table.n_rows - 1}.",
            code="P105",
            values=[row],
            repair=Repair(flag="--row 0"),
        )
    found = model.explain(inputs_of(model, table).rows([row]))
    if isinstance(found, dict):  # one for each target
        told = {name: one.to_dict() for name, one in found.items()}
        return {"explanation": told}, "\n\n".join(f"{name}: {one}" for name, one in found.items())
    return {"explanation": found.to_dict()}, str(found)


def check_ending(output: str, what: str = "Predictions") -> str:
    """Return the ending that says how predictions, or other rows, are written."""
    from branchline.scale import check_ending as ending_of

    return ending_of(output, what)


def write_frame(frame: Any, output: str) -> None:
    """Write rows by the ending of the name; the file appears whole or not at all."""
    from branchline.scale import write_frames

    write_frames([frame], output)
