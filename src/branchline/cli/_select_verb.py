"""``branchline select``: which inputs of a table are needed, and what may go."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchline.assess.comparing import TASKS
from branchline.cli._complete import learner_names, selector_names
from branchline.cli._drawing import Draw, check_drawing, save_drawing
from branchline.cli._emit import emit, fitting, say, text_width, wrapped
from branchline.cli._fit_verbs import rows_to_learn
from branchline.cli._options import Data, Json, Keep, Seed, Target, TaskName, check_choices
from branchline.cli._outputs import check_output
from branchline.cli._progress import Progress
from branchline.cli._reading import AS_IT_IS, Reading, check_column, with_reading
from branchline.errors import ParameterError, Repair

if TYPE_CHECKING:
    from branchline.assess import InputChoice
    from branchline.table import Table

__all__ = ["register", "select_file"]

_KINDS = ("ranking", "shares", "path")
_WRITTEN_AS = (".csv", ".arff")
_MANY_CELLS = 200_000  # from which on processes are worth their start


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """Where the drawing, the selector and the reduced table go; None: nowhere."""

    draw: str | None = None
    kind: str = _KINDS[0]
    save: str | None = None
    write: str | None = None

    def check(self) -> None:
        """Refuse files that cannot be written, before anything is read."""
        check_drawing(self.draw)
        check_choices({"--draw-kind": (self.kind, _KINDS)})
        for option, path in (("--save", self.save), ("--write", self.write)):
            if path is not None:
                check_output(option, path)
        if self.write is not None and Path(self.write).suffix.lower() not in _WRITTEN_AS:
            raise ParameterError(
                f"--write writes {' or '.join(_WRITTEN_AS)}. Got {self.write!r} instead.",
                code="P300",
                values=[self.write],
                repair=Repair(flag=f"--write {Path(self.write).with_suffix('.csv')}"),
            )


def select_file(
    path: str, target: str, select: str, outputs: Outputs, reading: Reading, **given: Any
) -> tuple[dict[str, Any], str]:
    """Rank and choose the inputs of a file, and write what is asked for."""
    from branchline.assess import select_inputs
    from branchline.catalog import entry
    from branchline.features import check_selector_name

    outputs.check()
    check_selector_name(select)
    check_choices({"--task": (given["task"], TASKS)})
    if given["estimator"] is not None:
        entry(given["estimator"])
    table, note = rows_to_learn(path, target, reading)
    others = {"--group": given["group"], "--time-column": given["time_column"]}
    for option, name in others.items():
        if name is not None:
            check_column(table, option, name)
    if not given["n_jobs"]:
        given["n_jobs"] = -1 if table.n_rows * table.n_columns > _MANY_CELLS else 1
    say(f"Choosing inputs of {path} for {target}, by {check_selector_name(select)} …")
    progress = Progress()
    with fitting():
        found = select_inputs(table, target, select=select, on_result=progress, **given)
    progress.end()
    lines = [_text(found), *note]
    marks = [name for name in others.values() if name is not None]
    places = _write(found, table, outputs, marks, lines)
    return {"select": {**found.to_dict(), "written": places}}, "\n".join(lines)


def _text(found: "InputChoice") -> str:
    """Return the choice as text; sentences are broken to the width of the terminal."""
    width = int(min(text_width(), 10_000))
    lines = str(found).split("\n")
    return "\n".join(wrapped(line) if len(line) > width else line for line in lines)


def _write(
    found: "InputChoice", table: "Table", outputs: Outputs, marks: list[str], lines: list[str]
) -> dict[str, str]:
    places = {}
    if outputs.draw is not None:
        lines += save_drawing(found.draw(kind=outputs.kind), outputs.draw)
        places["drawing"] = outputs.draw
    if outputs.save is not None:
        found.save(outputs.save)
        lines.append(f"Selector: {outputs.save}")
        places["selector"] = outputs.save
    if outputs.write is not None:
        reduced = found.reduced(table, *marks)
        is_arff = outputs.write.lower().endswith(".arff")
        (reduced.write_arff if is_arff else reduced.write_csv)(outputs.write)
        lines += [f"Table with the chosen inputs: {outputs.write}", _WARNING]
        places["table"] = outputs.write
    return places


_WARNING = (
    "These inputs were chosen with the target on all rows: scores of this table are too good. "
    "Assess with branchline compare --select on the whole table."
)


def select(  # noqa: PLR0913
    path: Data,
    target: Target,
    by: Annotated[
        str,
        typer.Option(
            "--select",
            help="What chooses inputs: relief:auto, mutual_information:10, forward:5, shadow …",
            autocompletion=selector_names,
        ),
    ] = "mutual_information",
    n_columns: Annotated[
        str | None, typer.Option(help="How many are kept: a number, 25%, or auto (default).")
    ] = None,
    estimator: Annotated[
        str | None,
        typer.Option(help="The learner that chooses and tests.", autocompletion=learner_names),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Number of folds of the test.")] = 5,
    resamples: Annotated[
        int | None, typer.Option(min=2, help="Number of random halves on which it is repeated.")
    ] = None,
    task: TaskName = None,
    group: Annotated[
        str | None, typer.Option(help="Keep rows with the same value here in one fold.")
    ] = None,
    time_column: Annotated[
        str | None, typer.Option(help="The past predicts the future, by the times in this column.")
    ] = None,
    keep: Keep = None,
    draw: Draw = None,
    draw_kind: Annotated[
        str, typer.Option(help="What is drawn: ranking, shares or path.")
    ] = _KINDS[0],
    save: Annotated[
        str | None, typer.Option(help="Write the fitted selector to this file.")
    ] = None,
    write: Annotated[
        str | None, typer.Option(help="Write the table with the chosen inputs: .csv or .arff.")
    ] = None,
    seed: Seed = 0,
    jobs: Annotated[
        int, typer.Option("--jobs", min=0, help="Number of processes. 0: as many as are worth it.")
    ] = 0,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Rank and choose inputs; say what may go.

    Inputs are ranked and chosen from all rows. How stable the choice is, and what it costs, is
    tested on rows that took no part in it.

    Example: branchline select credit.csv -t class

    Example: branchline select genes.csv -t class --select relief:20

    Example: branchline select a.csv -t class --select forward --write b.csv
    """
    chosen = by if n_columns is None else f"{by.partition(':')[0]}:{n_columns}"
    outputs = Outputs(draw=draw, kind=draw_kind, save=save, write=write)
    given: dict[str, Any] = {"estimator": estimator, "task": task, "n_folds": folds}
    given |= {"n_resamples": resamples, "group": group, "time_column": time_column}
    given |= {"keep": tuple(keep or ()), "random_state": seed, "n_jobs": jobs}
    document, text = select_file(path, target, chosen, outputs, reading, **given)
    emit(as_json, document, text)


def register(app: typer.Typer) -> None:
    """Add the verb to the application."""
    app.command()(with_reading(select))
