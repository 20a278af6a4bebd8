"""``label``: rows are labeled in the terminal, the most informative ones first.

1. The table is read; rows whose target is known are labels already. Columns that only name rows are
   shown, but not learned from.
2. A record beside the table (``TABLE.labels.json``) holds the answers. It is replaced as a whole
   after each answer; the same command goes on where the last one ended.
3. Every ten labels it says how good the model is, and whether more labels are worth it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchline.cli._axes_verb import set_aside_words, without_identifiers
from branchline.cli._complete import learner_names
from branchline.cli._drawing import Draw, check_drawing, save_drawing
from branchline.cli._emit import EXIT_INTERRUPTED, emit, fitting, say
from branchline.cli._file_names import stem_of
from branchline.cli._label_dialogue import LabelDialogue
from branchline.cli._options import (
    DrawSeed,
    Json,
    Keep,
    Save,
    Target,
    TaskName,
    check_choices,
)
from branchline.cli._outputs import check_output
from branchline.cli._predict_verb import check_ending, write_frame
from branchline.cli._reading import AS_IT_IS, Reading, open_data, with_reading
from branchline.errors import ParameterError, Repair

if TYPE_CHECKING:
    from branchline.active import ActiveLearner, LabelRecord
    from branchline.table import Table

__all__ = ["register"]

TableFile = Annotated[
    str, typer.Argument(metavar="FILE", help="A table: CSV, Excel, Parquet, JSON, …")
]
_STRATEGIES = ("auto", "uncertainty", "margin", "entropy", "committee", "error_reduction", "random")
_TASKS = ("classification", "regression")


@dataclass(frozen=True, kw_only=True)
class Places:
    """Where answers, the table, the drawing and the model go."""

    record: str
    output: str | None
    draw: str | None
    save: str | None

    def check(self) -> None:
        """Refuse files that cannot be written, before anything is asked."""
        check_drawing(self.draw)
        if self.output is not None:
            check_ending(self.output, "Labeled tables")
        for option, path in (("--answers", self.record), ("--output", self.output),
                             ("--save", self.save)):  # fmt: skip
            if path is not None:
                check_output(option, path)


def label(  # noqa: PLR0913
    path: TableFile,
    target: Target,
    learner: Annotated[
        str, typer.Option(help="A name of `branchline learners`.", autocompletion=learner_names)
    ] = "random_forest",
    strategy: Annotated[
        str, typer.Option(help=f"How rows are chosen: {', '.join(_STRATEGIES)}.")
    ] = "auto",
    classes: Annotated[
        str | None, typer.Option(help="All classes: no,yes. Other answers are asked again.")
    ] = None,
    batch_size: Annotated[
        int, typer.Option("--batch-size", min=1, help="The model learns after this many answers.")
    ] = 1,
    check_share: Annotated[
        float,
        typer.Option(min=0, max=1, help="Share of the rows that are drawn at random, for a score."),
    ] = 0.2,
    label_cost: Annotated[float | None, typer.Option(min=0, help="What a label costs.")] = None,
    error_cost: Annotated[
        float | None, typer.Option(min=0, help="What a wrong prediction costs.")
    ] = None,
    n_predictions: Annotated[
        int | None, typer.Option(min=1, help="For how many rows the model will be used.")
    ] = None,
    show: Annotated[
        list[str] | None, typer.Option(help="Show only this column; may be repeated.")
    ] = None,
    answers: Annotated[
        str | None, typer.Option(help="The file of answers; default: TABLE.labels.json.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help="Write the table with its labels: .csv, .parquet …"),
    ] = None,
    draw: Draw = None,
    save: Save = None,
    task: TaskName = None,
    keep: Keep = None,
    seed: DrawSeed = 0,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Label rows in the terminal, the most informative first.

    Answers are saved one by one: stop at any time (stop, or Ctrl-C) and go on with the same
    command. It says how good the model is by now, and when more labels are hardly worth it.

    Example: branchline label mails.csv -t spam --classes no,yes

    Example: branchline label mails.csv -t spam --save spam.branchline
    """
    check_choices({"--strategy": (strategy, _STRATEGIES), "--task": (task, _TASKS)})
    places = Places(record=answers or f"{stem_of(path)}.labels.json", output=output, draw=draw,
                    save=save)  # fmt: skip
    places.check()
    work = _Work(path, target, reading, tuple(keep or ()))
    given = {"estimator": learner, "strategy": strategy, "batch_size": batch_size,
             "check_share": check_share, "task": task, "classes": classes}  # fmt: skip
    costs = {"label_cost": label_cost, "error_cost": error_cost, "n_predictions": n_predictions}
    asked, held = work.begin(places.record, given, seed)
    dialogue = LabelDialogue(asked, held, work.shown(show), target, costs)
    is_interrupted = dialogue.run()
    with fitting():
        document, lines = _end(dialogue, work, places)
    emit(as_json, {"labels": document}, "\n".join([*lines, *set_aside_words(work.names)]))
    if is_interrupted:
        raise typer.Exit(EXIT_INTERRUPTED)


class _Work:
    """The table of a dialogue: inputs, known labels, and what is shown."""

    def __init__(self, path: str, target: str, reading: Reading, keep: tuple[str, ...]) -> None:
        if path == "-":
            raise ParameterError(
                "label reads answers from standard input, so the table must be a file.",
                code="P843",
                repair=Repair(flag="branchline label table.csv -t class"),
            )
        self.table: Table = reading.read(open_data(path))
        self.target = target
        known = target in self.table.names
        if not known:
            say(f"There is no column {target!r}: no row has a label yet.")
        self.rows = self.table.drop(target) if known else self.table
        self.y = self.table.column(target) if known else None
        self.inputs, self.names = without_identifiers(self.rows, keep, None)

    def begin(
        self, record: str, given: dict[str, Any], seed: int
    ) -> tuple["ActiveLearner", "LabelRecord"]:
        """Return the dialogue and its record, with the answers so far."""
        from branchline.active import ActiveLearner, LabelRecord

        held = None
        if Path(record).exists():
            held = LabelRecord.read(record, self.inputs, self.target)
            given = {**given, "task": held.task, "check_share": held.check_share}
            seed = held.seed
        y = self._known(() if held is None else [row for row, _ in held.answers])
        names = given.pop("classes")
        classes = None if names is None else _read_classes(names, y)
        asked = ActiveLearner(self.inputs, y, classes=classes, random_state=seed, **given)
        if held is None:
            held = LabelRecord.begin(record, self.target, asked)
        elif held.answers or held.skipped:
            held.give(asked)
            say(f"{len(held.answers)} answers of {record} are taken over.")
        return asked, held

    def _known(self, answered: Sequence[int]) -> Any:
        """Return the labels of the table; those of rows answered here are in the record."""
        if self.y is None or self.y.is_missing.all():
            return None
        y = self.y.to_list()
        for row in answered:
            y[row] = None
        return None if all(one is None for one in y) else y

    def shown(self, names: list[str] | None) -> "Table":
        """Return the columns that a person sees."""
        return self.rows if not names else self.rows.select(names)

    def labeled(self, asked: "ActiveLearner") -> dict[str, Any]:
        """Return the columns of the table, the target with its labels."""
        columns = {name: self.table.column(name).to_list() for name in self.table.names}
        values: list[Any] = [None] * self.table.n_rows
        for row, answer in zip(asked.rows_labeled.tolist(), asked.labels.tolist(), strict=True):
            values[row] = answer
        return {**columns, self.target: values}


def _read_classes(text: str, y: Any) -> list[Any]:
    """Return the names of --classes, as numbers where the known labels are."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    known = [] if y is None else [one for one in y if one is not None]
    if known and all(isinstance(one, int | float) for one in known):
        return [int(name) for name in names]
    return names


def _end(dialogue: LabelDialogue, work: _Work, places: Places) -> tuple[dict[str, Any], list[str]]:
    """Write what is asked for; return the document and the lines of the end."""
    asked = dialogue.learner
    advice = dialogue.advice()
    lines = [dialogue.summary(), *str(advice).split("\n")]
    if places.output is not None:
        import polars as pl

        write_frame(pl.DataFrame(work.labeled(asked), strict=False), places.output)
        lines.append(f"Table with labels: {places.output}")
    drawn = places.draw if advice.curve is not None else None
    if drawn is not None:
        lines += save_drawing(advice.draw(), drawn)
    elif places.draw is not None:
        lines.append("Nothing is drawn: there is no curve yet.")
    saved = places.save if asked.can_fit else None
    if saved is not None:
        asked.model_.save(saved)
        lines.append(f"Saved to {saved}")
    elif places.save is not None:
        lines.append("No model is saved: labels of two classes are needed.")
    if asked.n_left:
        lines.append("The same command goes on.")
    document = {**advice.to_dict(), "record": places.record, "written": places.output,
                "drawn": drawn, "saved": saved}  # fmt: skip
    return document, lines


def register(app: typer.Typer) -> None:
    """Add the verb to the application."""
    app.command()(with_reading(label, target=False))
