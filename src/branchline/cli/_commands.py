"""The verbs that fit models, as the command line offers them; each is a thin call of a function."""

from typing import Annotated, Any

import typer

from branchline.cli import _model_verbs
from branchline.cli._compare_verb import CompareOptions, compare_file
from branchline.cli._emit import EXIT_INTERRUPTED, EXIT_REQUIREMENT, emit
from branchline.cli._options import (
    Data,
    Drop,
    Id,
    Jobs,
    Json,
    Kind,
    Metric,
    Missing,
    Positive,
    Seed,
    Target,
    TaskName,
)

__all__ = ["register"]

Model = Annotated[str, typer.Argument(help="A model saved by fit, tree or compare --save.")]
Learners = Annotated[str, typer.Option(help="fast, all, or names: tree,logistic,naive-bayes.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="A parameter: --set max_depth=3; may be repeated.")
]
Tune = Annotated[
    str | None, typer.Option(help="Search each learner's space: small, medium or large.")
]
Save = Annotated[str | None, typer.Option(help="Write the fitted model to this file.")]


def compare(  # noqa: PLR0913 (an argument for each option of the command line)
    path: Data,
    target: Target,
    learners: Learners = "fast",
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.")] = 10,
    repeats: Annotated[int, typer.Option(help="How often rows are dealt anew.")] = 1,
    test: Annotated[
        str | None,
        typer.Option(help="Test otherwise: hold-out, three-way, leave-one-out, bootstrap."),
    ] = None,
    metric: Metric = None,
    tune: Tune = None,
    positive: Positive = None,
    costs: Annotated[
        str | None, typer.Option(help='What errors cost: "bad>good=5,good>bad=1".')
    ] = None,
    group: Annotated[
        str | None, typer.Option(help="Rows with equal values here are never parted.")
    ] = None,
    time_column: Annotated[
        str | None, typer.Option(help="The past predicts the future, by this column.")
    ] = None,
    ids: Id = None,
    drop: Drop = None,
    kind: Kind = None,
    missing: Missing = None,
    task: TaskName = None,
    seed: Seed = 0,
    time: Annotated[
        str | None, typer.Option(help="Time for everything, shared equally: 60s, 5m.")
    ] = None,
    jobs: Jobs = 0,
    seal: Annotated[
        str | None, typer.Option(help="Set rows aside for one final test: 20%.")
    ] = None,
    report: Annotated[
        str | None,
        typer.Option(help="Where the report goes (.html, .md, .json); none writes none."),
    ] = None,
    save: Save = None,
    run: Annotated[str | None, typer.Option(help="Where results wait to be continued.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where it was stopped.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done, and stop.")
    ] = False,
    require: Annotated[
        list[str] | None,
        typer.Option(help='Exit with 5 unless so: "auc.low>=0.75"; may be repeated.'),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare learners on a table, honestly, and write a report.

    Example: branchline compare credit.csv --target class
    Example: branchline compare sales.csv -t amount --learners all --tune small --time 10m
    """
    given: dict[str, Any] = {**locals(), "quiet": False}
    given.pop("as_json")
    for name in ("ids", "drop", "kind", "missing", "require"):
        given[name] = given[name] or ()
    found = compare_file(CompareOptions(**given))
    emit(as_json, found.document, found.text)
    if found.is_partial:
        raise typer.Exit(EXIT_INTERRUPTED)
    if not found.requirements_hold:
        raise typer.Exit(EXIT_REQUIREMENT)


def report(
    path: Data,
    target: Target,
    run: Annotated[str, typer.Option(help="The results that a comparison left.")],
    output: Annotated[str, typer.Option(help="The report: .html, .md or .json.")] = "report.html",
    learners: Learners = "fast",
    folds: Annotated[int, typer.Option(help="As in the comparison.")] = 10,
    as_json: Json = False,
) -> None:
    """Write the report of results that a comparison left (compare --run FILE).

    Example: branchline report credit.csv -t class --run credit.compare.jsonl --output credit.md
    """
    options = CompareOptions(
        path, target, learners=learners, folds=folds, run=run, resume=True, report=output
    )
    found = compare_file(options)
    emit(as_json, found.document, found.text)


def fit(  # noqa: PLR0913
    path: Data,
    target: Target,
    learner: Annotated[str, typer.Option(help="A name of `branchline learners`.")] = "tree",
    save: Save = None,
    settings: Settings = None,
    tune: Tune = None,
    task: TaskName = None,
    ids: Id = None,
    drop: Drop = None,
    kind: Kind = None,
    missing: Missing = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Fit one learner on all rows of a table.

    Example: branchline fit credit.csv --target class --learner logistic --save credit.branchline
    """
    reading = {"kind": kind, "drop": [*(drop or ()), *(ids or ())], "missing": missing}
    document, text = _model_verbs.fit(
        path,
        target,
        learner,
        save,
        settings=settings,
        task=task,
        tune=tune,
        seed=seed,
        reading=reading,
    )
    emit(as_json, document, text)


def predict(
    model: Model,
    path: Data,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Write .csv, .parquet or .json.")
    ] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Add the probability of each class.")
    ] = False,
    keep: Annotated[
        list[str] | None, typer.Option(help="Copy this column of the table beside.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Predict the rows of a table with a saved model.

    Example: branchline predict credit.branchline new.csv --output predictions.csv
    """
    document, text = _model_verbs.predict(
        model, path, output, chances=probabilities, keep=keep or ()
    )
    emit(as_json, document, (text or "").rstrip("\n"))


def explain(
    model: Model,
    path: Data,
    row: Annotated[int, typer.Option(help="Which row, counted from 0.")] = 0,
    as_json: Json = False,
) -> None:
    """Say why a model predicts what it does for one row.

    Example: branchline explain credit.branchline new.csv --row 3
    """
    document, text = _model_verbs.explain(model, path, row)
    emit(as_json, document, text)


def tree(  # noqa: PLR0913
    path: Data,
    target: Target,
    method: Annotated[str, typer.Option(help="tree, c45, cart, id3, one-rule or stump.")] = "tree",
    settings: Settings = None,
    rules: Annotated[bool, typer.Option("--rules", help="Print rules instead.")] = False,
    draw: Annotated[str | None, typer.Option(help="Draw it into this SVG file.")] = None,
    save: Save = None,
    task: TaskName = None,
    ids: Id = None,
    drop: Drop = None,
    kind: Kind = None,
    missing: Missing = None,
    as_json: Json = False,
) -> None:
    """Grow a decision tree, print it, draw it.

    Example: branchline tree credit.csv --target class --draw credit.svg
    """
    reading = {"kind": kind, "drop": [*(drop or ()), *(ids or ())], "missing": missing}
    document, text = _model_verbs.grow_tree(
        path,
        target,
        method,
        settings=settings,
        task=task,
        rules=rules,
        draw=draw,
        save=save,
        reading=reading,
    )
    emit(as_json, document, text)


def open_test(  # noqa: PLR0913
    model: Model,
    path: Data,
    target: Target,
    record: Annotated[
        str | None, typer.Option(help="The record of the seal; by default beside you.")
    ] = None,
    metric: Metric = None,
    positive: Positive = None,
    again: Annotated[
        bool, typer.Option("--again", help="Look once more; it is written down.")
    ] = False,
    ids: Id = None,
    drop: Drop = None,
    kind: Kind = None,
    missing: Missing = None,
    as_json: Json = False,
) -> None:
    """Assess a final model on the rows that compare --seal set aside: once.

    Example: branchline open-test credit.branchline credit.csv --target class
    """
    reading = {"kind": kind, "drop": [*(drop or ()), *(ids or ())], "missing": missing}
    document, text = _model_verbs.open_test(
        model,
        path,
        target,
        record=record,
        metric=metric,
        positive=positive,
        again=again,
        reading=reading,
    )
    emit(as_json, document, text)


def register(app: typer.Typer) -> None:
    """Add the verbs to the application."""
    for verb in (compare, fit, predict, explain, tree, report):
        app.command()(verb)
    app.command("open-test")(open_test)
