"""``fit``, ``predict``, ``explain``, ``tree`` and ``open-test``: one model, on the command line."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchline.cli._options import parse_assignments, parse_kinds
from branchline.errors import DataError, ParameterError, Repair

if TYPE_CHECKING:
    from branchline.table import Table

__all__ = ["explain", "fit", "grow_tree", "open_test", "predict"]

_FORMATS = (".csv", ".csv.gz", ".parquet", ".json")


def fit(  # noqa: PLR0913 (an argument for each option of the command line)
    path: str,
    target: str,
    learner: str,
    save: str | None,
    *,
    settings: Sequence[str] | None,
    task: str | None,
    tune: str | None,
    seed: int,
    reading: dict[str, Any],
) -> tuple[dict[str, Any], str]:
    """Fit a learner of the catalog on a file and save it."""
    from branchline import catalog
    from branchline.assess import make_problem

    problem = make_problem(_read(path, reading), target, task=task)  # type: ignore[arg-type]
    parameters = parse_assignments(settings)
    options = {"task": problem.task, "random_state": seed, **parameters}
    if tune is None:
        model = catalog.make(learner, **options)
    else:
        model = catalog.search(learner, space=tune, **options)
    model.fit(problem.table, problem.target)
    model = getattr(model, "best_estimator_", model)
    text = [f"{type(model).__name__}: {model.complexity()}"]
    if hasattr(model, "to_text"):
        text.append(model.to_text())
    if save is not None:
        model.save(save)
        text.append(f"Saved to {save}")
    document = {
        "learner": catalog.entry(learner).name,
        "class": type(model).__name__,
        "task": problem.task,
        "rows": problem.n_rows,
        "size": model.complexity().count,
        "unit": model.complexity().unit,
        "saved": save,
    }
    return {"model": document}, "\n".join(text)


def predict(
    model_path: str, path: str, output: str | None, *, chances: bool, keep: Sequence[str]
) -> tuple[dict[str, Any], str | None]:
    """Predict the rows of a file; without ``output`` the predictions are the text."""
    import polars as pl

    model, table = _model_and_rows(model_path, path)
    columns: dict[str, Any] = {name: table.column(name).to_list() for name in keep}
    said = model.predict(_inputs(model, table))
    columns["prediction"] = said.tolist()
    if chances:
        if not hasattr(model, "predict_proba"):
            raise ParameterError(
                f"{type(model).__name__} gives no probabilities.",
                code="K020",
                repair=Repair(flag="leave --probabilities out"),
            )
        given = model.predict_proba(_inputs(model, table))
        for place, name in enumerate(model.classes_):
            columns[f"probability of {name}"] = given[:, place].tolist()
    frame = pl.DataFrame(columns, strict=False)
    document = {"predictions": {"rows": table.n_rows, "written": output}}
    if output is None:
        return {**document, "table": frame.to_dicts()}, frame.write_csv()
    _write_frame(frame, output)
    return document, f"{table.n_rows} predictions in {output}"


def explain(model_path: str, path: str, row: int) -> tuple[dict[str, Any], str]:
    """Explain the prediction of one row of a file, counted from 0."""
    model, table = _model_and_rows(model_path, path)
    if not 0 <= row < table.n_rows:
        raise ParameterError(
            f"There is no row {row}: rows are counted from 0 to {table.n_rows - 1}.",
            code="P105",
            values=[row],
            repair=Repair(flag="--row 0"),
        )
    found = model.explain(_inputs(model, table).rows([row]))
    return {"explanation": found.to_dict()}, str(found)


def grow_tree(  # noqa: PLR0913
    path: str,
    target: str,
    method: str,
    *,
    settings: Sequence[str] | None,
    task: str | None,
    rules: bool,
    draw: str | None,
    save: str | None,
    reading: dict[str, Any],
) -> tuple[dict[str, Any], str]:
    """Grow a tree on a file, print it, draw it, save it."""
    from branchline import catalog
    from branchline.assess import make_problem

    if catalog.entry(method).family != "tree":
        trees = ", ".join(entry.name for entry in catalog.find(family="tree"))
        raise ParameterError(
            f"{method!r} grows no tree. Those that do: {trees}.",
            code="P106",
            values=[method],
            repair=Repair(flag="--method tree"),
        )
    problem = make_problem(_read(path, reading), target, task=task)  # type: ignore[arg-type]
    model = catalog.make(method, task=problem.task, **parse_assignments(settings))
    model.fit(problem.table, problem.target)
    text = [str(model.rules()) if rules else model.to_text()]
    if draw is not None:
        model.draw().save(draw)
        text.append(f"Drawn in {draw}")
    if save is not None:
        model.save(save)
        text.append(f"Saved to {save}")
    return {"tree": {**model.to_dict(), "drawn": draw, "saved": save}}, "\n".join(text)


def open_test(
    model_path: str,
    path: str,
    target: str,
    *,
    record: str | None,
    metric: str | None,
    positive: str | None,
    again: bool,
    reading: dict[str, Any],
) -> tuple[dict[str, Any], str]:
    """Assess a final model on the sealed rows of a file, once."""
    from dataclasses import asdict

    from branchline import load
    from branchline.assess import SealedTest
    from branchline.cli._compare_verb import stem_of

    place = Path(record or f"{stem_of(path)}.seal.json")
    if not place.exists():
        raise DataError(
            f"No rows of {path} are sealed: there is no {place}.",
            code="D135",
            repair=Repair(flag=f"branchline compare {path} --target {target} --seal 20%"),
        )
    sealed = SealedTest(place)
    look = sealed.open(
        load(model_path),
        _read(path, reading),
        target,
        metric=metric,
        positive=positive,
        again=again,
    )
    interval = f"{look.score:.3f} [{look.low:.3f}, {look.high:.3f}]"
    text = f"{look.metric} {interval} on {look.n_rows} sealed rows"
    looks = [asdict(each) for each in sealed.looks]
    if len(looks) > 1:
        text += f"\nThis was look number {len(looks)}: the score may be too good."
    return {"look": asdict(look), "looks": looks}, text


def _read(path: str, reading: dict[str, Any]) -> "Table":
    from branchline.table import read_table

    kinds = parse_kinds(reading.get("kind"))
    more = {"missing": reading["missing"]} if reading.get("missing") else {}
    return read_table(path, kinds=kinds, drop=reading.get("drop") or (), **more)


def _model_and_rows(model_path: str, path: str) -> tuple[Any, "Table"]:
    """Load a model and read rows with the kinds it was fitted on: 007 stays a name."""
    from branchline import load
    from branchline.table import read_table

    model = load(model_path)
    table = read_table(path)
    wanted = {
        field.name: field.type.kind
        for field in model.schema_
        if field.name in table.schema.position
        and not field.type.is_time
        and table.schema[field.name].kind != field.type.kind
    }
    return model, read_table(path, kinds=wanted) if wanted and path != "-" else table


def _inputs(model: Any, table: "Table") -> "Table":
    """Return the columns that the model knows; others (the target, ids) go unremarked."""
    known = [name for name in table.names if name in model.schema_.position]
    return table.select(known) if model.schema_.named and known else table


def _write_frame(frame: Any, output: str) -> None:
    """Write predictions by the ending of the name; the file appears whole or not at all."""
    writers = {".parquet": "write_parquet", ".json": "write_json", ".csv": "write_csv"}
    suffix = Path(output).suffix.lower()
    if suffix not in writers:
        raise ParameterError(
            f"Predictions are written as {', '.join(writers)}, not {suffix or output!r}.",
            code="P107",
            values=[output],
            repair=Repair(flag=f"--output {Path(output).stem}.csv"),
        )
    draft = Path(f"{output}.part")
    try:
        getattr(frame, writers[suffix])(draft)
        draft.replace(output)
    except OSError as error:
        raise DataError(f"{output} cannot be written ({error.strerror}).", code="F018") from error
    finally:
        draft.unlink(missing_ok=True)
