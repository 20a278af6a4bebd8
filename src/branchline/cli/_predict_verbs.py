"""``predict``, ``explain`` and ``open-test``: a saved model and the rows of a file."""

import shlex
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchline.cli._reading import Reading, check_column, open_data
from branchline.errors import BranchlineWarning, DataError, ParameterError, Repair

if TYPE_CHECKING:
    from branchline.table import Table

__all__ = ["explain", "open_test", "predict"]

_MOST_TOLD = 8
_WRITERS = {".csv": "write_csv", ".parquet": "write_parquet", ".json": "write_json"}


def predict(
    model_path: str,
    path: str,
    output: str | None,
    *,
    probabilities: bool,
    keep: Sequence[str],
    reading: Reading,
) -> tuple[dict[str, Any], str]:
    """Predict the rows of a file; without ``output`` the predictions are the text."""
    import polars as pl

    if output is not None:
        _ending(output)
    model, table = _model_and_rows(model_path, path, reading)
    for name in keep:
        check_column(table, "--keep", name)
    if model.schema_.named:
        model.schema_.refuse_absent(table)  # with all names at hand: AGE may be meant by age
    unknown = _tell_unknown(model, table, keep)
    columns: dict[str, Any] = {name: table.column(name).to_list() for name in keep}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No value of column", BranchlineWarning)  # shown above
        columns["prediction"] = model.predict(_inputs(model, table)).tolist()
        if probabilities:
            columns |= _probabilities(model, table)
    frame = pl.DataFrame(columns, strict=False)
    document = {"predictions": {"rows": table.n_rows, "written": output}, "unknown": unknown}
    if output is None:
        return {**document, "table": frame.to_dicts()}, frame.write_csv().rstrip("\n")
    _write_frame(frame, output)
    return document, f"{table.n_rows} predictions in {output}"


def _tell_unknown(model: Any, table: "Table", keep: Sequence[str]) -> dict[str, Any]:
    """Warn of categories and columns that the model does not know, and return them as data."""
    from dataclasses import asdict

    from branchline.table._unseen import unseen_categories

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)  # shown here once, and more fully
        unseen = unseen_categories(model.schema_, table)
    extra = [
        name
        for name in model.schema_.extra(table)
        if name not in keep and not _is_target(model, table, name)
    ]
    if unseen:
        listed = "; ".join(str(column) for column in unseen[:_MOST_TOLD])
        more = f"; and {len(unseen) - _MOST_TOLD} more columns" if len(unseen) > _MOST_TOLD else ""
        warnings.warn(
            "some categories were not there when the model was fitted and count as unseen. "
            f"{listed}{more}.",
            BranchlineWarning,
            stacklevel=2,
        )
    if extra:
        listed = ", ".join(extra[:_MOST_TOLD]) + (", …" if len(extra) > _MOST_TOLD else "")
        warnings.warn(
            f"columns that the model was not fitted on are ignored: {listed}.",
            BranchlineWarning,
            stacklevel=2,
        )
    return {"unseen": [asdict(column) for column in unseen], "ignored": extra}


def _is_target(model: Any, table: "Table", name: str) -> bool:
    """Whether a column holds the classes of the model, as files of known answers do."""
    classes = {str(each) for each in getattr(model, "classes_", ())}
    values = {str(value) for value in table.column(name).to_list() if value is not None}
    return bool(values) and values <= classes


def _probabilities(model: Any, table: "Table") -> dict[str, Any]:
    if not hasattr(model, "predict_proba"):
        raise ParameterError(
            f"{type(model).__name__} gives no probabilities.",
            code="K020",
            repair=Repair(flag="leave --probabilities out"),
        )
    given = model.predict_proba(_inputs(model, table))
    return {
        f"probability of {name}": given[:, place].tolist()
        for place, name in enumerate(model.classes_)
    }


def explain(model_path: str, path: str, row: int, reading: Reading) -> tuple[dict[str, Any], str]:
    """Explain the prediction of one row of a file, counted from 0."""
    model, table = _model_and_rows(model_path, path, reading)
    if not 0 <= row < table.n_rows:
        raise ParameterError(
            f"There is no row {row}: rows are counted from 0 to {table.n_rows - 1}.",
            code="P105",
            values=[row],
            repair=Repair(flag="--row 0"),
        )
    found = model.explain(_inputs(model, table).rows([row]))
    return {"explanation": found.to_dict()}, str(found)


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
        table.select([*_inputs(model, table.drop(target)).names, target]),
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


def _model_and_rows(model_path: str, path: str, reading: Reading) -> tuple[Any, "Table"]:
    from branchline import load

    model = load(model_path)
    return model, _as_fitted(model, open_data(path), reading)


def _as_fitted(model: Any, data: Any, reading: Reading) -> "Table":
    """Read rows with the kinds that a model was fitted on: 007 stays a name, 9% a number."""
    likely = {
        field.name: field.type.written or ("date" if field.type.is_time else field.type.kind)
        for field in model.schema_
    }
    return reading.read(data, likely, ask=False)


def _inputs(model: Any, table: "Table") -> "Table":
    """Return the columns that the model knows; others (the target, ids) go unremarked."""
    known = [name for name in table.names if name in model.schema_.position]
    return table.select(known) if model.schema_.named and known else table


def _ending(output: str) -> str:
    """Return the ending that says how predictions are written."""
    name = Path(output).name.lower()
    ending = Path(name.removesuffix(".gz")).suffix
    if ending not in _WRITERS or (name.endswith(".gz") and ending != ".csv"):
        raise ParameterError(
            f"Predictions are written as .csv, .csv.gz, .parquet or .json, not {output!r}.",
            code="P107",
            values=[output],
            repair=Repair(flag=f"--output {Path(output).stem}.csv"),
        )
    return ending


def _write_frame(frame: Any, output: str) -> None:
    """Write predictions by the ending of the name; the file appears whole or not at all."""
    from branchline.table.files._write import replace_file

    replace_file(output, getattr(frame, _WRITERS[_ending(output)]))
