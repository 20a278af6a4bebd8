"""The verbs that fit models, as the command line offers them; each is a thin call of a function."""

from dataclasses import replace
from typing import Annotated, Any

import typer

from branchline.cli import _ask_verb, _fit_verbs, _open_test_verb, _predict_verb
from branchline.cli._compare_command import compare, report
from branchline.cli._complete import learner_names
from branchline.cli._drawing import DrawTree
from branchline.cli._emit import emit
from branchline.cli._options import (
    Data,
    Json,
    Keep,
    Metric,
    Positive,
    Save,
    Seed,
    Target,
    TaskName,
    Tune,
)
from branchline.cli._reading import AS_IT_IS, Reading, with_reading

__all__ = ["register"]

Model = Annotated[str, typer.Argument(help="A model saved by fit, tree or compare --save.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="A parameter: --set max_depth=3; may be repeated.")
]

Intervals = Annotated[
    bool,
    typer.Option(
        "--intervals",
        help="Measure errors by 10 more fits, for predict --interval; compare --save has them.",
    ),
]


Scan = Annotated[
    bool | None,
    typer.Option(
        "--scan/--no-scan",
        help="Read the file part by part, into columns on disk: for tables larger than memory; "
        "default: where the file is large.",
    ),
]


def fit(  # noqa: PLR0913
    path: Data,
    target: Target,
    learner: Annotated[
        str, typer.Option(help="A name of `branchline learners`.", autocompletion=learner_names)
    ] = "tree",
    save: Save = None,
    settings: Settings = None,
    tune: Tune = None,
    task: TaskName = None,
    seed: Seed = 0,
    keep: Keep = None,
    intervals: Intervals = False,
    scan: Scan = None,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Fit one learner on all rows of a table.

    Example: branchline fit credit.csv -t class --save credit.branchline

    Example: branchline fit homes.csv -t price --intervals --save m.branchline
    """
    given: dict[str, Any] = {"settings": settings, "task": task, "tune": tune, "seed": seed}
    given |= {"keep": tuple(keep or ()), "intervals": intervals, "scan": scan}
    document, text = _fit_verbs.fit(path, target, learner, save, reading=reading, **given)
    emit(as_json, document, text)


def predict(  # noqa: PLR0913
    model: Model,
    path: Data,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Write .csv, .csv.gz, .parquet or .json.")
    ] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Add the probability of each class.")
    ] = False,
    interval: Annotated[
        str | None,
        typer.Option(
            help="Add intervals, or sets of plausible classes, that hold this percentage of new "
            "rows: --interval 90."
        ),
    ] = None,
    copy: Annotated[
        list[str] | None,
        typer.Option(help="Copy this column of the table into the output; may be repeated."),
    ] = None,
    scan: Scan = None,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Predict the rows of a table with a saved model.

    Example: branchline predict credit.branchline new.csv -o predictions.csv

    Example: branchline predict prices.branchline new.csv --interval 90

    Example: gunzip -c new.csv.gz | branchline predict credit.branchline -
    """
    asked: dict[str, Any] = {"probabilities": probabilities, "interval": interval}
    copied = (*reading.ids, *(copy or ()))  # what identifies a row stands beside its prediction
    reading = replace(reading, ids=())
    document, text = _predict_verb.predict(
        model, path, output, copy=copied, reading=reading, scan=scan, **asked
    )
    if as_json and output is None:
        text = f"{document['predictions']['rows']} predictions"
    emit(as_json, document, text)


def explain(
    model: Model,
    path: Data,
    row: Annotated[int, typer.Option(help="Which row, counted from 0.")] = 0,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Explain the prediction of one row.

    Example: branchline explain credit.branchline new.csv --row 3
    """
    document, text = _predict_verb.explain(model, path, row, reading)
    emit(as_json, document, text)


def tree(  # noqa: PLR0913
    path: Data,
    target: Target,
    method: Annotated[
        str, typer.Option(help="A tree learner of `branchline learners`: tree, c45, cart, id3, …")
    ] = "tree",
    settings: Settings = None,
    rules: Annotated[bool, typer.Option("--rules", help="Print rules instead.")] = False,
    draw: DrawTree = None,
    edit: Annotated[
        str | None, typer.Option(help="Make the edits of this JSON file; print their prices.")
    ] = None,
    save: Save = None,
    task: TaskName = None,
    seed: Seed = 0,
    keep: Keep = None,
    intervals: Intervals = False,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Grow a decision tree, print it, draw it.

    Example: branchline tree credit.csv --target class --draw credit.svg

    Example: branchline tree credit.csv -t class --method c45 --rules

    Example: branchline tree credit.csv -t class --edit edits.json
    """
    given: dict[str, Any] = {"settings": settings, "task": task, "seed": seed}
    given |= {"keep": tuple(keep or ()), "intervals": intervals}
    document, text = _fit_verbs.grow_tree(
        path,
        target,
        method,
        rules=rules,
        draw=draw,
        edit=edit,
        save=save,
        reading=reading,
        **given,
    )
    emit(as_json, document, text)


def ask(model: Model, as_json: Json = False) -> None:
    """Let a saved tree ask its questions one by one.

    Example: branchline ask credit.branchline
    """
    document, text = _ask_verb.ask(model)
    emit(as_json, document, text)


def open_test(  # noqa: PLR0913
    model: Model,
    path: Data,
    target: Target,
    record: Annotated[
        str | None, typer.Option(help="The record of the seal; default: in the current folder.")
    ] = None,
    metric: Metric = None,
    positive: Positive = None,
    again: Annotated[
        bool, typer.Option("--again", help="Look once more; that is recorded.")
    ] = False,
    reading: Reading = AS_IT_IS,
    as_json: Json = False,
) -> None:
    """Test a final model once on the sealed rows.

    These are the rows that compare --seal set aside; every look is written down.

    Example: branchline open-test credit.branchline credit.csv --target class
    """
    given: dict[str, Any] = {"record": record, "metric": metric, "positive": positive}
    document, text = _open_test_verb.open_test(
        model, path, target, again=again, reading=reading, **given
    )
    emit(as_json, document, text)


def register(app: typer.Typer) -> None:
    """Add the verbs to the application."""
    app.command()(with_reading(compare))
    app.command()(report)
    app.command()(with_reading(fit))
    app.command()(with_reading(predict, target=False))
    app.command()(with_reading(explain, target=False))
    app.command()(with_reading(tree))
    app.command()(ask)
    app.command("open-test")(with_reading(open_test))
