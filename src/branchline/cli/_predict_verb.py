"""``predict`` and ``explain``: what a saved model answers, on the command line.

1. Files and pipes get every digit, so that nothing is lost for what comes next. A terminal gets a
   table for people: aligned, rounded, at most 40 rows.
2. Sentences about the predictions (intervals, categories not seen in training) go to stderr when
   the predictions themselves are printed.
"""

import shlex
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchline._plain_numbers import alike, count
from branchline._warn import warn
from branchline.cli._emit import say, wrapped
from branchline.cli._open_test_verb import inputs_of, model_and_rows, needed_schema
from branchline.cli._reading import Reading, check_column
from branchline.cli._several_targets import predictions_of, probabilities_of
from branchline.errors import BranchlineWarning, ParameterError, Repair

if TYPE_CHECKING:
    from branchline.table import Table

__all__ = ["check_ending", "explain", "predict", "write_frame"]

_MOST_TOLD = 8
_MOST_ROWS = 40
_WRITERS = {".csv": "write_csv", ".parquet": "write_parquet", ".json": "write_json"}


def predict(
    model_path: str,
    path: str,
    output: str | None,
    *,
    probabilities: bool,
    interval: str | None,
    copy: Sequence[str],
    reading: Reading,
) -> tuple[dict[str, Any], str]:
    """Predict the rows of a file; without ``output`` the predictions are the text."""
    import polars as pl

    level = None if interval is None else _level(interval)
    if output is not None:
        check_ending(output)
    model, table = model_and_rows(model_path, path, reading)
    for name in copy:
        check_column(table, "--copy", name)
    if model.schema_.named:
        needed_schema(model).refuse_absent(table)  # with all names at hand: AGE may be meant by age
    unknown = _tell_unknown(model, table, copy)
    columns: dict[str, Any] = {name: table.column(name).to_list() for name in copy}
    rows = inputs_of(model, table)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No value of column", BranchlineWarning)  # told above
        predicted, about, sentences = _predicted(model, rows, level)
        columns |= predicted
        if probabilities:
            columns |= _probabilities(model, rows)
    frame = pl.DataFrame(columns, strict=False)
    document: dict[str, Any] = {
        "predictions": {"rows": table.n_rows, "written": output},
        "unknown": unknown,
        **({} if about is None else {"interval": about}),
    }
    if output is None:
        for sentence in sentences:
            say(sentence)
        return {**document, "table": frame.to_dicts()}, _shown(frame)
    write_frame(frame, output)
    text = "\n".join([f"{count(table.n_rows, 'prediction')} in {output}", *sentences])
    return document, wrapped(text) if sys.stdout.isatty() else text


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
    values = {str(value) for value in table.column(name).to_list() if value is not None}
    return bool(values) and values <= classes


def _probabilities(model: Any, rows: "Table") -> dict[str, Any]:
    if not hasattr(model, "predict_proba"):
        raise ParameterError(
            f"{type(model).__name__} does not give probabilities.",
            code="K020",
            repair=Repair(flag="leave --probabilities out"),
        )
    if hasattr(model, "outputs_"):
        return probabilities_of(model, rows)
    given = model.predict_proba(rows)
    return {
        f"probability of {name}": given[:, place].tolist()
        for place, name in enumerate(model.classes_)
    }


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
    name = Path(output).name.lower()
    ending = Path(name.removesuffix(".gz")).suffix
    if ending not in _WRITERS or (name.endswith(".gz") and ending != ".csv"):
        raise ParameterError(
            f"{what} are written as .csv, .csv.gz, .parquet or .json, not {output!r}.",
            code="P107",
            values=[output],
            repair=Repair(flag=_other_output(output)),
        )
    return ending


def _other_output(output: str) -> str:
    """Return how the predictions are written, or printed where the name stands for that."""
    if output in {"-", "/dev/stdout"}:
        return "leave --output out: predictions are printed, as CSV in a pipe"
    return f"--output {shlex.quote(f'{Path(output).stem}.csv')}"


def write_frame(frame: Any, output: str) -> None:
    """Write rows by the ending of the name; the file appears whole or not at all."""
    from branchline.table.files import replace_file

    replace_file(output, getattr(frame, _WRITERS[check_ending(output)]))
